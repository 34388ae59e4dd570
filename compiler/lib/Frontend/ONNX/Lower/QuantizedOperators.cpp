//===- QuantizedOperators.cpp - Operators on quantised tensors, one by one ===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

using namespace mlir;
using namespace tenon::frontend;

ArrayRef<LoweredOperator> tenon::frontend::quantizedOperators() { return {}; }
