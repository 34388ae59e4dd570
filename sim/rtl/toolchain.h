//===- sim/rtl/toolchain.h - Verilator and the C++ compiler -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_RTL_TOOLCHAIN_H
#define TENON_SIM_RTL_TOOLCHAIN_H

#include "absl/status/statusor.h"

#include <string>

namespace tenon::sim {

/// The tools that build a simulator: absolute paths and version lines.
struct Toolchain {
  std::string verilator;
  std::string verilatorVersion;
  std::string verilatorRoot; // has include/verilated.cpp
  std::string compiler;
  std::string compilerVersion;
  std::string ccache; // "" where there is none
  std::string cpu;    // what -march=native depends on
};

/// Looks the tools up in PATH: clang++-22, else g++, else clang++.
/// FailedPrecondition names what is missing and the Debian package it is in.
absl::StatusOr<Toolchain> findToolchain();

} // namespace tenon::sim

#endif // TENON_SIM_RTL_TOOLCHAIN_H
