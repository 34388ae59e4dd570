//===- ShapeOperators.cpp - Operators that make and read shapes ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

using namespace mlir;
using namespace tenon::frontend;

ArrayRef<LoweredOperator> tenon::frontend::shapeOperators() { return {}; }
