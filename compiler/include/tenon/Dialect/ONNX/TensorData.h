//===- TensorData.h - Elements of a constant --------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_DIALECT_ONNX_TENSORDATA_H
#define TENON_DIALECT_ONNX_TENSORDATA_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <optional>
#include <string>

namespace tenon::onnx {

/// Bits that an element takes in ONNX's bytes; 0 for strings and types that no
/// tensor holds.
int64_t storageBits(mlir::Type Element);

/// Bytes of `Count` elements; none where there are too many to count.
std::optional<int64_t> storageBytes(mlir::Type Element, int64_t Count);

/// The elements of `Dims`; none when a dimension is negative or there are more
/// than 2^48 (which no file holds: products of the count do not overflow).
std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> Dims);

/// Reads the elements of an attribute; it refers to the attribute's bytes.
class TensorData {
public:
  explicit TensorData(mlir::ElementsAttr Attribute);

  mlir::Type elementType() const { return Attribute.getElementType(); }
  llvm::ArrayRef<int64_t> shape() const {
    return Attribute.getShapedType().getShape();
  }
  int64_t size() const { return Attribute.getNumElements(); }
  mlir::ElementsAttr attribute() const { return Attribute; }

  bool isInteger() const { return llvm::isa<mlir::IntegerType>(elementType()); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(elementType()); }
  bool isString() const { return !isInteger() && !isFloat() && !isComplex(); }
  bool isComplex() const { return llvm::isa<mlir::ComplexType>(elementType()); }

  /// Element `Index` of integers of any width and signedness; of ui64 the bits.
  int64_t integer(int64_t Index) const;
  /// Element `Index` of floats or integers, rounded to double where need be.
  double real(int64_t Index) const;
  /// Element `Index` of strings.
  llvm::StringRef string(int64_t Index) const;

  /// The bytes as ONNX packs them; not for strings.  `Scratch` holds them where
  /// the attribute holds one element for all.
  llvm::ArrayRef<char> bytes(llvm::SmallVectorImpl<char> &Scratch) const;

private:
  uint64_t bits(int64_t Index) const;

  mlir::ElementsAttr Attribute;
  llvm::ArrayRef<char> Data;
  bool IsSplat = false;
  int64_t Width;
};

/// An attribute of `Bytes` (copied, as ONNX packs them): readable text where it
/// is small, else a resource called `Name`.
mlir::ElementsAttr makeTensor(mlir::RankedTensorType Type, llvm::StringRef Name,
                              llvm::ArrayRef<char> Bytes);

/// The same for bytes that `Blob` owns.
mlir::ElementsAttr makeTensor(mlir::RankedTensorType Type, llvm::StringRef Name,
                              mlir::AsmResourceBlob Blob);

} // namespace tenon::onnx

#endif // TENON_DIALECT_ONNX_TENSORDATA_H
