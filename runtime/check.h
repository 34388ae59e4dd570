//===- runtime/check.h - Do two executions agree? ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_CHECK_H
#define TENON_RUNTIME_CHECK_H

#include "runtime/observer.h"
#include "runtime/tensor.h"

#include <map>
#include <string>

namespace tenon::runtime {

/// Outcome of comparing a run with an independent one, element by element.
struct Check {
  enum Status { Skipped, BitExact, Differs } status = Skipped;
  std::string reason; // why it was skipped
  uint64_t tensors = 0, elements = 0, mismatches = 0;
  // The first mismatch.
  std::string layer;
  uint64_t index = 0;
  double got = 0, want = 0; // NaN where one has no such element

  /// Counts the elements of `want`, which are of `type`, and records where the
  /// bytes of `got` differ from theirs.
  void compare(absl::string_view where, absl::Span<const uint8_t> got,
               absl::Span<const uint8_t> want,
               isa::ElementType type = isa::INT8);
  /// Adds another check's counts; the first mismatch stays.
  void add(const Check &other);
  /// Sets status from the counts; a check that compared nothing is Skipped.
  void conclude();
};

/// All bytes of DRAM after the run against another device's; a mismatch names
/// the tensor it lies in.
Check compareDram(const isa::Program &program, const Execution &got,
                  const Execution &want);

/// A tensor of the reference network: raw bytes in ONNX order and type.
using NamedTensors = std::map<std::string, Array>;

/// Every tensor that the run stored and the network names, and its outputs, in
/// ONNX order and type.
NamedTensors namedTensors(const isa::Program &program,
                          const Execution &execution,
                          absl::Span<const Array> outputs);

/// Every named tensor of `got`, and every output, against `want`.
Check compareTensors(const NamedTensors &got, const NamedTensors &want);

/// |got - want| <= absolute + relative * |want|; an infinity that is expected
/// has no share that another value could be off by.
struct Tolerance {
  double relative = 0, absolute = 0;
};

/// Difference from stored expectations: the largest one, in the units of the
/// element type, and how many are beyond the tolerance.
struct Difference {
  double largest = 0;
  uint64_t mismatches = 0, elements = 0;
  bool sameTop1 = false;
  std::string reason; // why no element was compared
};
Difference difference(const Array &got, const Array &want,
                      const Tolerance &tolerance = {});

} // namespace tenon::runtime

#endif // TENON_RUNTIME_CHECK_H
