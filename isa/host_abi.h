/* Part of Tenon, under the Apache License v2.0.
 *
 * What host code promises and what it may ask for: the whole agreement between
 * an ELF shared object in a program and the runtime that loads it. C, without
 * dependencies, so that an object can be written by hand:
 *
 *   #include "isa/host_abi.h"
 *   const uint32_t tenon_host_abi = TENON_HOST_ABI_VERSION;
 *   const uint64_t tenon_host_constants = 0;
 *   const uint64_t twice_workspace = 0;
 *   const char *twice(TenonHostTensor *tensors, TenonHostMemory *memory)
 *   { ... }
 *
 *   cc -shared -fPIC -nostdlib -Wl,-Bsymbolic,-z,now,--hash-style=sysv ...
 *
 * Exports: `tenon_host_abi`, four bytes that hold the version;
 * `tenon_host_constants`, eight bytes: how many bytes of constants its kernels
 * are to find; and each kernel as a function by the name that HostKernel.symbol
 * has; beside it a constant of that name and TENON_HOST_WORKSPACE_SUFFIX, eight
 * bytes: how many bytes of workspace it needs. Kernels are reentrant: the
 * object has no state, no constructors and no thread-local storage.
 * Kernels and loop nests are called where floats are computed as IEEE 754 does
 * by default: rounded to nearest even, subnormal numbers as they are, no traps.
 *
 * Imports: TENON_HOST_IMPORTS and nothing else, of no named library.
 */

#ifndef TENON_ISA_HOST_ABI_H
#define TENON_ISA_HOST_ABI_H

#include <stdint.h>

#define TENON_HOST_ABI_VERSION 6u
#define TENON_HOST_ABI_SYMBOL "tenon_host_abi"
#define TENON_HOST_CONSTANTS_SYMBOL "tenon_host_constants"
#define TENON_HOST_WORKSPACE_SUFFIX "_workspace"
#define TENON_HOST_ALIGNMENT 64 /* of workspace, constants and blocks */

/* Functions that an object may import; C's own, with C's meaning. */
#define TENON_HOST_IMPORTS(X)                                                  \
  X(memcpy)                                                                    \
  X(memmove)                                                                   \
  X(memset)

/* A dense row-major array, aligned to its element's size; elements are stored
 * as ElementType of isa/proto/program.proto says. */
typedef struct TenonHostTensor {
  void *data;       /* may be null where an extent is 0 */
  int64_t *extents; /* one a dimension; the caller's array */
} TenonHostTensor;

/* A loop nest of a kernel, as often as it has parts: computes part `part` of
 * `parts`, each element of its results in one of them. Parts are computed in
 * any order and at the same time, in any threads: none reads what another
 * writes. `arguments` is what the kernel gave to `run`. It calls nothing of
 * TenonHostMemory. */
typedef void (*TenonHostLoops)(const void *arguments, uint32_t part,
                               uint32_t parts);

/* Memory of one call, and its threads. What a kernel allocates is its caller's
 * to free: all that is not released when the call ends, well or not, but for
 * the outputs' data.
 *
 * `allocate` gives a block of unspecified bytes, of none too, aligned as the
 * workspace is. It never returns null: where there is no memory, or the caller
 * gives no more, the call ends inside of it, and the kernel is not returned to.
 * So a kernel holds nothing that only it could give back. UINT64_MAX stands for
 * sizes beyond 64 bits. `release` takes a block of this call, before it ends.
 *
 * `run` returns when all parts of `loops` are computed; how many there are is
 * the caller's choice, at least one. `nanoseconds`: about what all of it takes
 * one core. `number`: which of the kernel's calls of `run` this is, the same in
 * each call of the kernel.
 */
typedef struct TenonHostMemory {
  void *workspace; /* aligned to TENON_HOST_ALIGNMENT; the kernel's during the
                    * call, its bytes are unspecified before and after it; may
                    * be null where the kernel needs none */
  const void *constants; /* HostCode.constants of the program, aligned too */
  void *(*allocate)(struct TenonHostMemory *memory, uint64_t bytes);
  void (*release)(struct TenonHostMemory *memory, void *block);
  void (*run)(struct TenonHostMemory *memory, TenonHostLoops loops,
              const void *arguments, uint64_t nanoseconds, uint32_t number);
} TenonHostMemory;

/* A kernel: inputs, then outputs, in the caller's array.
 *
 * Inputs have their data and their extents, and neither is written. An output
 * whose extents all stand in Buffer.shape has its extents and the caller's
 * memory, which the kernel fills. Of an output with an open dimension, named or
 * "?", both fields are the kernel's to set: `data`, null on entry, to a block
 * that it allocated in this call, or to null where there is no element, and
 * every extent. So that no memory is written whose size two sides have to agree
 * on: the kernel alone knows what it computes, and the caller compares named
 * extents with the inputs' afterwards. No two outputs share memory with each
 * other or with an input.
 *
 * Returns null, or what is wrong: text that lives as long as the object. The
 * caller's outputs are unspecified then, `data` of the others is not looked at.
 * No pointer is kept. */
typedef const char *(*TenonHostKernel)(TenonHostTensor *tensors,
                                       TenonHostMemory *memory);

#endif /* TENON_ISA_HOST_ABI_H */
