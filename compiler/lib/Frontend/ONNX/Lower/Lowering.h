//===- Lowering.h - One node to structured operations -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What a lowering (Operators.h) is given: the node, its inputs as tensors, and
// a builder.  It emits linalg, tensor, arith, math, scf and cf, in forms that
// tile, fuse and vectorise, and ends with define() for each output.
//
// Tensors are ranked and dense, of ONNX's shape; an extent that only the run
// tells is `?`.  Elements are signless: which integers are unsigned, the
// element type of ONNX beside each tensor says.  BOOL is i1.  Types that LLVM
// has no arithmetic for (8-bit floats, integers of 2 and 4 bits) are held in
// i8: floats as their bits, integers by value.
//
// What only the run can check is required (require()) before it is relied on:
// the run ends where it does not hold. Indices out of tensors are clamped
// besides.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_LOWER_LOWERING_H
#define TENON_LIB_FRONTEND_ONNX_LOWER_LOWERING_H

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tenon/Dialect/ONNX/Node.h"

namespace tenon::frontend {

using mlir::OpFoldResult;
using onnx::Node;
using Extents = llvm::SmallVector<mlir::OpFoldResult>;

/// A tensor and what its elements are in ONNX.
struct Plain {
  mlir::Value Tensor;
  mlir::Type Element;

  mlir::RankedTensorType type() const {
    return llvm::cast<mlir::RankedTensorType>(Tensor.getType());
  }
  int64_t rank() const { return type().getRank(); }
  bool isUnsigned() const { return Element.isUnsignedInteger(); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(Element); }
};

/// The element type of tensors whose elements are `Element` in ONNX; null where
/// none can hold them (strings).
mlir::Type heldType(mlir::Type Element);

/// What sums and products of `Element` are computed in, a type of ONNX: f32 for
/// floats of 16 bits, `Element` for all others.
mlir::Type arithmeticType(mlir::Type Element);

/// What a conversion to a float of 8 bits or less does with numbers that it
/// cannot hold, and how powers of two (E8M0) are rounded.
struct Narrowing {
  enum Rounding { Up, Down, Nearest };
  bool Saturates = true;
  Rounding Exponents = Up;
};

/// Lowers the body of a control-flow node where the builder stands: arguments
/// to the body's outputs.
using BodyLowering = llvm::function_ref<mlir::FailureOr<std::vector<Plain>>(
    mlir::Region &Body, llvm::ArrayRef<Plain> Arguments)>;

class Lowering {
public:
  Lowering(const Node &N, mlir::OpBuilder &Builder,
           std::vector<std::optional<Plain>> Inputs, BodyLowering LowerBody);

  const Node N;
  mlir::ImplicitLocOpBuilder B;
  const BodyLowering LowerBody;

  /// Begins a diagnostic at the node.
  mlir::InFlightDiagnostic error() const { return N.error(); }

  //===--- Inputs and outputs ---------------------------------------------===//

  int64_t inputCount() const { return Inputs.size(); }
  bool has(int64_t Index) const {
    return Index < inputCount() && Inputs[Index].has_value();
  }
  /// Input `Index`, which the operator's schema demands or has() tells of.
  const Plain &in(int64_t Index) const { return *Inputs[Index]; }
  /// The integers of input `Index`, where they are known; none where the run
  /// tells them.
  std::optional<llvm::SmallVector<int64_t>> integers(int64_t Index);
  /// An error where input `Index` has not `Rank` dimensions.
  mlir::LogicalResult checkRank(int64_t Index, int64_t Rank) const;
  /// `Axis` from the front; an error outside of [-Rank, Rank).
  mlir::FailureOr<int64_t> axis(int64_t Axis, int64_t Rank) const;

  /// Output `Index` is `Tensor`.  Extents that the model knows and the tensor's
  /// type does not are required and become part of the type.
  mlir::LogicalResult define(int64_t Index, mlir::Value Tensor,
                             mlir::Type Element);
  mlir::LogicalResult define(const Plain &Result) {
    return define(0, Result.Tensor, Result.Element);
  }
  llvm::ArrayRef<std::optional<Plain>> outputs() const { return Outputs; }

  /// The run ends with the message, led by the node's name, where `Condition`
  /// is false.
  void require(mlir::Value Condition, const llvm::Twine &Message);

  /// What `Make` makes, of type `Of`, where `Condition`, which is required, is
  /// true; else, where what it makes would read what is not there, a tensor of
  /// that type with as few elements as it may have.
  mlir::Value onlyIf(mlir::Value Condition, mlir::RankedTensorType Of,
                     llvm::function_ref<mlir::Value()> Make);

  //===--- Numbers --------------------------------------------------------===//

