//===- Optimization.h - What is spent on code -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TARGET_CPU_OPTIMIZATION_H
#define TENON_TARGET_CPU_OPTIMIZATION_H

namespace tenon {

/// What LLVM spends on the code: ForSpeed of the code (-O2), or nothing, so
/// that code which runs once is there several times sooner.
enum class Optimization { None, ForSpeed };

} // namespace tenon

#endif // TENON_TARGET_CPU_OPTIMIZATION_H
