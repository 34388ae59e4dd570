// Part of Tenon, under the Apache License v2.0.
//
// One graph from its text to the comparison.

#ifndef TESTS_FUZZ_GRAPHS_JUDGE_H
#define TESTS_FUZZ_GRAPHS_JUDGE_H

#include "tests/fuzz/graphs/figures.pb.h"
#include "tests/fuzz/graphs/generate.h"

#include <functional>

namespace tenon::graphs {

struct Case {
  Graph graph;
  Machine machine;
  uint64_t seed = 0; // of input values and interleaving
};

/// Called with what is done next.
using Phase = std::function<void(const char *)>;

/// Compiles the graph in its TOSA form, and in its ONNX form where it has one;
/// runs it on the functional simulator, in program order and in an interleaving
/// with the race detector; compares every named tensor and output with the CPU,
/// which executes the graph as it was written. `folder` keeps the files of
/// `tenon run`: graph.mlir, machine.textproto, and of an ONNX form model.onnx,
/// input_I.pb and output_I.pb.
Outcome judge(const Case &test, const std::string &folder, const Phase &phase);

/// The same for a .mlir file that says `// MACHINE: CONFIGURATION` and
/// `// THREADS: N` in lines of its own, as kept/ has them.
Outcome judgeFile(const std::string &path, const std::string &folder,
                  const Phase &phase);

} // namespace tenon::graphs

#endif // TESTS_FUZZ_GRAPHS_JUDGE_H
