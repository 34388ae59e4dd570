// Part of Tenon, under the Apache License v2.0.
//
// A graph as a quantised ONNX network (QDQ), channels first.

#ifndef TESTS_FUZZ_GRAPHS_WRITE_ONNX_H
#define TESTS_FUZZ_GRAPHS_WRITE_ONNX_H

#include "tests/fuzz/graphs/graph.h"

namespace tenon::graphs {

/// A serialised ONNX model. `graph` must have shapes and be `onnxForm`; tensor
/// i is called "ti".
std::string writeOnnx(const Graph &graph);

} // namespace tenon::graphs

#endif // TESTS_FUZZ_GRAPHS_WRITE_ONNX_H
