//===- tools/tenon/npz.h - NumPy's files of several arrays ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_NPZ_H
#define TENON_TOOLS_TENON_NPZ_H

#include "runtime/tensor.h"

#include "absl/status/statusor.h"

#include <map>
#include <string>
#include <vector>

namespace tenon::tools {

struct NamedArray {
  std::string name;
  runtime::Array array;
};

/// The arrays of a .npz file (a zip of .npy files, stored or deflated), in its
/// order and by their names without ".npy". InvalidArgument: it is no zip, ends
/// early, fails its checksum, or an entry is no array that parseNpy reads.
/// `types` are what arrays of these names are wanted as (parseNpy).
absl::StatusOr<std::vector<NamedArray>>
readNpz(const std::string &path,
        const std::map<std::string, isa::ElementType> &types = {});

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_NPZ_H
