// Byte address 70 lies in word 17, hence in bank 17: it conflicts with another word of bank 17 (word 49, byte 196),
// and shares a wavefront with byte 68 of the same word and with word 18.
__global__ void banks(char *out) {
  __shared__ char s[256];
  s[threadIdx.x] = 1; // EXPECT: clean
  __syncthreads();
  char same_bank = s[threadIdx.x == 0 ? 70 : 196];    // EXPECT: shared 2-way [confidence=exact]
  char same_word = s[threadIdx.x == 0 ? 70 : 68];     // EXPECT: clean [wavefronts=1 conflictWays=1 confidence=exact]
  char next_bank = s[threadIdx.x == 0 ? 70 : 72];     // EXPECT: clean [wavefronts=1 conflictWays=1 confidence=exact]
  out[threadIdx.x] = same_bank + same_word + next_bank; // EXPECT: clean
}

void launch(char *out) { banks<<<1, 32>>>(out); }
