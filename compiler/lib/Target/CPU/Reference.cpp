//===- Reference.cpp - The whole network on the host ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Target/CPU/CPUTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {

static std::vector<int64_t> integers(DictionaryAttr Attribute, StringRef Name) {
  if (auto Array = Attribute.getAs<DenseI64ArrayAttr>(Name))
    return Array.asArrayRef().vec();
  return {};
}

/// Elements of a shape; none for a negative extent or a count that no memory
/// holds.
static std::optional<int64_t> elementCount(ArrayRef<int64_t> Shape) {
  constexpr int64_t Most = int64_t{1} << 40;
  int64_t Count = 1;
  for (int64_t Extent : Shape)
    if (Extent < 0 || llvm::MulOverflow(Count, Extent, Count) || Count > Most)
      return std::nullopt;
  return Count;
}

/// Describes the ONNX tensor that the result of `Op` equals.
static llvm::Expected<ReferenceTensor> describe(Operation &Op,
                                                DictionaryAttr Attribute) {
  ReferenceTensor Tensor;
  if (auto Name = Attribute.getAs<StringAttr>("name"))
    Tensor.Name = Name.str();
  auto wrong = [&](const Twine &What) {
    return llvm::createStringError("tensor '" + Tensor.Name + "': " + What);
  };
  auto Type = dyn_cast<RankedTensorType>(Op.getResult(0).getType());
  if (!Type || !Type.getElementType().isInteger(8))
    return wrong("expected 8-bit integers");
  if (auto Unsigned = Attribute.getAs<BoolAttr>("unsigned"))
    Tensor.IsUnsigned = Unsigned.getValue();
  Tensor.Shape = Type.getShape().vec();
  Tensor.Permutation = integers(Attribute, "perm");
  Tensor.OnnxShape = integers(Attribute, "shape");
  if (!Tensor.Permutation.empty() &&
      (Tensor.Permutation.size() != Tensor.Shape.size() ||
       !isPermutationVector(Tensor.Permutation)))
    return wrong("perm is not a permutation of " + Twine(Tensor.Shape.size()) +
                 " axes");
  auto Elements = elementCount(Tensor.Shape);
  if (!Elements || Elements != elementCount(Tensor.OnnxShape))
    return wrong("shape has not the elements of the result");
  return Tensor;
}

llvm::Expected<Reference> compileReference(ModuleOp Module,
                                           Optimization Level) {
  auto Main = Module.lookupSymbol<func::FuncOp>("main");
  Reference Result;
  Operation *Return = Main.getBody().front().getTerminator();
  SmallVector<Value> Values(Return->getOperands());
  for (Operation &Op : Main.getBody().front()) {
    auto Attribute = Op.getAttrOfType<DictionaryAttr>("tenon.tensor");
    if (!Attribute || Op.getNumResults() != 1)
      continue;
    auto Tensor = describe(Op, Attribute);
    if (!Tensor)
      return Tensor.takeError();
    Result.Tensors.push_back(*std::move(Tensor));
    Values.push_back(Op.getResult(0));
  }
  Return->setOperands(Values);
  Main.setFunctionType(FunctionType::get(Module.getContext(),
                                         Main.getArgumentTypes(),
                                         ValueRange(Values).getTypes()));
  Main.removeResAttrsAttr();
  auto Object = compileToObject(Module, Level);
  if (!Object)
    return Object.takeError();
  Result.Object = std::move(*Object);
  return Result;
}

} // namespace tenon
