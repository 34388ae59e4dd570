//===- Sorting.cpp - Operators whose results depend on order -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

using namespace mlir;
using namespace tenon::frontend;

ArrayRef<LoweredOperator> tenon::frontend::sortingOperators() { return {}; }
