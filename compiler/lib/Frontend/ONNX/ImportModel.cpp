//===- ImportModel.cpp - Model files to TOSA ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Frontend/ONNX/ImportModel.h"
#include "FixShapes.h"
#include "Importer.h"
#include "NamePlaces.h"
#include "ParseText.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tenon/Frontend/ONNX/Normalize.h"
#include "tenon/Frontend/ONNX/ReadModel.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace tenon;

void tenon::loadImportDialects(MLIRContext &Context) {
  Context.loadDialect<affine::AffineDialect, arith::ArithDialect,
                      cf::ControlFlowDialect, func::FuncDialect,
                      linalg::LinalgDialect, math::MathDialect,
                      ml_program::MLProgramDialect, scf::SCFDialect,
                      tensor::TensorDialect, tosa::TosaDialect>();
}

/// The newest opset of ai.onnx whose operators are known.
static constexpr int64_t NewestOpset = 28;

static LogicalResult checkOpset(Operation *Importing, DictionaryAttr Opsets) {
  auto Opset =
      Opsets ? Opsets.getAs<IntegerAttr>(onnx::domainName("")) : IntegerAttr();
  if (!Opset || Opset.getInt() <= NewestOpset)
    return success();
  return Importing->emitError("it imports opset ")
         << Opset.getInt() << " of ai.onnx; known are 1 to " << NewestOpset
         << ": convert the model (onnx.version_converter)";
}

static LogicalResult checkOpsets(ModuleOp Model) {
  auto Facts = Model->getAttrOfType<DictionaryAttr>(onnx::ModelAttrName);
  LogicalResult Result = checkOpset(
      Model, Facts ? Facts.getAs<DictionaryAttr>("opsets") : DictionaryAttr());
  for (auto Function : Model.getOps<onnx::FunctionOp>())
    if (failed(checkOpset(Function, Function.getOpsets())))
      Result = failure();
  return Result;
}

LogicalResult tenon::prepareModel(ModuleOp Model, const InputShapes &Shapes) {
  onnx::GraphOp Graph = onnx::mainGraph(Model);
  if (failed(checkOpsets(Model)) || failed(frontend::fixShapes(Graph, Shapes)))
    return failure();
  frontend::fixBatch(Graph);
  // Of a node without a type its lowering says what is wrong.
  ScopedDiagnosticHandler Handler(Model.getContext(), [](Diagnostic &D) {
    return success(D.getSeverity() == DiagnosticSeverity::Remark);
  });
  return normalizeModel(Model, frontend::isSupported);
}

static void setPlaces(ModuleOp Module, DictionaryAttr Places) {
  if (!Places.empty())
    Module.lookupSymbol("main")->setAttr("tenon.places", Places);
}

/// The steps behind reading; null after an error, reading's included.
static OwningOpRef<ModuleOp> lower(OwningOpRef<ModuleOp> Model,
                                   const InputShapes &Shapes,
                                   const WantedPlaces &Wanted) {
  if (!Model)
    return nullptr;
  tenon::loadImportDialects(*Model->getContext());
  // As the user sees them: normalisation takes nodes apart.
  auto Places = frontend::namePlaces(*Model, Wanted);
  if (failed(Places) || failed(prepareModel(*Model, Shapes)))
    return nullptr;
  auto Imported = frontend::Importer(onnx::mainGraph(*Model)).run();
  if (Imported)
    setPlaces(*Imported, *Places);
  return Imported;
}

OwningOpRef<ModuleOp> tenon::parseOnnx(llvm::StringRef Content,
                                       llvm::StringRef Path,
                                       MLIRContext &Context) {
  return lower(readModel(Content, Path, Context), {}, {});
}

OwningOpRef<ModuleOp> tenon::importModel(llvm::StringRef Path,
                                         MLIRContext &Context,
                                         const InputShapes &Shapes,
                                         const WantedPlaces &Wanted) {
  if (!frontend::isMlirFile(Path))
    return lower(readModel(Path, Context), Shapes, Wanted);
  auto File = llvm::MemoryBuffer::getFile(Path);
  if (!File) {
    mlir::emitError(FileLineColLoc::get(&Context, Path, 0, 0))
        << "cannot read the file: " << File.getError().message();
    return nullptr;
  }
  auto Module = parseTosa((*File)->getBuffer(), Path, Context);
  if (!Module)
    return nullptr;
  auto Places = frontend::namePlaces(*Module, Wanted);
  if (failed(Places))
    return nullptr;
  setPlaces(*Module, *Places);
  return Module;
}
