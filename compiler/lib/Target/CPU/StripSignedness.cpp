//===- StripSignedness.cpp - Integers without a sign in their type --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The border of a network has unsigned types, and so have some constants; what
// computes has the sign in the operation. Bufferisation and LLVM know signless
// integers alone.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace {

struct StripSignednessPass
    : PassWrapper<StripSignednessPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StripSignednessPass)

  StringRef getArgument() const override { return "tenon-strip-signedness"; }
  StringRef getDescription() const override {
    return "Make every integer type signless";
  }
  void runOnOperation() override;
};

} // namespace

static ShapedType signless(ShapedType T) {
  return T.clone(IntegerType::get(T.getContext(), T.getElementTypeBitWidth()));
}

static bool hasSign(Type T) {
  auto Integer = dyn_cast<IntegerType>(getElementTypeOrSelf(T));
  return Integer && !Integer.isSignless();
}

/// The bits of constants stay.
static AttrTypeReplacer makeReplacer() {
  AttrTypeReplacer Replacer;
  Replacer.addReplacement([](IntegerType T) -> Type {
    return IntegerType::get(T.getContext(), T.getWidth());
  });
  Replacer.addReplacement([](DenseElementsAttr A) -> Attribute {
    return hasSign(A.getType()) ? DenseElementsAttr::getFromRawBuffer(
                                      signless(A.getType()), A.getRawData())
                                : A;
  });
  Replacer.addReplacement([](DenseResourceElementsAttr A) -> Attribute {
    return hasSign(A.getType()) ? DenseResourceElementsAttr::get(
                                      signless(A.getType()), A.getRawHandle())
                                : A;
  });
  Replacer.addReplacement([](IntegerAttr A) -> Attribute {
    return hasSign(A.getType())
               ? IntegerAttr::get(
                     IntegerType::get(A.getContext(),
                                      A.getType().getIntOrFloatBitWidth()),
                     A.getValue())
               : A;
  });
  return Replacer;
}

void StripSignednessPass::runOnOperation() {
  AttrTypeReplacer Replacer = makeReplacer();
  Replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  // Casts that changed nothing but the sign.
  getOperation().walk([](Operation *Op) {
    if (isa<tensor::BitcastOp, UnrealizedConversionCastOp>(Op) &&
        Op->getOperandTypes() == Op->getResultTypes()) {
      Op->replaceAllUsesWith(Op->getOperands());
      Op->erase();
    }
  });
}

std::unique_ptr<Pass> tenon::createStripSignednessPass() {
  return std::make_unique<StripSignednessPass>();
}
