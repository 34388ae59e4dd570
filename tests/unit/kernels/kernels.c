// Part of Tenon, under the Apache License v2.0.
//
// Host code written by hand: an example of isa/host_abi.h, and what the tests of
// loading it load, for every architecture.

#include "isa/host_abi.h"

const uint32_t tenon_host_abi = TENON_HOST_ABI_VERSION;

void *malloc(__SIZE_TYPE__);
void free(void *);

/// Sixteen int8: output i = 3 * input i - i.
void triple(void **buffers) {
  const int8_t *input = buffers[0];
  int8_t *output = buffers[1];
  for (int i = 0; i < 16; ++i)
    output[i] = (int8_t)(3 * input[i] - i);
}

/// The same by way of memory of its own.
void triple_twice(void **buffers) {
  int8_t *between = malloc(16);
  triple((void *[]){buffers[0], between});
  triple((void *[]){between, buffers[1]});
  free(between);
}
