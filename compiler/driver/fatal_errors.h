//===- compiler/driver/fatal_errors.h - When LLVM gives up ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_FATAL_ERRORS_H
#define TENON_COMPILER_DRIVER_FATAL_ERRORS_H

namespace tenon::compiler {

/// What to do where LLVM cannot go on. Neither returns; neither may allocate.
struct FatalErrorHandlers {
  void (*outOfMemory)();
  /// `isThread`: no memory or no number for a thread was left.
  void (*other)(const char *reason, bool isThread);
};

/// Of the whole process; called once, before any compilation. `handlers` must
/// outlive all of them.
void installFatalErrorHandlers(const FatalErrorHandlers &handlers);

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_FATAL_ERRORS_H
