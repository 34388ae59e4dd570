//===- Refuse.cpp - What the accelerator turns out not to take ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/Refuse.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::scheduling;

SmallVector<accel::RefusalAttr> scheduling::refusalsOf(ModuleOp Module) {
  auto All = Module->getAttrOfType<ArrayAttr>(RefusalsAttr);
  return All ? llvm::to_vector(All.getAsRange<accel::RefusalAttr>())
             : SmallVector<accel::RefusalAttr>();
}

static void note(ModuleOp Module, uint64_t Candidate, const Twine &Reason,
                 StringRef Remedy) {
  SmallVector<accel::RefusalAttr> All = refusalsOf(Module);
  if (llvm::any_of(All, [&](accel::RefusalAttr R) {
        return R.getCandidate() == Candidate;
      }))
    return;
  All.push_back(accel::RefusalAttr::get(Module.getContext(), Candidate,
                                        Reason.str(), Remedy));
  SmallVector<Attribute> List(All.begin(), All.end());
  Module->setAttr(RefusalsAttr, ArrayAttr::get(Module.getContext(), List));
}

LogicalResult scheduling::refuse(ModuleOp Module, Location Loc,
                                 uint64_t Candidate, const Twine &Reason,
                                 StringRef Remedy) {
  note(Module, Candidate, Reason, Remedy);
  return emitError(Loc, Reason);
}

LogicalResult scheduling::refuse(Operation *Op, const Twine &Reason,
                                 StringRef Remedy) {
  if (auto Number = Op->getAttrOfType<IntegerAttr>(CandidateAttr))
    note(Op->getParentOfType<ModuleOp>(), Number.getInt(), Reason, Remedy);
  return Op->emitOpError(Reason);
}
