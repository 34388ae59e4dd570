//===- Machine.cpp - What a module is compiled for ------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/Machine.h"

#include "isa/configuration.h"
#include "tenon/Scheduling/DescribeLayer.h"
#include "tenon/Scheduling/Passes.h"
#include "tenon/Scheduling/ScheduleProblem.h"

#include "mlir/IR/Threading.h"
#include "mlir/Parser/Parser.h"

#include <cmath>

namespace tenon {
#define GEN_PASS_DEF_ACCELATTACHMACHINE
#include "tenon/Scheduling/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;
using namespace tenon::scheduling;

void scheduling::attachMachine(ModuleOp Module,
                               const isa::Configuration &Configuration,
                               uint32_t VirtualThreads) {
  Module.getContext()->loadDialect<accel::AccelDialect>();
  Module->setAttr(MachineAttr,
                  accel::MachineAttr::get(Module.getContext(),
                                          isa::configurationText(Configuration),
                                          VirtualThreads));
}

void scheduling::attachHostSpeed(ModuleOp Module, const HostSpeed &Speed) {
  Module->setAttr(
      HostSpeedAttr,
      DenseF64ArrayAttr::get(Module.getContext(),
                             {Speed.OperationsPerMs, Speed.PackedBytesPerMs}));
}

void scheduling::attachRecords(ModuleOp Module, StringRef Directory) {
  Module->setAttr(RecordsAttr, StringAttr::get(Module.getContext(), Directory));
}

/// Parses a file; its errors say the place within the message, for those who
/// print messages alone.
static OwningOpRef<ModuleOp> parseSchedules(ModuleOp Module, StringRef File) {
  std::string Errors;
  OwningOpRef<ModuleOp> Read;
  {
    ScopedDiagnosticHandler Handler(Module.getContext(), [&](Diagnostic &D) {
      llvm::raw_string_ostream Text(Errors);
      if (auto At = dyn_cast<FileLineColLoc>(D.getLocation()))
        Text << At.getFilename().getValue() << ":" << At.getLine() << ":"
             << At.getColumn() << ": ";
      Text << D.str();
      return success();
    });
    Read = parseSourceFile<ModuleOp>(File, Module.getContext());
  }
  if (!Read)
    Module.emitError() << Errors;
  return Read;
}

LogicalResult scheduling::giveSchedules(ModuleOp Module, StringRef File) {
  OwningOpRef<ModuleOp> Read = parseSchedules(Module, File);
  if (!Read)
    return failure();
  auto Theirs = (*Read)->getAttrOfType<accel::MachineAttr>(MachineAttr);
  auto Ours = Module->getAttrOfType<accel::MachineAttr>(MachineAttr);
  if (!Theirs || Theirs.getConfiguration() != Ours.getConfiguration())
    return Read->emitError("expected schedules for the configuration ")
           << Ours.getConfiguration() << "; found "
           << (Theirs ? Theirs.getConfiguration() : "no accel.machine");
  OpBuilder B(Module.getBodyRegion());
  for (auto Problem : Read->getOps<accel::ProblemOp>())
    B.clone(*Problem);
  return success();
}

Machine::Machine(ModuleOp Module) : Module(Module) {
  readMachine();
  readHostSpeed();
  for (auto Problem : Module.getOps<accel::ProblemOp>())
    if (!Error && !Problem.getSchedules().empty())
      readSchedules(Problem);
}

void Machine::fail(Location At, std::string Message) {
  Error.emplace(At, std::move(Message));
}

void Machine::readMachine() {
  auto Attached = Module->getAttrOfType<accel::MachineAttr>(MachineAttr);
  if (!Attached)
    return fail(Module.getLoc(),
                "expected the machine in the attribute 'accel.machine', run "
                "accel-attach-machine first");
  VirtualThreads = Attached.getVirtualThreads();
  auto Configuration = isa::parseConfiguration(
      Attached.getConfiguration().str(), "accel.machine");
  auto Found = Configuration.ok() ? isa::Layout::get(*Configuration)
                                  : Configuration.status();
  if (!Found.ok())
    return fail(Module.getLoc(), std::string(Found.status().message()));
  Layout = *Found;
  openRecords(Attached);
}

void Machine::openRecords(accel::MachineAttr Attached) {
  auto Directory = Module->getAttrOfType<StringAttr>(RecordsAttr);
  Records = std::make_unique<ScheduleRecords>(
      Directory ? Directory.str() : std::string(), Attached);
}

void Machine::readHostSpeed() {
  Attribute Attached = Module->getAttr(HostSpeedAttr);
  if (!Attached)
    return;
  auto Speed = dyn_cast<DenseF64ArrayAttr>(Attached);
  if (!Speed || Speed.size() != 2 ||
      !llvm::all_of(Speed.asArrayRef(),
                    [](double V) { return V > 0 && std::isfinite(V); }))
    return fail(Module.getLoc(), "expected operations and packed bytes a "
                                 "millisecond, two f64 above 0, in the "
                                 "attribute 'accel.host_speed'");
  Host = {Speed[0], Speed[1]};
}

/// Checks schedules that somebody gives and keeps them under their layers.
void Machine::readSchedules(accel::ProblemOp Problem) {
  std::vector<Layer> Layers;
  std::vector<Schedule> Schedules;
  for (auto L : Problem.getLayers().getAsRange<accel::LayerAttr>()) {
    Layers.push_back(layerOf(L));
    Layers.back().Name = Problem.getName().str();
  }
  for (auto S : Problem.getSchedules().getAsRange<accel::ScheduleAttr>())
    Schedules.push_back(fromAttribute(S));
  ScheduleProblem P(*Layout, std::move(Layers));
  if (auto E = P.check())
    return fail(Problem.getLoc(), llvm::toString(std::move(E)));
  if (auto E = P.check(Schedules))
    return fail(Problem.getLoc(), llvm::toString(std::move(E)));
  auto First = cast<accel::LayerAttr>(Problem.getLayers()[0]);
  bool IsNew;
  if (Schedules.size() == 2) {
    Attribute Second = Problem.getLayers()[1];
    IsNew = GivenPairs
                .try_emplace(
                    {First.getAsOpaquePointer(), Second.getAsOpaquePointer()},
                    Schedules)
                .second;
  } else {
    auto Estimate = P.cost(Schedules);
    if (!Estimate)
      return fail(Problem.getLoc(), llvm::toString(Estimate.takeError()));
    Answers[First.getAsOpaquePointer()] = {Schedules[0], *Estimate, ""};
    IsNew = Given.insert(First).second;
  }
  if (!IsNew)
    fail(Problem.getLoc(), "a second schedule for the layers of '" +
                               Problem.getName().str() + "'");
}

LogicalResult Machine::check() const {
  if (!Error)
    return success();
  return emitError(Error->first, Error->second);
}

Answer Machine::find(accel::LayerAttr Of) {
  Answer Result;
  ScheduleProblem P(*Layout, {layerOf(Of)});
  std::vector<Schedule> Best;
  if (auto Known = Records->find(Of, P)) {
    ++Recalled;
    Best = *std::move(Known);
  } else {
    ++Searched;
    auto Found = searchSchedule(*Layout, P.layers()[0], VirtualThreads);
    if (!Found) {
      Result.WhyNone = llvm::toString(Found.takeError());
      return Result;
    }
    Best = {*Found};
    Records->keep(Of, Best);
  }
  Result.Best = Best[0];
  auto Estimate = P.cost(Best);
  if (Estimate)
    Result.BestCost = *Estimate;
  else
    Result.WhyNone = llvm::toString(Estimate.takeError());
  return Result;
}

void Machine::search(ArrayRef<accel::LayerAttr> Layers) {
  SmallVector<std::pair<accel::LayerAttr, Answer *>> Wanted;
  for (accel::LayerAttr L : Layers) {
    auto [It, IsNew] = Answers.try_emplace(L.getAsOpaquePointer());
    if (IsNew)
      Wanted.push_back({L, &It->second});
  }
  parallelForEach(Module.getContext(), Wanted,
                  [&](auto &One) { *One.second = find(One.first); });
}

llvm::Expected<std::vector<Schedule>>
Machine::searchPair(accel::LayerAttr First, accel::LayerAttr Second,
                    uint64_t Apart) {
  ScheduleProblem P(*Layout, {layerOf(First), layerOf(Second)});
  if (auto Known = Records->find({First, Second}, P)) {
    ++Recalled;
    return *std::move(Known);
  }
  ++Searched;
  auto Found =
      scheduling::searchPair(*Layout, P.layers()[0], P.layers()[1], Apart);
  if (!Found)
    return Found.takeError();
  std::vector<Schedule> Best;
  if (*Found)
    Best = {(*Found)->FirstSchedule, (*Found)->SecondSchedule};
  Records->keep({First, Second}, Best);
  return Best;
}

void Machine::reportRecords() {
  if (auto Status = Records->status(); !Status.ok())
    emitRemark(Module.getLoc()) << std::string(Status.message());
}

const Answer &Machine::answer(accel::LayerAttr Layer) {
  search(Layer);
  return Answers.at(Layer.getAsOpaquePointer());
}

const std::vector<Schedule> *Machine::givenPair(accel::LayerAttr First,
                                                accel::LayerAttr Second) const {
  auto It = GivenPairs.find(
      {First.getAsOpaquePointer(), Second.getAsOpaquePointer()});
  return It == GivenPairs.end() ? nullptr : &It->second;
}

namespace {
struct AccelAttachMachine
    : tenon::impl::AccelAttachMachineBase<AccelAttachMachine> {
  using AccelAttachMachineBase::AccelAttachMachineBase;
  void runOnOperation() override {
    if (VirtualThreads == 0) {
      getOperation().emitError(
          "expected at least one virtual thread, found none");
      return signalPassFailure();
    }
    auto Configuration = isa::loadConfiguration(Config);
    if (!Configuration.ok()) {
      getOperation().emitError(std::string(Configuration.status().message()));
      return signalPassFailure();
    }
    attachMachine(getOperation(), *Configuration, VirtualThreads);
    if (!Schedules.empty() && failed(giveSchedules(getOperation(), Schedules)))
      signalPassFailure();
  }
};
} // namespace
