//===- tools/tenon/compile_model.h - From a network to a program *- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_COMPILE_MODEL_H
#define TENON_TOOLS_TENON_COMPILE_MODEL_H

#include "tools/tenon/verify.h"

#include "isa/isa.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <optional>
#include <string>

namespace tenon::tools {

/// The level at which compilation stops. Reference is a program without a plan:
/// inputs, outputs and the imported network, all that --target=cpu needs.
enum class Level { Tosa, Reference, Graph, Tiled, Stream, Program };

struct CompileOptions {
  std::string config = "pynq"; // name or file
  unsigned virtualThreads = 2;
  bool requireAccelerator = false;
  bool keepReference = true; // carry the imported network for the cpu check
  bool verify = true;        // prove the program (isa/verifier)
  std::string dumpIrAfter;   // pass whose result is printed on stderr
  std::string reproducer; // file that gets the module before a pass that fails
};

/// A compiled network, or the text of the level asked for.
struct Compiled {
  isa::Program program;
  std::string text;
  std::optional<isa::Verification> verification; // of a program
};

/// Compiles an ONNX file, or a .mlir file in TOSA, down to `level`.
/// InvalidArgument carries the diagnostics, one a line, with the ONNX node;
/// Internal the findings in a program that does not verify.
absl::StatusOr<Compiled> compileModel(const std::string &path,
                                      const CompileOptions &options,
                                      Level level);

/// Whether `path` is a compiled program, by its ending.
bool isProgram(absl::string_view path);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_COMPILE_MODEL_H
