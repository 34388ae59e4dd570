//===- PassMemory.cpp - Kernels allocate of their caller ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Upstream lowers buffers of dynamic size to malloc and free, and writes to
// what malloc gives whatever it is. The caller's `allocate` ends the call
// instead of giving nothing.
//
//===----------------------------------------------------------------------===//

#include "PassMemory.h"

#include "Passes.h"
#include "RunLoops.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tenon;

LLVM::LLVMStructType tenon::hostMemoryType(MLIRContext *Context) {
  auto Pointer = LLVM::LLVMPointerType::get(Context);
  return LLVM::LLVMStructType::getLiteral(Context,
                                          SmallVector<Type>(5, Pointer));
}

Value tenon::hostMemoryField(OpBuilder &B, Location Loc, Value Memory,
                             HostMemory Field) {
  Value Place = LLVM::GEPOp::create(B, Loc, Memory.getType(),
                                    hostMemoryType(B.getContext()), Memory,
                                    ArrayRef<LLVM::GEPArg>{0, int32_t(Field)});
  return LLVM::LoadOp::create(B, Loc, Memory.getType(), Place);
}

/// Calls a function that lies in `Field` of `Memory`, with it in front.
static void callInstead(LLVM::CallOp Call, Value Memory, HostMemory Field) {
  OpBuilder B(Call);
  SmallVector<Type> Arguments{Memory.getType()};
  llvm::append_range(Arguments, Call.getArgOperands().getTypes());
  Type Result = Call.getNumResults() ? Call.getResult().getType()
                                     : LLVM::LLVMVoidType::get(B.getContext());
  SmallVector<Value> Operands{hostMemoryField(B, Call.getLoc(), Memory, Field),
                              Memory};
  llvm::append_range(Operands, Call.getArgOperands());
  auto New = LLVM::CallOp::create(
      B, Call.getLoc(), LLVM::LLVMFunctionType::get(Result, Arguments),
      Operands);
  if (Call.getNumResults()) // as of malloc
    New.setResAttrsAttr(B.getArrayAttr(B.getDictionaryAttr(B.getNamedAttr(
        LLVM::LLVMDialect::getNoAliasAttrName(), B.getUnitAttr()))));
  Call->replaceAllUsesWith(New);
  Call.erase();
}

/// The functions that are to have the memory: kernels, those that allocate or
/// run loop nests, and those that call one of these.
static llvm::SetVector<StringRef> functionsWithMemory(ModuleOp Module,
                                                      const LoopsByRun &Loops) {
  llvm::SetVector<StringRef> Names;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (auto Function : Module.getOps<LLVM::LLVMFuncOp>()) {
      bool Needs = Function->hasAttr(SignatureAttr);
      Function.walk([&](LLVM::CallOp Call) {
        StringRef Callee = Call.getCallee().value_or("");
        Needs |= Callee == "malloc" || Callee == "free" ||
                 Names.contains(Callee) || Loops.contains(Callee);
      });
      if (Needs && !Function.isExternal())
        Changed |= Names.insert(Function.getName());
    }
  }
  return Names;
}

void tenon::passMemory(ModuleOp Module) {
  LoopsByRun Loops = loopsByRun(Module);
  llvm::SetVector<StringRef> Names = functionsWithMemory(Module, Loops);
  auto Pointer = LLVM::LLVMPointerType::get(Module.getContext());
  SmallVector<LLVM::LLVMFuncOp> Replaced;
  for (auto Function : Module.getOps<LLVM::LLVMFuncOp>()) {
    if (Function->hasAttr(RunsAttr) ||
        (Function.isExternal() &&
         (Function.getName() == "malloc" || Function.getName() == "free")))
      Replaced.push_back(Function);
    if (!Names.contains(Function.getName()))
      continue;
    unsigned Last = Function.getNumArguments();
    (void)Function.insertArgument(Last, Pointer, DictionaryAttr(),
                                  Function.getLoc());
    Value Memory = Function.getArgument(Last);
    SmallVector<LLVM::CallOp> Calls, ToLoops;
    Function.walk([&](LLVM::CallOp Call) {
      bool Runs = Loops.contains(Call.getCallee().value_or(""));
      (Runs ? ToLoops : Calls).push_back(Call);
    });
    runByMemory(ToLoops, Loops, Memory);
    for (LLVM::CallOp Call : Calls) {
      StringRef Callee = Call.getCallee().value_or("");
      if (Callee == "malloc" || Callee == "free")
        callInstead(Call, Memory,
                    Callee == "malloc" ? HostMemory::Allocate
                                       : HostMemory::Release);
      else if (Names.contains(Callee))
        Call.getCalleeOperandsMutable().append(Memory);
    }
  }
  for (LLVM::LLVMFuncOp Function : Replaced)
    Function.erase();
}
