// Part of Tenon, under the Apache License v2.0.
// From imported TOSA to layers of the accelerator.

#ifndef TENON_TRANSFORMS_PASSES_TD
#define TENON_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FoldBatchNormalization
    : Pass<"tenon-fold-batch-normalization", "mlir::func::FuncOp"> {
  let summary = "move factors of channels behind a product into its weights";
  let description = [{
    Behind a convolution or a matrix product with constant weights whose result
    nothing else reads, and no loop, x * s + t with an element of s and t for each channel
    (a batch normalisation) becomes an addition: (conv(x, w) + b) * s + t is
    conv(x, w * s) + (b * s + t).  Floats get other bits, as other
    implementations' do: the pass belongs before the reference is taken.  The
    expressions w * s and b * s + t are left to constant folding.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect",
                           "mlir::linalg::LinalgDialect",
                           "mlir::tensor::TensorDialect"];
}

def FoldConstants : Pass<"tenon-fold-constants", "mlir::func::FuncOp"> {
  let summary = "compute tensors that constants alone determine";
  let description = [{
    Element-wise operations of linalg on constants (bodies of operations that
    IEEE 754 and two's complement determine; broadcasts, transposes and splats
    among them) and reshapes, slices, insertions and concatenations of constants
    become constants.  Every bit is the one that a run gives: transcendental
    functions stay, and so does a tensor in which a NaN appears.  Weights in the
    model file are read where they lie, and a reshape of them copies nothing.  A
    result of more than 64 KiB that is more than four times what it is made of is
    left, and any of more than 2^24 elements.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def SimplifyTensors : Pass<"tenon-simplify-tensors", "mlir::func::FuncOp"> {
  let summary = "remove what does nothing and shorten what could do less";
  let description = [{
    Upstream's patterns beyond canonicalisation: extents of results are asked of
    operands, chains of reshapes, slices and insertions become one, reshapes and
    slices of tensors without values are such, operands and results that a body
    does not use go, constants that are the same for every element move into the
    body, where the folders of scalars see them (x * 1, x - 0).  A division by a
    power of two becomes a multiplication.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"
  ];
}

def StructuredCanonicalizer : Pass<"tenon-canonicalize"> {
  let summary = "upstream's canonicalisation, of operations without blocks";
  let description = [{
    Without the patterns
    * that folds a padded tensor, inserted with a step, into what it is inserted
      into: it adds the padding to the offset as if the step were 1;
    * that cuts slices out of a concatenation's parts, where a convolution with
      groups, whose input it is, would not be seen as one any more;
    and with one for slices of what turns out to have no element: upstream's
    verifier refuses them, as there is no first element to begin with; and one
    for padding to less than there is, which no run reaches.
  }];
  let dependentDialects = ["mlir::tensor::TensorDialect"];
}

def SinkOperators : Pass<"tenon-sink-operators", "mlir::func::FuncOp"> {
  let summary = "compute only what a slice takes";
  let description = [{
    A slice of a result that nothing else reads moves before the operation (of
    linalg, or a reshape), which then computes the slice alone.  An operation
    of linalg does not move into a loop.
  }];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::linalg::LinalgDialect", "mlir::tensor::TensorDialect"
  ];
}

def OptimizeGraph : Pass<"tenon-optimize-graph", "mlir::func::FuncOp"> {
  let summary = "bring integer TOSA into the form the layers are read from";
  let description = [{
    Rewrites that keep every integer result bit for bit, behind upstream's
    canonicalisation: explicit padding with the input's zero point becomes the
    convolution's padding; a sum over both spatial axes becomes a depthwise
    convolution with ones, so that tensorisation sees one kind of reduction; a
    product over a flattened image becomes a convolution with the image as its
    window and its weights in the image's order, so that nothing is transposed
    at run time; a rescale of all elements alike stands before a reshape that
    splits channels.  A rescale is never removed or merged.
  }];
  let dependentDialects = ["mlir::tosa::TosaDialect"];
}

def SelectByConvolution
    : Pass<"accel-select-by-convolution", "mlir::func::FuncOp"> {
  let summary = "turn slices and pads of 8-bit images into convolutions";
  let description = [{
    The accelerator moves no elements by themselves, but a slice with steps, a
    slice of channels and a pad only select: each element of the result is one
    element of the input or the padding value.  Over an image with its channels
    last they become a 1x1 convolution: the weights are a selection matrix (one
    1 a row; a row of zeros for a channel of padding), the strides are the
    steps, the padding is the pad, and both zero points are the padding value
    v, so that (x - v) * 1 + v = x and 0 + v = v, exactly.  What such a
    convolution does not do stays as it is, for the host: other element types
    and ranks, selections of batches, rows and columns cut off without a step,
    matrices of more than 2^24 weights.
  }];
  let dependentDialects = ["mlir::tosa::TosaDialect"];
}

def GroupsToLinalg : Pass<"tenon-groups-to-linalg", "mlir::func::FuncOp"> {
  let summary = "make one operation of a convolution with groups for the host";
  let description = [{
    TOSA has no groups: a convolution of each and the concatenation of their
    sums stand for one (GroupedConvolution.h), of which lowering made a loop
    nest and a copy a group, and bufferization compared each with all others:
    thousands of groups took hours.  Here it becomes one operation of linalg,
    whose sums have the order of the single ones.  For int8 with constant
    weights, as the importer writes them.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect", "mlir::tosa::TosaDialect"
  ];
}

def TransposeRightOperands
    : Pass<"accel-transpose-right-operands", "mlir::func::FuncOp"> {
  let summary = "show right operands of products as GEMM reads them";
  let description = [{
    GEMM multiplies with transposed matrices: its weights are channels of the
    result by channels of the input.  Where the right operand of an 8-bit
    tosa.matmul is computed and no transposition makes it, two are inserted that
    cancel each other: the second one belongs to the product, the first one is
    done by what packs the operand.
  }];
  let dependentDialects = ["mlir::tosa::TosaDialect"];
}

def AccelPartition : Pass<"accel-partition", "mlir::ModuleOp"> {
  let summary = "decide what the accelerator takes and what the host takes";
  let description = [{
    Groups the operations of @main into candidates (a contraction or a reduction
    with its rescale, clamp and residual addition).  Their contraction is matched
    to a declared intrinsic by its indexing maps (Intrinsics.h).  Those that the
    machine has a schedule for are placed, all at once, where the network takes
    the least time, packing and unpacking included.  A candidate on the
    accelerator becomes accel.contract, accel.product, accel.window,
    accel.concat or accel.phases with the layers that store it, with
    accel.pack and accel.unpack where values cross the border; transposes and the
    offset between uint8 and int8 fold into them.  Everything else moves into
    private functions @host_K that carry `tenon.reason` (why it is not on the
    accelerator), `tenon.remedy` (what would change that), `tenon.nodes`,
    `tenon.name` and `tenon.estimated_ms`.  Nothing is decided by the name of an
    operator or of a node.  Candidates in `accel.refusals` of the module stay on
    the host.
  }];
  let options = [
    Option<"RequireAccelerator", "require-accelerator", "bool",
           /*default=*/"false", "an operation on the host is an error">
  ];
  let statistics = [
    Statistic<"NumLayers", "layers", "layers on the accelerator">,
    Statistic<"NumHost", "host-functions", "functions on the host">
  ];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::linalg::LinalgDialect", "mlir::math::MathDialect",
    "mlir::scf::SCFDialect", "mlir::tensor::TensorDialect",
    "mlir::tosa::TosaDialect", "tenon::accel::AccelDialect"
  ];
}

#endif // TENON_TRANSFORMS_PASSES_TD
