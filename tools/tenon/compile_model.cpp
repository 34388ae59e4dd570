//===- tools/tenon/compile_model.cpp - From a network to a program --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/compile_model.h"

#include "tools/tenon/files.h"

#include "isa/configuration.h"
#include "tenon/Frontend/ONNX/ImportModel.h"
#include "tenon/Scheduling/Passes.h"
#include "tenon/Target/Accelerator/EmitProgram.h"
#include "tenon/Target/CPU/CPUTarget.h"
#include "tenon/Transforms/Passes.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tenon::tools {

using namespace mlir;

namespace {

/// Collects the errors of a context, each as "NODE: message".
class Errors {
public:
  explicit Errors(MLIRContext &context)
      : handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            add(diagnostic);
          return success();
        }) {}

  /// Without an error there is a defect, which `fallback` says.
  absl::Status status(absl::string_view fallback) const {
    return text.empty() ? absl::InternalError(fallback)
                        : absl::InvalidArgumentError(text);
  }

private:
  void add(Diagnostic &diagnostic) {
    std::string place;
    diagnostic.getLocation()->walk([&](Location location) {
      if (auto name = dyn_cast<NameLoc>(location); name && place.empty())
        place = name.getName().str() + ": ";
      return WalkResult::advance();
    });
    absl::StrAppend(&text, text.empty() ? "" : "\n", place, diagnostic.str());
  }

  std::string text;
  ScopedDiagnosticHandler handler;
};

std::string printed(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(64);
  module.print(stream, flags);
  return text;
}

absl::StatusOr<std::string> bytecode(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(writeBytecodeToFile(module, stream)))
    return absl::InternalError("the imported network cannot be written");
  return text;
}

/// Adds a host buffer for a value at the border of the network; returns its
/// index.
uint32_t addBuffer(isa::Program &program, Type type, Attribute name) {
  isa::Buffer &buffer = *program.add_buffers();
  auto tensor = cast<RankedTensorType>(type);
  buffer.set_type(elementType(tensor.getElementType()));
  for (int64_t extent : tensor.getShape())
    buffer.add_shape(extent);
  if (auto text = dyn_cast_or_null<StringAttr>(name))
    buffer.set_name(text.str());
  return program.buffers_size() - 1;
}

/// Inputs and outputs of the imported network, without a plan.
isa::Program borderOf(ModuleOp module, const isa::Layout &layout) {
  isa::Program program;
  program.set_isa_version(isa::isaVersion);
  *program.mutable_configuration() = layout.config;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
    program.add_inputs(
        addBuffer(program, type, main.getArgAttr(i, "tenon.name")));
  for (auto [i, type] : llvm::enumerate(main.getResultTypes())) {
    uint32_t index =
        addBuffer(program, type, main.getResultAttr(i, "tenon.name"));
    isa::Buffer &buffer = *program.mutable_buffers(index);
    if (auto scale =
            dyn_cast_or_null<FloatAttr>(main.getResultAttr(i, "tenon.scale")))
      buffer.set_scale(scale.getValueAsDouble());
    if (auto zero = dyn_cast_or_null<IntegerAttr>(
            main.getResultAttr(i, "tenon.zero_point")))
      buffer.set_zero_point(zero.getInt());
    program.add_outputs(index);
  }
  return program;
}

void buildPipeline(PassManager &manager, const CompileOptions &options,
                   Level level) {
  TensorPipelineOptions tensor;
  tensor.Config = options.config;
  tensor.RequireAccelerator = options.requireAccelerator;
  buildTensorPipeline(manager, tensor);
  if (level == Level::Graph)
    return;
  AcceleratorPipelineOptions accelerator;
  accelerator.Config = options.config;
  accelerator.VirtualThreads = options.virtualThreads;
  accelerator.StopAfterSchedule = level == Level::Tiled;
  buildAcceleratorPipeline(manager, accelerator);
}

absl::Status runPipeline(ModuleOp module, const CompileOptions &options,
                         Level level, const Errors &errors) {
  PassManager manager(module.getContext());
  buildPipeline(manager, options, level);
  if (!options.dumpIrAfter.empty()) {
    module.getContext()->disableMultithreading();
    manager.enableIRPrinting(
        [](Pass *, Operation *) { return false; },
        [&](Pass *pass, Operation *) {
          return pass->getArgument() == options.dumpIrAfter;
        },
        /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false);
  }
  if (!options.reproducer.empty()) {
    module.getContext()->disableMultithreading();
    manager.enableCrashReproducerGeneration(options.reproducer,
                                            /*genLocalReproducer=*/true);
  }
  if (failed(manager.run(module)))
    return errors.status("a pass failed without saying why");
  return absl::OkStatus();
}

} // namespace

bool isProgram(absl::string_view path) {
  return absl::EndsWith(path, ".tenon");
}

absl::StatusOr<Compiled> compileModel(const std::string &path,
                                      const CompileOptions &options,
                                      Level level) {
  auto config = isa::loadConfiguration(options.config);
  if (!config.ok())
    return config.status();
  auto layout = isa::Layout::get(*config);
  if (!layout.ok())
    return layout.status();
  // Missing and unreadable files have their own message, before any parsing.
  if (auto content = isa::readFile(path); !content.ok())
    return content.status();

  DialectRegistry registry;
  registerCPUTarget(registry);
  MLIRContext context(registry);
  loadImportDialects(context);
  context.loadAllAvailableDialects();
  Errors errors(context);
  auto imported = importModel(path, context);
  if (!imported)
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "': ", llvm::toString(imported.takeError())));
  ModuleOp module = **imported;
  Compiled result;
  if (level == Level::Tosa)
    return Compiled{{}, printed(module), {}};
  std::string reference;
  bool program = level == Level::Program || level == Level::Reference;
  if (options.keepReference && program) {
    auto bytes = bytecode(module);
    if (!bytes.ok())
      return bytes.status();
    reference = *std::move(bytes);
  }
  if (level == Level::Reference) {
    result.program = borderOf(module, *layout);
  } else {
    auto status = runPipeline(module, options, level, errors);
    if (!status.ok())
      return status;
    if (!program) {
      result.text = printed(module);
      return result;
    }
    auto emitted = emitProgram(
        module, *layout, [](ModuleOp host) { return compileToObject(host); });
    if (!emitted)
      return absl::InvalidArgumentError(llvm::toString(emitted.takeError()));
    result.program = *std::move(emitted);
  }
  if (level == Level::Program && options.verify) {
    auto verification = verifyTimed(result.program, /*mostFindings=*/5);
    if (!verification.ok())
      return verification.status();
    if (!verification->verified())
      return absl::InternalError(
          absl::StrCat("the program compiled from '", path,
                       "' does not verify (--no-verify keeps it):\n",
                       absl::StripTrailingAsciiWhitespace(
                           isa::findingsText(*verification))));
    result.verification = *std::move(verification);
  }
  result.program.set_model(baseName(path));
  result.program.set_reference(std::move(reference));
  result.program.set_producer("tenon " TENON_VERSION);
  return result;
}

} // namespace tenon::tools
