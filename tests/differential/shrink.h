// Part of Tenon, under the Apache License v2.0.
//
// A failing random program made small, and kept as assembler text.

#ifndef TESTS_DIFFERENTIAL_SHRINK_H
#define TESTS_DIFFERENTIAL_SHRINK_H

#include "tests/differential/random_program.h"

#include <functional>
#include <string>

namespace tenon::differential {

using Fails = std::function<bool(const isa::Program &)>;

/// Leaves out instructions, then loops, rows, padding and data, as long as the
/// rest fails: delta debugging (A. Zeller, R. Hildebrandt, "Simplifying and
/// isolating failure-inducing input", 2002) over programs that are legal, since
/// each gets its tokens anew.  `fails` is asked at most `attempts` times.
RandomProgram shrink(const isa::Layout &layout, RandomProgram program,
                     const Fails &fails, unsigned attempts);

/// The program with no more of DRAM than its LOADs read.
isa::Program withoutUnreadData(const isa::Layout &layout,
                               const RandomProgram &program);

/// Assembler text with `comment` in front, each line of it a comment.
std::string testText(const isa::Program &program, const std::string &comment);

} // namespace tenon::differential

#endif // TESTS_DIFFERENTIAL_SHRINK_H
