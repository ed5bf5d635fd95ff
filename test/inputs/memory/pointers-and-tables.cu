// Pointers inside structures and arrays, tables of constants, and variables that the host may change.
struct Parameters {
  float *a, *b;
  int n;
  float *planes[4];
};
struct Node {
  float *data;
  int length;
};

__global__ void inside(Parameters p, float *const *rows, const Node *nodes) {
  int t = threadIdx.x;
  p.a[t] = p.b[2 * t];                // EXPECT: clean (global 1 transactions 4 sectors) [confidence=exact]; global 2 transactions 8 sectors [confidence=exact]
  p.planes[1][t] = 1;                 // EXPECT: clean (global 1 transactions 4 sectors) [confidence=exact]
  for (int i = 0; i < 4; ++i)
    p.planes[i][4 * t] = 1;           // EXPECT: global 4 transactions 16 sectors [confidence=exact]
  rows[blockIdx.x][t] = 1;            // EXPECT: clean (global 1 transactions 4 sectors) [confidence=assumed assumptions=256-byte_aligned]
  nodes[blockIdx.x].data[2 * t] = 2;  // EXPECT: global 2 transactions 8 sectors [confidence=assumed assumptions=256-byte_aligned]; clean (global 1 transactions 1 sectors)
  rows[t][0] = 1;                     // EXPECT: unknown [reason='rows[t]',_which_is_read_from_memory_at_20:3]
}

struct Lookup {
  int first[8];
  float *p;
};
__device__ float throughValue(Lookup l, int i) { return l.p[l.first[i] + threadIdx.x]; } // EXPECT: clean (global 1 transactions 4 sectors) [confidence=assumed assumptions=multiple_of_32]
__global__ void byValue(Lookup l, float *out) {
  out[threadIdx.x] = throughValue(l, 3); // EXPECT: clean
}

__constant__ int settable[4] = {0, 8, 16, 24};
__constant__ const int fixedTable[4] = {0, 8, 16, 24};
__device__ int writable[4] = {0, 8, 16, 24};
__global__ void tables(float *out) {
  int t = threadIdx.x;
  out[fixedTable[t & 3] + t] = 1; // EXPECT: global 2 transactions 7 sectors [confidence=exact]; constant 4-way
  out[settable[t & 3] + t] = 1;   // EXPECT: unknown [reason='settable[t_&_3]',_which_is_read_from_memory]; constant 4-way
  out[writable[t & 3] + t] = 1;   // EXPECT: unknown [reason='writable[t_&_3]',_which_is_read_from_memory]
  out[settable[1] + t] = 2;       // EXPECT: clean (global 1 transactions 4 sectors) [confidence=assumed]
}

// Lanes that choose between two arrays touch the lines of both.
__global__ void chosen(float *a, float *b, const int *flag) {
  __shared__ float s1[32], s2[32];
  int t = threadIdx.x;
  float *half = t < 16 ? a : b;
  half[t] = 1;                          // EXPECT: clean (global 2 transactions 4 sectors) [confidence=assumed assumptions=do_not_overlap base=a_or_b]
  float *alternate = (t & 1) ? a : b;
  alternate[t] = 1;                     // EXPECT: global 2 transactions 8 sectors [confidence=assumed]
  float *same = t < 64 ? a : b;
  same[t] = 1;                          // EXPECT: clean (global 1 transactions 4 sectors) [confidence=exact]
  float *either = flag[3] > 1 ? a : b;
  either[t] = 1;                        // EXPECT: clean (global 1 transactions 4 sectors) [confidence=assumed]
  float *data = flag[t] > 1 ? a : b;
  data[t] = 1;                          // EXPECT: unknown [reason='data',_chosen_by_a_condition_on_'flag[t]']
  float *shared = t < 16 ? s1 : s2;
  shared[t] = 1;                        // EXPECT: unknown [reason=choice_between_pointers]
}

// A number that all lanes share moves their request as a whole, wherever it comes from; one of their own does not.
__global__ void sharedNumbers(float *a, const int *index, int *counter) {
  int t = threadIdx.x;
  int first = __shfl_sync(~0u, index[t], 0);
  a[first + t] = 1;     // EXPECT: clean (global 1 transactions 4 sectors) [confidence=assumed assumptions=first_is_a_multiple_of_32]
  a[2 * (first + t)] = 1; // EXPECT: global 2 transactions 8 sectors [confidence=assumed]
  int place = 0;
  if (t == 0)
    place = atomicAdd(counter, 32);
  place = __shfl_sync(~0u, place, 0);
  a[place + t] = 1;     // EXPECT: clean (global 1 transactions 4 sectors) [confidence=assumed]
  int own = atomicAdd(counter, 1);
  a[own] = 1;           // EXPECT: unknown [reason=old_value_of_the_atomic_operation]
  unsigned vote = __ballot_sync(~0u, index[t] > 0);
  a[__popc(vote & ((1u << t) - 1))] = 1; // EXPECT: unknown [reason='index[t]',_which_is_read_from_memory]
}

// A function whose body is elsewhere may give each lane another number.
extern __device__ int elsewhere(int);
__global__ void external(float *a, int n) {
  a[elsewhere(n) + threadIdx.x] = 1; // EXPECT: unknown [reason=the_result_of_'elsewhere(n)']
  a[n + threadIdx.x] = 1;            // EXPECT: clean (global 1 transactions 4 sectors) [confidence=assumed]
  a[(1 << n) + threadIdx.x] = 1;     // EXPECT: clean (global 1 transactions 4 sectors) [confidence=assumed]
  a[threadIdx.x >> n] = 1;           // EXPECT: unknown [reason=made_of_'n']
}

// Where an unknown size parts the lanes of a warp the request is left out, and that is said.
__global__ void clamped(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int right = i + 1 < n ? i + 1 : n - 1;
  out[i] = in[right]; // EXPECT: clean [confidence=assumed assumptions=n_is]; clean
}

void launch(Parameters p, float **rows, Node *nodes, Lookup l, float *f, int *i) {
  inside<<<4, 32>>>(p, rows, nodes);
  byValue<<<1, 32>>>(l, f);
  tables<<<1, 64>>>(f);
  chosen<<<1, 32>>>(f, f, i);
  sharedNumbers<<<1, 32>>>(f, i, i);
  external<<<1, 32>>>(f, *i);
  clamped<<<64, 256>>>(f, f, *i);
}
