//===- Wishes.cpp - Places that a user wants ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Outline.h"
#include "Placement.h"
#include "tenon/Transforms/NodeNames.h"

using namespace mlir;
using namespace tenon;

static bool isWanted(DictionaryAttr Wanted, Attribute Name, StringRef Place) {
  auto At = Wanted.getAs<StringAttr>(cast<StringAttr>(Name));
  return At && At.getValue() == Place;
}

void tenon::applyWishes(CandidateSet &Set, DictionaryAttr Wanted) {
  llvm::erase_if(Set.Candidates, [&](Candidate &L) {
    SmallVector<Attribute> Names = nodeNames(L.Members.getArrayRef());
    auto AnyOn = [&](StringRef Place) {
      return llvm::any_of(
          Names, [&](Attribute Name) { return isWanted(Wanted, Name, Place); });
    };
    L.Wanted = AnyOn("accelerator");
    if (!AnyOn("cpu"))
      return false;
    for (Operation *Op : L.Members)
      Set.Refusals[Op] = {"it is wanted on the CPU (--place)",
                          "no such wish for a node of its layer"};
    return true;
  });
}

SmallVector<std::pair<StringAttr, Operation *>>
Placement::unmetWishes(DictionaryAttr Wanted) const {
  DenseSet<Attribute> Met;
  llvm::MapVector<Attribute, Operation *> Others;
  for (Operation &Op : Body.without_terminator()) {
    Place At = placeOf(&Op);
    for (Attribute Name : nodeNames(&Op))
      if (At == Place::Accelerator)
        Met.insert(Name);
      else if (At == Place::Host)
        Others.insert({Name, &Op});
  }
  SmallVector<std::pair<StringAttr, Operation *>> Unmet;
  for (auto &[Name, Op] : Others)
    if (!Met.contains(Name) && isWanted(Wanted, Name, "accelerator"))
      Unmet.push_back({cast<StringAttr>(Name), Op});
  return Unmet;
}
