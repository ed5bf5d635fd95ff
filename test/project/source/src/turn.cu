#include "turn.cuh"

void launch_turn(float *out, const float *in) { turn<32><<<1, dim3(32, 32)>>>(out, in); }
