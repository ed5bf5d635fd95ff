// Division, remainder, shifts, masks, minima, selections and widths in indices. The truth is the kernel itself, run
// on the CPU (test/replay).

//--- Quotients and remainders ---------------------------------------------------
__global__ void divideThenRejoin(int *out, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[(i / w) * w + i % w] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void rowsOf24(int *out, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[(i / w) * 32 + i % w] = 1; // EXPECT: clean (global 2 transactions 4 sectors) [confidence=exact]
}
__global__ void swappedDigits(int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[(i % 8) * 64 + i / 8] = 1; // EXPECT: global 8 transactions 8 sectors [confidence=exact]
}
__global__ void threeDigits(int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = i % 10, y = i / 10 % 12, z = i / 120;
  out[z * 16 * 16 + y * 16 + x] = 1; // EXPECT: global 3 transactions 7 sectors [confidence=exact benign]
}
__global__ void fourDigits(int *out, int c, int h, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = i % w, y = (i / w) % h, z = (i / (w * h)) % c, n = i / (w * h * c);
  out[((n * h + y) * w + x) * c + z] = 1; // EXPECT: global 3 transactions 12 sectors [confidence=exact]
}
__global__ void negativeQuotient(int *out) {
  int i = threadIdx.x - 40;
  out[i / 3 + 64] = 1; // EXPECT: clean (global 2 transactions 2 sectors) [confidence=exact]
}
__global__ void negativeRemainder(int *out) {
  int i = int(threadIdx.x) - 40;
  out[i % 7 + 64] = 1; // EXPECT: clean (global 2 transactions 2 sectors) [confidence=exact]
}
__global__ void unsignedQuotient(int *out) {
  unsigned i = threadIdx.x + 5;
  out[i / 3 * 7] = 1; // EXPECT: global 3 transactions 11 sectors [confidence=exact]
}
__global__ void roundedUp(int *out) { out[(threadIdx.x + 31) / 32 * 32] = 1; } // EXPECT: clean (global 2 transactions 2 sectors) [confidence=exact]
__global__ void wideQuotient(int *out) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  out[i / 5 * 8 + i % 5] = 1; // EXPECT: global 2 transactions 8 sectors [confidence=exact]
}
__global__ void uniformQuotient(int *out, int a, int b) { out[a / b + threadIdx.x] = 1; } // EXPECT: global 2 transactions 5 sectors [confidence=exact]
__global__ void ringBuffer(int *out) { out[(threadIdx.x + blockIdx.x * 100) % 300] = 1; } // EXPECT: global 2 transactions 5 sectors [confidence=exact]
__global__ void wrapAround(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[(i + n - 1) % n] = 1; // EXPECT: global 2 transactions 5 sectors [confidence=exact benign]
}

//--- Shifts and masks -----------------------------------------------------------
__global__ void laneOfThread(int *out) { out[(threadIdx.x & 31) * 2] = 1; } // EXPECT: global 2 transactions 8 sectors [confidence=exact]
__global__ void warpOfThread(int *out) { out[(threadIdx.x >> 5) * 33 + (threadIdx.x & 31)] = 1; } // EXPECT: global 2 transactions 5 sectors [confidence=exact]
__global__ void shiftedLeft(int *out) { out[threadIdx.x << 3] = 1; } // EXPECT: global 8 transactions 32 sectors [confidence=exact]
__global__ void shiftedByLane(int *out) { out[1 << (threadIdx.x & 7)] = 1; } // EXPECT: global 4 transactions 6 sectors [confidence=exact]
__global__ void alignedDown(int *out) { out[threadIdx.x & ~3] = 1; } // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
__global__ void alignedDown64(int *out) { out[(size_t(threadIdx.x) + 3) & ~size_t(3)] = 1; } // EXPECT: global 2 transactions 5 sectors [confidence=exact]
__global__ void orOfParts(int *out) { out[blockIdx.x << 8 | threadIdx.x] = 1; } // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
__global__ void orThatOverlaps(int *out) { out[(blockIdx.x * 40) | threadIdx.x] = 1; } // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
__global__ void xorSwizzle(int *out) { out[(threadIdx.x ^ 5) + blockIdx.x * 64] = 1; } // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
__global__ void xorOfRows(int *out) {
  int x = threadIdx.x & 31, y = threadIdx.x >> 5;
  out[y * 32 + (x ^ y)] = 1; // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
}
__global__ void xorWithBlock(int *out) { out[(threadIdx.x * 2) ^ blockIdx.x] = 1; } // EXPECT: global 2 transactions 8 sectors [confidence=exact]
__global__ void negativeShift(int *out) { out[((int(threadIdx.x) - 16) >> 2) + 8] = 1; } // EXPECT: clean (global 1 transaction 2 sectors) [confidence=exact]
__global__ void logicalShift(int *out) { out[(threadIdx.x - 16u) >> 28] = 1; } // EXPECT: clean (global 1 transaction 2 sectors) [confidence=exact]
__global__ void complement(int *out) { out[~threadIdx.x & 63] = 1; } // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
__global__ void evenAndOdd(int *out) { out[(threadIdx.x >> 1) + (threadIdx.x & 1) * 64] = 1; } // EXPECT: clean (global 2 transactions 4 sectors) [confidence=exact]
__global__ void insertedZero(int *out, int s) {
  int t = threadIdx.x;
  out[((t & ~(s - 1)) << 1) | (t & (s - 1))] = 1; // EXPECT: clean (global 2 transactions 4 sectors) [confidence=exact]
}
__global__ void morton(int *out) {
  unsigned x = threadIdx.x & 15, y = threadIdx.x >> 4;
  x = (x | x << 4) & 0x0f0f, x = (x | x << 2) & 0x3333, x = (x | x << 1) & 0x5555;
  y = (y | y << 4) & 0x0f0f, y = (y | y << 2) & 0x3333, y = (y | y << 1) & 0x5555;
  out[x | y << 1] = 1; // EXPECT: clean (global 2 transactions 4 sectors) [confidence=exact]
}
__global__ void grayCode(int *out) { out[threadIdx.x ^ (threadIdx.x >> 1)] = 1; } // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
__global__ void hashOfThread(int *out) {
  unsigned h = threadIdx.x * 2654435761u;
  out[(h ^ h >> 15) >> 20] = 1; // EXPECT: global 32 transactions 32 sectors [confidence=exact]
}

