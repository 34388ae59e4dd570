/* Part of Tenon, under the Apache License v2.0.
 *
 * What host code promises and what it may ask for: the whole agreement between
 * an ELF shared object in a program and the runtime that loads it. C, without
 * dependencies, so that an object can be written by hand:
 *
 *   #include "isa/host_abi.h"
 *   const uint32_t tenon_host_abi = TENON_HOST_ABI_VERSION;
 *   void twice_packed(void **buffers) { ... }
 *
 *   cc -shared -fPIC -nostdlib -Wl,-Bsymbolic,-z,now,--hash-style=sysv ...
 *
 * Exports: `tenon_host_abi`, four bytes that hold the version, and each kernel
 * as a function by the name that HostKernel.symbol has. Kernels are reentrant:
 * the object has no state, no constructors and no thread-local storage.
 *
 * Imports: TENON_HOST_IMPORTS and nothing else, of no named library.
 */

#ifndef TENON_ISA_HOST_ABI_H
#define TENON_ISA_HOST_ABI_H

#include <stdint.h>

#define TENON_HOST_ABI_VERSION 1u
#define TENON_HOST_ABI_SYMBOL "tenon_host_abi"

/* Functions that an object may import; C's own, with C's meaning. */
#define TENON_HOST_IMPORTS(X)                                                  \
  X(free)                                                                      \
  X(malloc)                                                                    \
  X(memcpy)                                                                    \
  X(memmove)                                                                   \
  X(memset)

/* A kernel: inputs, then outputs, each a dense row-major array, aligned to its
 * element's size and owned by the caller; where the program has open dimensions
 * (Buffer.symbols), an int64_t for each of their names follows in one array, in
 * the order in which the program's buffers first have them. The kernel reads
 * and writes as many bytes as it was compiled for, keeps no pointer and never
 * fails. The array of pointers is the caller's too. */
typedef void (*TenonHostKernel)(void **buffers);

#endif /* TENON_ISA_HOST_ABI_H */
