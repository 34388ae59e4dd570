// Part of Tenon, under the Apache License v2.0.
//
// Work in a process of its own: a crash, a hang or hunger for memory becomes an
// outcome that names what was being done.

#ifndef TESTS_FUZZ_GRAPHS_APART_H
#define TESTS_FUZZ_GRAPHS_APART_H

#include "tests/fuzz/graphs/judge.h"

namespace tenon::graphs {

/// Runs `work` in a child that is ended after `seconds` of processor time, or
/// after many times as long without any. The calling process must have one
/// thread.
Outcome apart(const std::function<Outcome(const Phase &)> &work,
              double seconds);

} // namespace tenon::graphs

#endif // TESTS_FUZZ_GRAPHS_APART_H
