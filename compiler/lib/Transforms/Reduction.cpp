//===- Reduction.cpp - A TOSA operation as an intrinsic -------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A clone of the operation is lowered in a scratch module by upstream's
// conversion to linalg; what comes out is one reduction with, around it, a
// padding of the input, a bias in front or behind, and changes of shape.  The
// reduction is matched to the declared intrinsics, the rest traced back to the
// operands of the operation.
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"

#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tenon;

bool tenon::isConstant(Value V) { return matchPattern(V, m_Constant()); }

std::optional<SmallVector<int8_t>> tenon::readBytes(Value V) {
  ElementsAttr Elements;
  if (!matchPattern(V, m_Constant(&Elements)))
    return std::nullopt;
  auto Type = dyn_cast<IntegerType>(Elements.getElementType());
  if (!Type || Type.getWidth() != 8 || Type.isUnsigned())
    return std::nullopt;
  ArrayRef<char> Data;
  if (auto Dense = dyn_cast<DenseIntElementsAttr>(Elements)) {
    Data = Dense.getRawData();
    if (Dense.isSplat())
      return SmallVector<int8_t>(Dense.getNumElements(), Data.front());
  } else if (auto Blob = dyn_cast<DenseResourceElementsAttr>(Elements);
             Blob && Blob.getRawHandle().getBlob()) {
    Data = Blob.getRawHandle().getBlob()->getData();
  } else {
    return std::nullopt;
  }
  return SmallVector<int8_t>(Data.begin(), Data.end());
}

std::optional<SmallVector<int64_t>> tenon::readIntegers(Value V) {
  if (auto Bytes = readBytes(V))
    return SmallVector<int64_t>(Bytes->begin(), Bytes->end());
  ElementsAttr Elements;
  if (!matchPattern(V, m_Constant(&Elements)))
    return std::nullopt;
  auto Type = dyn_cast<IntegerType>(Elements.getElementType());
  if (!Type || Type.getWidth() > 64)
    return std::nullopt;
  SmallVector<int64_t> Result;
  Result.reserve(Elements.getNumElements());
  if (auto Dense = dyn_cast<DenseIntElementsAttr>(Elements)) {
    for (const APInt &Value : Dense.getValues<APInt>())
      Result.push_back(Type.isUnsigned() ? Value.getZExtValue()
                                         : Value.getSExtValue());
    return Result;
  }
  auto Blob = dyn_cast<DenseResourceElementsAttr>(Elements);
  if (!Blob || Type.isUnsigned() || !Blob.getRawHandle().getBlob())
    return std::nullopt;
  ArrayRef<char> Data = Blob.getRawHandle().getBlob()->getData();
  if (Type.getWidth() == 32 && Data.size() % 4 == 0) {
    for (size_t I = 0; I < Data.size(); I += 4) {
      int32_t Word;
      std::memcpy(&Word, Data.data() + I, 4);
      Result.push_back(Word);
    }
    return Result;
  }
  return std::nullopt;
}

std::optional<int64_t> tenon::readSplat(Value V) {
  auto Values = readIntegers(V);
  if (!Values || Values->empty() || !llvm::all_equal(*Values))
    return std::nullopt;
  return Values->front();
}

namespace {

/// A module with one function that computes the operation from its operands;
/// zero points and shapes are inside.
class Scratch {
public:
  explicit Scratch(Operation *Op);
  bool lower();
  func::FuncOp function() { return Function; }
  /// The operand of the operation an argument stands for, or null.
  Value operandOf(Value V) const {
    auto Argument = dyn_cast<BlockArgument>(V);
    return Argument && Argument.getOwner() == &Function.getBody().front()
               ? Operands[Argument.getArgNumber()]
               : Value();
  }

private:
  OwningOpRef<ModuleOp> Module;
  mutable func::FuncOp Function;
  SmallVector<Value> Operands;
};

} // namespace

/// Zero points, shifts and shapes: the conversion reads their values.
static bool staysInside(Value V) {
  auto Type = dyn_cast<RankedTensorType>(V.getType());
  if (!isConstant(V) || !Type)
    return isConstant(V);
  return Type.getRank() <= 1 && Type.hasStaticShape() &&
         Type.getNumElements() == 1 && Type.getElementType().isInteger(8);
}

