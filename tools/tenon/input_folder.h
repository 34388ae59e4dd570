//===- tools/tenon/input_folder.h - A folder of inputs ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_INPUT_FOLDER_H
#define TENON_TOOLS_TENON_INPUT_FOLDER_H

#include "tools/tenon/input_source.h"

namespace tenon::tools {

/// The pictures, .npy and .pb files of a folder and of its folders, in sorted
/// order. A folder in it is a class: its name is the class's name or number.
absl::StatusOr<std::unique_ptr<InputSource>>
openFolder(const RunOptions &options, std::vector<isa::Buffer> inputs,
           const std::vector<std::string> &names);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_INPUT_FOLDER_H
