// Cell J: 128 consecutive bytes that start at byte 64 straddle two transactions. No sector is wasted: a note, not a warning.
__global__ void from_byte_64(const float *in, float *out) {
  out[threadIdx.x] = in[threadIdx.x + 16]; // EXPECT: clean (global 2 transactions 4 sectors) [efficiency=0.5 confidence=exact rule=global-misaligned]; clean
}

void launch(const float *in, float *out) { from_byte_64<<<1, 32>>>(in, out); }
