// Part of Tenon, under the Apache License v2.0.
//
// Host code written by hand: an example of isa/host_abi.h, and what the tests
// of loading it load, for every architecture.

#include "isa/host_abi.h"

const uint32_t tenon_host_abi = TENON_HOST_ABI_VERSION;
const uint64_t tenon_host_constants = 16;

void *memcpy(void *, const void *, __SIZE_TYPE__);

/// Sixteen int8: output i = 3 * input i - i.
const uint64_t triple_workspace = 0;
const char *triple(TenonHostTensor *tensors, TenonHostMemory *memory) {
  const int8_t *input = tensors[0].data;
  int8_t *output = tensors[1].data;
  for (int i = 0; i < 16; ++i)
    output[i] = (int8_t)(3 * input[i] - i);
  return 0;
}

/// Sixteen int8: output i = input i + constant i.
const uint64_t add_constants_workspace = 0;
const char *add_constants(TenonHostTensor *tensors, TenonHostMemory *memory) {
  const int8_t *input = tensors[0].data, *constants = memory->constants;
  int8_t *output = tensors[1].data;
  if ((__UINTPTR_TYPE__)constants % TENON_HOST_ALIGNMENT)
    return "the constants are not aligned";
  for (int i = 0; i < 16; ++i)
    output[i] = (int8_t)(input[i] + constants[i]);
  return 0;
}

/// `triple` of `triple`, by way of the last sixteen bytes of its workspace.
const uint64_t triple_twice_workspace = 80;
const char *triple_twice(TenonHostTensor *tensors, TenonHostMemory *memory) {
  int8_t *between = (int8_t *)memory->workspace + 64;
  if ((__UINTPTR_TYPE__)memory->workspace % TENON_HOST_ALIGNMENT)
    return "the workspace is not aligned";
  triple((TenonHostTensor[]){{tensors[0].data, 0}, {between, 0}}, 0);
  triple((TenonHostTensor[]){{between, 0}, {tensors[1].data, 0}}, 0);
  return 0;
}

/// <tokens>x3 int32. The output has an open dimension: its memory is made here.
const uint64_t copy_rows_workspace = 0;
const char *copy_rows(TenonHostTensor *tensors, TenonHostMemory *memory) {
  const int64_t rows = tensors[0].extents[0];
  tensors[1].data = memory->allocate(memory, (uint64_t)rows * 12);
  if (rows)
    memcpy(tensors[1].data, tensors[0].data, (__SIZE_TYPE__)rows * 12);
  tensors[1].extents[0] = rows;
  tensors[1].extents[1] = 3;
  return 0;
}

/// <tokens>x3 int32, each row times an element of <tokens>.
const uint64_t scale_rows_workspace = 0;
const char *scale_rows(TenonHostTensor *tensors, TenonHostMemory *memory) {
  const int32_t *scales = tensors[1].data;
  TenonHostTensor copy[] = {tensors[0], tensors[2]};
  const char *message = copy_rows(copy, memory);
  if (message)
    return message;
  int32_t *output = copy[1].data;
  for (int64_t i = 0; i < tensors[0].extents[0] * 3; ++i)
    output[i] *= scales[i / 3];
  tensors[2].data = output;
  return 0;
}

/// The places of <tokens> int32 that are not 0, int64 of ?: as many as there
/// are. Then their sum, an int32 in the caller's memory. None may be negative.
const uint64_t places_and_sum_workspace = 0;
const char *places_and_sum(TenonHostTensor *tensors, TenonHostMemory *memory) {
  const int32_t *input = tensors[0].data;
  const int64_t count = tensors[0].extents[0];
  int64_t *places = memory->allocate(memory, (uint64_t)count * 8), found = 0;
  int32_t *sum = tensors[2].data;
  *sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (input[i] < 0)
      return "a token is negative, expected 0 or more";
    if (input[i])
      places[found++] = i;
    *sum += input[i];
  }
  tensors[1].data = places;
  tensors[1].extents[0] = found;
  return 0;
}

/// Says that its output, of <tokens> int32, has one element more.
const uint64_t one_too_many_workspace = 0;
const char *one_too_many(TenonHostTensor *tensors, TenonHostMemory *memory) {
  tensors[1].data = memory->allocate(memory, 64);
  tensors[1].extents[0] = tensors[0].extents[0] + 1;
  return 0;
}

/// Its output, of <tokens> int32, lies in memory for one of them.
const uint64_t too_small_workspace = 0;
const char *too_small(TenonHostTensor *tensors, TenonHostMemory *memory) {
  tensors[1].data = memory->allocate(memory, 4);
  tensors[1].extents[0] = tensors[0].extents[0];
  return 0;
}

/// Its output, of <tokens> int32, is its input.
const uint64_t borrowed_workspace = 0;
const char *borrowed(TenonHostTensor *tensors, TenonHostMemory *memory) {
  tensors[1].data = tensors[0].data;
  tensors[1].extents[0] = tensors[0].extents[0];
  return 0;
}

/// Blocks of as many bytes as each of <tokens> int32 says, or 2^30 times as
/// many where it is negative; every third is released. The int32: how many were
/// aligned as they have to be.
const uint64_t hoard_workspace = 0;
const char *hoard(TenonHostTensor *tensors, TenonHostMemory *memory) {
  const int32_t *sizes = tensors[0].data;
  int32_t *aligned = tensors[1].data;
  *aligned = 0;
  for (int64_t i = 0; i < tensors[0].extents[0]; ++i) {
    uint64_t bytes =
        sizes[i] < 0 ? (uint64_t)-(int64_t)sizes[i] << 30 : (uint64_t)sizes[i];
    char *block = memory->allocate(memory, bytes);
    for (uint64_t k = 0; k < bytes; k += 97)
      block[k] = (char)i;
    *aligned += (__UINTPTR_TYPE__)block % TENON_HOST_ALIGNMENT == 0;
    if (i % 3 == 2)
      memory->release(memory, block);
  }
  memory->release(memory, 0);
  return 0;
}

/// Kernels that say nothing of their workspace, or ask for what nobody has.
const char *silent(TenonHostTensor *tensors, TenonHostMemory *memory) {
  return 0;
}
const uint64_t insatiable_workspace = ((uint64_t)1 << 40) + 1;
const char *insatiable(TenonHostTensor *tensors, TenonHostMemory *memory) {
  return 0;
}
