//===- EmitStream.cpp - One launch of a program ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "EmitStream.h"

#include "isa/field_limits.h"
#include "tenon/Scheduling/DescribeLayer.h"

using namespace mlir;
using namespace tenon;

/// Bytes behind the last instruction that FETCH may read ahead.
static constexpr uint64_t FetchAhead = 4096;

static std::string text(DictionaryAttr Dict, StringRef Name) {
  auto Text = Dict.getAs<StringAttr>(Name);
  return Text ? Text.str() : std::string();
}

static int64_t number(DictionaryAttr Dict, StringRef Name) {
  auto Number = Dict.getAs<IntegerAttr>(Name);
  return Number ? Number.getInt() : 0;
}

void StreamEmitter::addLayers(accel::StreamOp Op) {
  for (auto Dict : Op.getLayers().getAsRange<DictionaryAttr>()) {
    isa::Layer &Layer = *Program.mutable_debug()->add_layers();
    Layer.set_name(text(Dict, "name"));
    Layer.set_op(text(Dict, "op"));
    Layer.set_macs(number(Dict, "macs"));
    Layer.set_compute_cycles(number(Dict, "compute"));
    Layer.set_read_cycles(number(Dict, "read"));
    Layer.set_write_cycles(number(Dict, "write"));
    Layer.set_compute_engine(text(Dict, "engine"));
    Layer.set_schedule(text(Dict, "schedule"));
    if (auto Nodes = Dict.getAs<ArrayAttr>("nodes"))
      for (auto Node : Nodes.getAsRange<StringAttr>())
        Layer.add_nodes(Node.str());
  }
}

void StreamEmitter::addSegments(accel::StreamOp Op) {
  for (scheduling::Segment &S : scheduling::readSegments(Op)) {
    if (!Segments.insert(S.Offset).second)
      continue;
    isa::Segment &New = *Program.add_segments();
    New.set_name(S.Name);
    New.set_offset(S.Offset);
    New.set_data(std::string(S.Data.begin(), S.Data.end()));
  }
}

llvm::Error StreamEmitter::encode(accel::StreamOp Op, uint32_t FirstLayer) {
  isa::Debug &Debug = *Program.mutable_debug();
  while (Debug.engines_size() < int(isa::engineCount))
    Debug.add_engines();
  std::array<std::pair<uint32_t, uint32_t>, isa::engineCount> Current;
  Current.fill({~0u, ~0u});
  Code New{Program.steps_size() - 1, {}, 0};
  StoresUntil.assign(Op.getLayers().size(), 0);
  uint64_t Stores = 0;
  std::vector<uint8_t> Word(L.instructionBytes);
  for (Operation &I : Op.getBody().front()) {
    scheduling::StreamInstruction S = scheduling::readInstruction(&I);
    auto Status = isa::encode(L, S.Inst, Word.data());
    if (!Status.ok())
      return llvm::createStringError("instruction %llu (%s): %s",
                                     (unsigned long long)New.Count,
                                     isa::disassemble(L, S.Inst).c_str(),
                                     std::string(Status.message()).c_str());
    New.Bytes.append(Word.begin(), Word.end());
    ++New.Count;
    if (std::holds_alternative<isa::Finish>(S.Inst))
      continue;
    unsigned E = unsigned(isa::engineOf(S.Inst));
    if (Current[E] != std::pair(S.Layer, S.Tile)) {
      Current[E] = {S.Layer, S.Tile};
      isa::Run &Run = *Debug.mutable_engines(E)->add_runs();
      Run.set_begin(Issued[E]);
      Run.set_layer(FirstLayer + S.Layer);
      Run.set_tile(S.Tile);
    }
    ++Issued[E];
    if (isa::Engine(E) == isa::Engine::Store)
      StoresUntil[S.Layer] = ++Stores;
  }
  Codes.push_back(std::move(New));
  return llvm::Error::success();
}