Scratch::Scratch(Operation *Op) {
  Location Loc = Op->getLoc();
  OpBuilder Builder(Op->getContext());
  Module = ModuleOp::create(Loc);
  Builder.setInsertionPointToEnd(Module->getBody());
  for (Value Operand : Op->getOperands())
    if (!staysInside(Operand) && !llvm::is_contained(Operands, Operand))
      Operands.push_back(Operand);
  SmallVector<Type> Inputs(ValueRange(Operands).getTypes());
  Function = func::FuncOp::create(
      Builder, Loc, "reduction",
      Builder.getFunctionType(Inputs, Op->getResultTypes()));
  Block *Entry = Function.addEntryBlock();
  Builder.setInsertionPointToEnd(Entry);
  IRMapping Map;
  for (auto [Operand, Argument] : llvm::zip(Operands, Entry->getArguments()))
    Map.map(Operand, Argument);
  for (Value Operand : Op->getOperands())
    if (!Map.contains(Operand))
      Map.map(Operand, Builder.clone(*Operand.getDefiningOp())->getResult(0));
  Operation *Clone = Builder.clone(*Op, Map);
  func::ReturnOp::create(Builder, Loc, Clone->getResults());
}

bool Scratch::lower() {
  MLIRContext *Context = Module->getContext();
  TypeConverter Converter;
  tosa::populateTosaTypeConversion(Converter);
  ConversionTarget Target(*Context);
  Target.addLegalDialect<linalg::LinalgDialect, tensor::TensorDialect,
                         arith::ArithDialect, scf::SCFDialect,
                         math::MathDialect, func::FuncDialect>();
  Target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  Target.addDynamicallyLegalDialect<tosa::TosaDialect>([](Operation *Op) {
    return isa<tosa::ConstOp, tosa::ConstShapeOp, tosa::ApplyScaleOp>(Op);
  });
  // One set: an operation is converted by whichever pattern knows it.
  RewritePatternSet Conversion(Context);
  tosa::populateTosaToLinalgNamedConversionPatterns(Converter, &Conversion, {});
  tosa::populateTosaToLinalgConversionPatterns(Converter, &Conversion);
  // A failure is an answer ("no reduction"), not an error of the user's.
  ScopedDiagnosticHandler Quiet(Context,
                                [](Diagnostic &) { return success(); });
  if (failed(applyPartialConversion(Function, Target, std::move(Conversion))))
    return false;
  RewritePatternSet Generalise(Context);
  linalg::populateLinalgNamedOpsGeneralizationPatterns(Generalise);
  return succeeded(applyPatternsGreedily(Function, std::move(Generalise)));
}

/// A generic that only hands on its input, spread over more dimensions.
static Value broadcastSource(Value V) {
  auto Op = V.getDefiningOp<linalg::GenericOp>();
  if (!Op || Op.getNumDpsInputs() != 1 ||
      Op.getNumParallelLoops() != Op.getNumLoops() ||
      Op.getBody()->getTerminator()->getOperand(0) !=
          Op.getBody()->getArgument(0))
    return {};
  return Op.getDpsInputs()[0];
}

/// Follows the input of the reduction through its padding.
static bool tracePadding(Value V, Reduction &R, const Scratch &S,
                         std::optional<int64_t> &PadValue, std::string &Why) {
  if (auto Pad = V.getDefiningOp<tensor::PadOp>()) {
    auto Low = Pad.getStaticLow(), High = Pad.getStaticHigh();
    if (Low.size() != 4 || Low[0] || Low[3] || High[0] || High[3] ||
        llvm::any_of(Low, ShapedType::isDynamic) ||
        llvm::any_of(High, ShapedType::isDynamic)) {
      Why = "it pads other axes than height and width";
      return false;
    }
    APInt Value;
    if (!Pad.getConstantPaddingValue() ||
        !matchPattern(Pad.getConstantPaddingValue(), m_ConstantInt(&Value))) {
      Why = "its padding is no constant";
      return false;
    }
    PadValue = Value.getSExtValue();
    R.Pad = {Low[1], High[1], Low[2], High[2]};
    V = Pad.getSource();
  }
  R.Input = S.operandOf(V);
  return static_cast<bool>(R.Input);
}

