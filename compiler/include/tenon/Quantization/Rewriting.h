//===- Rewriting.h - Constants and nodes of a model -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_REWRITING_H
#define TENON_QUANTIZATION_REWRITING_H

#include "mlir/IR/Builders.h"
#include "tenon/Dialect/ONNX/Node.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tenon::quantization {

/// Makes constants and nodes of ai.onnx in a main graph, with names that no
/// other value has.
class Rewriting {
public:
  explicit Rewriting(onnx::GraphOp Graph);

  mlir::OpBuilder B;

  /// Of ONNX's own operators in the graph.
  int64_t opset() const { return Opset; }

  /// The value of that name before anything was rewritten; null where there is
  /// none.
  mlir::Value find(llvm::StringRef Name) const { return Values.lookup(Name); }
  /// `Name`, or with a number where it is taken.
  std::string fresh(const llvm::Twine &Name);

  /// A constant at the start of the graph.  `Elements` has as many as `Dims`
  /// say.
  template <typename T>
  mlir::Value constant(const llvm::Twine &Name, mlir::Type Element,
                       llvm::ArrayRef<int64_t> Dims,
                       llvm::ArrayRef<T> Elements) {
    return constantOfBytes(
        Name, Element, Dims,
        llvm::ArrayRef(reinterpret_cast<const char *>(Elements.data()),
                       Elements.size() * sizeof(T)));
  }
  /// Signed integers of 8 bits, or of 4, two in a byte.
  mlir::Value integers(const llvm::Twine &Name, int Bits,
                       llvm::ArrayRef<int64_t> Dims,
                       llvm::ArrayRef<int8_t> Elements);
  mlir::Value floats(const llvm::Twine &Name, llvm::ArrayRef<int64_t> Dims,
                     llvm::ArrayRef<float> Elements) {
    return constant<float>(Name, B.getF32Type(), Dims, Elements);
  }

  /// A node of one result, called `Name` as its result, where B stands.
  mlir::Value node(llvm::StringRef Operator, mlir::ValueRange Inputs,
                   mlir::Type Of, const llvm::Twine &Name,
                   llvm::ArrayRef<mlir::NamedAttribute> Attributes = {});

  /// Another input of the graph, behind those it has.
  mlir::Value input(mlir::Type Of, const llvm::Twine &Name);

  /// Gives the value that a node computes another name.
  void rename(mlir::Value Of, llvm::StringRef Name);

  /// Behind what computes `Of`; behind the constants for an input.
  void setInsertionPointAfter(mlir::Value Of);

private:
  mlir::Value constantOfBytes(const llvm::Twine &Name, mlir::Type Element,
                              llvm::ArrayRef<int64_t> Dims,
                              llvm::ArrayRef<char> Bytes);

  onnx::GraphOp Graph;
  mlir::Block &Body;
  int64_t Opset = 0;
  llvm::StringMap<mlir::Value> Values;
  llvm::StringSet<> Taken;
};

/// The elements of a constant of floats; empty where `Of` is none.
std::vector<float> floatsOf(mlir::Value Of);

/// Drops constants that nothing uses, but for defaults of inputs.
void dropUnusedConstants(onnx::GraphOp Graph);

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_REWRITING_H
