// Part of Tenon, under the Apache License v2.0.
//
// Draws random valid graphs, and the machine each is compiled for.

#ifndef TESTS_FUZZ_GRAPHS_GENERATE_H
#define TESTS_FUZZ_GRAPHS_GENERATE_H

#include "tests/fuzz/graphs/graph.h"

#include "absl/status/statusor.h"
#include "isa/proto/configuration.pb.h"

namespace tenon::graphs {

/// The graph of this seed, the same on every host; shapesOf(it) succeeds. With
/// `onnxForm`, of operators that tosa_reference.py knows; `oversized`, with a
/// layer that fits no machine.
Graph drawGraph(uint64_t seed, bool onnxForm, bool oversized);

/// How a graph is compiled.
struct Machine {
  std::string configuration; // a shipped name, or random:SEED
  unsigned virtualThreads = 2;
};
Machine drawMachine(uint64_t seed);

/// Of a name as Machine has it, a file, or the text itself (`name: ...`).
absl::StatusOr<isa::Configuration> configurationOf(const std::string &name);

} // namespace tenon::graphs

#endif // TESTS_FUZZ_GRAPHS_GENERATE_H
