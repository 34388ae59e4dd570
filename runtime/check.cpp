//===- runtime/check.cpp - Do two executions agree? -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/check.h"

#include "isa/program.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>

namespace tenon::runtime {

void Check::compare(absl::string_view where, absl::Span<const uint8_t> gotBytes,
                    absl::Span<const uint8_t> wantBytes,
                    isa::ElementType type) {
  const size_t size = std::max<size_t>(elementBytes(type), 1);
  ++tensors;
  elements += wantBytes.size() / size;
  if (gotBytes == wantBytes)
    return;
  auto numberAt = [&](absl::Span<const uint8_t> bytes) {
    return bytes.size() < size
               ? NAN
               : valueAt({type, {}, {bytes.begin(), bytes.end()}}, 0);
  };
  const size_t most = std::max(gotBytes.size(), wantBytes.size());
  for (size_t at = 0; at < most; at += size) {
    auto is = gotBytes.subspan(std::min(at, gotBytes.size()), size);
    auto wanted = wantBytes.subspan(std::min(at, wantBytes.size()), size);
    if (is == wanted)
      continue;
    if (mismatches++ == 0) {
      layer = std::string(where);
      index = at / size;
      got = numberAt(is);
      want = numberAt(wanted);
    }
  }
}

void Check::add(const Check &other) {
  if (!mismatches && other.mismatches) {
    layer = other.layer;
    index = other.index;
    got = other.got;
    want = other.want;
  }
  tensors += other.tensors;
  elements += other.elements;
  mismatches += other.mismatches;
}

void Check::conclude() {
  if (mismatches)
    status = Differs;
  else if (elements)
    status = BitExact;
  else if (reason.empty())
    reason = "nothing to compare";
}

/// The tensor or segment of the program that byte `offset` of DRAM lies in.
static std::string placeInDram(const isa::Program &program,
                               const isa::Layout &layout, uint64_t offset) {
  for (const isa::DramTensor &tensor : program.tensors()) {
    if (offset - tensor.offset() < isa::dramBytes(layout, tensor))
      return tensor.name();
  }
  for (const isa::Segment &segment : program.segments())
    if (offset >= segment.offset() &&
        offset < segment.offset() + segment.data().size())
      return segment.name();
  return absl::StrCat("DRAM");
}

Check compareDram(const isa::Program &program, const Execution &got,
                  const Execution &want) {
  Check check;
  check.compare("DRAM", got.dram, want.dram);
  check.tensors = program.tensors_size();
  auto layout = isa::Layout::get(program.configuration());
  if (check.mismatches && layout.ok())
    check.layer = absl::StrCat(placeInDram(program, *layout, check.index),
                               " (DRAM offset ", check.index, ")");
  check.conclude();
  return check;
}

/// The ONNX tensor that stored tensor `index` is.
static Array onnxArray(const isa::DramTensor &tensor,
                       const std::vector<uint8_t> &bytes) {
  Array array{tensor.is_unsigned() ? isa::UINT8 : isa::INT8,
              Shape(tensor.shape().begin(), tensor.shape().end()), bytes};
  if (tensor.is_unsigned())
    addOffset(array.bytes, 128);
  std::vector<int64_t> axes(tensor.permutation().begin(),
                            tensor.permutation().end());
  array = permute(array, axes);
  array.shape.assign(tensor.onnx_shape().begin(), tensor.onnx_shape().end());
  return array;
}

NamedTensors namedTensors(const isa::Program &program,
                          const Execution &execution,
                          absl::Span<const Array> outputs) {
  NamedTensors result;
  // An output is often a stored tensor as well: the output stays.
  for (int i = 0; i < program.outputs_size(); ++i)
    result.emplace(program.buffers(program.outputs(i)).name(), outputs[i]);
  for (int i = 0; i < program.tensors_size(); ++i)
    if (program.tensors(i).is_named() && !execution.tensors[i].empty())
      result.emplace(program.tensors(i).name(),
                     onnxArray(program.tensors(i), execution.tensors[i]));
  return result;
}

Check compareTensors(const NamedTensors &got, const NamedTensors &want) {
  Check check;
  for (const auto &[name, array] : got) {
    auto found = want.find(name);
    if (found != want.end())
      check.compare(name, array.bytes, found->second.bytes, array.type);
  }
  check.conclude();
  return check;
}

static int64_t argmax(const Array &array) {
  int64_t best = 0;
  for (int64_t i = 1; i < elementCount(array.shape); ++i)
    if (isGreater(array, i, best))
      best = i;
  return best;
}

/// "float32 2x3"
static std::string describe(const Array &array) {
  return absl::StrCat(elementName(array.type), " ", shapeText(array.shape));
}

static double limitOf(const Tolerance &tolerance, double want) {
  return std::isinf(want)
             ? tolerance.absolute
             : tolerance.absolute + tolerance.relative * std::abs(want);
}

Difference difference(const Array &got, const Array &want,
                      const Tolerance &tolerance) {
  Difference result;
  result.elements = elementCount(want.shape);
  if (got.type != want.type || got.shape != want.shape) {
    result.reason =
        absl::StrCat("is ", describe(got), ", expected ", describe(want));
    result.largest = INFINITY;
    result.mismatches = std::max<uint64_t>(result.elements, 1);
    return result;
  }
  for (uint64_t i = 0; i < result.elements; ++i) {
    double distance = distanceAt(got, want, i);
    if (distance == 0)
      continue;
    result.largest =
        std::isnan(distance) ? INFINITY : std::max(result.largest, distance);
    result.mismatches += !(distance <= limitOf(tolerance, valueAt(want, i)));
  }
  result.sameTop1 = argmax(got) == argmax(want);
  return result;
}

} // namespace tenon::runtime
