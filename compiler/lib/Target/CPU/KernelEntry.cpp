//===- KernelEntry.cpp - A kernel as the runtime calls it -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// F_packed, a TenonHostKernel (isa/host_abi.h), makes MLIR's memref descriptors
// of the caller's tensors and workspace, calls F and hands on what F returns:
// the arrays that it made, and the message that stands last.
//
//===----------------------------------------------------------------------===//

#include "KernelEntry.h"

#include "PassMemory.h"
#include "Passes.h"

#include "isa/executable.h"
#include "isa/host_abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tenon;

namespace {

class EntryBuilder {
public:
  explicit EntryBuilder(LLVM::LLVMFuncOp Function)
      : Function(Function), B(Function.getLoc(), Function->getContext()),
        Pointer(LLVM::LLVMPointerType::get(B.getContext())),
        Tensor(LLVM::LLVMStructType::getLiteral(B.getContext(),
                                                {Pointer, Pointer})) {}

  void build();

private:
  Value constant(int64_t Number) {
    return LLVM::ConstantOp::create(B, B.getI64Type(), Number);
  }
  Value field(unsigned Index, int32_t Field);
  Value element(Value Array, int32_t Index, Type T);
  void addDescriptor(unsigned Index, MemRefType T, bool HasExtents);
  void addBytes(Value Data);
  void addMemory();
  void finish(Value Status);

  LLVM::LLVMFuncOp Function, Entry;
  ImplicitLocOpBuilder B;
  Type Pointer, Tensor;
  Value Tensors; ///< the caller's array
  SmallVector<Value> Arguments;
  /// Returned arrays: place among the tensors, and descriptor.
  struct Made {
    unsigned Index;
    int64_t Rank;
    Value Descriptor;
  };
  SmallVector<Made> Results;
};

} // namespace

/// The address of `data` or `extents` of a tensor.
Value EntryBuilder::field(unsigned Index, int32_t Field) {
  return LLVM::GEPOp::create(
      B, Pointer, Tensor, Tensors,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(Index), Field});
}

Value EntryBuilder::element(Value Array, int32_t Index, Type T) {
  return LLVM::GEPOp::create(B, Pointer, T, Array,
                             ArrayRef<LLVM::GEPArg>{Index});
}

/// Allocated and aligned pointer, offset, extents, strides.
void EntryBuilder::addDescriptor(unsigned Index, MemRefType T,
                                 bool HasExtents) {
  Value Data = LLVM::LoadOp::create(B, Pointer, field(Index, 0));
  Arguments.append({Data, Data, constant(0)});
  Value Caller =
      HasExtents && !T.hasStaticShape()
          ? LLVM::LoadOp::create(B, Pointer, field(Index, 1)).getResult()
          : Value();
  SmallVector<Value> Extents, Strides(T.getRank());
  for (int64_t Axis = 0; Axis < T.getRank(); ++Axis)
    Extents.push_back(
        T.isDynamicDim(Axis)
            ? LLVM::LoadOp::create(B, B.getI64Type(),
                                   element(Caller, Axis, B.getI64Type()))
                  .getResult()
            : constant(T.getDimSize(Axis)));
  Value Stride = constant(1);
  for (int64_t Axis = T.getRank(); Axis-- > 0;) {
    Strides[Axis] = Stride;
    if (Axis)
      Stride = LLVM::MulOp::create(B, Stride, Extents[Axis]);
  }
  Arguments.append(Extents);
  Arguments.append(Strides);
}

/// An array of bytes, of views with places and extents of their own: its size
/// is not read.
void EntryBuilder::addBytes(Value Data) {
  Arguments.append({Data, Data, constant(0), constant(0), constant(1)});
}

/// The workspace, and beside the entry how many bytes it must have; constants;
/// where the kernel allocates.
void EntryBuilder::addMemory() {
  auto Facts = Function->getAttrOfType<DictionaryAttr>(WorkspaceAttr);
  auto Bytes = Facts.getAs<IntegerAttr>("bytes");
  Value Memory = Entry.getBody().getArgument(1);
  addBytes(hostMemoryField(B, B.getLoc(), Memory, HostMemory::Workspace));
  if (Function->hasAttr(ConstantsAttr))
    addBytes(hostMemoryField(B, B.getLoc(), Memory, HostMemory::Constants));
  Arguments.push_back(Memory);
  OpBuilder Outside(Entry);
  LLVM::GlobalOp::create(Outside, Entry.getLoc(), Outside.getI64Type(),
                         /*isConstant=*/true, LLVM::Linkage::External,
                         (Entry.getName() + TENON_HOST_WORKSPACE_SUFFIX).str(),
                         Bytes, /*alignment=*/8);
}

/// The arrays go to the caller, who frees them where the status is a message.
void EntryBuilder::finish(Value Status) {
  auto at = [&](const Made &M, ArrayRef<int64_t> Place) {
    return LLVM::ExtractValueOp::create(B, M.Descriptor, Place).getResult();
  };
  for (const Made &M : Results) {
    // What was allocated is what the caller knows; nothing aligned it.
    LLVM::StoreOp::create(B, at(M, {0}), field(M.Index, 0));
    if (!M.Rank)
      continue;
    Value Extents = LLVM::LoadOp::create(B, Pointer, field(M.Index, 1));
    for (int64_t Axis = 0; Axis < M.Rank; ++Axis)
      LLVM::StoreOp::create(B, at(M, {3, Axis}),
                            element(Extents, Axis, B.getI64Type()));
  }
  LLVM::ReturnOp::create(B, Status);
}

void EntryBuilder::build() {
  auto Signature = cast<FunctionType>(
      Function->getAttrOfType<TypeAttr>(SignatureAttr).getValue());
  B.setInsertionPointAfter(Function);
  Entry = LLVM::LLVMFuncOp::create(
      B, isa::kernelSymbol(Function.getName().str()),
      LLVM::LLVMFunctionType::get(Pointer, {Pointer, Pointer}));
  Block *Body = Entry.addEntryBlock(B);
  B.setInsertionPointToStart(Body);
  Tensors = Body->getArgument(0);
  unsigned Index = 0;
  for (Type T : Signature.getInputs())
    addDescriptor(Index++, cast<MemRefType>(T), /*HasExtents=*/true);
  SmallVector<std::pair<unsigned, int64_t>> Dynamic;
  for (Type T : Signature.getResults()) {
    auto Array = cast<MemRefType>(T);
    if (Array.hasStaticShape())
      addDescriptor(Index, Array, /*HasExtents=*/false);
    else
      Dynamic.push_back({Index, Array.getRank()});
    ++Index;
  }
  addMemory();
  Value Returned = LLVM::CallOp::create(B, Function, Arguments).getResult();
  for (auto [I, Place] : llvm::enumerate(Dynamic))
    Results.push_back(
        {Place.first, Place.second,
         LLVM::ExtractValueOp::create(B, Returned, ArrayRef<int64_t>(I))});
  Value Status = Dynamic.empty()
                     ? Returned
                     : LLVM::ExtractValueOp::create(
                           B, Returned, ArrayRef<int64_t>(Dynamic.size()))
                           .getResult();
  finish(Status);
  Function->removeAttr(SignatureAttr);
  Function->removeAttr(WorkspaceAttr);
  Function->removeAttr(ConstantsAttr);
}

void tenon::addKernelEntry(LLVM::LLVMFuncOp Function) {
  EntryBuilder(Function).build();
}
