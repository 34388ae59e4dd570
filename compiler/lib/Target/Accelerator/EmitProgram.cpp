//===- EmitProgram.cpp - Streams become a program -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The operations of @main in order are the steps of the program; host values
// are its buffers.
//
//===----------------------------------------------------------------------===//

#include "tenon/Target/Accelerator/EmitProgram.h"
#include "EmitStream.h"
#include "tenon/Target/Accelerator/Border.h"

#include "isa/executable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "tenon/Scheduling/DescribeLayer.h"

using namespace mlir;
using namespace tenon;

namespace {
class ProgramEmitter {
public:
  ProgramEmitter(ModuleOp Module, const isa::Layout &L,
                 const HostCompiler &CompileHost)
      : Module(Module), L(L), CompileHost(CompileHost), Streams(L, Program) {}

  llvm::Expected<isa::Program> run();

private:
  llvm::Error step(Operation &Op);
  llvm::Error pack(accel::PackOp Op);
  llvm::Error unpack(accel::UnpackOp Op);
  llvm::Error call(func::CallOp Op);
  llvm::Error stream(accel::StreamOp Op);
  llvm::Error finish(func::ReturnOp Op);
  llvm::Error compileHost();
  /// Contents for what is read but never stored.
  void addZeros();
  llvm::Expected<uint32_t> addBuffer(Value V, const std::string &Name);

  ModuleOp Module;
  const isa::Layout &L;
  const HostCompiler &CompileHost;
  isa::Program Program;
  StreamEmitter Streams;
  func::FuncOp Main;
  DenseMap<Value, uint32_t> Buffers, Tensors;
  llvm::SmallVector<func::FuncOp> HostFunctions;
};
} // namespace

static llvm::Error errorAt(Operation *Op, const Twine &Message) {
  std::string Place;
  llvm::raw_string_ostream(Place) << Op->getLoc();
  return llvm::createStringError(Place + ": '" + Op->getName().getStringRef() +
                                 "' " + Message);
}

static std::string attributeText(Attribute A) {
  auto Text = dyn_cast_or_null<StringAttr>(A);
  return Text ? Text.str() : std::string();
}

llvm::Expected<uint32_t> ProgramEmitter::addBuffer(Value V,
                                                   const std::string &Name) {
  auto Index = tenon::addBuffer(Program, V.getType(), Name);
  if (Index)
    Buffers[V] = *Index;
  return Index;
}

llvm::Error ProgramEmitter::pack(accel::PackOp Op) {
  if (!Buffers.contains(Op.getInput()))
    return errorAt(Op, "reads a value that no step makes");
  scheduling::TensorView View = scheduling::describeTensor(Op.getResult());
  isa::DramTensor &T = *Program.add_tensors();
  uint32_t Index = Program.tensors_size() - 1;
  Tensors[Op.getResult()] = Index;
  uint32_t Buffer = Buffers.lookup(Op.getInput());
  T.set_name(Program.buffers(Buffer).name());
  if (auto Origin = Op->getAttrOfType<DictionaryAttr>("tenon.tensor")) {
    T.set_name(attributeText(Origin.get("name")));
    T.set_is_named(true);
    if (auto Unsigned = Origin.getAs<BoolAttr>("unsigned"))
      T.set_is_unsigned(Unsigned.getValue());
    if (auto Perm = Origin.getAs<DenseI64ArrayAttr>("perm");
        Perm && Perm.size() == 4)
      for (int64_t Axis : Perm.asArrayRef())
        T.add_permutation(Axis);
    if (auto Onnx = Origin.getAs<DenseI64ArrayAttr>("shape"))
      for (int64_t Extent : Onnx.asArrayRef())
        T.add_onnx_shape(Extent);
  }
  T.set_offset(View.Offset);
  for (int64_t Extent : {View.N, View.H, View.W, View.C})
    T.add_shape(Extent);
  isa::Pack &Pack = *Program.add_steps()->mutable_pack();
  Pack.set_buffer(Buffer);
  Pack.set_tensor(Index);
  Pack.set_offset(int32_t(Op.getOffset()));
  for (int64_t Axis : Op.getPermutation())
    Pack.add_permutation(Axis);
  if (auto Fold = Op.getFold()) {
    isa::Fold &To = *Pack.mutable_fold();
    for (int Axis = 0; Axis < 2; ++Axis) {
      To.add_phases(Fold->getPhases()[Axis]);
      To.add_step(Fold->getStep()[Axis]);
      To.add_dilation(Fold->getDilation()[Axis]);
      To.add_origin(Fold->getOrigin()[Axis]);
    }
    To.set_outside(Fold->getOutside());
  }
  return llvm::Error::success();
}

