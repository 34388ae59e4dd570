//===- FixShapes.cpp - Open dimensions that become fixed ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "FixShapes.h"
#include "mlir/IR/Builders.h"
#include "tenon/Dialect/ONNX/Node.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tenon;

static Location placeOf(BlockArgument Input) {
  return NameLoc::get(StringAttr::get(Input.getContext(), onnx::nameOf(Input)));
}

/// `Type` with other extents; names of those that stay open are kept.
static RankedTensorType withExtents(RankedTensorType Type,
                                    ArrayRef<int64_t> Dims) {
  SmallVector<StringAttr> Names;
  for (auto [Axis, Extent] : llvm::enumerate(Dims))
    Names.push_back(StringAttr::get(
        Type.getContext(),
        ShapedType::isDynamic(Extent) ? onnx::dimensionName(Type, Axis) : ""));
  bool HasNames =
      llvm::any_of(Names, [](StringAttr Name) { return !Name.empty(); });
  return RankedTensorType::get(
      Dims, Type.getElementType(),
      HasNames ? onnx::DimsAttr::get(Type.getContext(), Names) : Attribute());
}

//===----------------------------------------------------------------------===//
// Shapes that the user gives
//===----------------------------------------------------------------------===//

/// The name that dimension `Axis` has to share; empty where it has none. Some
/// exporters write "?" for any that is open.
static StringRef sharedName(RankedTensorType Type, int64_t Axis) {
  StringRef Name = onnx::dimensionName(Type, Axis);
  return Name == "?" ? "" : Name;
}

/// Gives `Input` the extents `Wanted`; notes what named dimensions are.
static LogicalResult fixInput(BlockArgument Input, ArrayRef<int64_t> Wanted,
                              llvm::StringMap<int64_t> &Named) {
  auto Tensor = dyn_cast<TensorType>(Input.getType());
  if (!Tensor)
    return mlir::emitError(placeOf(Input))
           << "'" << onnx::nameOf(Input) << "' is not a tensor, so it has no "
           << "shape to be given";
  auto Type = dyn_cast<RankedTensorType>(Tensor);
  if (!Type) {
    Input.setType(RankedTensorType::get(Wanted, Tensor.getElementType()));
    return success();
  }
  if (Type.getRank() != int64_t(Wanted.size()))
    return mlir::emitError(placeOf(Input))
           << "the shape given for input '" << onnx::nameOf(Input) << "' has "
           << Wanted.size() << " dimensions, expected " << Type.getRank();
  for (auto [Axis, Extent] : llvm::enumerate(Wanted)) {
    if (!Type.isDynamicDim(Axis) && Type.getDimSize(Axis) != Extent)
      return mlir::emitError(placeOf(Input))
             << "dimension " << Axis << " of input '" << onnx::nameOf(Input)
             << "' is given as " << Extent << ", but the model fixes it at "
             << Type.getDimSize(Axis);
    StringRef Name = sharedName(Type, Axis);
    if (Name.empty())
      continue;
    auto [Known, IsNew] = Named.try_emplace(Name, Extent);
    if (!IsNew && Known->second != Extent)
      return mlir::emitError(placeOf(Input))
             << "dimension '" << Name << "' is given as " << Known->second
             << " and as " << Extent;
  }
  Input.setType(withExtents(Type, Wanted));
  return success();
}

LogicalResult tenon::frontend::fixShapes(onnx::GraphOp Graph,
                                         const InputShapes &Shapes) {
  llvm::StringMap<int64_t> Named;
  auto Inputs = Graph.getBody().getArguments();
  for (const auto &[Name, Wanted] : Shapes) {
    auto Found =
        llvm::find_if(Inputs, [&, &Sought = Name](BlockArgument Input) {
          return onnx::nameOf(Input) == Sought;
        });
    if (Found == Inputs.end()) {
      SmallVector<StringRef> Known;
      for (BlockArgument Input : Inputs)
        Known.push_back(onnx::nameOf(Input));
      return Graph.emitError("a shape is given for '")
             << Name << "', but the model's inputs are "
             << llvm::join(Known, ", ");
    }
    if (failed(fixInput(*Found, Wanted, Named)))
      return failure();
  }
  for (BlockArgument Input : Inputs) {
    auto Type = dyn_cast<RankedTensorType>(Input.getType());
    if (!Type || Type.hasStaticShape())
      continue;
    SmallVector<int64_t> Dims(Type.getShape());
    for (auto [Axis, Extent] : llvm::enumerate(Dims))
      if (auto Known = Named.find(sharedName(Type, Axis));
          ShapedType::isDynamic(Extent) && Known != Named.end())
        Extent = Known->second;
    Input.setType(withExtents(Type, Dims));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The batch
//===----------------------------------------------------------------------===//

/// Of those that integer clusters are formed around.
static bool isQuantised(onnx::NodeOp Op) {
  StringRef Name = Op.getOpType();
  return Name == "DequantizeLinear" || Name == "QuantizeLinear" ||
         Name.starts_with("QLinear") || Name.ends_with("Integer");
}

static bool hasQuantised(onnx::GraphOp Graph) {
  return Graph
      .walk([](onnx::NodeOp Op) {
        return isQuantised(Op) ? WalkResult::interrupt()
                               : WalkResult::advance();
      })
      .wasInterrupted();
}

void tenon::frontend::fixBatch(onnx::GraphOp Graph) {
  if (!hasQuantised(Graph))
    return;
  for (BlockArgument Input : Graph.getBody().getArguments()) {
    auto Type = dyn_cast<RankedTensorType>(Input.getType());
    if (!Type || Type.getRank() == 0 || !Type.isDynamicDim(0))
      continue;
    StringRef Open = onnx::dimensionName(Type, 0);
    mlir::emitWarning(placeOf(Input))
        << "the batch '" << (Open.empty() ? "?" : Open) << "' of input '"
        << onnx::nameOf(Input)
        << "' is taken as 1; --shape gives it another extent";
    SmallVector<int64_t> Dims(Type.getShape());
    Dims[0] = 1;
    Input.setType(withExtents(Type, Dims));
  }
}
