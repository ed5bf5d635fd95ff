// Of a block that the launch gives in part, that part stays.
__global__ void columns(float *out, int pitch) {
  out[(threadIdx.y + blockDim.y * threadIdx.z) * 1024 + threadIdx.x] = 0; // EXPECT: global 8 transactions 8 sectors [confidence=assumed assumptions=x_and_y_as_the_launch_has_it]
}
__global__ void rows(float *out, int pitch) {
  out[threadIdx.y * 1024 + threadIdx.x] = 0; // EXPECT: clean (global 1 transactions 4 sectors) [confidence=assumed assumptions=y_and_z_as_the_launch_has_it]
}
// Nothing of it is known.
__global__ void unknown(float *out, int pitch) {
  out[threadIdx.y * 1024 + threadIdx.x] = 0; // EXPECT: clean (global 1 transactions 4 sectors) [confidence=assumed assumptions=threadIdx.y_is_used]
}

void launch(float *out, int n) {
  columns<<<1, dim3(4, 8, n)>>>(out, n);
  rows<<<1, dim3(n, 2)>>>(out, n);
  unknown<<<1, dim3(n, n, n)>>>(out, n);
}
