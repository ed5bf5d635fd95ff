__global__ void silenced(float *out, const float *in) {
  int i = threadIdx.x;
  float sum = in[2 * i]; // NOLINT(global-stride)
  // NOLINTNEXTLINE(global-stride): the host needs this layout
  sum += in[3 * i];
  // NOLINTBEGIN(global-*)
  sum += in[4 * i];
  // NOLINTEND(global-*)
  out[i] = sum; // NOLINT(global-stride)
}
void launch(float *out, const float *in) { silenced<<<1, 256>>>(out, in); }