  mlir::Value index(OpFoldResult Of);
  mlir::Value index(int64_t Of);
  OpFoldResult extent(int64_t Of) const;
  /// `Number` as `Held`, a float or integer type.
  mlir::Value number(mlir::Type Held, double Number);
  mlir::Value integer(mlir::Type Held, int64_t Number);
  OpFoldResult add(OpFoldResult A, OpFoldResult B);
  OpFoldResult sub(OpFoldResult A, OpFoldResult B);
  OpFoldResult mul(OpFoldResult A, OpFoldResult B);
  OpFoldResult floorDiv(OpFoldResult A, OpFoldResult B);
  OpFoldResult ceilDiv(OpFoldResult A, OpFoldResult B);
  OpFoldResult min(OpFoldResult A, OpFoldResult B);
  OpFoldResult max(OpFoldResult A, OpFoldResult B);
  OpFoldResult product(llvm::ArrayRef<OpFoldResult> Of);

  //===--- Shapes ---------------------------------------------------------===//

  OpFoldResult extentOf(mlir::Value Tensor, int64_t Axis);
  Extents extentsOf(mlir::Value Tensor);
  /// Numbers that are constants of the program as attributes.
  Extents staticWhereKnown(llvm::ArrayRef<OpFoldResult> Of);
  /// Static where the extents are constants.
  mlir::RankedTensorType typeOf(llvm::ArrayRef<OpFoldResult> Of,
                                mlir::Type Held);
  /// The integers of a list, known or not, as extents; an error where not even
  /// their count is known.
  mlir::FailureOr<Extents> listed(int64_t Index);
  /// The extent that all of `Of` are; others end the compilation or the run,
  /// and the result is the smallest.  `What`: the word for it.
  mlir::FailureOr<OpFoldResult> common(llvm::ArrayRef<OpFoldResult> Of,
                                       llvm::StringRef What);
  /// Of tensors that are broadcast to one shape, as ONNX does it.  Extents that
  /// do not fit end the compilation or the run.
  mlir::FailureOr<Extents> broadcast(llvm::ArrayRef<mlir::Value> Tensors);
  mlir::FailureOr<Extents> broadcast(llvm::ArrayRef<Extents> Of);
  /// The one extent that both are, the static one if one is; where they differ,
  /// the compilation or the run ends with the message.
  mlir::FailureOr<OpFoldResult> agreed(OpFoldResult A, OpFoldResult B,
                                       const llvm::Twine &Message);
  /// Whether they are equal whatever the run brings.
  bool surelyEqual(OpFoldResult A, OpFoldResult B) const;
  /// Whether a tensor of these extents has no element whatever the run brings.
  bool hasNoElement(llvm::ArrayRef<OpFoldResult> Of) const;

  //===--- Tensors --------------------------------------------------------===//

