//===- compiler/driver/compile.cpp - From a network to a program ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/compile.h"

#include "compiler/driver/collector.h"
#include "compiler/driver/host_code.h"
#include "compiler/driver/observe.h"
#include "compiler/driver/prediction.h"
#include "compiler/driver/run_passes.h"

#include "isa/configuration.h"
#include "isa/isa.h"
#include "isa/utf8.h"
#include "tenon/Frontend/ONNX/ImportModel.h"
#include "tenon/Frontend/ONNX/ReadModel.h"
#include "tenon/Scheduling/Machine.h"
#include "tenon/Target/Accelerator/Border.h"
#include "tenon/Target/Accelerator/EmitProgram.h"
#include "tenon/Target/CPU/CPUTarget.h"
#include "tenon/Target/CPU/Hosts.h"
#include "tenon/Transforms/Passes.h"

#include "mlir/Bytecode/BytecodeWriter.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include <filesystem>

namespace tenon::compiler {

using namespace mlir;

namespace {

using Hosts = std::vector<const isa::HostTarget *>;

/// One network on its way down; each step leaves what the next one reads.
class Compilation {
public:
  /// `content` is null where it is to be read.
  Compilation(const std::string &path, const std::string *content,
              const Options &options, Level level, isa::Layout layout,
              Hosts hosts)
      : path(path), content(content), options(options), level(level),
        layout(std::move(layout)), hosts(std::move(hosts)),
        records(options.records), context(registry()),
        diagnostics(context, options.listener) {}

  absl::StatusOr<Compiled> run();

private:
  static DialectRegistry registry();
  bool makesProgram() const {
    return level == Level::Program || level == Level::Reference;
  }
  void say(const std::string &phase) const {
    if (options.progress)
      options.progress(phase);
  }
  absl::Status import();
  absl::Status optimizeImport();
  absl::Status keepReference();
  absl::Status runPasses();
  absl::Status emit();
  llvm::Expected<isa::HostCode> hostCode(ModuleOp functions);
  void addWorkspaces(ArrayRef<WorkspacePlan> plans);
  absl::Status emitBorder();
  absl::Status prove();
  std::string printed();

