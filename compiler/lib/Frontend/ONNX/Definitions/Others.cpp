//===- Others.cpp - Other operators of com.microsoft ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "../Definitions.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tenon::frontend;

/// Those that are operators of ai.onnx by another domain.
template <const char *Operator> static LogicalResult defineSame(Definition &D) {
  SmallVector<StringRef> Names;
  for (NamedAttribute Held : D.N.op().getNodeAttributes())
    Names.push_back(Held.getName());
  D.write("y = " + llvm::Twine(Operator) + D.attributes(Names) + " (" +
          llvm::join(D.inputs(), ", ") + ")");
  return success();
}

static LogicalResult defineNhwcMaxPool(Definition &D) {
  D.write("first = Transpose <perm : ints = [0, 3, 1, 2]> (x)");
  D.write("pooled = MaxPool" +
          D.attributes({"auto_pad", "ceil_mode", "dilations", "kernel_shape",
                        "pads", "strides"}) +
          " (first)");
  D.write("y = Transpose <perm : ints = [0, 2, 3, 1]> (pooled)");
  return success();
}

/// Between all rows of `a` and all rows of `b`.
static LogicalResult defineCDist(Definition &D) {
  auto Metric = D.N.string("metric", "sqeuclidean");
  if (failed(Metric))
    return failure();
  if (*Metric != "sqeuclidean" && *Metric != "euclidean")
    return D.error() << "its metric '" << *Metric
                     << "' is not supported: expected euclidean or sqeuclidean";
  D.write("rows = Unsqueeze (a, " + D.integers({1}) + ")");
  D.write("columns = Unsqueeze (b, " + D.integers({0}) + ")");
  D.write("differences = Sub (rows, columns)");
  D.write("squares = ReduceSumSquare <keepdims : int = 0> (differences, " +
          D.integers({2}) + ")");
  D.write("y = " + llvm::Twine(*Metric == "euclidean" ? "Sqrt" : "Identity") +
          " (squares)");
  return success();
}

static LogicalResult defineExpandDims(Definition &D) {
  D.write("axes = Reshape (axis, " + D.integers({1}) + ")");
  D.write("wide = Cast <to : int = 7> (axes)");
  D.write("y = Unsqueeze (x, wide)");
  return success();
}

/// In the order of their first occurrence.
static LogicalResult defineUnique(Definition &D) {
  D.write("y, first, where, counts = Unique <sorted : int = 0> (x)");
  return success();
}

static constexpr char GatherNDName[] = "GatherND", PadName[] = "Pad",
                      RangeName[] = "Range", TriluName[] = "Trilu";

ArrayRef<DefinedOperator> tenon::frontend::otherDefinitions() {
  static constexpr DefinedOperator Table[] = {
      {"com.microsoft", "CDist", "a b", "y", defineCDist},
      {"com.microsoft", "ExpandDims", "x axis", "y", defineExpandDims},
      {"com.microsoft", "GatherND", "x indices", "y", defineSame<GatherNDName>},
      {"com.microsoft", "NhwcMaxPool", "x", "y", defineNhwcMaxPool},
      {"com.microsoft", "Pad", "x pads value", "y", defineSame<PadName>},
      {"com.microsoft", "Range", "start limit delta", "y",
       defineSame<RangeName>},
      {"com.microsoft", "Trilu", "x k", "y", defineSame<TriluName>},
      {"com.microsoft", "Unique", "x", "y where counts", defineUnique},
  };
  return Table;
}
