//===- Tensor.cpp - What an ONNX tensor is during import ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

using namespace tenon::frontend;

std::optional<int64_t>
tenon::frontend::elementCount(llvm::ArrayRef<int64_t> Shape) {
  if (Shape.size() > MaxRank)
    return std::nullopt;
  std::optional<int64_t> Count = onnx::elementCount(Shape);
  return Count && *Count <= MaxElements ? Count : std::nullopt;
}

bool tenon::frontend::isTooLarge(llvm::ArrayRef<int64_t> Shape) {
  auto Known = llvm::map_range(Shape, [](int64_t Dim) {
    return mlir::ShapedType::isDynamic(Dim) ? 1 : Dim;
  });
  return !elementCount(llvm::to_vector(Known));
}

std::string tenon::frontend::describe(llvm::ArrayRef<int64_t> Shape) {
  if (Shape.empty())
    return "scalar";
  if (Shape.size() > MaxRank)
    return std::to_string(Shape.size()) + " dimensions";
  return llvm::join(llvm::map_range(Shape,
                                    [](int64_t Dim) {
                                      return mlir::ShapedType::isDynamic(Dim)
                                                 ? "?"
                                                 : std::to_string(Dim);
                                    }),
                    "x");
}

Order tenon::frontend::identityOrder(int64_t Rank) {
  return llvm::to_vector<4>(llvm::seq<int64_t>(0, Rank));
}

Order tenon::frontend::nhwcOrder() { return {0, 3, 1, 2}; }

Order tenon::frontend::nwcOrder() { return {0, 2, 1}; }

Shape Stored::shape() const {
  auto Held = mlir::cast<mlir::RankedTensorType>(Value.getType()).getShape();
  Shape Result;
  for (int64_t Axis : Axes)
    Result.push_back(Held[Axis]);
  return Result;
}

double RealConstant::at(int64_t Index) const {
  int64_t Channel = 0;
  if (Scales.size() > 1) {
    llvm::ArrayRef<int64_t> Dims = Integers.shape();
    int64_t Inner = 1;
    for (int64_t Dim : llvm::drop_begin(Dims, Axis + 1))
      Inner *= Dim;
    Channel = Index / Inner % Dims[Axis];
  }
  return Scales[Channel] * (Integers.integer(Index) - ZeroPoints[Channel]);
}
