//===- runtime/float_environment.h - How floats are computed ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_FLOAT_ENVIRONMENT_H
#define TENON_RUNTIME_FLOAT_ENVIRONMENT_H

#include <cfenv>
#include <cstdint>

namespace tenon::runtime {

/// While it lives, the calling thread computes floats as isa/host_abi.h says,
/// whatever the program has set for itself; then as before. Of x86 what vectors
/// are computed by: host code uses nothing else.
class FloatEnvironment {
public:
  FloatEnvironment();
  ~FloatEnvironment();
  FloatEnvironment(const FloatEnvironment &) = delete;

private:
#if defined(__x86_64__) || defined(__aarch64__) || defined(__ARM_FP)
  uint64_t before; // the control register
#else
  std::fenv_t before;
#endif
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_FLOAT_ENVIRONMENT_H