llvm::Error ProgramEmitter::unpack(accel::UnpackOp Op) {
  if (!Tensors.contains(Op.getInput()))
    return errorAt(Op, "reads an activation that no step makes");
  uint32_t Tensor = Tensors.lookup(Op.getInput());
  auto Buffer = addBuffer(Op.getResult(), Program.tensors(Tensor).name());
  if (!Buffer)
    return Buffer.takeError();
  isa::Unpack &Unpack = *Program.add_steps()->mutable_unpack();
  Unpack.set_tensor(Tensor);
  Unpack.set_buffer(*Buffer);
  Unpack.set_offset(int32_t(Op.getOffset()));
  SmallVector<int64_t> Axes(Op.getPermutation());
  auto Type = cast<RankedTensorType>(Op.getInput().getType());
  if (Program.tensors(Tensor).shape(0) != Type.getShape()[0])
    Axes = scheduling::withRowsAsImages(Axes);
  for (int64_t Axis : Axes)
    Unpack.add_permutation(Axis);
  return llvm::Error::success();
}

llvm::Error ProgramEmitter::call(func::CallOp Op) {
  auto Function = Module.lookupSymbol<func::FuncOp>(Op.getCallee());
  if (!Function || Function.isExternal())
    return errorAt(Op, "calls '" + Op.getCallee() + "', which has no body");
  isa::HostKernel Kernel;
  Kernel.set_symbol(isa::kernelSymbol(Op.getCallee().str()));
  std::string Name = attributeText(Function->getAttr("tenon.name"));
  Kernel.set_name(Name.empty() ? Op.getCallee().str() : Name);
  Kernel.set_reason(attributeText(Function->getAttr("tenon.reason")));
  Kernel.set_remedy(attributeText(Function->getAttr("tenon.remedy")));
  if (auto Ms = Function->getAttrOfType<FloatAttr>("tenon.estimated_ms"))
    Kernel.set_estimated_ms(Ms.getValueAsDouble());
  if (auto Nodes = Function->getAttrOfType<ArrayAttr>("tenon.nodes"))
    for (Attribute Node : Nodes)
      Kernel.add_nodes(attributeText(Node));
  for (Value V : Op.getOperands()) {
    if (!Buffers.contains(V))
      return errorAt(Op, "reads a value that no step makes");
    Kernel.add_inputs(Buffers.lookup(V));
  }
  for (auto [I, V] : llvm::enumerate(Op.getResults())) {
    auto Buffer =
        addBuffer(V, Kernel.name() + (I ? "_" + std::to_string(I) : ""));
    if (!Buffer)
      return Buffer.takeError();
    Kernel.add_outputs(*Buffer);
  }
  *Program.add_steps()->mutable_host_kernel() = std::move(Kernel);
  if (!llvm::is_contained(HostFunctions, Function))
    HostFunctions.push_back(Function);
  return llvm::Error::success();
}

llvm::Error ProgramEmitter::stream(accel::StreamOp Op) {
  uint32_t FirstLayer = Program.debug().layers_size();
  if (auto E = Streams.add(Op))
    return E;
  auto Results = Op->getAttrOfType<ArrayAttr>("results");
  for (auto [V, Dict] :
       llvm::zip(Op.getResults(),
                 Results ? Results.getValue() : ArrayRef<Attribute>()))
    Tensors[V] = Streams.tensor(cast<DictionaryAttr>(Dict), FirstLayer);
  return llvm::Error::success();
}

