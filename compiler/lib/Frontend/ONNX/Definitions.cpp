//===- Definitions.cpp - Operators as functions of others -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Definitions.h"
#include "Schemas.h"
#include "Writer.h"
#include "onnx/defs/parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;
using ::onnx::FunctionProto;

//===----------------------------------------------------------------------===//
// By ONNX's schemas
//===----------------------------------------------------------------------===//

/// Attributes that bodies do not look into are written without their data.
static constexpr uint64_t MostBytes = 4096;

/// Attributes that the caller leaves out have the schema's values.
static void addDefaults(const ::onnx::OpSchema &Schema,
                        FunctionProto &Function) {
  Function.clear_attribute();
  Function.clear_attribute_proto();
  for (const auto &[Name, Formal] : Schema.attributes())
    if (Formal.default_value.type() != ::onnx::AttributeProto::UNDEFINED) {
      *Function.add_attribute_proto() = Formal.default_value;
      Function.mutable_attribute_proto()->rbegin()->set_name(Name);
    } else {
      Function.add_attribute(Name);
    }
}

/// Bodies leave out what computes outputs that the node leaves out; any value
/// stands for these.
static void completeOutputs(FunctionProto &Function) {
  llvm::StringSet<> Computed;
  for (const std::string &Input : Function.input())
    Computed.insert(Input);
  for (const auto &Held : Function.node())
    for (const std::string &Output : Held.output())
      Computed.insert(Output);
  for (std::string &Output : *Function.mutable_output())
    if (!Computed.contains(Output) && Function.input_size())
      Output = Function.input(0);
}

static bool buildInContext(NodeOp Op, const ::onnx::OpSchema &Schema,
                           FunctionProto &Function) {
  std::vector<::onnx::TypeProto> Types(Op.getInputs().size());
  for (auto [Index, To] : llvm::enumerate(Types))
    if (Value Of = Node(Op).input(Index))
      writeType(Of.getType(), To);
  ::onnx::NodeProto Proto = writeAlone(Op, MostBytes); // which it refers to
  ::onnx::FunctionBodyBuildContextImpl Context(Proto, Types);
  return Schema.BuildContextDependentFunction(Context, Function,
                                              int(Op.getOpset()));
}

static bool defineBySchema(NodeOp Op, FunctionProto &Function) {
  const ::onnx::OpSchema *Schema = schemaOf(Op);
  if (!Schema || Op.getNumRegions())
    return false;
  bool Found = false;
  // The library throws where no body fits the version.
  try {
    if (Schema->HasFunction()) {
      if (const auto *Held = Schema->GetFunction(int(Op.getOpset()))) {
        Function = *Held;
        Found = true;
      }
    } else if (Schema->HasContextDependentFunction()) {
      Found = buildInContext(Op, *Schema, Function);
    }
  } catch (const std::exception &) {
    Found = false;
  }
  if (Found) {
    addDefaults(*Schema, Function);
    completeOutputs(Function);
  }
  return Found;
}

//===----------------------------------------------------------------------===//
// By the tables
//===----------------------------------------------------------------------===//

bool Definition::has(StringRef Input) const {
  return N.hasInput(llvm::find(Inputs, Input) - Inputs.begin());
}

bool Definition::wants(int64_t Index) const {
  return Index < N.outputCount() && !N.outputName(Index).empty();
}

RankedTensorType Definition::type(StringRef Input) const {
  if (!has(Input))
    return {};
  return dyn_cast<RankedTensorType>(
      N.input(llvm::find(Inputs, Input) - Inputs.begin()).getType());
}

std::optional<TensorData> Definition::constant(StringRef Input) const {
  return N.constant(llvm::find(Inputs, Input) - Inputs.begin());
}

void Definition::write(const Twine &Statement) {
  Body += "  " + Statement.str() + "\n";
}

/// As the parser reads it: never an integer, and exact for floats.
static std::string written(double Value) {
  std::string Text;
  llvm::raw_string_ostream(Text) << llvm::format("%.9e", Value);
  return Text;
}

std::string Definition::let(const Twine &Call) {
  std::string Name = "t" + std::to_string(Names++);
  write(Name + " = " + Call);
  return Name;
}

static std::string list(ArrayRef<int64_t> Values) {
  return "[" +
         llvm::join(llvm::map_range(
                        Values, [](int64_t V) { return std::to_string(V); }),
                    ", ") +
         "]";
}

