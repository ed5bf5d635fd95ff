// What a compiler drops, or narrows, is listed as such.
__global__ void removed(float *p, const float4 *q, float *out, const int *flag) {
  int t = threadIdx.x;
  float same = p[t]; // EXPECT: clean [removed=True]
  p[t] = same;       // EXPECT: clean [removed=True]
  float other = p[t + 32]; // EXPECT: clean [removed=False operation=load]
  p[t] = other;            // EXPECT: clean [removed=False operation=store]
  float between = p[t + 64]; // EXPECT: clean [removed=False operation=load]
  out[t] = 0;                // EXPECT: clean
  p[t + 64] = between;       // EXPECT: clean [removed=False operation=store]
  float unused = p[t + 96];  // EXPECT: clean [removed=True]
  volatile float *v = p;
  v[t + 128]; // EXPECT: clean [removed=False]
  float4 *vectors = (float4 *)(p + 256);
  float4 copy = vectors[t]; // EXPECT: clean [removed=True operation=load width=16]
  vectors[t] = copy;        // EXPECT: clean [removed=True operation=store]
  float4 moved = vectors[t + 32]; // EXPECT: clean [removed=False width=16]
  vectors[t] = moved;             // EXPECT: clean [removed=False operation=store]
  // One component is read alone, two bring the whole vector.
  float4 one = q[t], two = q[t + 32], whole = q[t + 64], none = q[t + 96]; // EXPECT: global 4 transactions 16 sectors [width=4 confidence=exact]; clean (global 4 transactions 16 sectors) [width=16 removed=False]; clean [width=16 removed=True]
  out[t + 32] = one.y;         // EXPECT: clean
  out[t + 64] = two.x + two.z; // EXPECT: clean
  float4 *to = (float4 *)(out + 128);
  to[t] = whole; // EXPECT: clean (global 4 transactions 16 sectors) [width=16]
}

void launch(float *p, int *i) { removed<<<1, 32>>>(p, (float4 *)p, p, i); }
