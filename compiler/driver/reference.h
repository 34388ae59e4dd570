//===- compiler/driver/reference.h - The network on the CPU -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_REFERENCE_H
#define TENON_COMPILER_DRIVER_REFERENCE_H

#include "compiler/driver/diagnostics.h"

#include "isa/proto/program.pb.h"
#include "tenon/Target/CPU/Optimization.h"

#include "absl/status/statusor.h"

namespace tenon::compiler {

/// The network that `program` carries as a program of its own, without the
/// accelerator, compiled for this host. Below ForSpeed that is done by upstream
/// passes only: the independent execution that results are checked against. Its
/// outputs are `program`'s, then, where `withTensors`, every quantised tensor
/// of the network by its ONNX name, in ONNX order and type.
///
/// Code is taken from the directory `records`, or left there, as by
/// Options::records; `listener` hears where that cannot be.
///
/// `program`'s reference must not be empty. InvalidArgument where it is no
/// network, or not one with the program's inputs, outputs and tensors.
absl::StatusOr<isa::Program>
compileReference(const isa::Program &program, Optimization optimization,
                 bool withTensors = true, const std::string &records = "",
                 const DiagnosticListener &listener = {});

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_REFERENCE_H
