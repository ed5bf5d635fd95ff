// nvcc takes registers of assembly with one percent sign and with two.
__global__ void lanes(float *a) {
  unsigned one, two, mask;
  asm("mov.u32 %0, %laneid;" : "=r"(one));
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(two));
  asm("mov.u32 %0, %lanemask_lt;" : "=r"(mask));
  a[2 * one] = 1; // EXPECT: global 2 transactions 8 sectors [confidence=exact]
  a[two] = 2;     // EXPECT: clean (global 1 transactions 4 sectors)
  a[__popc(mask)] = 3; // EXPECT: clean (global 1 transactions 4 sectors)
}
void launch(float *a) { lanes<<<1, 32>>>(a); }
