//===- Border.cpp - Inputs and outputs of a program -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Target/Accelerator/Border.h"

#include "isa/element_type.h"

using namespace mlir;
using namespace tenon;

isa::ElementType tenon::elementType(Type T) {
  if (T.isF64())
    return isa::FLOAT64;
  if (T.isF32())
    return isa::FLOAT32;
  if (T.isF16())
    return isa::FLOAT16;
  if (T.isBF16())
    return isa::BFLOAT16;
  if (T.isIndex())
    return isa::INT64;
  auto Integer = dyn_cast<IntegerType>(T);
  const bool IsUnsigned = Integer && Integer.isUnsigned();
  switch (Integer ? Integer.getWidth() : 0) {
  case 1:
    return isa::BOOL;
  case 8:
    return IsUnsigned ? isa::UINT8 : isa::INT8;
  case 16:
    return IsUnsigned ? isa::UINT16 : isa::INT16;
  case 32:
    return IsUnsigned ? isa::UINT32 : isa::INT32;
  case 64:
    return IsUnsigned ? isa::UINT64 : isa::INT64;
  default:
    return isa::ELEMENT_TYPE_UNSPECIFIED;
  }
}

static llvm::Error wrong(StringRef Name, const Twine &What) {
  return llvm::createStringError("host array '" + Name + "': " + What);
}

llvm::Expected<uint32_t> tenon::addBuffer(isa::Program &Program, Type T,
                                          StringRef Name) {
  auto Tensor = dyn_cast<RankedTensorType>(T);
  if (!Tensor)
    return wrong(Name, "expected a tensor of known rank");
  isa::ElementType Element = elementType(Tensor.getElementType());
  if (Element == isa::ELEMENT_TYPE_UNSPECIFIED) {
    std::string Text;
    llvm::raw_string_ostream(Text) << Tensor.getElementType();
    return wrong(Name,
                 "expected elements of 1, 8, 16, 32 or 64 bits, found " + Text);
  }
  isa::Buffer &Buffer = *Program.add_buffers();
  Buffer.set_name(Name.str());
  Buffer.set_type(Element);
  for (int64_t Extent : Tensor.getShape())
    Buffer.add_shape(ShapedType::isDynamic(Extent) ? 0 : Extent);
  if (!Tensor.hasStaticShape())
    for (int64_t Extent : Tensor.getShape())
      Buffer.add_symbols(ShapedType::isDynamic(Extent) ? "?" : "");
  return Program.buffers_size() - 1;
}

static StringRef nameIn(Attribute A) {
  auto Name = dyn_cast_or_null<StringAttr>(A);
  return Name ? Name.getValue() : StringRef();
}

/// The ONNX type of what MLIR has as bytes.
static llvm::Error setElement(isa::Buffer &Buffer, Attribute A) {
  auto Name = dyn_cast_or_null<StringAttr>(A);
  if (!Name)
    return llvm::Error::success();
  const isa::ElementType Type =
      isa::elementTypeOf({Name.getValue().data(), Name.getValue().size()});
  if (isa::elementBytes(Type) != 1 || isa::elementBytes(Buffer.type()) != 1)
    return wrong(Buffer.name(), "'tenon.element' is '" + Name.getValue() +
                                    "', expected a type of one byte for "
                                    "elements of one byte");
  Buffer.set_type(Type);
  return llvm::Error::success();
}

/// Names for open dimensions; what the type says is static stays so.
static llvm::Error setSymbols(isa::Buffer &Buffer, Attribute A) {
  auto Names = dyn_cast_or_null<ArrayAttr>(A);
  if (Names && int(Names.size()) != Buffer.shape_size())
    return wrong(Buffer.name(), "'tenon.symbols' has " + Twine(Names.size()) +
                                    " names for " + Twine(Buffer.shape_size()) +
                                    " dimensions");
  for (int Axis = 0; Names && Axis < Buffer.symbols_size(); ++Axis)
    if (StringRef Name = nameIn(Names[Axis]);
        Buffer.symbols(Axis) == "?" && !Name.empty())
      Buffer.set_symbols(Axis, Name.str());
  return llvm::Error::success();
}

/// An input's dimensions without a name are each one of its own.
static void nameTheRest(isa::Buffer &Input) {
  for (int Axis = 0; Axis < Input.symbols_size(); ++Axis)
    if (Input.symbols(Axis) == "?")
      Input.set_symbols(Axis, Input.name() + "." + std::to_string(Axis));
}

/// A name that no input has says nothing that is known before a run.
static void forgetUnbound(const isa::Program &Program, isa::Buffer &Output) {
  for (std::string &Name : *Output.mutable_symbols())
    if (!Name.empty() && llvm::none_of(Program.inputs(), [&](uint32_t Input) {
          return llvm::is_contained(Program.buffers(Input).symbols(), Name);
        }))
      Name = "?";
}

/// Null attributes: not known.
static void setMeaning(isa::Buffer &Buffer, Attribute Scale, Attribute Zero) {
  if (auto Value = dyn_cast_if_present<FloatAttr>(Scale))
    Buffer.set_scale(Value.getValueAsDouble());
  if (auto Value = dyn_cast_if_present<IntegerAttr>(Zero))
    Buffer.set_zero_point(Value.getInt());
}

llvm::Expected<isa::Program> tenon::beginProgram(func::FuncOp Main,
                                                 const isa::Layout &L) {
  isa::Program Program;
  Program.set_isa_version(isa::isaVersion);
  *Program.mutable_configuration() = L.config;
  for (auto [I, T] : llvm::enumerate(Main.getArgumentTypes())) {
    auto Index =
        addBuffer(Program, T, nameIn(Main.getArgAttr(I, "tenon.name")));
    if (!Index)
      return Index.takeError();
    isa::Buffer &Buffer = *Program.mutable_buffers(*Index);
    if (auto E = setElement(Buffer, Main.getArgAttr(I, "tenon.element")))
      return std::move(E);
    if (auto E = setSymbols(Buffer, Main.getArgAttr(I, "tenon.symbols")))
      return std::move(E);
    nameTheRest(Buffer);
    setMeaning(Buffer, Main.getArgAttr(I, "tenon.scale"),
               Main.getArgAttr(I, "tenon.zero_point"));
    Program.add_inputs(*Index);
  }
  return std::move(Program);
}

llvm::Error tenon::describeOutput(func::FuncOp Main, unsigned Index,
                                  const isa::Program &Program,
                                  isa::Buffer &Buffer) {
  StringRef Name = nameIn(Main.getResultAttr(Index, "tenon.name"));
  if (!Name.empty())
    Buffer.set_name(Name.str());
  setMeaning(Buffer, Main.getResultAttr(Index, "tenon.scale"),
             Main.getResultAttr(Index, "tenon.zero_point"));
  if (auto E = setElement(Buffer, Main.getResultAttr(Index, "tenon.element")))
    return E;
  if (auto E = setSymbols(Buffer, Main.getResultAttr(Index, "tenon.symbols")))
    return E;
  forgetUnbound(Program, Buffer);
  return llvm::Error::success();
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
    if (auto E = describeOutput(Main, I, *Program,
                                *Program->mutable_buffers(*Buffer)))
      return std::move(E);
    Program->add_outputs(*Buffer);
  }
  return Program;
}
