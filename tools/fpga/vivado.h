//===- tools/fpga/vivado.h - Generated Vivado projects ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// For boards whose FPGA carries a processor and whose tools cannot be shipped:
// a directory with everything a machine with Vivado needs for a bitstream, and
// a machine with Linux for a device tree.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_FPGA_VIVADO_H
#define TENON_TOOLS_FPGA_VIVADO_H

#include "isa/proto/configuration.pb.h"

#include "absl/status/status.h"

#include <string>

namespace tenon::fpga {

class Board;

/// Writes the project of `configuration` on `board` to `directory`, which is
/// made (its parent must exist): RTL and package, a wrapper that Vivado's block
/// designs take, `settings.tcl` (all that depends on board and configuration),
/// the scripts of hw/flows/vivado, constraints, a device-tree overlay, and
/// README.md with the one command to run. A directory that holds such a
/// project is overwritten file by file; equal arguments give equal files.
/// InvalidArgument: `board` has no `vivado` part, or the configuration does not
/// fit it or is illegal (the reason names the field); AlreadyExists: the
/// directory holds something else; FailedPrecondition: it cannot be written.
absl::Status generateVivadoProject(const Board &board,
                                   const isa::Configuration &configuration,
                                   const std::string &directory);

} // namespace tenon::fpga

#endif // TENON_TOOLS_FPGA_VIVADO_H
