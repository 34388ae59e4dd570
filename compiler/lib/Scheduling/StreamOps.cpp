//===- StreamOps.cpp - Instructions and operations ------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/DescribeLayer.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::scheduling;

// The dialect's enumerators have the ISA's numbers.
static_assert(int(accel::StreamMemory::Prm) == int(isa::Memory::Prm));
static_assert(int(accel::StreamMemory::Acc8) == int(isa::Memory::Acc8));
static_assert(int(accel::StreamPad::Value) == int(isa::Pad::Value));
static_assert(int(accel::StreamAluOp::QuantAdd) == int(isa::AluOp::QuantAdd));
static_assert(int(accel::StreamAluOp::Max) == int(isa::AluOp::Max));
static_assert(int(accel::StreamOperand::Acc) == int(isa::Operand::Acc));
static_assert(int(accel::StreamTarget::Out) == int(isa::Target::Out));
static_assert(int(accel::StreamEngine::Store) == int(isa::Engine::Store));

namespace {
/// Creates the operation of an instruction.
struct Creator {
  OpBuilder &B;
  Location Loc;
  const StreamInstruction &Of;

  Operation *operator()(const isa::Load &I) {
    return accel::LoadOp::create(B, Loc, accel::StreamMemory(I.memory),
                                 accel::StreamPad(I.padKind), I.gather, I.sram,
                                 I.dram, I.ySize, I.xSize, I.yStride, I.xStride,
                                 I.padTop, I.padBottom, I.padLeft, I.padRight,
                                 I.wait, I.signal, Of.Layer, Of.Tile);
  }
  Operation *operator()(const isa::Store &I) {
    return accel::StoreOp::create(B, Loc, I.sram, I.dram, I.ySize, I.xSize,
                                  I.yStride, I.xStride, I.wait, I.signal,
                                  Of.Layer, Of.Tile);
  }
  Operation *operator()(const isa::Gemm &I) {
    return accel::GemmOp::create(
        B, Loc, I.first, I.uopBegin, I.uopCount, I.outerCount, I.innerCount,
        I.dstOuter, I.dstInner, I.srcOuter, I.srcInner, I.thirdOuter,
        I.thirdInner, I.wait, I.signal, Of.Layer, Of.Tile);
  }
  Operation *operator()(const isa::Alu &I) {
    return accel::AluOp::create(
        B, Loc, accel::StreamAluOp(I.op), accel::StreamOperand(I.operand),
        accel::StreamTarget(I.target), I.first, I.uopBegin, I.uopCount,
        I.outerCount, I.innerCount, I.dstOuter, I.dstInner, I.srcOuter,
        I.srcInner, I.thirdOuter, I.thirdInner, I.wait, I.signal, Of.Layer,
        Of.Tile);
  }
  Operation *operator()(const isa::Set &I) {
    return accel::SetOp::create(B, Loc, accel::StreamEngine(I.engine), I.index,
                                I.value, I.wait, I.signal, Of.Layer, Of.Tile);
  }
  Operation *operator()(const isa::Finish &) {
    return accel::FinishOp::create(B, Loc, Of.Layer, Of.Tile);
  }
};
} // namespace

Operation *scheduling::createInstruction(OpBuilder &B, Location Loc,
                                         const StreamInstruction &I) {
  return std::visit(Creator{B, Loc, I}, I.Inst);
}

template <typename OpTy, typename Instruction>
static void readTokens(OpTy Op, Instruction &I) {
  I.wait = Op.getWait();
  I.signal = Op.getSignal();
}

template <typename OpTy, typename Instruction>
static void readLoops(OpTy Op, Instruction &I) {
  I.first = Op.getFirst();
  I.uopBegin = Op.getUopBegin(), I.uopCount = Op.getUopCount();
  I.outerCount = Op.getOuterCount(), I.innerCount = Op.getInnerCount();
  I.dstOuter = Op.getDstOuter(), I.dstInner = Op.getDstInner();
  I.srcOuter = Op.getSrcOuter(), I.srcInner = Op.getSrcInner();
  I.thirdOuter = Op.getThirdOuter(), I.thirdInner = Op.getThirdInner();
  readTokens(Op, I);
}

