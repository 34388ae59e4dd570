//===- Graph.cpp - A checked view of an ONNX file -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

using namespace tenon::frontend;

/// The oldest operator set whose semantics are handled.
static constexpr int64_t OldestOpset = 7;
/// Most axes of a tensor at the border.
static constexpr int MaxRank = 8;

template <typename... Args>
static llvm::Error fail(const char *Format, Args &&...Values) {
  return llvm::createStringError(
      llvm::formatv(Format, std::forward<Args>(Values)...).str());
}

llvm::StringRef tenon::frontend::domainName(llvm::StringRef Domain) {
  return Domain.empty() ? "ai.onnx" : Domain;
}

/// The two spellings of ONNX's own domain are one.
static llvm::StringRef canonicalDomain(llvm::StringRef Domain) {
  return Domain == "ai.onnx" ? "" : Domain;
}

llvm::StringRef Node::input(int Index) const {
  return Index < Proto->input_size() ? llvm::StringRef(Proto->input(Index))
                                     : llvm::StringRef();
}

std::string Node::describe() const {
  return llvm::formatv("{0} of {1}, opset {2}", Operator, domainName(Domain),
                       Opset);
}

namespace {
/// Keeps the first complaint of the text parser, for the diagnostic.
class FirstError : public google::protobuf::io::ErrorCollector {
public:
  void AddError(int Line, int Column, const std::string &Message) override {
    if (Text.empty())
      Text = llvm::formatv("line {0}: {1}", Line + 1, Message);
  }
  std::string Text;
};
} // namespace

/// The text parser recurses; a model needs no more than binary protobuf has.
static constexpr int MaxNesting = 100;

