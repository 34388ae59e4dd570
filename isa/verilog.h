// Part of Tenon, under the Apache License v2.0.
//
// The SystemVerilog face of the instruction set.

#ifndef TENON_ISA_VERILOG_H
#define TENON_ISA_VERILOG_H

#include "isa/isa.h"

#include <string>

namespace tenon::isa {

/// Package `tenon_pkg` for one configuration: its fields and derived numbers
/// as localparams in UPPER_SNAKE, enumerations `NAME_e`, packed structs
/// `NAME_t` for instructions and micro-ops (the low NAME_BITS bits of a word;
/// the first field of the specification is the lowest), opcodes, register
/// numbers and offsets of the control port. A field whose name is a
/// SystemVerilog keyword gets a trailing underscore (`wait_`).
std::string verilogPackage(const Layout &layout);

} // namespace tenon::isa

#endif // TENON_ISA_VERILOG_H
