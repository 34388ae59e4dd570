//===- TakeConstants.cpp - The constants that all hosts share -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// As globals, weights would be compiled into the object of each host, and each
// would carry them. So they are taken out of the module: kernels find them
// through a further argument, whatever host they are compiled for.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "isa/host_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace tenon;

/// Bytes from one element of an array in memory to the next, as LLVM has it;
/// none where it is no number.
static std::optional<int64_t> bytesOfElement(Type T) {
  if (T.isIndex())
    return sizeof(int64_t);
  if (!T.isIntOrFloat())
    return std::nullopt;
  return llvm::PowerOf2Ceil(llvm::divideCeil(T.getIntOrFloatBitWidth(), 8));
}

/// All elements as they lie in the attribute, or none.
static ArrayRef<char> dataOf(ElementsAttr Elements) {
  if (auto Resource = dyn_cast<DenseResourceElementsAttr>(Elements)) {
    AsmResourceBlob *Blob = Resource.getRawHandle().getBlob();
    return Blob ? Blob->getData() : ArrayRef<char>();
  }
  auto Dense = dyn_cast<DenseElementsAttr>(Elements);
  return Dense && !Dense.isSplat() ? Dense.getRawData() : ArrayRef<char>();
}

/// Appends the elements as they lie in memory; false where they are not known.
static bool append(ElementsAttr Elements, std::string &To) {
  auto Each = bytesOfElement(Elements.getElementType());
  if (!Each)
    return false;
  ArrayRef<char> Data = dataOf(Elements);
  if (int64_t(Data.size()) == Elements.getNumElements() * *Each &&
      !Elements.getElementType().isInteger(1)) {
    To.append(Data.begin(), Data.end());
    return true;
  }
  auto Dense = dyn_cast<DenseElementsAttr>(Elements);
  if (!Dense)
    return false;
  auto put = [&](const APInt &Bits) {
    const auto *Words = reinterpret_cast<const char *>(Bits.getRawData());
    To.append(Words, *Each); // of the least significant first, as hosts are
  };
  if (llvm::isa<FloatType>(Dense.getElementType()))
    for (const APFloat &Number : Dense.getValues<APFloat>())
      put(Number.bitcastToAPInt());
  else
    for (const APInt &Number : Dense.getValues<APInt>())
      put(Number);
  return true;
}

/// The constants, a further argument of `Function`.
static Value addConstants(func::FuncOp Function, int64_t Bytes) {
  Builder B(Function.getContext());
  auto T = MemRefType::get({Bytes}, B.getI8Type());
  Value Constants = Function.front().addArgument(T, Function.getLoc());
  Function.setFunctionType(B.getFunctionType(
      Function.front().getArgumentTypes(), Function.getResultTypes()));
  Function->setAttr(ConstantsAttr, B.getUnitAttr());
  return Constants;
}

std::string tenon::takeConstants(ModuleOp Module) {
  std::string Bytes;
  llvm::StringMap<uint64_t> Places;
  for (auto Global :
       llvm::make_early_inc_range(Module.getOps<memref::GlobalOp>())) {
    auto Elements =
        dyn_cast_or_null<ElementsAttr>(Global.getConstantInitValue());
    uint64_t At = llvm::alignTo(Bytes.size(), TENON_HOST_ALIGNMENT);
    Bytes.resize(At);
    if (!Elements || !append(Elements, Bytes))
      continue;
    Places[Global.getSymName()] = At;
    Global.erase();
  }
  for (auto Function : Module.getOps<func::FuncOp>()) {
    SmallVector<memref::GetGlobalOp> Reads;
    Function.walk([&](memref::GetGlobalOp Read) {
      if (Places.contains(Read.getName()))
        Reads.push_back(Read);
    });
    if (Reads.empty())
      continue;
    Value Constants = addConstants(Function, int64_t(Bytes.size()));
    for (memref::GetGlobalOp Read : Reads) {
      OpBuilder B(Read);
      Value At = arith::ConstantIndexOp::create(B, Read.getLoc(),
                                                Places.at(Read.getName()));
      Read.getResult().replaceAllUsesWith(memref::ViewOp::create(
          B, Read.getLoc(), Read.getType(), Constants, At, ValueRange()));
      Read.erase();
    }
  }
  return Bytes;
}
