//===- CheckSchemas.cpp - Nodes against the operators' schemas ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Of operators that the library does not know nothing is said: a model may have
// its own, and whoever lowers it names what has no lowering.
//
//===----------------------------------------------------------------------===//

#include "tenon/Frontend/ONNX/CheckSchemas.h"
#include "ElementTypes.h"
#include "Schemas.h"
#include "tenon/Dialect/ONNX/Node.h"
#include "llvm/ADT/StringExtras.h"
#include <climits>
#include <set>

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;

/// "2", "1 to 3", "1 or more".
static std::string describeRange(int Least, int Most) {
  if (Least == Most)
    return std::to_string(Least);
  if (Most == INT_MAX)
    return std::to_string(Least) + " or more";
  return std::to_string(Least) + " to " + std::to_string(Most);
}

static LogicalResult checkCount(Node View, StringRef What, int64_t Count,
                                int Least, int Most) {
  if (Count >= Least && Count <= Most)
    return success();
  return View.error() << "it has " << Count << ' ' << What << ", expected "
                      << describeRange(Least, Most);
}

/// Absent inputs stand in the list where others follow them.
static LogicalResult checkInputs(Node View, const ::onnx::OpSchema &Schema) {
  if (failed(checkCount(View, "inputs", View.inputCount(), Schema.min_input(),
                        Schema.max_input())))
    return failure();
  for (int64_t Index = 0; Index < View.inputCount(); ++Index) {
    // The last one may stand for several.
    const auto &Formal = Schema.inputs()[std::min<size_t>(
        size_t(Index), Schema.inputs().size() - 1)];
    if (Formal.GetOption() != ::onnx::OpSchema::Optional &&
        !View.hasInput(Index))
      return View.error() << "input " << Index << " ('" << Formal.GetName()
                          << "') is left out, but it is not optional";
  }
  return success();
}

/// The kinds of all attributes by name; those of graphs stand apart.
static llvm::StringMap<Kind> kindsOf(NodeOp Op) {
  llvm::StringMap<Kind> Kinds;
  for (NamedAttribute Held : Op.getNodeAttributes())
    Kinds[Held.getName()] = kindOf(Held.getValue());
  for (auto Info : Op.getGraphs().getAsRange<GraphAttr>())
    Kinds[Info.getAttribute().getValue()] =
        Info.getListed() ? Kind::Graphs : Kind::Graph;
  return Kinds;
}

static LogicalResult checkAttributes(Node View,
                                     const ::onnx::OpSchema &Schema) {
  LogicalResult Result = success();
  llvm::StringMap<Kind> Kinds = kindsOf(View.op());
  for (const auto &Held : Kinds) {
    auto Formal = Schema.attributes().find(Held.getKey().str());
    if (Formal == Schema.attributes().end())
      Result = View.error() << "attribute '" << Held.getKey()
                            << "' is none of its operator's";
    else if (Kind(Formal->second.type) != Held.getValue())
      Result = View.error() << "attribute '" << Held.getKey() << "' is of type "
                            << describeKind(Held.getValue()) << ", expected "
                            << describeKind(Kind(Formal->second.type));
  }
  for (const auto &[Name, Formal] : Schema.attributes())
    if (Formal.required && !Kinds.contains(Name))
      Result = View.error() << "attribute '" << Name << "' is missing";
  return Result;
}

static LogicalResult check(NodeOp Op) {
  const ::onnx::OpSchema *Schema = schemaOf(Op);
  Node View(Op);
  if (!Schema)
    return success();
  LogicalResult Inputs = checkInputs(View, *Schema);
  LogicalResult Outputs =
      checkCount(View, "outputs", View.outputCount(), Schema->min_output(),
                 Schema->max_output());
  LogicalResult Attributes = checkAttributes(View, *Schema);
  return success(succeeded(Inputs) && succeeded(Outputs) &&
                 succeeded(Attributes));
}

/// Whether the schema admits tensors of `Element` as input `Index`.
static LogicalResult
checkAdmitted(const Node &N, size_t Index, Type Element,
              const ::onnx::OpSchema::FormalParameter &Formal) {
  std::string Is = "tensor(" + StringRef(describeType(Element)).lower() + ")";
  std::set<StringRef> Admitted; // in the order of their names
  for (const std::string *Each : Formal.GetTypes())
    Admitted.insert(*Each);
  if (Admitted.count(Is))
    return success();
  return N.error() << "input " << Index << " ('" << N.inputName(Index)
                   << "') is " << Is << ", expected "
                   << llvm::join(Admitted, " or ");
}

LogicalResult tenon::checkInputs(const Node &N) {
  const ::onnx::OpSchema *Schema = schemaOf(N.op());
  return Schema ? ::checkInputs(N, *Schema) : success();
}

LogicalResult tenon::checkElements(const Node &N, ArrayRef<Type> Elements) {
  const ::onnx::OpSchema *Schema = schemaOf(N.op());
  if (!Schema || Schema->inputs().empty())
    return success();
  llvm::StringMap<Type> Known;
  const auto &Formals = Schema->inputs();
  for (auto [Index, Element] : llvm::enumerate(Elements)) {
    // The last one stands for all behind it.
    const auto &Formal = Formals[std::min(Index, Formals.size() - 1)];
    if (!Element || !Formal.GetIsHomogeneous())
      continue;
    if (failed(checkAdmitted(N, Index, Element, Formal)))
      return failure();
    auto [At, IsNew] = Known.try_emplace(Formal.GetTypeStr(), Element);
    if (!IsNew && At->second != Element)
      return N.error() << "its inputs are of two element types, "
                       << describeType(At->second) << " and "
                       << describeType(Element) << ", expected one";
  }
  return success();
}

LogicalResult tenon::checkSchemas(ModuleOp Module) {
  LogicalResult Result = success();
  Module.walk([&](NodeOp Op) {
    if (failed(check(Op)))
      Result = failure();
  });
  return Result;
}