/// What the accumulators start from: zero, a bias, or the least value.
static bool traceStart(Value Init, Reduction &R, const Scratch &S) {
  if (auto Fill = Init.getDefiningOp<linalg::FillOp>())
    Init = Fill.getInputs()[0];
  else if (Value Source = broadcastSource(Init))
    Init = Source;
  else
    return false;
  if (R.Match.Decl->Kind == Intrinsic::Kind::Max)
    return true;
  if (matchPattern(Init, m_Zero()))
    return true;
  R.Bias = S.operandOf(Init);
  return static_cast<bool>(R.Bias);
}

/// The argument a generic adds to `To`, element by element, or null.
static Value addedOperand(linalg::GenericOp Op, Value To) {
  if (Op.getNumDpsInputs() != 2 || Op.getNumParallelLoops() != Op.getNumLoops())
    return {};
  auto Add = Op.getBody()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddIOp>();
  if (!Add || Add.getLhs() == Add.getRhs() ||
      !isa<BlockArgument>(Add.getLhs()) || !isa<BlockArgument>(Add.getRhs()))
    return {};
  return Op.getDpsInputs()[Op.getDpsInputs()[0] == To ? 1 : 0];
}

/// Follows the result to the return: shape changes, one added bias, or the
/// operation's own epilogue.
static bool traceResult(Value V, Reduction &R, const Scratch &S) {
  while (V.hasOneUse()) {
    Operation *User = *V.user_begin();
    if (isa<func::ReturnOp>(User))
      return true;
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(User)) {
      V = User->getResult(0);
      continue;
    }
    auto Generic = dyn_cast<linalg::GenericOp>(User);
    Value Added = Generic ? addedOperand(Generic, V) : Value();
    Value Operand = Added ? S.operandOf(Added) : Value();
    if (Operand && !R.Bias) {
      R.Bias = Operand;
      V = User->getResult(0);
      continue;
    }
    R.HasEpilogue = true;
    return true;
  }
  return false;
}

/// A zero point the payload subtracts, as a number.
static bool readZeroPoint(Value V, int32_t &Out) {
  APInt Value;
  if (!V)
    return true;
  if (!matchPattern(V, m_ConstantInt(&Value)))
    return false;
  Out = Value.getSExtValue();
  return true;
}

std::optional<Reduction> tenon::readReduction(Operation *Op, std::string &Why) {
  Scratch S(Op);
  if (!S.lower())
    return std::nullopt;
  linalg::GenericOp Found;
  unsigned Count = 0;
  S.function().walk([&](linalg::GenericOp G) {
    if (G.getNumReductionLoops()) {
      Found = G;
      ++Count;
    }
  });
  if (Count != 1) {
    if (Count)
      Why = "it is more than one reduction";
    return std::nullopt;
  }
  auto IsActivation = [&](Value V) {
    if (auto Pad = V.getDefiningOp<tensor::PadOp>())
      V = Pad.getSource();
    Value Operand = S.operandOf(V);
    return Operand && !isConstant(Operand);
  };
  Reduction R;
  auto Match = matchIntrinsic(Found, IsActivation, Why);
  if (!Match)
    return std::nullopt;
  R.Match = *Match;
  std::optional<int64_t> PadValue;
  Why = "its operands are computed in a way no intrinsic has";
  if (!tracePadding(Found.getDpsInputs()[R.Match.Input], R, S, PadValue, Why) ||
      !traceStart(Found.getDpsInits()[0], R, S) ||
      !traceResult(Found.getResult(0), R, S) ||
      !readZeroPoint(Match->InputZeroPoint, R.InputZeroPoint) ||
      !readZeroPoint(Match->WeightZeroPoint, R.WeightZeroPoint))
    return std::nullopt;
  if (R.Match.Weights >= 0)
    R.Weights = S.operandOf(Found.getDpsInputs()[R.Match.Weights]);
  if (R.Match.Weights >= 0 && !R.Weights)
    return std::nullopt;
  // Outside elements count as the zero point (products) or not at all (sums,
  // maxima), which upstream writes as 0 and as the least value.
  auto Kind = R.Match.Decl->Kind;
  int64_t Neutral = Kind == Intrinsic::Kind::Max   ? -128
                    : Kind == Intrinsic::Kind::Sum ? 0
                                                   : R.InputZeroPoint;
  if (PadValue && *PadValue != Neutral) {
    Why = "its padding is not its zero point";
    return std::nullopt;
  }
  Why.clear();
  return R;
}
