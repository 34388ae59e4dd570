// Part of Tenon, under the Apache License v2.0.
//
// A graph as TOSA, in the forms that the importer makes and some that mean the
// same.

#ifndef TESTS_FUZZ_GRAPHS_WRITE_TOSA_H
#define TESTS_FUZZ_GRAPHS_WRITE_TOSA_H

#include "tests/fuzz/graphs/graph.h"

namespace tenon::graphs {

/// MLIR text with one function @main. `graph` must have shapes (shapesOf).
/// Tensor i is called "ti", in `tenon.tensor` of its last operation and at the
/// border.
std::string writeTosa(const Graph &graph);

} // namespace tenon::graphs

#endif // TESTS_FUZZ_GRAPHS_WRITE_TOSA_H
