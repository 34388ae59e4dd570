//===- Rewriting.cpp - Constants and nodes of a model ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/Rewriting.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::onnx;
using namespace tenon::quantization;

Rewriting::Rewriting(GraphOp Graph)
    : B(Graph.getContext()), Graph(Graph), Body(Graph.getBody().front()) {
  auto add = [&](Value Of) {
    Taken.insert(nameOf(Of));
    Values[nameOf(Of)] = Of;
  };
  llvm::for_each(Body.getArguments(), add);
  Graph.walk([&](Operation *Op) {
    if (auto N = dyn_cast<NodeOp>(Op); N && N.getDomain().empty())
      Opset = std::max<int64_t>(Opset, N.getOpset());
    // Names in bodies are taken, but nothing is rewritten there.
    for (Value Result : Op->getResults())
      if (Op->getBlock() == &Body)
        add(Result);
      else
        Taken.insert(nameOf(Result));
  });
}

std::string Rewriting::fresh(const llvm::Twine &Name) {
  std::string Result = Name.str();
  for (int64_t Number = 1; !Taken.insert(Result).second; ++Number)
    Result = (Name + "_" + llvm::Twine(Number)).str();
  return Result;
}

Value Rewriting::constantOfBytes(const llvm::Twine &Name, Type Element,
                                 ArrayRef<int64_t> Dims, ArrayRef<char> Bytes) {
  OpBuilder::InsertionGuard Guard(B);
  B.setInsertionPointToStart(&Body);
  auto Type = RankedTensorType::get(Dims, Element);
  std::string Called = fresh(Name);
  return ConstantOp::create(B, NameLoc::get(B.getStringAttr(Called)), Type,
                            B.getStringAttr(Called),
                            makeTensor(Type, Called, Bytes), TypeAttr());
}

Value Rewriting::integers(const llvm::Twine &Name, int Bits,
                          ArrayRef<int64_t> Dims, ArrayRef<int8_t> Elements) {
  if (Bits == 8)
    return constant<int8_t>(Name, B.getI8Type(), Dims, Elements);
  std::vector<char> Packed((Elements.size() + 1) / 2, 0);
  for (auto [Index, Value] : llvm::enumerate(Elements))
    Packed[Index / 2] |= char((Value & 15) << (Index % 2 * 4));
  return constantOfBytes(Name, B.getIntegerType(4), Dims, Packed);
}

Value Rewriting::node(StringRef Operator, ValueRange Inputs, Type Of,
                      const llvm::Twine &Name,
                      ArrayRef<NamedAttribute> Attributes) {
  StringAttr Called = B.getStringAttr(fresh(Name)), Empty = B.getStringAttr("");
  auto New = NodeOp::create(
      B, NameLoc::get(Called), TypeRange(Of), B.getStringAttr(Operator), Empty,
      Empty, B.getI64IntegerAttr(Opset), Called, B.getArrayAttr({Called}),
      B.getDictionaryAttr(Attributes), B.getArrayAttr({}), Inputs,
      /*bodiesCount=*/0);
  return New.getResult(0);
}

Value Rewriting::input(Type Of, const llvm::Twine &Name) {
  GraphAttr Info = Graph.getInfo();
  SmallVector<Attribute> Names(Info.getInputs().getValue());
  Names.push_back(B.getStringAttr(fresh(Name)));
  Value Result = Body.addArgument(Of, Graph.getLoc());
  Graph.setInfoAttr(GraphAttr::get(B.getContext(), Info.getAttribute(),
                                   Info.getListed(), Info.getName(),
                                   B.getArrayAttr(Names), Info.getNotes()));
  return Result;
}

void Rewriting::rename(Value Of, StringRef Name) {
  auto Producer = cast<NodeOp>(Of.getDefiningOp());
  SmallVector<Attribute> Outputs(Producer.getOutputs().getValue());
  Outputs[cast<OpResult>(Of).getResultNumber()] = B.getStringAttr(Name);
  Producer.setOutputsAttr(B.getArrayAttr(Outputs));
  Taken.insert(Name);
}

void Rewriting::setInsertionPointAfter(Value Of) {
  if (Operation *Producer = Of.getDefiningOp())
    return B.setInsertionPointAfter(Producer);
  // Constants are inserted in front of this place.
  B.setInsertionPointToStart(&Body);
}

std::vector<float> tenon::quantization::floatsOf(Value Of) {
  std::vector<float> Result;
  auto Held = Of ? constantOf(Of) : std::nullopt;
  if (!Held || !Held->isFloat())
    return Result;
  Result.reserve(Held->size());
  for (int64_t Index = 0; Index < Held->size(); ++Index)
    Result.push_back(float(Held->real(Index)));
  return Result;
}

void tenon::quantization::dropUnusedConstants(GraphOp Graph) {
  for (auto Constant :
       llvm::make_early_inc_range(Graph.getBody().front().getOps<ConstantOp>()))
    if (Constant->use_empty() && !Constant.getInput())
      Constant.erase();
}
