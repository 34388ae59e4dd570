//===- compiler/driver/macs.cpp - Work of a node --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/macs.h"

#include "compiler/driver/onnx_types.h"

namespace tenon::compiler {

using namespace mlir;
using onnx::Node;

namespace {

using Count = std::optional<double>;

Count elements(Value value) {
  if (!value)
    return std::nullopt;
  if (auto count = elementsOf(value.getType()))
    return double(*count);
  return std::nullopt;
}

/// Extent of axis `axis`, from behind where it is negative.
Count extent(Value value, int64_t axis) {
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : nullptr;
  if (!type)
    return std::nullopt;
  axis += axis < 0 ? type.getRank() : 0;
  if (axis < 0 || axis >= type.getRank() || type.isDynamicDim(axis))
    return std::nullopt;
  return double(type.getDimSize(axis));
}

Count product(Count a, Count b) {
  return a && b ? Count(*a * *b) : std::nullopt;
}

/// Each of `many` positions sees all but axis `axis` of the weights.
Count window(Count many, Value weights, int64_t axis) {
  Count all = elements(weights), along = extent(weights, axis);
  if (!all || !along || *along == 0)
    return std::nullopt;
  return product(many, *all / *along);
}

/// Each element of the result is a sum along one axis of the first operand.
Count matrix(const Node &node, int input) {
  bool isTransposed = false;
  if (node.is("Gemm"))
    if (auto transposed = node.integer("transA", 0); succeeded(transposed))
      isTransposed = *transposed != 0;
  return product(elements(node.output(0)),
                 extent(node.input(input), isTransposed ? 0 : -1));
}

/// Every step of every sequence multiplies by both weights, which are 1 and 2.
Count recurrent(const Node &node) {
  Count steps = product(extent(node.input(0), 0), extent(node.input(0), 1));
  Count own = elements(node.input(1)), past = elements(node.input(2));
  return own && past ? product(steps, *own + *past) : std::nullopt;
}

struct Entry {
  const char *operatorName;
  Contraction contraction;
  Count (*macs)(const Node &node, const Contraction &);
};

Count convolution(const Node &node, const Contraction &of) {
  return window(elements(node.output(0)), node.input(of.weights), 0);
}
Count transposed(const Node &node, const Contraction &of) {
  return window(elements(node.input(of.input)), node.input(of.weights), 0);
}
Count matrices(const Node &node, const Contraction &of) {
  return matrix(node, of.input);
}
Count sequence(const Node &node, const Contraction &) {
  return recurrent(node);
}

constexpr Entry contractions[] = {
    {"Conv", {0, 1, nullptr}, convolution},
    {"ConvInteger", {0, 1, "MatMulInteger"}, convolution},
    {"QLinearConv", {0, 3, "QOperator"}, convolution},
    {"ConvTranspose", {0, 1, nullptr}, transposed},
    {"Gemm", {0, 1, nullptr}, matrices},
    {"MatMul", {0, 1, nullptr}, matrices},
    {"MatMulInteger", {0, 1, "MatMulInteger"}, matrices},
    {"QLinearMatMul", {0, 3, "QOperator"}, matrices},
    {"LSTM", {0, 1, nullptr}, sequence},
    {"GRU", {0, 1, nullptr}, sequence},
    {"RNN", {0, 1, nullptr}, sequence},
};

const Entry *find(const Node &node) {
  for (const Entry &entry : contractions)
    if (node.is(entry.operatorName))
      return &entry;
  return nullptr;
}

} // namespace

const Contraction *contractionOf(const Node &node) {
  const Entry *entry = find(node);
  return entry ? &entry->contraction : nullptr;
}

std::optional<double> macsOf(const Node &node) {
  const Entry *entry = find(node);
  if (!entry || node.outputCount() == 0)
    return std::nullopt;
  return entry->macs(node, entry->contraction);
}

} // namespace tenon::compiler
