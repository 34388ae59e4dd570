//===- Reference.cpp - The whole network on the host ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Target/CPU/CPUTarget.h"

#include "Codegen.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Utils/ConversionUtils.h"
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

/// How the result of an operation becomes the ONNX tensor it equals.
struct OnnxForm {
  ReferenceTensor Tensor;
  std::vector<int64_t> Permutation; ///< axes of the result; empty: none
};

static llvm::Expected<OnnxForm> describe(Operation &Op,
                                         DictionaryAttr Attribute) {
  OnnxForm Form;
  if (auto Name = Attribute.getAs<StringAttr>("name"))
    Form.Tensor.Name = Name.str();
  auto wrong = [&](const Twine &What) {
    return llvm::createStringError("tensor '" + Form.Tensor.Name +
                                   "': " + What);
  };
  auto Type = dyn_cast<RankedTensorType>(Op.getResult(0).getType());
  if (!Type || !Type.getElementType().isInteger(8))
    return wrong("expected 8-bit integers");
  if (auto Unsigned = Attribute.getAs<BoolAttr>("unsigned"))
    Form.Tensor.IsUnsigned = Unsigned.getValue();
  Form.Tensor.Shape = integers(Attribute, "shape");
  Form.Permutation = integers(Attribute, "perm");
  if (!Form.Permutation.empty() &&
      (int64_t(Form.Permutation.size()) != Type.getRank() ||
       !isPermutationVector(Form.Permutation)))
    return wrong("perm is not a permutation of " + Twine(Type.getRank()) +
                 " axes");
  auto Elements = elementCount(Type.getShape());
  if (!Elements || Elements != elementCount(Form.Tensor.Shape))
    return wrong("shape has not the elements of the result");
  return Form;
}

/// `V` as the ONNX tensor: transposed, reshaped, and 128 added where it is
/// unsigned, which flips the sign bit.
static Value inOnnxForm(ImplicitLocOpBuilder &B, Value V,
                        const OnnxForm &Form) {
  auto T = cast<RankedTensorType>(V.getType());
  if (!Form.Permutation.empty()) {
    SmallVector<int32_t> Axes(Form.Permutation.begin(), Form.Permutation.end());
    T = T.clone(applyPermutation(T.getShape(), Form.Permutation));
    V = tosa::TransposeOp::create(B, T, V, Axes);
  }
  if (T.getShape() != ArrayRef(Form.Tensor.Shape)) {
    T = T.clone(Form.Tensor.Shape);
    V = tosa::ReshapeOp::create(B, T, V,
                                tosa::getTosaConstShape(B, Form.Tensor.Shape));
  }
  if (!Form.Tensor.IsUnsigned)
    return V;
  auto Sign = T.clone(SmallVector<int64_t>(T.getRank(), 1));
  Value Flip = tosa::ConstOp::create(
      B, Sign, DenseElementsAttr::get(Sign, APInt(8, 0x80)));
  return tosa::BitwiseXorOp::create(B, T, V, Flip);
}

llvm::Expected<Reference> compileReference(ModuleOp Module, Optimization Level,
                                           bool WithTensors) {
  auto Main = Module.lookupSymbol<func::FuncOp>("main");
  Reference Result;
  Operation *Return = Main.getBody().front().getTerminator();
  SmallVector<Value> Values(Return->getOperands());
  ImplicitLocOpBuilder B(Return->getLoc(), Return);
  for (Operation &Op : Main.getBody().front()) {
    auto Attribute = Op.getAttrOfType<DictionaryAttr>("tenon.tensor");
    if (!WithTensors || !Attribute || Op.getNumResults() != 1)
      continue;
    // It would be compared with one that the accelerator stored: none of those
    // has an open dimension.
    if (auto Type = dyn_cast<ShapedType>(Op.getResult(0).getType());
        Type && !Type.hasStaticShape())
      continue;
    auto Form = describe(Op, Attribute);
    if (!Form)
      return Form.takeError();
    B.setLoc(Op.getLoc());
    Values.push_back(inOnnxForm(B, Op.getResult(0), *Form));
    Result.Tensors.push_back(std::move(Form->Tensor));
  }
  Return->setOperands(Values);
  Main.setFunctionType(FunctionType::get(Module.getContext(),
                                         Main.getArgumentTypes(),
                                         ValueRange(Values).getTypes()));
  Main.removeResAttrsAttr();
  auto Code = compileHere(Module, Level);
  if (!Code)
    return Code.takeError();
  Result.Code = *std::move(Code);
  return Result;
}

} // namespace tenon
