//===- OneFunction.cpp - A converter's module becomes one function --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Not by upstream's inliner: of functions that each call the next one twice it
// makes more than any memory holds.
//
//===----------------------------------------------------------------------===//

#include "OneFunction.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace {

class CallInliner {
public:
  explicit CallInliner(ModuleOp Module) : Symbols(Module) {}
  LogicalResult run(func::FuncOp Function);

private:
  LogicalResult expand(func::CallOp Call, unsigned Depth);

  static constexpr unsigned MostOperations = 1'000'000, MostDepth = 1'000;
  SymbolTable Symbols;
  unsigned Operations = 0;
  /// Calls to do, with how many are around each.
  SmallVector<std::pair<func::CallOp, unsigned>> Calls;
};

} // namespace

LogicalResult CallInliner::expand(func::CallOp Call, unsigned Depth) {
  auto Callee = Symbols.lookup<func::FuncOp>(Call.getCallee());
  if (!Callee || !Callee.getBody().hasOneBlock())
    return Call.emitError("calls @")
           << Call.getCallee() << ", which is no function of one block";
  if (Depth > MostDepth || Call->getParentOp() == Callee)
    return Call.emitError("calls go in a circle, or are more than ")
           << MostDepth << " deep";
  OpBuilder B(Call);
  IRMapping Map;
  Block &Body = Callee.front();
  Map.map(Body.getArguments(), Call.getOperands());
  for (Operation &Op : Body.without_terminator()) {
    if (++Operations > MostOperations)
      return Call.emitError("calls become more than ")
             << MostOperations << " operations";
    Operation *Copy = B.clone(Op, Map);
    if (auto Inner = dyn_cast<func::CallOp>(Copy))
      Calls.push_back({Inner, Depth + 1});
  }
  for (auto [Result, Returned] :
       llvm::zip_equal(Call.getResults(), Body.getTerminator()->getOperands()))
    Result.replaceAllUsesWith(Map.lookupOrDefault(Returned));
  Call.erase();
  return success();
}

LogicalResult CallInliner::run(func::FuncOp Function) {
  Function.walk([&](func::CallOp Call) { Calls.push_back({Call, 1}); });
  while (!Calls.empty()) {
    auto [Call, Depth] = Calls.pop_back_val();
    if (failed(expand(Call, Depth)))
      return failure();
  }
  return success();
}

/// @main, or the only function that is public.
static func::FuncOp entryOf(ModuleOp Module) {
  if (auto Main = Module.lookupSymbol<func::FuncOp>("main"))
    return Main;
  func::FuncOp Entry;
  for (auto Function : Module.getOps<func::FuncOp>()) {
    if (!Function.isPublic())
      continue;
    if (Entry)
      return {};
    Entry = Function;
  }
  return Entry;
}

LogicalResult tenon::frontend::keepOneFunction(ModuleOp Module) {
  func::FuncOp Entry = entryOf(Module);
  if (!Entry || !Entry.getBody().hasOneBlock())
    return success();
  if (failed(CallInliner(Module).run(Entry)))
    return failure();
  for (Operation &Op : llvm::make_early_inc_range(*Module.getBody()))
    if (isa<func::FuncOp, ml_program::GlobalOp>(Op) && &Op != Entry)
      Op.erase();
  Entry.setName("main");
  Entry.setPublic();
  return success();
}
