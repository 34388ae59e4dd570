//===- Operators.cpp - Finds the lowering of a node ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tenon::frontend;

/// Every lowering by its operator's name.
static const llvm::StringMap<SmallVector<const LoweredOperator *, 1>> &
byName() {
  static const auto Map = [] {
    llvm::StringMap<SmallVector<const LoweredOperator *, 1>> Map;
    for (ArrayRef<LoweredOperator> Table :
         {activationOperators(),    argReductionOperators(),
          blockOperators(),         boxOperators(),
          comparisonOperators(),    contractionOperators(),
          controlFlowOperators(),   conversionOperators(),
          convolutionOperators(),   determinantOperators(),
          elementwiseOperators(),   fromWindowsOperators(),
          gatherOperators(),        gridSampleOperators(),
          joinOperators(),          loopOperators(),
          microsoftOperators(),     movementOperators(),
          normalizationOperators(), paddingOperators(),
          poolingOperators(),       powerOperators(),
          quantizationOperators(),  quantizedOperators(),
          recurrentOperators(),     reductionOperators(),
          regionOperators(),        resamplingOperators(),
          reshapingOperators(),     runningOperators(),
          scanOperators(),          scatterOperators(),
          selectionOperators(),     shapeOperators(),
          signalOperators(),        sliceOperators(),
          sortingOperators(),       uniqueOperators(),
          unitAxisOperators()})
      for (const LoweredOperator &Entry : Table)
        Map[Entry.Name].push_back(&Entry);
    return Map;
  }();
  return Map;
}

const LoweredOperator *tenon::frontend::findLowering(const Node &N) {
  const LoweredOperator *Best = nullptr;
  auto Found = byName().find(N.operatorName());
  if (Found == byName().end())
    return nullptr;
  for (const LoweredOperator *Entry : Found->second)
    if (Entry->Domain == N.domain() && Entry->Since <= N.opset() &&
        (!Best || Entry->Since > Best->Since))
      Best = Entry;
  return Best;
}
