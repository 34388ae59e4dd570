//===- SeparateNames.cpp - A name for one value ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Copies of functions, rewritten forms and folded constants are called after
// what was there, and nodes may share a name.  The dialect goes by values;
// files, and whoever finds a tensor by its name, do not.
//
//===----------------------------------------------------------------------===//

#include "NormalizeSteps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;

namespace {
class NameSeparation {
public:
  explicit NameSeparation(GraphOp Graph);
  void run();

private:
  using SetInfo = llvm::function_ref<void(GraphAttr)>;
  void visit(Region &Body, GraphAttr Info, SetInfo Set);
  void visitInputs(Region &Body, GraphAttr Info, SetInfo Set);
  void visit(NodeOp Op);
  void visitOutputs(YieldOp Yield, ArrayRef<bool> AreOwn);
  StringAttr claim(StringAttr Name, Value Of);

  GraphOp Graph;
  Region &Main;
  llvm::StringSet<> All; // in use anywhere
  /// Of the main graph, by name: the value, null where that is called
  /// otherwise.
  llvm::StringMap<Value> Outputs;
  SmallVector<StringAttr> Visible; // in a body and around it
  llvm::StringSet<> Taken;         // the same
};
} // namespace

static YieldOp yieldOf(Region &Body) {
  return cast<YieldOp>(Body.front().getTerminator());
}

NameSeparation::NameSeparation(GraphOp Graph)
    : Graph(Graph), Main(Graph.getBody()) {
  Graph.walk([&](Operation *Op) {
    for (Region &Body : Op->getRegions())
      for (BlockArgument Argument : Body.getArguments())
        All.insert(nameOf(Argument));
    for (Value Result : Op->getResults())
      All.insert(nameOf(Result));
    if (auto Yield = dyn_cast<YieldOp>(Op))
      for (StringRef Name : Yield.getNames().getAsValueRange<StringAttr>())
        All.insert(Name);
  });
  YieldOp Yield = yieldOf(Main);
  for (auto [Name, Of] : llvm::zip(
           Yield.getNames().getAsValueRange<StringAttr>(), Yield.getValues()))
    Outputs.try_emplace(Name, nameOf(Of) == Name ? Of : Value());
}

/// The name for `Of` (null: an input, or an output that is none of its body's
/// values): its own, or one like it that nobody has.
StringAttr NameSeparation::claim(StringAttr Name, Value Of) {
  if (Name.empty())
    return Name;
  auto Output = Outputs.find(Name);
  bool IsOutput = Of && Of.getParentRegion() == &Main &&
                  Output != Outputs.end() && Output->second != Of;
  if (IsOutput || Taken.contains(Name)) {
    std::string Fresh;
    for (int64_t Number = 1; Fresh.empty() || !All.insert(Fresh).second;
         ++Number)
      Fresh = (Name.getValue() + "_" + Twine(Number)).str();
    Name = StringAttr::get(Name.getContext(), Fresh);
  }
  Taken.insert(Name);
  Visible.push_back(Name);
  return Name;
}

/// Those that are constants, too, are renamed with them.
void NameSeparation::visitInputs(Region &Body, GraphAttr Info, SetInfo Set) {
  llvm::DenseMap<StringAttr, StringAttr> Renamed;
  SmallVector<Attribute> Names;
  for (auto Name : Info.getInputs().getAsRange<StringAttr>())
    Names.push_back(Renamed[Name] = claim(Name, Value()));
  for (auto Constant : Body.getOps<ConstantOp>())
    if (Constant.getInput())
      Constant.setNameAttr(Renamed.lookup(Constant.getNameAttr()));
  Set(GraphAttr::get(Info.getContext(), Info.getAttribute(), Info.getListed(),
                     Info.getName(), ArrayAttr::get(Info.getContext(), Names),
                     Info.getNotes()));
}

/// A body sees what is in front of its node.
void NameSeparation::visit(NodeOp Op) {
  for (size_t Index = 0; Index < Op.getBodies().size(); ++Index)
    visit(Op.getBodies()[Index], cast<GraphAttr>(Op.getGraphs()[Index]),
          [&](GraphAttr Info) {
            SmallVector<Attribute> Graphs(Op.getGraphs().getValue());
            Graphs[Index] = Info;
            Op.setGraphsAttr(ArrayAttr::get(Op.getContext(), Graphs));
          });
  SmallVector<Attribute> Names;
  for (auto [Name, Result] :
       llvm::zip(Op.getOutputs().getAsRange<StringAttr>(), Op.getResults()))
    Names.push_back(claim(Name, Result));
  Op.setOutputsAttr(ArrayAttr::get(Op.getContext(), Names));
}

/// Of a node's body, whose outputs nobody finds by their names.
void NameSeparation::visitOutputs(YieldOp Yield, ArrayRef<bool> AreOwn) {
  Builder B(Yield.getContext());
  SmallVector<Attribute> Names;
  for (auto [Name, Of, IsOwn] :
       llvm::zip(Yield.getNames().getAsRange<StringAttr>(), Yield.getValues(),
                 AreOwn))
    Names.push_back(IsOwn ? B.getStringAttr(nameOf(Of)) : claim(Name, Value()));
  Yield.setNamesAttr(B.getArrayAttr(Names));
}

void NameSeparation::visit(Region &Body, GraphAttr Info, SetInfo Set) {
  const size_t Around = Visible.size();
  YieldOp Yield = yieldOf(Body);
  SmallVector<bool> AreOwn; // outputs that are called as their values
  for (auto [Name, Of] : llvm::zip(
           Yield.getNames().getAsValueRange<StringAttr>(), Yield.getValues()))
    AreOwn.push_back(nameOf(Of) == Name);
  visitInputs(Body, Info, Set);
  for (Operation &Op : Body.front()) {
    if (auto Node = dyn_cast<NodeOp>(Op))
      visit(Node);
    auto Constant = dyn_cast<ConstantOp>(Op);
    if (Constant && !Constant.getInput())
      Constant.setNameAttr(claim(Constant.getNameAttr(), Constant));
  }
  if (&Body != &Main)
    visitOutputs(Yield, AreOwn);
  while (Visible.size() > Around)
    Taken.erase(Visible.pop_back_val());
}

void NameSeparation::run() {
  visit(Main, Graph.getInfo(),
        [&](GraphAttr Info) { Graph.setInfoAttr(Info); });
}

void tenon::frontend::separateNames(GraphOp Graph) {
  NameSeparation(Graph).run();
}