std::string Definition::integers(ArrayRef<int64_t> Values) {
  return let("Constant <value_ints : ints = " + list(Values) + "> ()");
}

std::string Definition::scalar(int64_t Value) {
  return let("Constant <value_int : int = " + Twine(Value) + "> ()");
}

std::string Definition::real(double Value) {
  return let("Constant <value_float : float = " + written(Value) + "> ()");
}

std::string Definition::realLike(double Value, StringRef Like) {
  RankedTensorType Type = type(Like);
  std::string Name = real(Value);
  return Type && Type.getElementType().isF32()
             ? Name
             : let("CastLike (" + Name + ", " + Like + ")");
}

std::string Definition::attributes(ArrayRef<StringRef> Named,
                                   StringRef More) const {
  std::string Text = More.str();
  for (StringRef Name : Named) {
    Attribute Held = N.op().getNodeAttributes().get(Name);
    std::string Value;
    if (auto Int = dyn_cast_or_null<IntegerAttr>(Held))
      Value = " : int = " + std::to_string(Int.getInt());
    else if (auto Float = dyn_cast_or_null<FloatAttr>(Held))
      Value = " : float = " + written(Float.getValueAsDouble());
    else if (auto Ints = dyn_cast_or_null<DenseI64ArrayAttr>(Held))
      Value = " : ints = " + list(Ints);
    else if (auto String = dyn_cast_or_null<StringAttr>(Held))
      Value = " : string = \"" + String.getValue().str() + "\"";
    if (!Value.empty())
      Text += (Text.empty() ? "" : ", ") + Name.str() + Value;
  }
  return Text.empty() ? "" : " <" + Text + ">";
}

LogicalResult Definition::refuse(ArrayRef<StringRef> Unsupported) const {
  for (StringRef Input : Unsupported)
    if (has(Input))
      return error() << "its input '" << Input << "' is not supported";
  return success();
}

static const DefinedOperator *findDefined(NodeOp Op) {
  for (ArrayRef<DefinedOperator> Table :
       {activationDefinitions(), attentionDefinitions(),
        normalizationDefinitions(), otherDefinitions(), productDefinitions(),
        quantizedDefinitions()})
    for (const DefinedOperator &Entry : Table)
      if (Entry.Domain == Op.getDomain() && Entry.Name == Op.getOpType())
        return &Entry;
  return nullptr;
}

static SmallVector<StringRef> words(StringRef Text) {
  SmallVector<StringRef> Result;
  Text.split(Result, ' ', -1, /*KeepEmpty=*/false);
  return Result;
}

/// Bodies are in the newest forms, which normalisation leads to.
static constexpr int64_t BodyOpset = 23;

static LogicalResult defineByTable(NodeOp Op, const DefinedOperator &Entry,
                                   FunctionProto &Function) {
  SmallVector<StringRef> Inputs = words(Entry.Inputs);
  std::vector<std::string> Many;
  if (!Inputs.empty() && Inputs.back().consume_back("...")) {
    StringRef Name = Inputs.pop_back_val();
    int64_t Count = Op.getInputs().size() - int64_t(Inputs.size());
    for (int64_t Index = 0; Index < Count; ++Index)
      Many.push_back((Name + Twine(Index)).str());
    Inputs.append(Many.begin(), Many.end());
  }
  Definition D(Node(Op), Inputs);
  if (failed(Entry.Write(D)))
    return failure();
  std::string Text = llvm::formatv(
      "<domain: \"{0}\", opset_import: [\"\": {1}]>\n{2} ({3}) => ({4}) "
      "{{\n{5}}\n",
      Entry.Domain.empty() ? "ai.onnx" : Entry.Domain.data(), BodyOpset,
      Entry.Name, llvm::join(Inputs, ", "),
      llvm::join(words(Entry.Outputs), ", "), D.body());
  auto Status = ::onnx::OnnxParser::Parse(Function, Text.c_str());
  if (!Status.IsOK())
    return D.error() << "our definition of it is not well formed: "
                     << Status.ErrorMessage();
  completeOutputs(Function);
  return success();
}

LogicalResult tenon::frontend::define(NodeOp Op, FunctionProto &Function,
                                      bool &Found) {
  // What ONNX itself knows is never another runtime's.
  const DefinedOperator *Entry = schemaOf(Op) ? nullptr : findDefined(Op);
  Found = Entry || defineBySchema(Op, Function);
  return Entry ? defineByTable(Op, *Entry, Function) : success();
}
