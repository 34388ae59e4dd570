// Part of Tenon, under the Apache License v2.0.
//
// Names of engines in messages.

#ifndef SIM_FUNCTIONAL_NAMES_H
#define SIM_FUNCTIONAL_NAMES_H

#include "isa/isa.h"

namespace tenon::sim::functional {

inline const char *engineName(isa::Engine engine) {
  constexpr const char *names[] = {"LOAD", "GEMM", "ALU", "STORE"};
  return names[unsigned(engine)];
}

} // namespace tenon::sim::functional

#endif // SIM_FUNCTIONAL_NAMES_H
