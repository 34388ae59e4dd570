//===- Operators.h - The lowerings of operators -----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// One lowering for each operator, in its newest form (Normalize.h) or in the
// one that a node still has.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_OPERATORS_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_OPERATORS_H

#include "Lowering.h"

namespace tenon::frontend {

/// One operator, from version `Since` of its domain on.
struct LoweredOperator {
  llvm::StringLiteral Domain, Name; ///< empty for ai.onnx
  int64_t Since;
  mlir::LogicalResult (*Lower)(Lowering &L);
};

/// The lowering that `N` means; null where there is none.
const LoweredOperator *findLowering(const Node &N);

// The tables, each in the file of its name.
llvm::ArrayRef<LoweredOperator> activationOperators();
llvm::ArrayRef<LoweredOperator> argReductionOperators();
llvm::ArrayRef<LoweredOperator> blockOperators();
llvm::ArrayRef<LoweredOperator> boxOperators();
llvm::ArrayRef<LoweredOperator> comparisonOperators();
llvm::ArrayRef<LoweredOperator> contractionOperators();
llvm::ArrayRef<LoweredOperator> controlFlowOperators();
llvm::ArrayRef<LoweredOperator> conversionOperators();
llvm::ArrayRef<LoweredOperator> convolutionOperators();
llvm::ArrayRef<LoweredOperator> determinantOperators();
llvm::ArrayRef<LoweredOperator> elementwiseOperators();
llvm::ArrayRef<LoweredOperator> fromWindowsOperators();
llvm::ArrayRef<LoweredOperator> gatherOperators();
llvm::ArrayRef<LoweredOperator> gridSampleOperators();
llvm::ArrayRef<LoweredOperator> joinOperators();
llvm::ArrayRef<LoweredOperator> loopOperators();
llvm::ArrayRef<LoweredOperator> microsoftOperators();
llvm::ArrayRef<LoweredOperator> movementOperators();
llvm::ArrayRef<LoweredOperator> normalizationOperators();
llvm::ArrayRef<LoweredOperator> paddingOperators();
llvm::ArrayRef<LoweredOperator> poolingOperators();
llvm::ArrayRef<LoweredOperator> powerOperators();
llvm::ArrayRef<LoweredOperator> quantizationOperators();
llvm::ArrayRef<LoweredOperator> quantizedOperators();
llvm::ArrayRef<LoweredOperator> recurrentOperators();
llvm::ArrayRef<LoweredOperator> reductionOperators();
llvm::ArrayRef<LoweredOperator> regionOperators();
llvm::ArrayRef<LoweredOperator> resamplingOperators();
llvm::ArrayRef<LoweredOperator> reshapingOperators();
llvm::ArrayRef<LoweredOperator> runningOperators();
llvm::ArrayRef<LoweredOperator> scanOperators();
llvm::ArrayRef<LoweredOperator> scatterOperators();
llvm::ArrayRef<LoweredOperator> selectionOperators();
llvm::ArrayRef<LoweredOperator> shapeOperators();
llvm::ArrayRef<LoweredOperator> signalOperators();
llvm::ArrayRef<LoweredOperator> sliceOperators();
llvm::ArrayRef<LoweredOperator> sortingOperators();
llvm::ArrayRef<LoweredOperator> uniqueOperators();
llvm::ArrayRef<LoweredOperator> unitAxisOperators();

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_OPERATORS_H