llvm::Error ProgramEmitter::finish(func::ReturnOp Op) {
  for (auto [I, V] : llvm::enumerate(Op.getOperands())) {
    if (!Buffers.contains(V))
      return errorAt(Op, "returns a value that no step makes");
    uint32_t Buffer = Buffers.lookup(V);
    // An array that is an input, or another result, keeps its name.
    isa::Buffer &Output = *Program.mutable_buffers(Buffer);
    isa::Buffer Before = Output;
    if (auto E = describeOutput(Main, I, Program, Output))
      return E;
    if (llvm::is_contained(Program.inputs(), Buffer))
      Output = std::move(Before);
    else if (llvm::is_contained(Program.outputs(), Buffer))
      Output.set_name(Before.name());
    Program.add_outputs(Buffer);
  }
  return llvm::Error::success();
}

llvm::Error ProgramEmitter::step(Operation &Op) {
  if (auto Pack = dyn_cast<accel::PackOp>(Op))
    return pack(Pack);
  if (auto Unpack = dyn_cast<accel::UnpackOp>(Op))
    return unpack(Unpack);
  if (auto Call = dyn_cast<func::CallOp>(Op))
    return call(Call);
  if (auto Stream = dyn_cast<accel::StreamOp>(Op))
    return stream(Stream);
  if (auto Return = dyn_cast<func::ReturnOp>(Op))
    return finish(Return);
  // Constants belong to the functions that use them.
  if (Op.hasTrait<OpTrait::ConstantLike>() && Op.use_empty())
    return llvm::Error::success();
  return errorAt(&Op, "is no step of a program; expected accel.pack, "
                      "accel.stream, accel.unpack or a call");
}

void ProgramEmitter::addZeros() {
  auto Zeros =
      Module->getAttrOfType<DenseI64ArrayAttr>(scheduling::DramZerosAttr);
  for (int64_t I = 0, E = Zeros ? Zeros.size() : 0; I < E; I += 2) {
    isa::Segment &S = *Program.add_segments();
    S.set_name("padding");
    S.set_offset(Zeros[I]);
    S.set_data(std::string(Zeros[I + 1], 0));
  }
}

/// Code of the functions that are called.
llvm::Error ProgramEmitter::compileHost() {
  if (HostFunctions.empty())
    return llvm::Error::success();
  OwningOpRef<ModuleOp> Host = ModuleOp::create(Module.getLoc());
  OpBuilder B(Host->getBodyRegion());
  for (func::FuncOp Function : HostFunctions)
    B.clone(*Function);
  auto Code = CompileHost(*Host);
  if (!Code)
    return Code.takeError();
  if (Code->executables_size())
    *Program.mutable_host_code() = *std::move(Code);
  return llvm::Error::success();
}

llvm::Expected<isa::Program> ProgramEmitter::run() {
  Main = Module.lookupSymbol<func::FuncOp>("main");
  if (!Main || Main.isExternal() || !Main.getBody().hasOneBlock())
    return llvm::createStringError(
        "expected a function @main with one block, found none");
  auto Begun = beginProgram(Main, L);
  if (!Begun)
    return Begun.takeError();
  Program = *std::move(Begun);
  for (auto [Argument, Buffer] :
       llvm::zip_equal(Main.getArguments(), Program.inputs()))
    Buffers[Argument] = Buffer;
  if (auto Bytes =
          Module->getAttrOfType<IntegerAttr>(scheduling::DramBytesAttr))
    Program.set_dram_bytes(Bytes.getInt());
  for (Operation &Op : Main.getBody().front())
    if (auto E = step(Op))
      return std::move(E);
  if (auto E = compileHost())
    return std::move(E);
  addZeros();
  if (auto E = Streams.placeInstructions())
    return std::move(E);
  return std::move(Program);
}

llvm::Expected<isa::Program>
tenon::emitProgram(ModuleOp Module, const isa::Layout &L,
                   const HostCompiler &CompileHost) {
  return ProgramEmitter(Module, L, CompileHost).run();
}
