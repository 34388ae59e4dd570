//===- runtime/float_environment.cpp - How floats are computed ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/float_environment.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tenon::runtime {

#if defined(__x86_64__) || defined(__aarch64__) || defined(__ARM_FP)

// The control register, its bits that say what has happened, and the others as
// a process begins with them. Written only where it differs: that waits for all
// that is computed.
#if defined(__x86_64__)
constexpr uint64_t events = 0x3f, initial = 0x1f80; // every trap masked
static uint64_t control() { return _mm_getcsr(); }
static void setControl(uint64_t word) { _mm_setcsr(uint32_t(word)); }
#elif defined(__aarch64__)
constexpr uint64_t events = 0, initial = 0;
static uint64_t control() {
  uint64_t word;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
static void setControl(uint64_t word) {
  asm volatile("msr fpcr, %0" : : "r"(word) : "memory");
}
#else
constexpr uint64_t events = 0xf800009f, initial = 0; // conditions among them
static uint64_t control() {
  uint32_t word;
  asm volatile("vmrs %0, fpscr" : "=r"(word));
  return word;
}
static void setControl(uint64_t word) {
  asm volatile("vmsr fpscr, %0" : : "r"(uint32_t(word)) : "memory");
}
#endif

FloatEnvironment::FloatEnvironment() : before(control()) {
  if ((before & ~events) != initial)
    setControl(initial);
}

FloatEnvironment::~FloatEnvironment() {
  if ((before & ~events) != initial)
    setControl(before);
}

#else

FloatEnvironment::FloatEnvironment() {
  std::fegetenv(&before);
  std::fesetenv(FE_DFL_ENV);
}

FloatEnvironment::~FloatEnvironment() { std::fesetenv(&before); }

#endif

} // namespace tenon::runtime
