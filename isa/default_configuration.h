// Part of Tenon, under the Apache License v2.0.

#ifndef TENON_ISA_DEFAULT_CONFIGURATION_H
#define TENON_ISA_DEFAULT_CONFIGURATION_H

// Not within isa: files of the compiler that see no more of it than this call
// LLVM's isa<> by that name.
namespace tenon {

/// The shipped configuration that is meant where none is named.
inline constexpr char defaultConfiguration[] = "pynq";

} // namespace tenon

#endif // TENON_ISA_DEFAULT_CONFIGURATION_H
