// Structures of megabytes, held and changed by value: the analysis keeps them in few pieces, so it ends at once.
struct Huge {
  int values[1 << 20];
};

__global__ void change_one(const Huge *in, Huge *out, int *first) {
  Huge copy = in[threadIdx.x];
  copy.values[threadIdx.x & 1] = 3; // EXPECT: (local memory) [rule=local-indexed-array severity=warning]
  copy.values[7] = 4;
  first[threadIdx.x] = copy.values[7]; // EXPECT: clean
  out[threadIdx.x] = copy;
}

void launch(const Huge *in, Huge *out, int *first) { change_one<<<1, 32>>>(in, out, first); }
