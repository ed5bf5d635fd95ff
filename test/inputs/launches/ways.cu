// The ways in which a block's shape reaches a launch. A block of 4x8 makes the store one of 4 rows of a sector each; of the
// shape that is assumed otherwise, 32x8, each lane has a row of its own.
#include <cuda_runtime.h>
#include <utility>

#define STORE(out) out[threadIdx.x * 1024 + threadIdx.y] = 1
#define RUN(kernel, width, out) kernel<<<1, dim3(width, 32 / width)>>>(out)

__global__ void macro(float *out) { STORE(out); } // EXPECT: clean (global 4 transactions 4 sectors) [confidence=exact]
void runMacro(float *out) { RUN(macro, 4, out); }

__global__ void function(float *out) { STORE(out); } // EXPECT: clean (global 4 transactions 4 sectors) [confidence=exact]
void launchFunction(dim3 grid, dim3 block, float *out) { function<<<grid, block>>>(out); }
void runFunction(float *out) { launchFunction(1, dim3(4, 8), out); }

__global__ void nested(float *out) { STORE(out); } // EXPECT: clean (global 4 transactions 4 sectors) [confidence=exact]
void launchInner(float *out, int x, int y) { nested<<<1, dim3(x, y)>>>(out); }
void launchOuter(float *out, int x, int y = 8) { launchInner(out, x, y); }
void runOuter(float *out) { launchOuter(out, 4); }

__global__ void uncalled(float *out) { STORE(out); } // EXPECT: global 32 transactions 32 sectors [confidence=assumed]
void launchUncalled(dim3 grid, dim3 block, float *out) { uncalled<<<grid, block>>>(out); }

template <int X> __global__ void instance(float *out) { STORE(out); } // EXPECT: clean (global 4 transactions 4 sectors) [confidence=exact]
template <int X> void runInstance(float *out) { instance<X><<<1, dim3(X, 32 / X)>>>(out); }
template void runInstance<4>(float *);

__global__ void inLambda(float *out) { STORE(out); } // EXPECT: clean (global 4 transactions 4 sectors) [confidence=exact]
void runLambda(float *out) {
  auto launch = [&](int x, int y) { inLambda<<<1, dim3(x, y)>>>(out); };
  launch(4, 8);
}

__global__ void forwarded(float *out) { STORE(out); } // EXPECT: clean (global 4 transactions 4 sectors) [confidence=exact]
template <class Kernel, class... Arguments> void launchAny(Kernel kernel, const dim3 &grid, const dim3 &block, Arguments &&...arguments) {
  kernel<<<grid, block>>>(std::forward<Arguments>(arguments)...);
}
void runForwarded(float *out) { launchAny(forwarded, 1, dim3(4, 8), out); }

__global__ void handed(float *out) { STORE(out); } // EXPECT: clean (global 4 transactions 4 sectors) [confidence=exact]
void launchPointer(void (*kernel)(float *), int x, float *out) { kernel<<<1, dim3(x, 8)>>>(out); }
void runPointer(float *out) { launchPointer(handed, 4, out); }

__global__ void configured(float *out) { STORE(out); } // EXPECT: clean (global 4 transactions 4 sectors) [confidence=exact]
void runConfigured(float *out) {
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim.x = 4;
  config.blockDim.y = 8;
  config.blockDim.z = 1;
  cudaLaunchKernelEx(&config, configured, out);
}

__global__ void runtime(float *out) { STORE(out); } // EXPECT: clean (global 4 transactions 4 sectors) [confidence=exact]
__global__ void cooperative(float *out) { STORE(out); } // EXPECT: clean (global 4 transactions 4 sectors) [confidence=exact]
void runRuntime(float *out) {
  void *arguments[] = {&out};
  cudaLaunchKernel((const void *)runtime, dim3(1), dim3(4, 8), arguments, 0, nullptr);
  cudaLaunchCooperativeKernel((const void *)cooperative, dim3(1), dim3(4, 8), arguments, 0, nullptr);
}

__global__ void assigned(float *out) { STORE(out); } // EXPECT: clean (global 4 transactions 4 sectors) [confidence=exact]
void runAssigned(float *out) {
  dim3 block(32, 1);
  block = dim3(4, 8);
  assigned<<<1, block>>>(out);
  block.x = 1;
}

// Every launch is analysed; the worst is told.
__global__ void twice(float *out) {
  STORE(out); // EXPECT: global 4 transactions 4 sectors [confidence=exact]; global 32 transactions 32 sectors [confidence=exact rule=global-stride]
}
void runTwice(float *out) {
  twice<<<1, dim3(4, 8)>>>(out);
  twice<<<1, dim3(32, 1)>>>(out);
}

__global__ void eitherOf(float *out) {
  STORE(out); // EXPECT: clean (global 4 transactions 4 sectors) [confidence=exact]; clean (global 2 transactions 4 sectors) [confidence=exact]
}
void runEither(float *out, int n) { eitherOf<<<n, n > 100 ? dim3(4, 8) : dim3(2, 16)>>>(out); }

__global__ void oneOf(float *out) {
  STORE(out); // EXPECT: clean (global 4 transactions 4 sectors) [confidence=exact]; clean (global 2 transactions 4 sectors) [confidence=exact]
}
void runSwitch(float *out, int n) {
  int x = 0, y = 0;
  switch (n) {
  case 1:
    x = 4, y = 8;
    break;
  case 2:
    x = 2, y = 16;
    break;
  }
  oneOf<<<1, dim3(x, y)>>>(out);
}

__global__ void sizes(float *out) {
  STORE(out); // EXPECT: clean (global 4 transactions 4 sectors) [confidence=exact]; clean (global 2 transactions 4 sectors) [confidence=exact]
}
void runSizes(float *out) {
  const int widths[] = {2, 4};
  for (int i = 0; i < 2; ++i) {
    int width = widths[i];
    sizes<<<1, dim3(width, 32 / width)>>>(out);
  }
}

// What a launch leaves open is taken from another, but it is not certain.
__global__ void borrowed(float *out) {
  STORE(out); // EXPECT: clean (global 4 transactions 4 sectors) [confidence=exact]; clean (global 4 transactions 4 sectors) [confidence=assumed]
}
void runBorrowed(float *out, int x) {
  borrowed<<<1, dim3(4, 8)>>>(out);
  borrowed<<<1, dim3(x, 8)>>>(out);
}

__global__ void minimum(float *out) { STORE(out); } // EXPECT: clean (global 4 transactions 4 sectors) [confidence=assumed]
void runMinimum(float *out, int n) { minimum<<<1, dim3(n < 4 ? n : 4, 8)>>>(out); }

// Never a value that the program may have changed by then.
__global__ void changed(float *out) { STORE(out); } // EXPECT: clean (global 4 transactions 4 sectors) [confidence=assumed]
void runChanged(float *out, int n) {
  int x = 4;
  while (x < n)
    x *= 2;
  changed<<<1, dim3(x, 8)>>>(out);
}

__global__ void chosen(float *out) { STORE(out); } // EXPECT: global 32 transactions 32 sectors [confidence=assumed]
void runChosen(float *out) {
  int grid, block;
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, chosen);
  chosen<<<grid, block>>>(out);
}
