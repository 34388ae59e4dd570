//===- compiler/driver/compile.h - From a network to a program --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The compiler as a library: a model file and options in; a program, or the
// text of a level, and diagnostics out. Free of MLIR's types. Calls from
// several threads are independent of each other.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_COMPILE_H
#define TENON_COMPILER_DRIVER_COMPILE_H

#include "compiler/driver/diagnostics.h"
#include "compiler/driver/phases.h"
#include "compiler/driver/statistics.pb.h"

#include "isa/default_configuration.h"
#include "isa/proto/program.pb.h"
#include "isa/verifier/verifier.h"
#include "tenon/Scheduling/HostSpeed.h"

#include "absl/status/statusor.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tenon::compiler {

/// The level at which compilation stops, in the order of the compiler.
/// Reference is a program without a plan: inputs, outputs and the imported
/// network, all that its execution on the CPU needs (reference.h).  Onnx is the
/// file as it is, with all its bytes.  Schedule is what Options::schedules
/// takes.
enum class Level {
  Onnx,
  Tosa,
  Reference,
  Graph,
  Schedule,
  Tiled,
  Stream,
  Program
};

struct Options {
  std::string config = defaultConfiguration; // name or file
  std::optional<isa::Configuration> machine; // instead of `config`
  // Of inputs, by name: what the model leaves open becomes fixed.
  std::map<std::string, std::vector<int64_t>> shapes;
  // Where nodes are wanted, "accelerator" or "cpu": by the name of a node, or
  // of an operator for all its nodes that have no wish of their own.
  std::map<std::string, std::string> places;
  HostSpeed hostSpeed; // of the host that groups are placed for
  unsigned virtualThreads = 2;
  std::string schedules; // file with schedules to take instead of searching
  // Directory that keeps schedules and host code for compilations to come;
  // none: nothing is kept. It must be trusted as this program is.
  std::string records;
  bool requireAccelerator = false;
  bool keepReference = true; // carry the imported network for the cpu check
  // Hosts to carry code for, of isa/host_target.h; none: all of the
  // architecture that this runs on or, for this machine alone, its best one.
  std::vector<std::string> hosts;
  bool forThisMachine = false;
  bool hostCode = true;    // else kernels have no code: a program to look at
  bool verify = true;      // prove the program (isa/verifier)
  bool statistics = false; // fill Compiled::statistics beyond its prediction
  std::string dumpIrAfter; // pass whose result is printed on stderr
  std::string reproducer;  // file that gets the module before a pass that fails
  DiagnosticListener listener; // hears errors, warnings and remarks
  PhaseListener progress;      // is told what is done next
};

/// A compiled network, or the text of the level asked for.
struct Compiled {
  isa::Program program;
  std::string text;
  std::optional<isa::Verification> verification; // of a program
  Statistics statistics; // of the passes, where they are asked for
};

/// Compiles an ONNX file, or a .mlir file in TOSA, down to `level`; Onnx takes
/// a .mlir file of that level. InvalidArgument carries the errors, one a line,
/// with the ONNX node; Internal the findings in a program that does not verify.
absl::StatusOr<Compiled> compile(const std::string &path,
                                 const Options &options, Level level);

/// The proof of a program compiled from `path` with `verify` unset; errors as
/// those of compile.
absl::StatusOr<isa::Verification> prove(const isa::Program &program,
                                        const std::string &path);

/// The same as compile of an ONNX file's content, below Onnx; `path` stands in
/// messages, and the shapes of the inputs are the file's.
absl::StatusOr<Compiled> compileContent(const std::string &content,
                                        const std::string &path,
                                        const Options &options, Level level);

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_COMPILE_H