//--- Minima, selections, signs ----------------------------------------------------
__global__ void clamped(int *out, int n) {
  int i = int(blockIdx.x * blockDim.x + threadIdx.x) - 2;
  out[max(0, min(i, n - 1))] = 1; // EXPECT: global 2 transactions 5 sectors [confidence=exact]
}
__global__ void mirrored(int *out, int n) {
  int i = int(blockIdx.x * blockDim.x + threadIdx.x) - 4;
  if (i < 0)
    i = -i;
  if (i >= n)
    i = 2 * n - 2 - i;
  out[i] = 1; // EXPECT: global 2 transactions 5 sectors [confidence=exact]
}
__global__ void reversed(int *out, int n) { out[n - 1 - int(blockIdx.x * blockDim.x + threadIdx.x)] = 1; } // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
__global__ void reversedStride2(int *out, int n) { out[n - 2 * int(threadIdx.x)] = 1; } // EXPECT: global 3 transactions 9 sectors [confidence=exact]
__global__ void selected(int *out) { out[threadIdx.x < 8 ? threadIdx.x * 16 : 1000 + threadIdx.x] = 1; } // EXPECT: global 6 transactions 11 sectors [confidence=exact]
__global__ void selectedByBlock(int *out) { out[blockIdx.x & 1 ? threadIdx.x * 2 : threadIdx.x] = 1; } // EXPECT: global 2 transactions 8 sectors [confidence=exact]
__global__ void absolute(int *out) { out[abs(int(threadIdx.x) - 16) * 2] = 1; } // EXPECT: global 2 transactions 8 sectors [confidence=exact]
__global__ void flag(int *out) { out[(threadIdx.x > 10) * 100 + threadIdx.x] = 1; } // EXPECT: global 3 transactions 6 sectors [confidence=exact benign]
__global__ void signOf(int *out) {
  int d = int(threadIdx.x) - 9;
  out[50 + (d > 0) - (d < 0)] = 1; // EXPECT: clean (global 1 transaction 1 sector) [confidence=exact]
}

