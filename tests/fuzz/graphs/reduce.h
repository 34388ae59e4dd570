// Part of Tenon, under the Apache License v2.0.
//
// Makes a failing case small.

#ifndef TESTS_FUZZ_GRAPHS_REDUCE_H
#define TESTS_FUZZ_GRAPHS_REDUCE_H

#include "tests/fuzz/graphs/judge.h"

namespace tenon::graphs {

/// The smallest case found that still `fails`: fewer outputs and nodes, smaller
/// extents and windows, plain numbers. At most `attempts` calls of `fails`,
/// which is asked about valid graphs only.
Case reduce(Case test, const std::function<bool(const Case &)> &fails,
            unsigned attempts);

} // namespace tenon::graphs

#endif // TESTS_FUZZ_GRAPHS_REDUCE_H
