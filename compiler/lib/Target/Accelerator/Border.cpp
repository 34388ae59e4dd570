//===- Border.cpp - Inputs and outputs of a program -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Target/Accelerator/Border.h"

using namespace mlir;
using namespace tenon;

isa::ElementType tenon::elementType(Type T) {
  if (T.isF32())
    return isa::FLOAT32;
  auto Integer = dyn_cast<IntegerType>(T);
  switch (Integer ? Integer.getWidth() : 0) {
  case 8:
    return Integer.isUnsigned() ? isa::UINT8 : isa::INT8;
  case 32:
    return isa::INT32;
  case 64:
    return isa::INT64;
  default:
    return isa::ELEMENT_TYPE_UNSPECIFIED;
  }
}

llvm::Expected<uint32_t> tenon::addBuffer(isa::Program &Program, Type T,
                                          StringRef Name) {
  auto Tensor = dyn_cast<RankedTensorType>(T);
  isa::ElementType Element = Tensor ? elementType(Tensor.getElementType())
                                    : isa::ELEMENT_TYPE_UNSPECIFIED;
  if (Element == isa::ELEMENT_TYPE_UNSPECIFIED || !Tensor.hasStaticShape())
    return llvm::createStringError(
        "host array '" + Name +
        "': expected a static shape of int8, uint8, int32, int64 or float32");
  isa::Buffer &Buffer = *Program.add_buffers();
  Buffer.set_name(Name.str());
  Buffer.set_type(Element);
  for (int64_t Extent : Tensor.getShape())
    Buffer.add_shape(Extent);
  return Program.buffers_size() - 1;
}

static StringRef nameIn(Attribute A) {
  auto Name = dyn_cast_or_null<StringAttr>(A);
  return Name ? Name.getValue() : StringRef();
}

llvm::Expected<isa::Program> tenon::beginProgram(func::FuncOp Main,
                                                 const isa::Layout &L) {
  isa::Program Program;
  Program.set_isa_version(isa::isaVersion);
  *Program.mutable_configuration() = L.config;
  for (auto [I, T] : llvm::enumerate(Main.getArgumentTypes())) {
    auto Buffer =
        addBuffer(Program, T, nameIn(Main.getArgAttr(I, "tenon.name")));
    if (!Buffer)
      return Buffer.takeError();
    Program.add_inputs(*Buffer);
  }
  return std::move(Program);
}

void tenon::describeOutput(func::FuncOp Main, unsigned Index,
                           isa::Buffer &Buffer) {
  StringRef Name = nameIn(Main.getResultAttr(Index, "tenon.name"));
  if (!Name.empty())
    Buffer.set_name(Name.str());
  if (auto Scale = Main.getResultAttrOfType<FloatAttr>(Index, "tenon.scale"))
    Buffer.set_scale(Scale.getValueAsDouble());
  if (auto Zero =
          Main.getResultAttrOfType<IntegerAttr>(Index, "tenon.zero_point"))
    Buffer.set_zero_point(Zero.getInt());
}

llvm::Expected<isa::Program> tenon::borderOf(ModuleOp Module,
                                             const isa::Layout &L) {
  auto Main = Module.lookupSymbol<func::FuncOp>("main");
  auto Program = beginProgram(Main, L);
  if (!Program)
    return Program.takeError();
  for (auto [I, T] : llvm::enumerate(Main.getResultTypes())) {
    auto Buffer = addBuffer(*Program, T, "");
    if (!Buffer)
      return Buffer.takeError();
    describeOutput(Main, I, *Program->mutable_buffers(*Buffer));
    Program->add_outputs(*Buffer);
  }
  return Program;
}
