//===- runtime/border.h - What passes between a program and its caller ----===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Inputs and outputs are the caller's memory. A dimension of the border may be
// open: it has a name, and each run binds the names to the extents of the
// inputs that it is given. An output may also have extents that only its run
// tells.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_BORDER_H
#define TENON_RUNTIME_BORDER_H

#include "runtime/tensor.h"

#include "isa/proto/program.pb.h"

#include "absl/status/status.h"
#include "absl/types/span.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::runtime {

/// A dense row-major array in somebody else's memory.
template <typename Pointer> struct BasicView {
  isa::ElementType type = isa::ELEMENT_TYPE_UNSPECIFIED;
  absl::Span<const int64_t> shape;
  Pointer data = nullptr;
};
using ConstView = BasicView<const void *>;
using View = BasicView<void *>;

ConstView viewOf(const Array &array);
View viewOf(Array &array);

/// A copy of its own.
Array arrayOf(const ConstView &view);

/// The extents of the open dimensions, in the order of Border::symbols.
using Extents = std::vector<int64_t>;

/// In a shape: what only the run tells.
constexpr int64_t unknownExtent = -1;

/// Inputs, outputs and open dimensions of a program. Immutable.
class Border {
public:
  /// `program` must be valid and outlive the border.
  explicit Border(const isa::Program &program);

  /// Names of open dimensions, in the order in which buffers first have them.
  const std::vector<std::string> &symbols() const { return names; }

  /// Binds the open dimensions. InvalidArgument: there are more or fewer inputs
  /// than the program has, a type or a shape is another, or one name would have
  /// two extents; the message says which, what was expected and what is given.
  absl::Status bind(absl::Span<const ConstView> inputs, Extents &extents) const;

  /// Whether these can take the outputs of a run with `extents`. One that only
  /// the run tells the size of may have no memory; with memory, its shape there
  /// says how much.
  absl::Status checkOutputs(absl::Span<const View> outputs,
                            const Extents &extents) const;

  /// Whether only the run tells an extent of the buffer.
  bool isToldByRun(uint32_t buffer) const;

  /// Whether an array has the buffer's type and a shape that it may have in a
  /// run with `extents`.
  bool fits(uint32_t buffer, const ConstView &given,
            const Extents &extents) const;

  /// "float32 1x<tokens>x?"
  std::string described(uint32_t buffer) const;

  /// With unknownExtent where only the run tells.
  Shape shape(uint32_t buffer, const Extents &extents) const;
  /// Of a buffer whose extents are all known.
  uint64_t bytes(uint32_t buffer, const Extents &extents) const;

private:
  int64_t extent(uint32_t buffer, int axis, const Extents &extents) const;
  bool fits(uint32_t buffer, absl::Span<const int64_t> shape,
            const Extents &extents) const;
  absl::Status bindOne(size_t input, absl::Span<const ConstView> inputs,
                       Extents &extents) const;
  absl::Status conflict(size_t input, int axis,
                        absl::Span<const ConstView> inputs,
                        const Extents &extents) const;

  const isa::Program &program;
  std::vector<std::string> names;
  // Of each buffer and axis: index of its name, or that it has none.
  std::vector<std::vector<int>> open;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_BORDER_H
