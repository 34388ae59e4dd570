//===- ObjectEmitter.cpp - Objects of many modules at a time --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "ObjectEmitter.h"

using namespace llvm;
using namespace tenon;

/// What is spent on `Module`. A block of very many instructions is a list of
/// calls: nothing gets faster, and registers are allocated in a time that grows
/// with the square of its length.
static Optimization levelOf(const Module &Module, Optimization Level) {
  constexpr size_t Most = 20'000;
  for (const Function &Function : Module)
    for (const BasicBlock &Block : Function)
      if (Block.size() > Most)
        return Optimization::None;
  return Level;
}

size_t ObjectEmitter::add(TargetModule From) {
  Parts.push_back({std::move(From), std::nullopt});
  Pool.async([&To = Parts.back(), Level = Level] {
    To.Object.emplace(emitObject(*To.From.Module, *To.From.Target,
                                 levelOf(*To.From.Module, Level)));
    To.From.Module.reset();
  });
  return Parts.size() - 1;
}

Expected<std::vector<SmallString<0>>> ObjectEmitter::wait() {
  Pool.wait();
  std::vector<SmallString<0>> Objects;
  Error Failed = Error::success();
  for (Part &From : Parts) {
    if (*From.Object)
      Objects.push_back(std::move(**From.Object));
    else
      Failed = joinErrors(std::move(Failed), From.Object->takeError());
  }
  Parts.clear();
  if (Failed)
    return std::move(Failed);
  return Objects;
}

ObjectEmitter::~ObjectEmitter() {
  // Whoever did not wait has an error of his own to tell.
  consumeError(wait().takeError());
}
