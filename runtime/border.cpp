//===- runtime/border.cpp - What passes between a program and its caller --===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/border.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tenon::runtime {

constexpr int64_t unbound = -1;
// Instead of the index of a name.
constexpr int fixed = -1, toldByRun = -2;
// As of shapes in a program (isa::elementCount).
constexpr uint64_t mostElements = uint64_t{1} << 40;

ConstView viewOf(const Array &array) {
  return {array.type, array.shape, array.bytes.data()};
}

View viewOf(Array &array) {
  return {array.type, array.shape, array.bytes.data()};
}

Array arrayOf(const ConstView &view) {
  Array array{view.type, {view.shape.begin(), view.shape.end()}, {}};
  const auto *bytes = static_cast<const uint8_t *>(view.data);
  array.bytes.assign(bytes, bytes + elementCount(view.shape) *
                                        elementBytes(view.type));
  return array;
}

Border::Border(const isa::Program &program) : program(program) {
  for (const isa::Buffer &buffer : program.buffers()) {
    std::vector<int> &axes = open.emplace_back(buffer.shape_size(), fixed);
    for (int axis = 0; axis < buffer.symbols_size(); ++axis) {
      const std::string &name = buffer.symbols(axis);
      if (name == "?")
        axes[axis] = toldByRun;
      if (name.empty() || name == "?")
        continue;
      axes[axis] = absl::c_find(names, name) - names.begin();
      if (axes[axis] == static_cast<int>(names.size()))
        names.push_back(name);
    }
  }
}

int64_t Border::extent(uint32_t buffer, int axis,
                       const Extents &extents) const {
  const int symbol = open[buffer][axis];
  if (symbol == toldByRun)
    return unknownExtent;
  return symbol == fixed ? program.buffers(buffer).shape(axis)
                         : extents[symbol];
}

bool Border::isToldByRun(uint32_t buffer) const {
  return absl::c_linear_search(open[buffer], toldByRun);
}

Shape Border::shape(uint32_t buffer, const Extents &extents) const {
  Shape result(open[buffer].size());
  for (size_t axis = 0; axis < result.size(); ++axis)
    result[axis] = extent(buffer, axis, extents);
  return result;
}

uint64_t Border::bytes(uint32_t buffer, const Extents &extents) const {
  uint64_t count = elementBytes(program.buffers(buffer).type());
  for (size_t axis = 0; axis < open[buffer].size(); ++axis)
    count *= extent(buffer, axis, extents);
  return count;
}

bool Border::fits(uint32_t buffer, absl::Span<const int64_t> shape,
                  const Extents &extents) const {
  if (shape.size() != open[buffer].size())
    return false;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (const int64_t want = extent(buffer, axis, extents);
        want == unknownExtent ? shape[axis] < 0 : want != shape[axis])
      return false;
  return true;
}

bool Border::fits(uint32_t buffer, const ConstView &given,
                  const Extents &extents) const {
  return given.type == program.buffers(buffer).type() &&
         fits(buffer, given.shape, extents);
}

std::string Border::described(uint32_t buffer) const {
  const isa::Buffer &of = program.buffers(buffer);
  std::vector<std::string> extents;
  for (int axis = 0; axis < of.shape_size(); ++axis)
    extents.push_back(open[buffer][axis] == fixed ? absl::StrCat(of.shape(axis))
                      : open[buffer][axis] == toldByRun
                          ? "?"
                          : absl::StrCat("<", names[open[buffer][axis]], ">"));
  return absl::StrCat(elementName(of.type()), " ",
                      extents.empty() ? "scalar" : absl::StrJoin(extents, "x"));
}

