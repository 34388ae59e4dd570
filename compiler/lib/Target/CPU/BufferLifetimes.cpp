//===- BufferLifetimes.cpp - When buffers are needed ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "BufferLifetimes.h"

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tenon;

namespace {

class Lifetimes {
public:
  explicit Lifetimes(func::FuncOp Function)
      : Aliases(Function), Layout(DataLayout::closest(Function)) {
    Function.front().walk<WalkOrder::PreOrder>(
        [&](Operation *Op) { Begin[Op] = Count++; });
  }

  std::optional<PlannedBuffer> of(memref::AllocOp Alloc);

private:
  std::optional<uint64_t> bytes(MemRefType T) const;
  bool isCarried(memref::AllocOp Alloc,
                 const BufferViewFlowAnalysis::ValueSetT &Values) const;
  uint32_t end(Operation *Op) const;

  BufferViewFlowAnalysis Aliases;
  DataLayout Layout;
  DenseMap<Operation *, uint32_t> Begin;
  uint32_t Count = 0;
};

} // namespace

/// Bytes of an array as LLVM lays it out; none of a size that is dynamic or
/// that no memory has.
std::optional<uint64_t> Lifetimes::bytes(MemRefType T) const {
  constexpr uint64_t Most = uint64_t(1) << 40;
  if (!T.hasStaticShape() || !T.getLayout().isIdentity() || T.getMemorySpace())
    return std::nullopt;
  Type Element = T.getElementType();
  uint64_t Bytes = llvm::alignTo(Layout.getTypeSize(Element).getFixedValue(),
                                 Layout.getTypeABIAlignment(Element));
  for (int64_t Extent : T.getShape())
    Bytes = llvm::SaturatingMultiply(Bytes, uint64_t(Extent));
  if (Bytes > Most)
    return std::nullopt;
  return Bytes;
}

static bool isLoop(Operation *Op) {
  auto Branch = dyn_cast<RegionBranchOpInterface>(Op);
  return !Branch || Branch.hasLoop();
}

/// Whether a loop around `Alloc` hands the buffer on, or does several
/// iterations at a time.
bool Lifetimes::isCarried(
    memref::AllocOp Alloc,
    const BufferViewFlowAnalysis::ValueSetT &Values) const {
  for (Operation *Op = Alloc->getParentOp(); !isa<func::FuncOp>(Op);
       Op = Op->getParentOp()) {
    if (Op->hasTrait<OpTrait::HasParallelRegion>())
      return true;
    if (isLoop(Op) && llvm::any_of(Values, [&](Value V) {
          return V.getDefiningOp() == Op ||
                 (isa<BlockArgument>(V) &&
                  V.getParentBlock()->getParentOp() == Op);
        }))
      return true;
  }
  return false;
}

/// The number of the last operation in `Op`.
uint32_t Lifetimes::end(Operation *Op) const {
  Operation *Last = Op;
  while (Last->getNumRegions()) {
    Region *Nested = nullptr;
    for (Region &R : Last->getRegions())
      if (!R.empty())
        Nested = &R;
    if (!Nested)
      break;
    Last = &Nested->back().back();
  }
  return Begin.lookup(Last);
}

/// Whether `Op` reads or writes what it is given, or hands it on.
static bool needs(Operation *Op) {
  return Op->getNumRegions() || Op->hasTrait<OpTrait::IsTerminator>() ||
         !isMemoryEffectFree(Op);
}

std::optional<PlannedBuffer> Lifetimes::of(memref::AllocOp Alloc) {
  std::optional<uint64_t> Bytes = bytes(Alloc.getType());
  auto Values = Aliases.resolve(Alloc.getResult());
  if (!Bytes || isCarried(Alloc, Values))
    return std::nullopt;
  SmallVector<Operation *> Users;
  for (Value V : Values)
    for (Operation *User : V.getUsers())
      if (isa<func::ReturnOp>(User))
        return std::nullopt;
      else if (needs(User))
        Users.push_back(User);
  // A branch hands it on: it is needed in the block around that, too.
  Block *Within = Alloc->getBlock();
  for (Operation *User : Users)
    while (!Within->findAncestorOpInBlock(*User))
      Within = Within->getParentOp()->getBlock();
  PlannedBuffer Buffer{{Alloc}, *Bytes, Count, 0};
  for (Operation *User : Users) {
    Operation *Op = Within->findAncestorOpInBlock(*User);
    Buffer.First = std::min(Buffer.First, Begin.lookup(Op));
    Buffer.Last = std::max(Buffer.Last, end(Op));
  }
  if (Users.empty())
    return std::nullopt;
  return Buffer;
}

SmallVector<PlannedBuffer> tenon::plannedBuffers(func::FuncOp Function) {
  Lifetimes Times(Function);
  SmallVector<PlannedBuffer> Buffers;
  Function.walk<WalkOrder::PreOrder>([&](memref::AllocOp Alloc) {
    if (auto Buffer = Times.of(Alloc))
      Buffers.push_back(*std::move(Buffer));
  });
  return Buffers;
}
