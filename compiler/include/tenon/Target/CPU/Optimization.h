//===- Optimization.h - What is spent on code -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TARGET_CPU_OPTIMIZATION_H
#define TENON_TARGET_CPU_OPTIMIZATION_H

namespace tenon {

/// What is spent on code: nothing, so that code which runs once is there several
/// times sooner; LLVM's -O2 on loops as upstream's passes leave them; or all that
/// there is, for code that a program carries.
enum class Optimization { None, Plain, ForSpeed };

} // namespace tenon

#endif // TENON_TARGET_CPU_OPTIMIZATION_H