/// Two inputs disagree: says who was first.
absl::Status Border::conflict(size_t input, int axis,
                              absl::Span<const ConstView> inputs,
                              const Extents &extents) const {
  const uint32_t buffer = program.inputs(input);
  const int symbol = open[buffer][axis];
  std::string first;
  for (size_t other = 0; first.empty() && other <= input; ++other)
    if (absl::c_linear_search(open[program.inputs(other)], symbol))
      first = program.buffers(program.inputs(other)).name();
  return absl::InvalidArgumentError(absl::StrCat(
      "input '", program.buffers(buffer).name(), "': dimension ", axis, ", '",
      names[symbol], "', is ", inputs[input].shape[axis], ", expected ",
      extents[symbol], " as in input '", first, "'"));
}

absl::Status Border::bindOne(size_t input, absl::Span<const ConstView> inputs,
                             Extents &extents) const {
  const uint32_t buffer = program.inputs(input);
  const ConstView &given = inputs[input];
  const isa::Buffer &want = program.buffers(buffer);
  bool fitting =
      given.type == want.type() && given.shape.size() == open[buffer].size();
  for (size_t axis = 0; fitting && axis < given.shape.size(); ++axis)
    fitting = open[buffer][axis] == fixed
                  ? given.shape[axis] == want.shape(axis)
                  : given.shape[axis] >= 0;
  if (!fitting)
    return absl::InvalidArgumentError(absl::StrCat(
        "input '", want.name(), "' must be ", described(buffer), ", given is ",
        elementName(given.type), " ", shapeText(given.shape)));
  for (size_t axis = 0; axis < given.shape.size(); ++axis) {
    if (open[buffer][axis] == fixed)
      continue;
    int64_t &bound = extents[open[buffer][axis]];
    if (bound == unbound)
      bound = given.shape[axis];
    else if (bound != given.shape[axis])
      return conflict(input, axis, inputs, extents);
  }
  return absl::OkStatus();
}

absl::Status Border::bind(absl::Span<const ConstView> inputs,
                          Extents &extents) const {
  if (static_cast<int>(inputs.size()) != program.inputs_size())
    return absl::InvalidArgumentError(
        absl::StrCat("the network has ", program.inputs_size(),
                     " inputs, given are ", inputs.size()));
  extents.assign(names.size(), unbound);
  for (size_t input = 0; input < inputs.size(); ++input)
    if (absl::Status status = bindOne(input, inputs, extents); !status.ok())
      return status;
  // Every name is an input's (isa::validateProgram), so all are bound.
  for (size_t buffer = 0; !names.empty() && buffer < open.size(); ++buffer) {
    if (isToldByRun(buffer))
      continue;
    double elements = 1;
    for (size_t axis = 0; axis < open[buffer].size(); ++axis)
      elements *= extent(buffer, axis, extents);
    if (elements >= mostElements)
      return absl::InvalidArgumentError(
          absl::StrCat("buffer '", program.buffers(buffer).name(),
                       "' would be ", shapeText(shape(buffer, extents)),
                       ", expected less than 2^40 "
                       "elements"));
  }
  return absl::OkStatus();
}

absl::Status Border::checkOutputs(absl::Span<const View> outputs,
                                  const Extents &extents) const {
  if (static_cast<int>(outputs.size()) != program.outputs_size())
    return absl::InvalidArgumentError(
        absl::StrCat("the network has ", program.outputs_size(),
                     " outputs, given are ", outputs.size()));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const uint32_t buffer = program.outputs(i);
    const isa::Buffer &want = program.buffers(buffer);
    // It stays with the session.
    if (!outputs[i].data && isToldByRun(buffer) &&
        outputs[i].type == want.type())
      continue;
    if (!fits(buffer, {outputs[i].type, outputs[i].shape, nullptr}, extents))
      return absl::InvalidArgumentError(absl::StrCat(
          "output '", want.name(), "' must be ",
          isToldByRun(buffer) ? described(buffer)
                              : absl::StrCat(elementName(want.type()), " ",
                                             shapeText(shape(buffer, extents))),
          ", given is ", elementName(outputs[i].type), " ",
          shapeText(outputs[i].shape)));
  }
  return absl::OkStatus();
}

} // namespace tenon::runtime
