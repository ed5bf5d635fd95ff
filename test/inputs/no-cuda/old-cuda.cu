// Code of CUDA 4: texture and surface references, calls that later toolkits dropped, votes and shuffles without a mask. No
// header is included: nvcc includes CUDA's and the C library's own by itself.
texture<float, 2, cudaReadModeElementType> image;
texture<float4> points;
texture<unsigned char, 3, cudaReadModeNormalizedFloat> volume;
surface<void, 2> canvas;

__global__ void fetch(float *a, float4 *b, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = tex2D(image, i + 0.5f, 0.5f) + tex3D(volume, 1.f, 2.f, 3.f); // EXPECT: clean (global 1 transactions 4 sectors)
  a[32 * i] = 2;                                                      // EXPECT: global 32 transactions 32 sectors
  b[i] = tex1Dfetch(points, i);                                       // EXPECT: clean (global 4 transactions 16 sectors)
  float v;
  surf2Dread(&v, canvas, i * 4, 0);
  surf2Dwrite(v, canvas, i * 4, 1);
  a[i] = v + surf2Dread<float>(canvas, 0, 0);                         // EXPECT: clean (global 1 transactions 4 sectors)
}
__global__ void votes(int *a) {
  int v = a[32 * threadIdx.x];                                        // EXPECT: global 32 transactions 32 sectors
  v = __any(v) + __all(v) + __ballot(v) + __shfl(v, 3) + __shfl_down(v, 1) + __shfl_up(v, 1) + __shfl_xor(v, 1);
  a[threadIdx.x] = v;                                                 // EXPECT: clean (global 1 transactions 4 sectors)
}

int main() {
  float *p;
  float4 *q;
  cudaArray *array = 0;
  cudaMalloc((void **)&p, 1 << 20);
  cudaMalloc((void **)&q, 1 << 20);
  image.normalized = true;
  image.filterMode = cudaFilterModeLinear;
  image.addressMode[0] = cudaAddressModeClamp;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaBindTexture(0, points, q, 400);
  cudaBindTexture(NULL, &points, q, &channels, 400);
  cudaBindTexture2D(0, image, p, channels, 4, 5, 6);
  cudaBindTextureToArray(image, array, channels);
  cudaUnbindTexture(image);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  printf("%d %d %d\n", properties.clockRate, properties.deviceOverlap, properties.computeMode);
  cudaMemPrefetchAsync(p, 400, cudaCpuDeviceId, 0);
  cudaMemPrefetchAsync(p, 400, 0);
  cudaMemAdvise(p, 400, cudaMemAdviseSetReadMostly, 0);
  srand(time(NULL));
  fetch<<<64, 128>>>(p, q, 8);
  votes<<<1, 32>>>((int *)p);
  cudaThreadSynchronize();
  cudaThreadExit();
}
