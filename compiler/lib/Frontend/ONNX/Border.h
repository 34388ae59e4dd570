//===- Border.h - What a network takes and gives ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_BORDER_H
#define TENON_LIB_FRONTEND_ONNX_BORDER_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include <string>
#include <vector>

namespace tenon::frontend {

/// uint8 is held as value - 128.
constexpr int64_t UnsignedOffset = 128;

/// A tensor at the border of a program.
struct BorderType {
  mlir::RankedTensorType Type;   ///< in the program: unsigned is ui8 and so on
  mlir::Type Element;            ///< in ONNX
  std::vector<std::string> Open; ///< names of open dimensions, "" of fixed ones

  /// What of it the type does not say: `tenon.element`, `tenon.symbols`.
  std::vector<mlir::NamedAttribute> attributes(mlir::MLIRContext *C) const;
};

/// The name of an open extent of `Tensor`, where that is an input of the
/// program: who runs it gives the inputs' extents of one name one number. Empty
/// where no other extent has to be it.
llvm::StringRef inputExtentName(mlir::Value Tensor, int64_t Axis);

/// The element type at the border; null where no program can take or give it.
mlir::Type borderElement(mlir::Type Element);

/// Whether integer clusters and their border are formed of such tensors.
bool isClusterType(mlir::Type Element, mlir::RankedTensorType Type);

/// The input `Name` of type `Declared`; what a program cannot take is reported.
mlir::FailureOr<BorderType>
inputType(mlir::Location Place, llvm::StringRef Name, mlir::Type Declared);

/// The output `Name`, declared as `Declared`, with elements `Element` and the
/// shape of `Found`; what does not fit is reported.
mlir::FailureOr<BorderType> outputType(mlir::Location Place,
                                       llvm::StringRef Name,
                                       mlir::Type Declared, mlir::Type Element,
                                       mlir::RankedTensorType Found);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_BORDER_H
