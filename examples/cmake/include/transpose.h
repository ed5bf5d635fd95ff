#pragma once
constexpr int Edge = 32;

void transpose(float *out, const float *in, int n);
void copy(float *out, const float *in, int n);
