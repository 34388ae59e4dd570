//===- NamePlaces.cpp - Where nodes are wanted ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "NamePlaces.h"
#include "tenon/Dialect/ONNX/Node.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace mlir;
using namespace tenon;

/// Calls `Each` with the name of every node and its operator's.
static void
forEachNode(ModuleOp Model,
            llvm::function_ref<void(StringRef Name, StringRef Operator)> Each) {
  Model.walk([&](Operation *Op) {
    if (auto Node = dyn_cast<onnx::NodeOp>(Op)) {
      onnx::Node View(Node);
      Each(View.name(), View.operatorName());
      return;
    }
    Op->getLoc()->walk([&](Location Inner) {
      if (auto Name = dyn_cast<NameLoc>(Inner))
        Each(Name.getName(), Op->getName().stripDialect());
      return WalkResult::advance();
    });
  });
}

FailureOr<DictionaryAttr> frontend::namePlaces(ModuleOp Model,
                                               const WantedPlaces &Wanted) {
  Builder B(Model.getContext());
  NamedAttrList Places;
  std::set<StringRef> Found;
  if (!Wanted.empty())
    forEachNode(Model, [&](StringRef Name, StringRef Operator) {
      for (StringRef Word : {Operator, Name}) // the node's own counts more
        if (auto At = Wanted.find(Word.str()); At != Wanted.end()) {
          Places.set(Name, B.getStringAttr(At->second));
          Found.insert(At->first);
        }
    });
  for (const auto &[Word, Place] : Wanted)
    if (!Found.count(Word))
      mlir::emitError(Model.getLoc())
          << "no node and no operator of the model is named '" << Word
          << "', which is wanted on the " << Place
          << " (tenon inspect lists them)";
  if (Found.size() != Wanted.size())
    return failure();
  return Places.getDictionary(Model.getContext());
}
