// A call that is nested too deeply hides nothing but itself.
__device__ int tree(int n) { return n < 1 ? 1 : tree(n - 1) + tree(n - 2); }
__device__ float chain(int n, const float *p) { return n == 0 ? p[2 * threadIdx.x] : chain(n - 1, p); } // EXPECT: unknown [reason=not_analysed:_budget]; global 2 transactions 8 sectors [confidence=exact]

__global__ void branching(int *a, int n) {
  a[tree(n) + threadIdx.x] = 1;    // EXPECT: unknown [reason=budget]
  a[threadIdx.x] = tree(40);       // EXPECT: clean (global 1 transactions 4 sectors) [confidence=assumed assumptions=calls_are_nested_too_deeply]
}
__global__ void tooDeep(const float *p, float *out) {
  out[threadIdx.x] = chain(1000, p); // EXPECT: clean (global 1 transactions 4 sectors) [confidence=assumed]
}
__global__ void deepEnough(const float *p, float *out) {
  out[threadIdx.x] = chain(5, p); // EXPECT: clean (global 1 transactions 4 sectors) [confidence=exact]
}

// Copies say how long they are.
struct Long {
  int words[2000];
};
__global__ void copies(Long *to, const Long *from, char *bytes, int n) {
  to[threadIdx.x] = from[threadIdx.x]; // EXPECT: unknown [reason=copy_of_8000_bytes_in_pieces_of_4 operation=load base=from]; unknown [reason=copy_of_8000_bytes operation=store base=to]
  memcpy(bytes + n, bytes, n);         // EXPECT: unknown [reason=length_of_the_copy,_n, operation=load]; unknown [operation=store]
  memset(bytes, 0, n);                 // EXPECT: unknown [reason=length_of_the_copy,_n,]
}

void launch(int *a, float *f, Long *l, char *c, int n) {
  branching<<<1, 64>>>(a, n);
  tooDeep<<<1, 32>>>(f, f);
  deepEnough<<<1, 32>>>(f, f);
  copies<<<1, 32>>>(l, l, c, n);
}
