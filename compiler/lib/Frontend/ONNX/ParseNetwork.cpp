//===- ParseNetwork.cpp - Networks as modules ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "OneFunction.h"
#include "ParseText.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "tenon/Frontend/ONNX/ImportModel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tenon;

/// A tensor of so few elements that sizes in bytes do not overflow.
static bool isTensor(Type T) {
  constexpr int64_t Most = int64_t{1} << 40;
  auto Tensor = dyn_cast<RankedTensorType>(T);
  if (!Tensor)
    return false;
  int64_t Count = 1;
  for (int64_t Extent : Tensor.getShape())
    if (!ShapedType::isDynamic(Extent) &&
        (llvm::MulOverflow(Count, Extent, Count) || Count > Most))
      return false;
  return true;
}

static bool isFixedTensor(Type T) {
  return isTensor(T) && cast<RankedTensorType>(T).hasStaticShape();
}

/// Of what integer programs take and give.
static bool isBorderElement(Type Element) {
  return Element.isF32() || Element.isInteger(8) || Element.isInteger(32) ||
         Element.isInteger(64);
}

/// Whether the constants among the attributes are in the file with all their
/// bytes: a resource is apart from its type, and printing can leave it out.
static bool hasItsBytes(Operation *Op) {
  for (NamedAttribute Attribute : Op->getAttrDictionary()) {
    auto Constant = dyn_cast<DenseResourceElementsAttr>(Attribute.getValue());
    if (!Constant)
      continue;
    auto *Blob = Constant.getRawHandle().getBlob();
    Type Element = Constant.getType().getElementType();
    if (!Blob || !Element.isIntOrFloat() ||
        int64_t(Blob->getData().size()) * 8 !=
            Constant.getNumElements() * Element.getIntOrFloatBitWidth())
      return false;
  }
  return true;
}

/// @main alone, of one block; null after an error.
static func::FuncOp mainAlone(ModuleOp Module) {
  auto Main = Module.lookupSymbol<func::FuncOp>("main");
  if (!Main || !Main.getBody().hasOneBlock() ||
      !llvm::hasSingleElement(Module.getBody()->getOperations())) {
    Module.emitError("a network is one function @main of one block");
    return {};
  }
  return Main;
}

//===----------------------------------------------------------------------===//
// From anybody: TOSA of fixed shape
//===----------------------------------------------------------------------===//

/// TOSA, and the slice with steps that it lacks; both without regions.
static bool isTosaOperation(Operation &Op) {
  return !Op.getNumRegions() &&
         (isa<func::ReturnOp, tensor::ExtractSliceOp>(Op) ||
          Op.getName().getDialectNamespace() == "tosa");
}

static LogicalResult checkTosa(ModuleOp Module) {
  func::FuncOp Main = mainAlone(Module);
  if (!Main)
    return failure();
  for (Type T :
       llvm::concat<const Type>(Main.getArgumentTypes(), Main.getResultTypes()))
    if (!isFixedTensor(T) ||
        !isBorderElement(cast<RankedTensorType>(T).getElementType()))
      return Main.emitError("@main takes or returns ")
             << T << ", expected tensors of fixed shape of int8, uint8, int32, "
             << "int64 or float32";
  for (Operation &Op : Main.getBody().front()) {
    if (!isTosaOperation(Op))
      return Op.emitError("a network has no operation '")
             << Op.getName() << "'";
    if (isa<tosa::GatherOp, tosa::ScatterOp, tosa::TableOp>(Op))
      return Op.emitError("unsupported: its indices are values, which nothing "
                          "keeps within the tensor");
    if (!hasItsBytes(&Op))
      return Op.emitError("a constant has not the bytes of its type (those of "
                          "--emit=tosa are left out)");
    for (Type T : Op.getResultTypes())
      if (isa<TensorType>(T) && !isFixedTensor(T))
        return Op.emitError("its result is ")
               << T << ", expected a fixed shape";
  }
  return success();
}

/// Where its errors are in another context.
static Location placeIn(MLIRContext &Context, Location Place) {
  auto Of = Place->findInstanceOf<FileLineColLoc>();
  return Of ? FileLineColLoc::get(&Context, Of.getFilename().getValue(),
                                  Of.getLine(), Of.getColumn())
            : Location(UnknownLoc::get(&Context));
}

/// MLIR's parser of linalg.transpose crashes where the permutation is missing.
/// No text reaches it, or others written by hand, where their dialects are not
/// known.
static LogicalResult parsesWithoutLoops(llvm::StringRef Content,
                                        llvm::StringRef Path,
                                        MLIRContext &Context) {
  MLIRContext Apart(MLIRContext::Threading::DISABLED);
  Apart.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                    ml_program::MLProgramDialect, tosa::TosaDialect>();
  ScopedDiagnosticHandler Forward(&Apart, [&](Diagnostic &D) {
    if (D.getSeverity() == DiagnosticSeverity::Error)
      emitError(placeIn(Context, D.getLocation())) << StringRef(D.str()).rtrim();
  });
  return success(bool(frontend::parseMlir(Content, Path, Apart)));
}

OwningOpRef<ModuleOp> tenon::parseTosa(llvm::StringRef Content,
                                       llvm::StringRef Path,
                                       MLIRContext &Context) {
  if (failed(parsesWithoutLoops(Content, Path, Context)))
    return nullptr;
  loadImportDialects(Context);
  auto Module = frontend::parseMlir(Content, Path, Context);
  if (Module && (failed(frontend::keepOneFunction(*Module)) ||
                 failed(checkTosa(*Module))))
    return nullptr;
  return Module;
}

//===----------------------------------------------------------------------===//
// From a program: what an import gave
//===----------------------------------------------------------------------===//

static bool isImportedOperation(Operation *Op) {
  static constexpr StringLiteral Dialects[] = {
      "affine", "arith", "cf", "linalg", "math", "scf", "tensor", "tosa"};
  return isa<func::ReturnOp>(Op) ||
         llvm::is_contained(Dialects, Op->getName().getDialectNamespace());
}

static LogicalResult checkImported(ModuleOp Module) {
  func::FuncOp Main = mainAlone(Module);
  if (!Main)
    return failure();
  for (Type T :
       llvm::concat<const Type>(Main.getArgumentTypes(), Main.getResultTypes()))
    if (!isTensor(T))
      return Main.emitError("@main takes or returns ")
             << T << ", expected tensors of known rank";
  WalkResult Walked = Main.getBody().walk([&](Operation *Op) {
    if (isImportedOperation(Op) && hasItsBytes(Op))
      return WalkResult::advance();
    Op->emitError("'") << Op->getName() << "' is nothing that an import gives";
    return WalkResult::interrupt();
  });
  return failure(Walked.wasInterrupted());
}

OwningOpRef<ModuleOp> tenon::parseImported(llvm::StringRef Content,
                                           llvm::StringRef Path,
                                           MLIRContext &Context) {
  loadImportDialects(Context);
  auto Module = frontend::parseMlir(Content, Path, Context);
  if (Module && failed(checkImported(*Module)))
    return nullptr;
  return Module;
}
