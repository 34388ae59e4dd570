//===- compiler/driver/fatal_errors.cpp - When LLVM gives up --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/fatal_errors.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"

namespace tenon::compiler {

void installFatalErrorHandlers(const FatalErrorHandlers &handlers) {
  void *data = const_cast<FatalErrorHandlers *>(&handlers);
  llvm::install_bad_alloc_error_handler(
      [](void *data, const char *, bool) {
        static_cast<const FatalErrorHandlers *>(data)->outOfMemory();
      },
      data);
  llvm::install_fatal_error_handler(
      [](void *data, const char *reason, bool) {
        // The one thing of the system that LLVM ends the process for: MLIR's
        // passes run in threads, and each wants memory for its stack.
        static_cast<const FatalErrorHandlers *>(data)->other(
            reason, llvm::StringRef(reason).starts_with("pthread_"));
      },
      data);
}

} // namespace tenon::compiler
