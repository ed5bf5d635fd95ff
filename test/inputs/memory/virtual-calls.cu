// Virtual calls and calls through pointers. Where the function is known they are direct calls to the compiler, and followed;
// else the call itself says that its function's accesses are missing. nvcc 13.0 emits two loads for a virtual call, of the
// object's pointer to its table and of the table's entry, and none where it knows the class.
#include <cuda_runtime.h>

struct Shape {
  float w;
  __device__ virtual float area(const float *p) const = 0;
};
struct Square : Shape {
  __device__ float area(const float *p) const override {
    return w * p[threadIdx.x]; // EXPECT: clean (global 1 transaction 4 sectors)
  }
};
struct Half : Shape {
  __device__ float area(const float *p) const override { return w * p[2 * threadIdx.x]; }
};

__global__ void knownClass(float *out, const float *in) {
  Square s;
  s.w = 3;
  const Shape *p = &s;
  out[threadIdx.x] = p->area(in); // EXPECT: clean (global 1 transaction 4 sectors); clean (global 1 transaction 1 sector) [removed=True]
}

__global__ void make(Shape **shapes) {
  if (threadIdx.x == 0) {
    shapes[0] = new Square; // EXPECT: clean (global 1 transaction 1 sector); unknown
    shapes[1] = new Half;   // EXPECT: clean (global 1 transaction 1 sector); unknown
  }
}

__global__ void oneObject(float *out, Shape **shapes, const float *in) {
  out[threadIdx.x] = shapes[0]->area(in); // EXPECT: clean (global 1 transaction 4 sectors); clean (global 1 transaction 1 sector) [confidence=exact]; clean (global 1 transaction 1 sector) [confidence=assumed]; unknown [reason=the_class_of_the_object_is_not_known]
}

__global__ void severalObjects(float *out, Shape **shapes, const float *in) {
  out[threadIdx.x] = shapes[threadIdx.x & 1]->area(in); // EXPECT: clean (global 1 transaction 4 sectors); clean (global 1 transaction 1 sector); unknown [reason=read_from_memory]; unknown [reason=the_class_of_the_object_is_not_known]
}

// A table of functions that the program made is its own data: its loads have their members' places.
typedef float (*Area)(const float *);
struct Table {
  Area area;
};
struct Plain {
  const Table *table;
};
__device__ float neighbours(const float *p) {
  return p[threadIdx.x]; // EXPECT: clean (global 1 transaction 4 sectors)
}
__device__ float thirds(const float *p) { return p[3 * threadIdx.x]; }
__device__ Area functions[2] = {neighbours, thirds};
__device__ Table table = {thirds};
__device__ Plain plain = {&table};

__global__ void throughTable(float *out, const float *in) {
  out[threadIdx.x] = plain.table->area(in); // EXPECT: clean (global 1 transaction 4 sectors); clean (global 1 transaction 1 sector) [confidence=exact]; clean (global 1 transaction 1 sector) [confidence=assumed]; unknown [reason=which_function_the_pointer_leads_to_is_not_known]
}

__global__ void throughPointer(float *out, const float *in, int which) {
  out[threadIdx.x] = functions[which](in); // EXPECT: clean (global 1 transaction 4 sectors); clean (global 1 transaction 1 sector); unknown [reason=which_function_the_pointer_leads_to_is_not_known]
}

__global__ void knownFunction(float *out, const float *in) {
  Area area = neighbours;
  out[threadIdx.x] = area(in); // EXPECT: clean (global 1 transaction 4 sectors)
}

__global__ void eitherFunction(float *out, const float *in) {
  Area area = threadIdx.x & 1 ? neighbours : thirds;
  out[threadIdx.x] = area(in); // EXPECT: clean (global 1 transaction 4 sectors); unknown [reason=which_function_the_pointer_leads_to_is_not_known]
}

int main() {
  float *out, *in;
  Shape **shapes;
  cudaMalloc(&out, 4096);
  cudaMalloc(&in, 4096);
  cudaMalloc(&shapes, 64);
  knownClass<<<1, 32>>>(out, in);
  make<<<1, 32>>>(shapes);
  oneObject<<<1, 32>>>(out, shapes, in);
  severalObjects<<<1, 32>>>(out, shapes, in);
  throughTable<<<1, 32>>>(out, in);
  throughPointer<<<1, 32>>>(out, in, 1);
  knownFunction<<<1, 32>>>(out, in);
  eitherFunction<<<1, 32>>>(out, in);
  return cudaDeviceSynchronize();
}