template <typename OpTy, typename Instruction>
static void readTransfer(OpTy Op, Instruction &I) {
  I.sram = Op.getSram(), I.dram = Op.getDram();
  I.ySize = Op.getYSize(), I.xSize = Op.getXSize();
  I.yStride = Op.getYStride(), I.xStride = Op.getXStride();
  readTokens(Op, I);
}

static isa::Instruction readOne(Operation *Op) {
  if (auto Load = dyn_cast<accel::LoadOp>(Op)) {
    isa::Load I;
    readTransfer(Load, I);
    I.memory = isa::Memory(Load.getMemory());
    I.padKind = isa::Pad(Load.getPad());
    I.gather = Load.getGather();
    I.padTop = Load.getPadTop(), I.padBottom = Load.getPadBottom();
    I.padLeft = Load.getPadLeft(), I.padRight = Load.getPadRight();
    return I;
  }
  if (auto Store = dyn_cast<accel::StoreOp>(Op)) {
    isa::Store I;
    readTransfer(Store, I);
    return I;
  }
  if (auto Gemm = dyn_cast<accel::GemmOp>(Op)) {
    isa::Gemm I;
    readLoops(Gemm, I);
    return I;
  }
  if (auto Alu = dyn_cast<accel::AluOp>(Op)) {
    isa::Alu I;
    readLoops(Alu, I);
    I.op = isa::AluOp(Alu.getOp());
    I.operand = isa::Operand(Alu.getOperand());
    I.target = isa::Target(Alu.getTarget());
    return I;
  }
  if (auto Set = dyn_cast<accel::SetOp>(Op)) {
    isa::Set I;
    I.engine = isa::Engine(Set.getEngine());
    I.index = Set.getIndex(), I.value = Set.getValue();
    readTokens(Set, I);
    return I;
  }
  return isa::Finish{};
}

StreamInstruction scheduling::readInstruction(Operation *Op) {
  StreamInstruction I;
  I.Inst = readOne(Op);
  I.Layer = Op->getAttrOfType<IntegerAttr>("layer").getInt();
  I.Tile = Op->getAttrOfType<IntegerAttr>("tile").getInt();
  return I;
}

ArrayAttr scheduling::toAttribute(MLIRContext *Context,
                                  const std::vector<Segment> &Segments) {
  Builder B(Context);
  SmallVector<Attribute> Result;
  for (const Segment &S : Segments) {
    auto Type = RankedTensorType::get({int64_t(S.Data.size())}, B.getI8Type());
    ArrayRef<char> Raw(reinterpret_cast<const char *>(S.Data.data()),
                       S.Data.size());
    Result.push_back(B.getDictionaryAttr(
        {B.getNamedAttr("name", B.getStringAttr(S.Name)),
         B.getNamedAttr("offset", B.getI64IntegerAttr(S.Offset)),
         B.getNamedAttr("data",
                        DenseElementsAttr::getFromRawBuffer(Type, Raw))}));
  }
  return B.getArrayAttr(Result);
}

std::vector<Segment> scheduling::readSegments(accel::StreamOp Stream) {
  std::vector<Segment> Result;
  for (auto Dict : Stream.getSegments().getAsRange<DictionaryAttr>()) {
    Segment S;
    S.Name = Dict.getAs<StringAttr>("name").str();
    S.Offset = Dict.getAs<IntegerAttr>("offset").getInt();
    auto Data = Dict.getAs<DenseElementsAttr>("data");
    if (Data.isSplat()) {
      S.Data.assign(Data.getNumElements(), Data.getRawData()[0]);
    } else {
      ArrayRef<char> Raw = Data.getRawData();
      S.Data.assign(Raw.begin(), Raw.end());
    }
    Result.push_back(std::move(S));
  }
  return Result;
}