  mlir::Value empty(llvm::ArrayRef<OpFoldResult> Of, mlir::Type Held);
  mlir::Value filled(llvm::ArrayRef<OpFoldResult> Of, mlir::Value With);
  /// An integer list as a tensor of i64.
  mlir::Value list(llvm::ArrayRef<OpFoldResult> Of);
  /// Of rank 1, or of one element and rank 0.
  mlir::Value list(llvm::ArrayRef<mlir::Value> Elements, mlir::Type Held,
                   int64_t Rank);
  /// The elements of a short tensor, where they stand side by side in the
  /// program (Lists.cpp).
  std::optional<llvm::SmallVector<mlir::Value>> elementsOf(mlir::Value Tensor);
  /// Of rank 0.
  mlir::Value scalar(mlir::Value Of);

  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                              mlir::ValueRange)>;
  /// A linalg.generic without reductions over `Of`: `Maps` one an input; `Body`
  /// gets one element an input.
  mlir::Value mapped(llvm::ArrayRef<mlir::Value> Tensors,
                     llvm::ArrayRef<mlir::AffineMap> Maps,
                     llvm::ArrayRef<OpFoldResult> Of, mlir::Type Held,
                     Body Each);
  /// Element by element, the tensors broadcast to one shape.
  mlir::FailureOr<mlir::Value> pointwise(llvm::ArrayRef<mlir::Value> Tensors,
                                         mlir::Type Held, Body Each);
  /// The same of one tensor.
  mlir::Value each(mlir::Value Tensor, mlir::Type Held, Body Each);
  /// A tensor made of its indices, which `Body` gets.
  mlir::Value generated(llvm::ArrayRef<OpFoldResult> Of, mlir::Type Held,
                        Body Each);
  /// Over `Axes`, which go (`Keeps`: which become 1).  `Body` gets an element
  /// and what is accumulated so far.
  mlir::Value reduced(mlir::Value Tensor, llvm::ArrayRef<int64_t> Axes,
                      bool Keeps, mlir::Value Initial, Body Combine);
  /// Into `Into`: the last of `Maps` is its; the indices that this one does not
  /// have are reduced.  `Combine` gets one element a tensor, and what is
  /// accumulated so far.
  mlir::Value accumulated(llvm::ArrayRef<mlir::Value> Tensors,
                          llvm::ArrayRef<mlir::AffineMap> Maps,
                          mlir::Value Into, Body Combine);
  /// Sums of products over the indices that `Maps`' last does not have, an
  /// output of extents `Of`; all of one held type.
  mlir::Value contracted(mlir::Value A, mlir::Value B,
                         llvm::ArrayRef<mlir::AffineMap> Maps,
                         llvm::ArrayRef<OpFoldResult> Of);
  /// To the shape `Of` (ONNX's broadcasting: extents of 1, axes in front).
  mlir::Value expanded(mlir::Value Tensor, llvm::ArrayRef<OpFoldResult> Of);
  mlir::Value transposed(mlir::Value Tensor, llvm::ArrayRef<int64_t> Axes);
  /// The elements in their order, with another shape of as many elements.
  mlir::Value reshaped(mlir::Value Tensor, llvm::ArrayRef<OpFoldResult> Of);
  /// Axes `First` to `First + Count` as one.
  mlir::Value merged(mlir::Value Tensor, int64_t First, int64_t Count);
  /// Axis `Axis` as several, of extents `Of`, whose product it has.
  mlir::Value split(mlir::Value Tensor, int64_t Axis,
                    llvm::ArrayRef<OpFoldResult> Of);
  /// Groups of axes that follow each other as one axis each.
  mlir::Value collapsed(mlir::Value Tensor,
                        llvm::ArrayRef<mlir::ReassociationIndices> Groups);
  mlir::Value sliced(mlir::Value Tensor, llvm::ArrayRef<OpFoldResult> Starts,
                     llvm::ArrayRef<OpFoldResult> Counts,
                     llvm::ArrayRef<OpFoldResult> Steps);
  /// `Part` in the place of a slice of `Into`.
  mlir::Value inserted(mlir::Value Part, mlir::Value Into,
                       llvm::ArrayRef<OpFoldResult> Starts,
                       llvm::ArrayRef<OpFoldResult> Counts,
                       llvm::ArrayRef<OpFoldResult> Steps);
  /// With an element of 0 along axes that the run finds without any: what reads
  /// at indices behind a check that failed has something to read.
  mlir::Value neverEmpty(mlir::Value Tensor);
  /// Extents that data tells, of a result that memory can hold: where the run
  /// finds them negative or too large, it ends, and they are 0.
  Extents bounded(Extents Of);
  /// Requires the same: whether it is so.
  mlir::Value requireBounded(llvm::ArrayRef<OpFoldResult> Of);
  mlir::Value padded(mlir::Value Tensor, llvm::ArrayRef<OpFoldResult> Low,
                     llvm::ArrayRef<OpFoldResult> High, mlir::Value With);
  mlir::Value concatenated(llvm::ArrayRef<mlir::Value> Tensors, int64_t Axis);
  /// As ONNX's Cast does it: floats to integers towards zero, anything but zero
  /// is true.
  mlir::Value converted(mlir::Value Tensor, mlir::Type From, mlir::Type To,
                        const Narrowing &How = {});
  /// In arithmeticType, and back.
  mlir::Value widened(const Plain &Of) {
    return converted(Of.Tensor, Of.Element, arithmeticType(Of.Element));
  }
  Plain narrowed(mlir::Value Tensor, mlir::Type Element) {
    return {converted(Tensor, arithmeticType(Element), Element), Element};
  }
  /// One element converted.
  static mlir::Value convertedElement(mlir::OpBuilder &B, mlir::Location Loc,
                                      mlir::Value Element, mlir::Type From,
                                      mlir::Type To, const Narrowing &How = {});

private:
  mlir::FailureOr<OpFoldResult>
  broadcastExtent(llvm::ArrayRef<OpFoldResult> Of);
  /// Null where they are no lists.
  mlir::Value mappedLists(llvm::ArrayRef<mlir::Value> Tensors,
                          llvm::ArrayRef<OpFoldResult> Of, mlir::Type Held,
                          Body Each);
  mlir::Value regrouped(mlir::Value Tensor, llvm::ArrayRef<OpFoldResult> Of);
  /// With another opinion of what is known of its extents.
  mlir::Value retyped(mlir::Value Tensor, llvm::ArrayRef<int64_t> Dims);
  mlir::Value stretched(mlir::Value Tensor, llvm::ArrayRef<OpFoldResult> Of);
  mlir::Value followed(mlir::Value Tensor, llvm::ArrayRef<OpFoldResult> Of,
                       mlir::AffineMap &Map);

  const std::vector<std::optional<Plain>> Inputs;
  std::vector<std::optional<Plain>> Outputs;
  /// Extents that only the run tells, by block, tensor and axis.
  llvm::DenseMap<std::tuple<mlir::Block *, mlir::Value, int64_t>, mlir::Value>
      Known;
};

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_LOWER_LOWERING_H
