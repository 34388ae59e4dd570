//===- compiler/driver/prediction.h - What a program will take --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_PREDICTION_H
#define TENON_COMPILER_DRIVER_PREDICTION_H

#include "compiler/driver/compile.h"

namespace tenon::compiler {

/// The time of a run of `program`, whose layers take so many `cycles` by the
/// cost model, beside a host of that speed: the terms that places are chosen
/// by, added up as if nothing ran beside another.
Prediction predict(const isa::Program &program, uint64_t cycles,
                   const HostSpeed &host);

/// An ONNX file's `content` compiled for its prediction, which the statistics
/// have: without code for any host, proof or reference. Errors as of
/// compileContent.
absl::StatusOr<Compiled> compileToPredict(const std::string &content,
                                          const std::string &path,
                                          Options options);

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_PREDICTION_H
