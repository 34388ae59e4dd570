// Part of Tenon, under the Apache License v2.0.
//
// The host kernels of executor_test.cpp: what a program carries as object code.

#include <stdint.h>

/// Sixteen int8: output i = 3 * input i - i.
void triple(void **buffers) {
  const int8_t *input = buffers[0];
  int8_t *output = buffers[1];
  for (int i = 0; i < 16; ++i)
    output[i] = (int8_t)(3 * input[i] - i);
}
