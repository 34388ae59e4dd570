//===- RunLoops.cpp - The runtime runs loop nests -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A kernel puts the arguments of a loop nest into a struct and calls
// TenonHostMemory.run with its address; the nest's entry, a TenonHostLoops,
// takes them out again, in whichever threads the runtime calls it. The two are
// compiled apart, the struct is what both make of the same types.
//
//===----------------------------------------------------------------------===//

#include "RunLoops.h"

#include "PassMemory.h"
#include "Passes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tenon;

/// The two that stand behind a nest's own arguments.
static constexpr unsigned Further = 2;

/// What lies at the address that TenonHostLoops takes.
static LLVM::LLVMStructType argumentsOf(MLIRContext *Context, TypeRange Types) {
  return LLVM::LLVMStructType::getLiteral(
      Context, SmallVector<Type>(Types.drop_back(Further)));
}

static Value place(ImplicitLocOpBuilder &B, LLVM::LLVMStructType Struct,
                   Value Address, unsigned Field) {
  return LLVM::GEPOp::create(B, Address.getType(), Struct, Address,
                             ArrayRef<LLVM::GEPArg>{0, int32_t(Field)});
}

LoopsByRun tenon::loopsByRun(ModuleOp Module) {
  LoopsByRun Loops;
  for (auto Function : Module.getOps<LLVM::LLVMFuncOp>())
    if (auto Name = Function->getAttrOfType<FlatSymbolRefAttr>(RunsAttr))
      Loops[Function.getName()] = Name;
  return Loops;
}

void tenon::runByMemory(ArrayRef<LLVM::CallOp> Runs, const LoopsByRun &Loops,
                        Value Memory) {
  if (Runs.empty())
    return;
  MLIRContext *Context = Memory.getContext();
  auto Pointer = LLVM::LLVMPointerType::get(Context);
  auto Void = LLVM::LLVMVoidType::get(Context);
  unsigned Most = 0;
  for (LLVM::CallOp Call : Runs)
    Most = std::max(Most, Call.getNumOperands() - Further);
  // One for all calls: none of them returns before it is read.
  ImplicitLocOpBuilder Entry(Memory.getLoc(), Context);
  Entry.setInsertionPointToStart(cast<BlockArgument>(Memory).getOwner());
  Type Slot = Entry.getI64Type(); // no argument is larger
  Value Arguments = LLVM::AllocaOp::create(
      Entry, Pointer, Slot,
      LLVM::ConstantOp::create(Entry, Slot, std::max(Most, 1u)));
  for (LLVM::CallOp Call : Runs) {
    ImplicitLocOpBuilder B(Call.getLoc(), Call);
    ValueRange Operands = Call.getArgOperands();
    auto Struct = argumentsOf(Context, Operands.getTypes());
    for (auto [I, V] : llvm::enumerate(Operands.drop_back(Further)))
      LLVM::StoreOp::create(B, V, place(B, Struct, Arguments, I));
    Value Nest = LLVM::AddressOfOp::create(
        B, Pointer, Loops.at(*Call.getCallee()).getValue());
    Value Nanoseconds = Operands[Operands.size() - 2];
    Value Number = LLVM::TruncOp::create(B, B.getI32Type(), Operands.back());
    Value Run = hostMemoryField(B, Call.getLoc(), Memory, HostMemory::Run);
    LLVM::CallOp::create(
        B,
        LLVM::LLVMFunctionType::get(Void,
                                    {Pointer, Pointer, Pointer,
                                     Nanoseconds.getType(), Number.getType()}),
        ValueRange{Run, Memory, Nest, Arguments, Nanoseconds, Number});
    Call.erase();
  }
}

void tenon::addLoopsEntry(LLVM::LLVMFuncOp Function) {
  MLIRContext *Context = Function->getContext();
  std::string Name = Function.getName().str();
  auto Pointer = LLVM::LLVMPointerType::get(Context);
  auto Part = IntegerType::get(Context, 32);
  ImplicitLocOpBuilder B(Function.getLoc(), Context);
  B.setInsertionPoint(Function);
  Function.setName(Name + "_part");
  auto Entry = LLVM::LLVMFuncOp::create(
      B, Name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(Context),
                                  {Pointer, Part, Part}));
  Entry.setVisibility_(LLVM::Visibility::Hidden);
  if (Function.isExternal()) {
    Function.erase();
    return;
  }
  Block *Body = Entry.addEntryBlock(B);
  B.setInsertionPointToStart(Body);
  TypeRange Types = Function.getArgumentTypes();
  auto Struct = argumentsOf(Context, Types);
  SmallVector<Value> Arguments;
  for (auto [I, T] : llvm::enumerate(Types.drop_back(Further)))
    Arguments.push_back(
        LLVM::LoadOp::create(B, T, place(B, Struct, Body->getArgument(0), I)));
  for (unsigned I : {1, 2})
    Arguments.push_back(
        LLVM::ZExtOp::create(B, B.getI64Type(), Body->getArgument(I)));
  LLVM::CallOp::create(B, Function, Arguments);
  LLVM::ReturnOp::create(B, ValueRange());
}
