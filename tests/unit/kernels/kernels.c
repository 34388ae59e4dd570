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

/// <tokens>x3 int32. Extents of open dimensions stand behind the outputs.
void copy_rows(void **buffers) {
  const int32_t *input = buffers[0];
  int32_t *output = buffers[1];
  const int64_t *extents = buffers[2];
  for (int64_t i = 0; i < extents[0] * 3; ++i)
    output[i] = input[i];
}

/// <tokens>x3 int32, each row times an element of <tokens>.
void scale_rows(void **buffers) {
  const int32_t *rows = buffers[0], *scales = buffers[1];
  int32_t *output = buffers[2];
  const int64_t *extents = buffers[3];
  for (int64_t i = 0; i < extents[0]; ++i)
    for (int64_t k = 0; k < 3; ++k)
      output[i * 3 + k] = rows[i * 3 + k] * scales[i];
}

/// `triple` of `triple`, by way of memory of its own.
void triple_twice(void **buffers) {
  int8_t *between = malloc(16);
  triple((void *[]){buffers[0], between});
  triple((void *[]){between, buffers[1]});
  free(between);
}