//--- Widths -----------------------------------------------------------------------
__global__ void unsignedBorrow(int *out) { out[64 + int(threadIdx.x - 32u)] = 1; } // EXPECT: clean (global 1 transaction 4 sectors) [confidence=exact]
__global__ void unsignedOffset(char *out) { out[threadIdx.x * sizeof(float)] = 1; } // EXPECT: global 1 transaction 4 sectors [confidence=exact]
__global__ void bytesOfThread(float *out) { *(float *)((char *)out + threadIdx.x * 8 + 4) = 1; } // EXPECT: global 2 transactions 8 sectors [confidence=exact]
__global__ void wrapsAt8Bits(int *out) { out[(unsigned char)(threadIdx.x * 9)] = 1; } // EXPECT: global 8 transactions 29 sectors [confidence=exact]
__global__ void wrapsAt8BitsSigned(int *out) { out[(signed char)(threadIdx.x * 9) + 128] = 1; } // EXPECT: global 8 transactions 29 sectors [confidence=exact]
__global__ void wrapsAt16Bits(int *out) { out[(unsigned short)(threadIdx.x * 3000)] = 1; } // EXPECT: global 32 transactions 32 sectors [confidence=exact]
__global__ void wrapsAt32Bits(int *out) { out[(threadIdx.x * 0x8000001u) >> 20] = 1; } // EXPECT: global 32 transactions 32 sectors [confidence=exact]
__global__ void wrapsAt64Bits(int *out) { out[(threadIdx.x * 0x0800000000000001ull) >> 54] = 1; } // EXPECT: global 32 transactions 32 sectors [confidence=exact]
__global__ void signExtended(int *out) {
  int i = threadIdx.x;
  long long j = i - 8;
  out[j * 3] = 1; // EXPECT: global 4 transactions 12 sectors [confidence=exact]
}
__global__ void zeroExtended(int *out) {
  unsigned i = threadIdx.x + 0xfffffff0u;
  out[(unsigned long long)i - 0xfffffff0ull] = 1; // EXPECT: clean (global 2 transactions 4 sectors) [confidence=exact]
}
__global__ void negativeOffset(int *out) { (out + 100)[int(threadIdx.x) - 50] = 1; } // EXPECT: global 2 transactions 5 sectors [confidence=exact]
__global__ void negativePitch(int *out, int pitch) { out[int(threadIdx.x) * -pitch] = 1; } // EXPECT: global 4 transactions 13 sectors [confidence=exact]

void launches(int *a, char *c, float *f) {
  divideThenRejoin<<<6, 128>>>(a, 24);
  rowsOf24<<<6, 128>>>(a, 24);
  swappedDigits<<<4, 128>>>(a);
  threeDigits<<<8, 120>>>(a);
  fourDigits<<<12, 128>>>(a, 3, 4, 16);
  negativeQuotient<<<1, 96>>>(a);
  negativeRemainder<<<1, 96>>>(a);
  unsignedQuotient<<<1, 96>>>(a);
  roundedUp<<<2, 96>>>(a);
  wideQuotient<<<5, 160>>>(a);
  uniformQuotient<<<2, 64>>>(a, 100, 7);
  ringBuffer<<<9, 64>>>(a);
  wrapAround<<<4, 64>>>(a, 256);
  laneOfThread<<<2, 128>>>(a);
  warpOfThread<<<2, 128>>>(a);
  shiftedLeft<<<2, 128>>>(a);
  shiftedByLane<<<2, 128>>>(a);
  alignedDown<<<2, 128>>>(a);
  alignedDown64<<<2, 128>>>(a);
  orOfParts<<<4, 256>>>(a);
  orThatOverlaps<<<4, 64>>>(a);
  xorSwizzle<<<4, 64>>>(a);
  xorOfRows<<<1, 512>>>(a);
  xorWithBlock<<<7, 64>>>(a);
  negativeShift<<<2, 64>>>(a);
  logicalShift<<<2, 64>>>(a);
  complement<<<2, 64>>>(a);
  evenAndOdd<<<2, 128>>>(a);
  insertedZero<<<2, 128>>>(a, 8);
  morton<<<2, 256>>>(a);
  grayCode<<<2, 128>>>(a);
  hashOfThread<<<2, 128>>>(a);
  clamped<<<3, 64>>>(a, 150);
  mirrored<<<3, 64>>>(a, 170);
  reversed<<<3, 64>>>(a, 192);
  reversedStride2<<<3, 64>>>(a, 192);
  selected<<<1, 64>>>(a);
  selectedByBlock<<<5, 64>>>(a);
  absolute<<<1, 64>>>(a);
  flag<<<1, 64>>>(a);
  signOf<<<1, 64>>>(a);
  unsignedBorrow<<<1, 64>>>(a);
  unsignedOffset<<<1, 64>>>(c);
  bytesOfThread<<<1, 64>>>(f);
  wrapsAt8Bits<<<1, 96>>>(a);
  wrapsAt8BitsSigned<<<1, 96>>>(a);
  wrapsAt16Bits<<<1, 96>>>(a);
  wrapsAt32Bits<<<1, 96>>>(a);
  wrapsAt64Bits<<<1, 96>>>(a);
  signExtended<<<1, 96>>>(a);
  zeroExtended<<<1, 96>>>(a);
  negativeOffset<<<1, 96>>>(a);
  negativePitch<<<1, 96>>>(a, 3);
}
