//===- compiler/driver/inspect.h - What is in a model file ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_INSPECT_H
#define TENON_COMPILER_DRIVER_INSPECT_H

#include "compiler/driver/compile.h"
#include "compiler/driver/inspection.pb.h"

namespace tenon::compiler {

/// Reads an ONNX file and says what is in it: borders, operators, size, how it
/// is quantised, every node without a lowering, and, where there is none, where
/// each group of nodes would run for `options.config`. The bytes of weights are
/// not touched before everything has a lowering. The vertices hold what a
/// picture of the main graph shows.
///
/// InvalidArgument: not a model.
absl::StatusOr<Picture> inspect(const std::string &path,
                                const Options &options);

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_INSPECT_H
