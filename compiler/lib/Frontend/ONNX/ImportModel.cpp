//===- ImportModel.cpp - Model files to TOSA ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Frontend/ONNX/ImportModel.h"
#include "FixShapes.h"
#include "Importer.h"
#include "ParseText.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "tenon/Frontend/ONNX/Normalize.h"
#include "tenon/Frontend/ONNX/ReadModel.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace tenon;

void tenon::loadImportDialects(MLIRContext &Context) {
  Context.loadDialect<affine::AffineDialect, arith::ArithDialect,
                      cf::ControlFlowDialect, func::FuncDialect,
                      linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
                      tensor::TensorDialect, tosa::TosaDialect>();
}

LogicalResult tenon::prepareModel(ModuleOp Model, const InputShapes &Shapes) {
  onnx::GraphOp Graph = onnx::mainGraph(Model);
  if (failed(frontend::fixShapes(Graph, Shapes)))
    return failure();
  frontend::fixBatch(Graph);
  return normalizeModel(Model);
}

/// The steps behind reading; null after an error, reading's included.
static OwningOpRef<ModuleOp> lower(OwningOpRef<ModuleOp> Model,
                                   const InputShapes &Shapes) {
  if (!Model)
    return nullptr;
  tenon::loadImportDialects(*Model->getContext());
  if (failed(prepareModel(*Model, Shapes)))
    return nullptr;
  return frontend::Importer(onnx::mainGraph(*Model)).run();
}

OwningOpRef<ModuleOp> tenon::parseOnnx(llvm::StringRef Content,
                                       llvm::StringRef Path,
                                       MLIRContext &Context) {
  return lower(readModel(Content, Path, Context), {});
}

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

/// Whether the constants among the attributes are in the file with all their
/// bytes: a resource is apart from its type, and printing can leave it out.
static bool hasItsBytes(Operation &Op) {
  for (NamedAttribute Attribute : Op.getAttrDictionary()) {
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

/// What import makes: TOSA, and what lowerings emit (Lower/Lowering.h).
static bool isNetworkOperation(Operation *Op) {
  static constexpr StringLiteral Dialects[] = {
      "affine", "arith", "cf", "linalg", "math", "scf", "tensor", "tosa"};
  return isa<func::ReturnOp>(Op) ||
         llvm::is_contained(Dialects, Op->getName().getDialectNamespace());
}

/// Whether the passes can rely on the module's form: @main alone, one block of
/// such operations on tensors.
static LogicalResult checkNetwork(ModuleOp Module) {
  auto Main = Module.lookupSymbol<func::FuncOp>("main");
  if (!Main || !Main.getBody().hasOneBlock() ||
      !llvm::hasSingleElement(Module.getBody()->getOperations()))
    return Module.emitError("a network is one function @main of one block");
  for (Type T :
       llvm::concat<const Type>(Main.getArgumentTypes(), Main.getResultTypes()))
    if (!isTensor(T))
      return Main.emitError("@main takes or returns ")
             << T << ", expected tensors of known rank";
  WalkResult Walked = Main.getBody().walk([&](Operation *Op) {
    if (!isNetworkOperation(Op)) {
      Op->emitError("a network has no operation '") << Op->getName() << "'";
      return WalkResult::interrupt();
    }
    if (isa<tosa::GatherOp, tosa::ScatterOp, tosa::TableOp>(Op)) {
      Op->emitError("unsupported: its indices are values, which nothing "
                    "keeps within the tensor");
      return WalkResult::interrupt();
    }
    if (!hasItsBytes(*Op)) {
      Op->emitError("a constant has not the bytes of its type (those of "
                    "--emit=tosa are left out)");
      return WalkResult::interrupt();
    }
    for (Type T : Op->getResultTypes())
      if (isa<TensorType>(T) && !isTensor(T)) {
        Op->emitError("its result is ") << T << ", expected a known rank";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(Walked.wasInterrupted());
}

OwningOpRef<ModuleOp> tenon::parseTosa(llvm::StringRef Content,
                                       llvm::StringRef Path,
                                       MLIRContext &Context) {
  loadImportDialects(Context);
  auto Module = frontend::parseMlir(Content, Path, Context);
  if (Module && failed(checkNetwork(*Module)))
    return nullptr;
  return Module;
}

OwningOpRef<ModuleOp> tenon::importModel(llvm::StringRef Path,
                                         MLIRContext &Context,
                                         const InputShapes &Shapes) {
  if (!frontend::isMlirFile(Path))
    return lower(readModel(Path, Context), Shapes);
  auto File = llvm::MemoryBuffer::getFile(Path);
  if (!File) {
    mlir::emitError(FileLineColLoc::get(&Context, Path, 0, 0))
        << "cannot read the file: " << File.getError().message();
    return nullptr;
  }
  return parseTosa((*File)->getBuffer(), Path, Context);
}