uint32_t StreamEmitter::tensor(DictionaryAttr Dict, uint32_t FirstLayer) {
  uint32_t Producer = FirstLayer + number(Dict, "producer");
  std::string Name = text(Dict, "name");
  auto Shape = Dict.getAs<DenseI64ArrayAttr>("shape");
  for (int I = 0; I < Program.tensors_size(); ++I) {
    const isa::DramTensor &T = Program.tensors(I);
    if (T.name() == Name && T.offset() == uint64_t(number(Dict, "offset")) &&
        T.producer() == Producer)
      return I;
  }
  isa::DramTensor &T = *Program.add_tensors();
  T.set_name(Name);
  T.set_offset(number(Dict, "offset"));
  T.set_producer(Producer);
  for (int64_t Extent : Shape.asArrayRef())
    T.add_shape(Extent);
  if (auto Named = Dict.getAs<BoolAttr>("named"))
    T.set_is_named(Named.getValue());
  if (auto Unsigned = Dict.getAs<BoolAttr>("unsigned"))
    T.set_is_unsigned(Unsigned.getValue());
  if (auto Perm = Dict.getAs<DenseI64ArrayAttr>("perm");
      Perm && Perm.size() == 4)
    for (int64_t Axis : Perm.asArrayRef())
      T.add_permutation(Axis);
  if (auto Onnx = Dict.getAs<DenseI64ArrayAttr>("onnx_shape"))
    for (int64_t Extent : Onnx.asArrayRef())
      T.add_onnx_shape(Extent);
  return Program.tensors_size() - 1;
}

/// Tensors that launches store. A slice whose images lie apart is no tensor of
/// its own.
void StreamEmitter::addTensors(accel::StreamOp Op, uint32_t FirstLayer) {
  auto Tensors = Op->getAttrOfType<ArrayAttr>("tensors");
  if (!Tensors)
    return;
  scheduling::ViewLayout Dram(L);
  for (auto Dict : Tensors.getAsRange<DictionaryAttr>()) {
    auto Shape = Dict.getAs<DenseI64ArrayAttr>("shape");
    scheduling::TensorView View;
    View.N = Shape[0], View.H = Shape[1], View.W = Shape[2], View.C = Shape[3];
    if (Dram.groups(View) > 1 &&
        Dram.groupBytes(View) != uint64_t(number(Dict, "group_bytes")))
      continue;
    uint32_t Index = tensor(Dict, FirstLayer);
    Program.mutable_tensors(Index)->set_launch(Codes.size() - 1);
    uint32_t Local = number(Dict, "producer");
    if (Local < StoresUntil.size())
      Program.mutable_tensors(Index)->set_complete_after_stores(
          StoresUntil[Local]);
    Program.mutable_debug()
        ->mutable_layers(FirstLayer + Local)
        ->add_output_tensors(Index);
  }
}

llvm::Error StreamEmitter::add(accel::StreamOp Op) {
  uint32_t FirstLayer = Program.debug().layers_size();
  addLayers(Op);
  addSegments(Op);
  Program.add_steps()->mutable_launch();
  if (auto E = encode(Op, FirstLayer))
    return E;
  addTensors(Op, FirstLayer);
  return llvm::Error::success();
}

llvm::Error StreamEmitter::placeInstructions() {
  uint64_t Align = std::max<uint64_t>({L.beatBytes, L.instructionBytes, 64});
  uint64_t End = Program.dram_bytes();
  for (const isa::Segment &S : Program.segments())
    End = std::max<uint64_t>(End, S.offset() + S.data().size());
  for (Code &C : Codes) {
    uint64_t Begin = (End + Align - 1) / Align * Align;
    if (Begin > isa::lastProgramOffset(L))
      return llvm::createStringError(
          "the instructions of step %d begin at byte %llu of DRAM, register "
          "PROGRAM holds at most %llu; what would change it: smaller images or "
          "batches, or a wider memory port",
          C.Step, (unsigned long long)Begin,
          (unsigned long long)isa::lastProgramOffset(L));
    isa::Launch &Launch = *Program.mutable_steps(C.Step)->mutable_launch();
    Launch.set_program_offset(Begin);
    Launch.set_instruction_count(C.Count);
    isa::Segment &S = *Program.add_segments();
    S.set_name("instructions");
    S.set_offset(Begin);
    End = Begin + C.Bytes.size();
    S.set_data(std::move(C.Bytes));
  }
  // Nothing is fetched where nothing is launched.
  if (!Codes.empty())
    End = (End + FetchAhead + Align - 1) / Align * Align;
  Program.set_dram_bytes(End);
  return llvm::Error::success();
}
