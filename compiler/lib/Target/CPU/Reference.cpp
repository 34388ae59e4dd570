//===- Reference.cpp - The whole network on the host ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Target/CPU/CPUTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace tenon {

static std::vector<int64_t> integers(DictionaryAttr Attribute, StringRef Name) {
  if (auto Array = Attribute.getAs<DenseI64ArrayAttr>(Name))
    return Array.asArrayRef().vec();
  return {};
}

/// Describes the ONNX tensor that the first result of `Op` equals.
static ReferenceTensor describe(Operation *Op, DictionaryAttr Attribute) {
  ReferenceTensor Tensor;
  auto Type = cast<RankedTensorType>(Op->getResult(0).getType());
  if (auto Name = Attribute.getAs<StringAttr>("name"))
    Tensor.Name = Name.str();
  if (auto Unsigned = Attribute.getAs<BoolAttr>("unsigned"))
    Tensor.IsUnsigned = Unsigned.getValue();
  Tensor.Shape = Type.getShape().vec();
  Tensor.Permutation = integers(Attribute, "perm");
  Tensor.OnnxShape = integers(Attribute, "shape");
  Tensor.ElementBits = Type.getElementTypeBitWidth();
  return Tensor;
}

llvm::Expected<Reference> compileReference(ModuleOp Module,
                                           Optimization Level) {
  auto Main = Module.lookupSymbol<func::FuncOp>("main");
  if (!Main || Main.isExternal() || !llvm::hasSingleElement(Main.getBody()))
    return llvm::createStringError("the network has no function @main");
  Reference Result;
  Operation *Return = Main.getBody().front().getTerminator();
  SmallVector<Value> Values(Return->getOperands());
  Main.walk([&](Operation *Op) {
    auto Attribute = Op->getAttrOfType<DictionaryAttr>("tenon.tensor");
    if (!Attribute || Op->getNumResults() != 1)
      return;
    Result.Tensors.push_back(describe(Op, Attribute));
    Values.push_back(Op->getResult(0));
  });
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

llvm::Expected<Reference> compileReference(llvm::StringRef Bytecode,
                                           Optimization Level) {
  DialectRegistry Registry;
  registerCPUTarget(Registry);
  MLIRContext Context(Registry);
  std::string Messages;
  ScopedDiagnosticHandler Handler(&Context, [&](Diagnostic &D) {
    Messages += D.str();
    return success();
  });
  auto Module = parseSourceString<ModuleOp>(Bytecode, &Context);
  if (!Module)
    return llvm::createStringError(
        "the program's reference network cannot be read: " + Messages);
  return compileReference(*Module, Level);
}

} // namespace tenon
