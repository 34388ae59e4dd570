//===- LiftConstants.cpp - Constant nodes to constants --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "NormalizeSteps.h"
#include "tenon/Dialect/ONNX/Node.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;

/// A tensor of the elements of `Values`, in one dimension where `IsList`.
template <typename T>
static Attribute numbers(Type Element, ArrayRef<T> Values, bool IsList) {
  SmallVector<int64_t> Dims;
  if (IsList)
    Dims.push_back(Values.size());
  return makeTensor(RankedTensorType::get(Dims, Element), "",
                    ArrayRef(reinterpret_cast<const char *>(Values.data()),
                             Values.size() * sizeof(T)));
}

/// The value of a Constant node, whose one attribute is `Held`; null where it
/// has another than ONNX defines.
static Attribute valueOf(NamedAttribute Held) {
  Builder B(Held.getName().getContext());
  StringRef Name = Held.getName();
  Attribute Value = Held.getValue();
  if (Name == "value")
    return dyn_cast<ElementsAttr>(Value);
  if (Name == "sparse_value")
    return dyn_cast<SparseTensorAttr>(Value);
  if (auto Int = dyn_cast<IntegerAttr>(Value); Int && Name == "value_int")
    return numbers<int64_t>(B.getI64Type(), Int.getInt(), false);
  if (auto Ints = dyn_cast<DenseI64ArrayAttr>(Value);
      Ints && Name == "value_ints")
    return numbers<int64_t>(B.getI64Type(), Ints, true);
  if (auto Float = dyn_cast<FloatAttr>(Value); Float && Name == "value_float")
    return numbers<float>(B.getF32Type(), Float.getValue().convertToFloat(),
                          false);
  if (auto Floats = dyn_cast<DenseF32ArrayAttr>(Value);
      Floats && Name == "value_floats")
    return numbers<float>(B.getF32Type(), Floats, true);
  Type String = StringType::get(B.getContext());
  if (auto Held = dyn_cast<StringAttr>(Value); Held && Name == "value_string")
    return DenseStringElementsAttr::get(RankedTensorType::get({}, String),
                                        Held.getValue());
  if (auto List = dyn_cast<ListAttr>(Value); List && Name == "value_strings") {
    SmallVector<StringRef> Strings(
        List.getElements().getAsValueRange<StringAttr>());
    return DenseStringElementsAttr::get(
        RankedTensorType::get(int64_t(Strings.size()), String), Strings);
  }
  return {};
}

void tenon::frontend::liftConstants(GraphOp Graph) {
  Graph.walk([](NodeOp Op) {
    if (!Node(Op).is("Constant") || Op.getNumResults() != 1 ||
        Op.getNodeAttributes().size() != 1)
      return;
    Attribute Value = valueOf(*Op.getNodeAttributes().begin());
    if (!Value)
      return; // ill-formed; whoever lowers it says so
    auto Sparse = dyn_cast<SparseTensorAttr>(Value);
    OpBuilder B(Op);
    auto Constant = ConstantOp::create(
        B, Op.getLoc(),
        Sparse ? Type(Sparse.getTensor()) : cast<ElementsAttr>(Value).getType(),
        B.getStringAttr(nameOf(Op.getResult(0))), Value, TypeAttr());
    Op.getResult(0).replaceAllUsesWith(Constant.getResult());
    Op.erase();
  });
}
