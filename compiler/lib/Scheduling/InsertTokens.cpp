//===- InsertTokens.cpp - Order every conflict by tokens ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/DescribeLayer.h"
#include "tenon/Scheduling/Machine.h"
#include "tenon/Scheduling/Passes.h"
#include "tenon/Scheduling/Tokens.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/bit.h"

namespace tenon {
#define GEN_PASS_DEF_ACCELINSERTTOKENS
#include "tenon/Scheduling/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;
using namespace tenon::scheduling;

namespace {
struct AccelInsertTokens
    : tenon::impl::AccelInsertTokensBase<AccelInsertTokens> {
  using AccelInsertTokensBase::AccelInsertTokensBase;
  LogicalResult insert(const isa::Layout &L, accel::StreamOp Op);
  void runOnOperation() override;
};
} // namespace

LogicalResult AccelInsertTokens::insert(const isa::Layout &L,
                                        accel::StreamOp Op) {
  std::vector<StreamInstruction> Stream;
  for (Operation &I : Op.getBody().front())
    Stream.push_back(readInstruction(&I));
  std::vector<Segment> Segments = readSegments(Op);
  TokenProblem Problem(L, Stream, Segments);
  auto fail = [&](llvm::Error E) {
    return Op.emitOpError(llvm::toString(std::move(E)));
  };
  if (auto E = Problem.check())
    return fail(std::move(E));
  if (auto E = Problem.solve())
    return fail(std::move(E));
  if (Verify)
    if (auto E = Problem.verify())
      return fail(std::move(E));
  Builder B(&getContext());
  for (auto [I, New] : llvm::zip(Op.getBody().front(), Stream)) {
    uint32_t Wait = isa::waitOf(New.Inst), Signal = isa::signalOf(New.Inst);
    if (Wait)
      I.setAttr("wait", B.getI32IntegerAttr(Wait));
    if (Signal)
      I.setAttr("signal", B.getI32IntegerAttr(Signal));
    NumTokens += llvm::popcount(Wait);
  }
  return success();
}

void AccelInsertTokens::runOnOperation() {
  Machine &TheMachine = getAnalysis<Machine>();
  markAnalysesPreserved<Machine>();
  if (failed(TheMachine.check()))
    return signalPassFailure();
  WalkResult Result = getOperation().walk([&](accel::StreamOp Op) {
    return failed(insert(TheMachine.layout(), Op)) ? WalkResult::interrupt()
                                                   : WalkResult::skip();
  });
  if (Result.wasInterrupted())
    signalPassFailure();
}
