//===- Constant.h - Tensors stored in an ONNX file --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_CONSTANT_H
#define TENON_LIB_FRONTEND_ONNX_CONSTANT_H

#include "onnx/onnx_pb.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace tenon::frontend {

using Shape = llvm::SmallVector<int64_t, 4>;

/// Most elements that a tensor may have.
constexpr int64_t MaxElements = int64_t(1) << 31;

/// The number of elements, or none when a dimension is negative or the product
/// exceeds MaxElements.
std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> Shape);

/// "1x3x32x32", "scalar".
std::string describe(llvm::ArrayRef<int64_t> Shape);

/// "INT8", "FLOAT"; the number where it has no name.
std::string describeType(int32_t Type);

/// A tensor whose values stand in the file.  Copies share nothing and are
/// proportional to the data; pass it by reference.
class Constant {
public:
  Constant() = default;

  /// Checks type, dimensions and the amount of data.
  static llvm::Expected<Constant> read(const ::onnx::TensorProto &Proto);

  /// One-dimensional tensors from attribute values.
  static Constant fromIntegers(llvm::ArrayRef<int64_t> Values, Shape Dims);
  static Constant fromReals(llvm::ArrayRef<double> Values, Shape Dims);

  int32_t type() const { return Type; }
  const Shape &shape() const { return Dims; }
  int64_t size() const { return Count; }
  bool isInteger() const;

  /// Element `Index` (row-major, below size()) of an integer tensor.
  int64_t integer(int64_t Index) const;
  /// Element `Index` of any tensor.
  double real(int64_t Index) const;

private:
  template <typename T> T element(int64_t Index) const;

  int32_t Type = ::onnx::TensorProto::UNDEFINED;
  Shape Dims;
  int64_t Count = 0;
  std::string Bytes; // little endian, row-major
};

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_CONSTANT_H