  const std::string &path;
  const std::string *const content;
  const Options &options;
  const Level level;
  const isa::Layout layout;
  const Hosts hosts;
  isa::RecordStore records; // of host code
  MLIRContext context;
  Collector diagnostics;
  OwningOpRef<ModuleOp> module;
  std::string reference; // the imported network
  Compiled result;
};

DialectRegistry Compilation::registry() {
  DialectRegistry registry;
  registerCPUTarget(registry);
  return registry;
}

absl::Status Compilation::import() {
  say("reading");
  loadImportDialects(context);
  context.loadAllAvailableDialects();
  module = content ? parseOnnx(*content, path, context)
           : level == Level::Onnx
               ? readModel(path, context)
               : importModel(path, context, options.shapes, options.places);
  return module ? absl::OkStatus()
                : diagnostics.statusOf(path, "an import failed without "
                                             "saying why");
}

absl::Status Compilation::optimizeImport() {
  PassManager manager(&context);
  buildImportPipeline(manager);
  observe(manager, options, "import", result.statistics);
  return succeeded(runVerified(manager, *module))
             ? absl::OkStatus()
             : diagnostics.status("a pass failed without saying why");
}

absl::Status Compilation::keepReference() {
  llvm::raw_string_ostream stream(reference);
  if (failed(writeBytecodeToFile(*module, stream)))
    return absl::InternalError("the imported network cannot be written");
  return absl::OkStatus();
}

absl::Status Compilation::runPasses() {
  scheduling::attachMachine(*module, layout.config, options.virtualThreads);
  scheduling::attachHostSpeed(*module, options.hostSpeed);
  if (!options.records.empty())
    scheduling::attachRecords(*module, options.records);
  if (!options.schedules.empty() &&
      failed(scheduling::giveSchedules(*module, options.schedules)))
    return diagnostics.status("the schedules cannot be read");
  if (failed(compiler::runPasses(module, options, level, diagnostics,
                                 result.statistics)))
    return diagnostics.status("a pass failed without saying why");
  (*module)->removeAttr(scheduling::RecordsAttr);
  return absl::OkStatus();
}

void Compilation::addWorkspaces(ArrayRef<WorkspacePlan> plans) {
  if (!options.statistics)
    return;
  for (const WorkspacePlan &plan : plans) {
    Workspace &workspace = *result.statistics.add_workspaces();
    workspace.set_kernel(plan.Function);
    workspace.set_buffers(plan.Buffers);
    workspace.set_bytes(double(plan.Bytes));
    workspace.set_bound(double(plan.Bound));
    workspace.set_by_size(double(plan.BySize));
  }
}

/// Who looks at how the code is made wants it made.
llvm::Expected<isa::HostCode> Compilation::hostCode(ModuleOp functions) {
  auto look = [&](PassManager &manager) {
    observe(manager, options, "host code", result.statistics);
  };
  if (!options.statistics && options.dumpIrAfter.empty())
    return recordedHostCode(functions, hosts, records, look);
  auto objects = compileForHosts(functions, hosts, look);
  if (!objects)
    return objects.takeError();
  addWorkspaces(objects->Workspaces);
  return std::move(objects->Code);
}

absl::Status Compilation::emit() {
  say("writing code");
  auto emitted =
      emitProgram(*module, layout,
                  [&](ModuleOp functions) -> llvm::Expected<isa::HostCode> {
                    if (!options.hostCode)
                      return isa::HostCode();
                    return hostCode(functions);
                  });
  if (!emitted)
    return absl::InvalidArgumentError(llvm::toString(emitted.takeError()));
  result.program = *std::move(emitted);
  if (auto status = records.status(); !status.ok())
    emitRemark(module->getLoc()) << std::string(status.message());
  auto cycles =
      (*module)->getAttrOfType<IntegerAttr>(scheduling::PredictedCyclesAttr);
  *result.statistics.mutable_prediction() =
      predict(result.program, cycles ? uint64_t(cycles.getInt()) : 0,
              options.hostSpeed);
  return options.verify ? prove() : absl::OkStatus();
}

absl::Status Compilation::emitBorder() {
  auto border = borderOf(*module, layout);
  if (!border)
    return absl::InvalidArgumentError(llvm::toString(border.takeError()));
  result.program = *std::move(border);
  return absl::OkStatus();
}

absl::Status Compilation::prove() {
  say("verifying");
  auto verification = compiler::prove(result.program, path);
  if (!verification.ok())
    return verification.status();
  result.verification = *std::move(verification);
  return absl::OkStatus();
}

std::string Compilation::printed() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  // What is read back must be whole; what is looked at, short.
  if (level != Level::Onnx)
    flags.elideLargeElementsAttrs(64);
  module->print(stream, flags);
  return text;
}

absl::StatusOr<Compiled> Compilation::run() {
  result.statistics.set_model(path);
  absl::Status status = import();
  if (status.ok() && level != Level::Onnx)
    status = optimizeImport();
  if (status.ok() && makesProgram() && options.keepReference)
    status = keepReference();
  if (status.ok() && level >= Level::Graph)
    status = runPasses();
  if (status.ok() && makesProgram())
    status = level == Level::Reference ? emitBorder() : emit();
  if (!status.ok())
    return status;
  if (!makesProgram()) {
    result.text = printed();
    return std::move(result);
  }
  result.program.set_model(
      isa::toUtf8(std::filesystem::path(path).filename().string()));
  result.program.set_reference(std::move(reference));
  result.program.set_producer("tenon " TENON_VERSION);
  return std::move(result);
}

} // namespace

static absl::StatusOr<Compiled> compileSource(const std::string &path,
                                              const std::string *content,
                                              const Options &options,
                                              Level level) {
  absl::StatusOr<isa::Configuration> config =
      options.machine ? *options.machine
                      : isa::loadConfiguration(options.config);
  if (!config.ok())
    return config.status();
  auto layout = isa::Layout::get(*config);
  if (!layout.ok())
    return layout.status();
  absl::StatusOr<Hosts> hosts =
      options.forThisMachine ? Hosts{&thisHost()} : defaultHosts();
  if (!options.hosts.empty())
    hosts = isa::findHostTargets(options.hosts);
  if (!hosts.ok())
    return hosts.status();
  return Compilation(path, content, options, level, *std::move(layout),
                     *std::move(hosts))
      .run();
}

absl::StatusOr<isa::Verification> prove(const isa::Program &program,
                                        const std::string &path) {
  auto verification = isa::verify(program, /*mostFindings=*/5);
  if (verification.ok() && !verification->verified())
    return absl::InternalError(absl::StrCat(
        "the program compiled from '", path,
        "' does not verify (--no-verify keeps it):\n",
        absl::StripTrailingAsciiWhitespace(isa::findingsText(*verification))));
  return verification;
}

absl::StatusOr<Compiled> compile(const std::string &path,
                                 const Options &options, Level level) {
  return compileSource(path, nullptr, options, level);
}

absl::StatusOr<Compiled> compileContent(const std::string &content,
                                        const std::string &path,
                                        const Options &options, Level level) {
  return compileSource(path, &content, options, level);
}

} // namespace tenon::compiler
