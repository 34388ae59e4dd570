//===- runtime/border.h - What passes between a program and its caller ----===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Inputs and outputs are the caller's memory. A dimension of the border may be
// open: it has a name, and each run binds the names to the extents of the
// inputs that it is given.
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

/// The extents of the open dimensions, in the order of Border::symbols.
using Extents = std::vector<int64_t>;

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

  /// Whether these can take the outputs of a run with `extents`.
  absl::Status checkOutputs(absl::Span<const View> outputs,
                            const Extents &extents) const;

  Shape shape(uint32_t buffer, const Extents &extents) const;
  uint64_t bytes(uint32_t buffer, const Extents &extents) const;

private:
  int64_t extent(uint32_t buffer, int axis, const Extents &extents) const;
  bool fits(uint32_t buffer, absl::Span<const int64_t> shape,
            const Extents &extents) const;
  std::string described(uint32_t buffer) const;
  absl::Status bindOne(size_t input, absl::Span<const ConstView> inputs,
                       Extents &extents) const;
  absl::Status conflict(size_t input, int axis,
                        absl::Span<const ConstView> inputs,
                        const Extents &extents) const;

  const isa::Program &program;
  std::vector<std::string> names;
  // Of each buffer and axis: index of its name, or -1 where it is not open.
  std::vector<std::vector<int>> open;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_BORDER_H
