//===- tools/tenon/input_stack.h - Inputs along an axis ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_INPUT_STACK_H
#define TENON_TOOLS_TENON_INPUT_STACK_H

#include "tools/tenon/input_source.h"

namespace tenon::tools {

/// A .npz file with an array for each of the network's inputs, by its name; of
/// a network of one input the array may have any. The first axis is the inputs.
/// An array "labels" or "y" of integers has the true classes.
absl::StatusOr<std::unique_ptr<InputSource>>
openStack(const RunOptions &options, std::vector<isa::Buffer> inputs);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_INPUT_STACK_H
