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

/// The same of an ONNX file's `content`, compiled for it: without code for any
/// host, proof or reference. Errors as of compileContent.
absl::StatusOr<Prediction> predictContent(const std::string &content,
                                          const std::string &path,
                                          Options options);

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_PREDICTION_H