static llvm::Error parseText(llvm::StringRef Data, ::onnx::ModelProto &Model) {
  google::protobuf::TextFormat::Parser Parser;
  FirstError Collector;
  Parser.RecordErrorsTo(&Collector);
  Parser.SetRecursionLimit(MaxNesting);
  if (!Parser.ParseFromString(Data.str(), &Model))
    return fail("not an ONNX model in protobuf's text form: {0}",
                Collector.Text);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Graph>> Graph::parse(llvm::StringRef Data,
                                                    bool IsText) {
  auto Result = std::unique_ptr<Graph>(new Graph());
  if (IsText) {
    if (llvm::Error E = parseText(Data, Result->Model))
      return std::move(E);
  } else {
    google::protobuf::LogSilencer Silence;
    if (Data.empty() || Data.size() > size_t(INT32_MAX) ||
        !Result->Model.ParseFromArray(Data.data(), Data.size()))
      return fail("not an ONNX model: {0} bytes that protobuf cannot read "
                  "(truncated, or another format)",
                  Data.size());
  }
  if (llvm::Error E = Result->check())
    return std::move(E);
  return Result;
}

llvm::Error Graph::check() {
  if (!Model.has_graph() || Model.opset_import_size() == 0)
    return fail("not an ONNX model: it has no {0}",
                Model.has_graph() ? "opset_import" : "graph");
  if (Model.graph().sparse_initializer_size() != 0)
    return fail("sparse initializers are not supported");
  for (auto Step : {&Graph::readOpsets, &Graph::readInitializers,
                    &Graph::readBorders, &Graph::readNodes})
    if (llvm::Error E = (this->*Step)())
      return E;
  return checkNames();
}

llvm::Error Graph::readOpsets() {
  for (const auto &Import : Model.opset_import()) {
    llvm::StringRef Domain = canonicalDomain(Import.domain());
    if (Domain.empty() && Import.version() < OldestOpset)
      return fail("opset {0} of ai.onnx is not supported: {1} is the oldest",
                  Import.version(), OldestOpset);
    Opsets[Domain] = Import.version();
  }
  return llvm::Error::success();
}

llvm::Error Graph::readInitializers() {
  for (const auto &Proto : Model.graph().initializer()) {
    llvm::Expected<Constant> Value = Constant::read(Proto);
    if (!Value)
      return Value.takeError();
    if (!Constants.try_emplace(Proto.name(), std::move(*Value)).second)
      return fail("initializer '{0}' is defined twice", Proto.name());
  }
  return llvm::Error::success();
}

static llvm::Expected<Border> readBorder(const ::onnx::ValueInfoProto &Info) {
  if (!Info.type().has_tensor_type())
    return fail("'{0}' is not a tensor, but every input and output must be",
                Info.name());
  const auto &Tensor = Info.type().tensor_type();
  Border Result{Info.name(), Tensor.elem_type(), Tensor.has_shape(), {}, {}};
  for (const auto &Dim : Tensor.shape().dim()) {
    bool Known = Dim.has_dim_value();
    if (Known && Dim.dim_value() < 1)
      return fail("'{0}' has a dimension of {1}, expected at least 1",
                  Info.name(), Dim.dim_value());
    Result.Dims.push_back(Known ? Dim.dim_value() : -1);
    Result.Symbols.push_back(Known                     ? ""
                             : Dim.dim_param().empty() ? "?"
                                                       : Dim.dim_param());
  }
  if (Result.Dims.size() > MaxRank)
    return fail("'{0}' has {1} dimensions, at most {2} are supported",
                Info.name(), Result.Dims.size(), MaxRank);
  return Result;
}

llvm::Error Graph::readBorders() {
  for (const auto &Info : Model.graph().input()) {
    if (Constants.count(Info.name()))
      continue; // old models list initializers as inputs too
    llvm::Expected<Border> Input = readBorder(Info);
    if (!Input)
      return Input.takeError();
    Inputs.push_back(std::move(*Input));
  }
  for (const auto &Info : Model.graph().output()) {
    llvm::Expected<Border> Output = readBorder(Info);
    if (!Output)
      return Output.takeError();
    Outputs.push_back(std::move(*Output));
  }
  if (Outputs.empty())
    return fail("not a complete ONNX model: its graph has no output");
  return llvm::Error::success();
}

llvm::Error Graph::readNodes() {
  int64_t Index = 0;
  for (const auto &Proto : Model.graph().node()) {
    std::string Name = Proto.name().empty()
                           ? llvm::formatv("{0}_{1}", Proto.op_type(), Index)
                           : Proto.name();
    ++Index;
    llvm::StringRef Domain = canonicalDomain(Proto.domain());
    auto Opset = Opsets.find(Domain);
    if (Opset == Opsets.end())
      return fail("node '{0}' ({1}): its domain {2} is not in the model's "
                  "opset_import",
                  Name, Proto.op_type(), domainName(Domain));
    Nodes.push_back(Node{Name, Proto.op_type(), Domain, Opset->second, &Proto});
  }
  return llvm::Error::success();
}

/// Every name is defined once, before it is used: so the graph has no cycle.
llvm::Error Graph::checkNames() const {
  llvm::StringSet<> Produced, Defined;
  for (const Node &N : Nodes)
    for (const std::string &Output : N.Proto->output())
      Produced.insert(Output);
  for (const auto &Entry : Constants)
    Defined.insert(Entry.getKey());
  for (const Border &Input : Inputs)
    if (!Defined.insert(Input.Name).second)
      return fail("input '{0}' is defined twice", Input.Name);
  for (const Node &N : Nodes) {
    for (const std::string &Input : N.Proto->input()) {
      if (Input.empty() || Defined.contains(Input))
        continue;
      return fail(
          Produced.contains(Input)
              ? "node '{0}' ({1}) uses '{2}' before it is computed: the "
                "graph has a cycle or is not sorted"
              : "node '{0}' ({1}) uses '{2}', which is neither an "
                "input, an initializer nor the result of a node",
          N.Name, N.Operator, Input);
    }
    for (const std::string &Output : N.Proto->output())
      if (!Output.empty() && !Defined.insert(Output).second)
        return fail("node '{0}' ({1}) defines '{2}' a second time", N.Name,
                    N.Operator, Output);
  }
  for (const Border &Output : Outputs)
    if (!Defined.contains(Output.Name))
      return fail("output '{0}' is computed by no node", Output.Name);
  return llvm::Error::success();
}
