//===- ObjectEmitter.h - Objects of many modules at a time ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_OBJECTEMITTER_H
#define TENON_LIB_TARGET_CPU_OBJECTEMITTER_H

#include "Codegen.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ThreadPool.h"

#include <deque>
#include <optional>

namespace tenon {

/// A module in LLVM IR with a context of its own, for a target.
struct TargetModule {
  const isa::HostTarget *Target;
  std::unique_ptr<llvm::LLVMContext> Context;
  std::unique_ptr<llvm::Module> Module;
};

/// Makes object code in threads. Most of the time of a compilation is LLVM's:
/// it begins with the first module while others are still lowered.
class ObjectEmitter {
public:
  explicit ObjectEmitter(Optimization Level) : Level(Level) {}
  ~ObjectEmitter();

  /// Begins with `From`; returns its number: they count from 0.
  size_t add(TargetModule From);

  /// The object of each module by its number, or all errors. Called once.
  llvm::Expected<std::vector<llvm::SmallString<0>>> wait();

private:
  struct Part {
    TargetModule From;
    std::optional<llvm::Expected<llvm::SmallString<0>>> Object;
  };

  Optimization Level;
  std::deque<Part> Parts; // whose elements stay where they are
  /// LLVM's own pool is of one thread once its linker was asked for one.
  llvm::DefaultThreadPool Pool;
};

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_OBJECTEMITTER_H
