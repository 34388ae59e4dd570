// Layers of a network as the accelerator computes them.

#ifndef TENON_DIALECT_ACCEL_ACCELTENSOROPS_TD
#define TENON_DIALECT_ACCEL_ACCELTENSOROPS_TD

include "tenon/Dialect/Accel/AccelInterfaces.td"
include "tenon/Dialect/Accel/AccelScheduleAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"


def Accel_QuantAttr : Accel_Attr<"Quant", "quant"> {
  let summary = "zero point and clamp of a requantised result";
  let description = [{
    result = clamp(rescale(acc + bias, multiplier, shift) + zero_point, min, max)
    with TOSA's apply_scale_32, single rounding.
  }];
  let parameters = (ins "int32_t":$zeroPoint, "int32_t":$min, "int32_t":$max);
  let assemblyFormat = "`<` `zp` `=` $zeroPoint `,` `min` `=` $min `,` `max` `=` $max `>`";
}

def Accel_AddAttr : Accel_Attr<"Add", "add"> {
  let summary = "residual addition in the epilogue";
  let description = [{
    q = clamp(rescale(acc + bias, multiplier, shift), min, max) is the first
    addend *without* its zero point (min and max are the bounds of its quantised
    type and activation minus its zero point);
    result = clamp(((q * scale + (operand - operand_zp) * operand_scale
                     + 2^(shift-1)) >> shift) + quant.zp, quant.min, quant.max).
    The scales have at most 21 bits; 2 <= shift <= 62.
  }];
  let parameters = (ins "int32_t":$min, "int32_t":$max, "int32_t":$scale,
                        "int32_t":$operandScale, "int32_t":$shift,
                        "int32_t":$operandZeroPoint);
  let assemblyFormat = [{
    `<` `min` `=` $min `,` `max` `=` $max `,` `scale` `=` $scale `,`
        `operand_scale` `=` $operandScale `,` `shift` `=` $shift `,`
        `operand_zp` `=` $operandZeroPoint `>`
  }];
}

def Accel_FoldAttr : Accel_Attr<"Fold", "fold"> {
  let summary = "elements of a window gathered into channels";
  let description = [{
    Of a source in N, H, W, C and a result of phases[0] * phases[1] times as many
    channels: channel (py * phases[1] + px) * C + c of the result at (y, x) is
    channel c of the source at
      (y * step[0] + py * dilation[0] + origin[0],
       x * step[1] + px * dilation[1] + origin[1]),
    or `outside` where that is no element of the source.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$phases,
                        ArrayRefParameter<"int64_t">:$step,
                        ArrayRefParameter<"int64_t">:$dilation,
                        ArrayRefParameter<"int64_t">:$origin,
                        "int32_t":$outside);
  let assemblyFormat = [{
    `<` `phases` `=` `[` $phases `]` `,` `step` `=` `[` $step `]` `,`
        `dilation` `=` `[` $dilation `]` `,` `origin` `=` `[` $origin `]` `,`
        `outside` `=` $outside `>`
  }];
}

def Accel_WindowKind : I32EnumAttr<"WindowKind", "reduction over a window", [
    I32EnumAttrCase<"Mac", 0, "mac">,
    I32EnumAttrCase<"Sum", 1, "sum">,
    I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Average", 3, "average">,
    I32EnumAttrCase<"Multiply", 4, "multiply">]> {
  let cppNamespace = "::tenon::accel";
  let genSpecializedAttr = 0;
}
def Accel_WindowKindAttr : EnumAttr<Accel_Dialect, Accel_WindowKind, "kind">;

def Accel_Activation : AnyTypeOf<[4DTensorOf<[I8]>]>;

def Accel_ContractOp : Accel_Op<"contract", [Pure,
    DeclareOpInterfaceMethods<AcceleratorLayer, ["getLayer"]>]> {
  let summary = "contraction over channels and a window, requantised";
  let description = [{
    acc[n,y,x,o] = sum over ky,kx,c of
                     (input[n, y*sy + ky*dy - top, x*sx + kx*dx - left, c] - input_zp)
                   * (weights[o,ky,kx,c] - weight_zp)
    with out-of-range input equal to input_zp, then the epilogue
    (#accel.quant, and #accel.add with `residual`, which has the result's shape or
    one pixel of an image, added to all of them).
    With `groups` g the channels are in g groups of neighbours: output channel o
    sums over the C/g input channels of its group alone, and weights are
    [O,KH,KW,C/g].  A matrix product of m rows is the case H = 1, W = m, 1x1 window.
    weights, bias, multiplier and shift are constants; bias, multiplier and
    shift have one value an output channel.
  }];
  let arguments = (ins Accel_Activation:$input,
                       4DTensorOf<[I8]>:$weights,
                       1DTensorOf<[I32]>:$bias,
                       1DTensorOf<[I32]>:$multiplier,
                       1DTensorOf<[I8]>:$shift,
                       Optional<Accel_Activation>:$residual,
                       DenseI64ArrayAttr:$stride,    // y, x
                       DenseI64ArrayAttr:$dilation,  // y, x
                       DenseI64ArrayAttr:$pad,       // top, bottom, left, right
                       I32Attr:$input_zp,
                       I32Attr:$weight_zp,
                       DefaultValuedAttr<I64Attr, "1">:$groups,
                       Accel_QuantAttr:$quant,
                       OptionalAttr<Accel_AddAttr>:$add,
                       OptionalAttr<Accel_ScheduleAttr>:$schedule);
  let results = (outs Accel_Activation:$result);
  let assemblyFormat = [{
    $input `weights` $weights `scale` $bias `,` $multiplier `,` $shift
    (`residual` $residual^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Accel_ProductOp : Accel_Op<"product", [Pure,
    DeclareOpInterfaceMethods<AcceleratorLayer, ["getLayer"]>]> {
  let summary = "matrix products of two activations, requantised";
  let description = [{
    acc[0,y,x,o] = sum over c of (input[0,y,x,c] - input_zp)
                               * (weights[0,y,o,c] - weight_zp)
    then the epilogue (#accel.quant): for each row y the product of a matrix of
    W x C and of the transposition of one of O x C, which is how GEMM wants its
    weights.  bias, multiplier and shift are constants with one value an output
    channel.  Where the channels c do not fill blocks, the lanes behind them hold
    0 in `input`, or weight_zp in `weights`: one of the two is packed by the host.
  }];
  let arguments = (ins Accel_Activation:$input,
                       Accel_Activation:$weights,
                       1DTensorOf<[I32]>:$bias,
                       1DTensorOf<[I32]>:$multiplier,
                       1DTensorOf<[I8]>:$shift,
                       I32Attr:$input_zp,
                       I32Attr:$weight_zp,
                       Accel_QuantAttr:$quant,
                       OptionalAttr<Accel_ScheduleAttr>:$schedule);
  let results = (outs Accel_Activation:$result);
  let assemblyFormat = [{
    $input `weights` $weights `scale` $bias `,` $multiplier `,` $shift
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Accel_WindowOp : Accel_Op<"window", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<AcceleratorLayer, ["getLayer"]>]> {
  let summary = "reduction of each channel over a window, requantised";
  let description = [{
    acc[n,y,x,c] = reduction over ky,kx of v[n, y*sy + ky*dy - top, x*sx + kx*dx - left, c]
    mac:      sum of (v - input_zp) * (taps[ky,kx,c] - tap_zp), outside 0
    sum:      sum of (v - input_zp), outside 0
    average:  the same sum; multiplier and shift are absent and are TOSA's
              reciprocal of the number of elements inside at (y, x)
    max:      maximum of v - input_zp, outside excluded
    multiply: (v - input_zp) * (residual - tap_zp) of a 1x1 window, or times
              `factor`, low 32 bits, where there is no residual
    With `repeats_edge`, of `mac` without dilation and with less padding than
    taps, an element outside is the nearest one inside.
    then the epilogue as of accel.contract, which of `multiply` adds nothing.
    A 1x1 sum is a requantisation, with `residual` an addition.
  }];
  let arguments = (ins Accel_Activation:$input,
                       Optional<3DTensorOf<[I8]>>:$taps,        // KH, KW, C
                       Optional<1DTensorOf<[I32]>>:$bias,       // absent: 0
                       Optional<1DTensorOf<[I32]>>:$multiplier, // absent with max: 2^30
                       Optional<1DTensorOf<[I8]>>:$shift,       // absent with max: 30
                       Optional<Accel_Activation>:$residual,
                       Accel_WindowKindAttr:$kind,
                       DenseI64ArrayAttr:$kernel,    // y, x
                       DenseI64ArrayAttr:$stride,    // y, x
                       DenseI64ArrayAttr:$dilation,  // y, x
                       DenseI64ArrayAttr:$pad,       // top, bottom, left, right
                       UnitAttr:$repeats_edge,
                       I32Attr:$input_zp,
                       I32Attr:$tap_zp,
                       DefaultValuedAttr<I32Attr, "0">:$factor,
                       Accel_QuantAttr:$quant,
                       OptionalAttr<Accel_AddAttr>:$add,
                       OptionalAttr<Accel_ScheduleAttr>:$schedule);
  let results = (outs Accel_Activation:$result);
  let assemblyFormat = [{
    $kind $input (`taps` $taps^)? (`bias` $bias^)? (`scale` $multiplier^ `,` $shift)?
    (`residual` $residual^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Accel_ConcatOp : Accel_Op<"concat", [Pure]> {
  let summary = "concatenation of channels: its inputs are stored into slices of its result";
  let description = [{
    Every input's first channel is a multiple of the configuration's block_max, so
    that no data moves: the producer of an input stores into the slice.
  }];
  let arguments = (ins Variadic<Accel_Activation>:$inputs);
  let results = (outs Accel_Activation:$result);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
}

def Accel_PhasesOp : Accel_Op<"phases", [Pure]> {
  let summary = "a tensor of its phases: each is stored between the others";
  let description = [{
    With the steps sy, sx, input py*sx + px is phase (py, px) of the result:
      result[n, y*sy + py, x*sx + px, c] = input[n, y, x, c]
    for every (y, x) with which the left side is in the result; there are sy*sx
    inputs, none without elements.  No data moves: the producer of an input
    stores with the distances of every sx-th pixel and every sy-th row.
  }];
  let arguments = (ins Variadic<Accel_Activation>:$inputs,
                       DenseI64ArrayAttr:$step); // y, x
  let results = (outs Accel_Activation:$result);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Accel_ChannelsOp : Accel_Op<"channels", [Pure]> {
  let summary = "channels of a tensor, where they lie";
  let description = [{
    The result's channels are the operand's from `first` on, a multiple of the
    configuration's block_max, so that no data moves: the result is a view.
  }];
  let arguments = (ins Accel_Activation:$input, I64Attr:$first);
  let results = (outs Accel_Activation:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Accel_RegroupOp : Accel_Op<"regroup", [Pure]> {
  let summary = "groups of channels as rows, or rows as groups of channels";
  let description = [{
    From 1,1,W,G*C to 1,G,W,C: channel c of the result's row g is channel g*C + c
    of the operand; or back.  C is a multiple of the configuration's block_max, so
    that no data moves: whole blocks are a group's, and the tensor with rows is a
    view of the one without, blocks of a row one behind the other.  Attention's
    heads are such groups.
  }];
  let arguments = (ins Accel_Activation:$input);
  let results = (outs Accel_Activation:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The side with rows, which is the view, and the one that is whole.
    ::mlir::Value getView() { return makesRows() ? getResult() : getInput(); }
    ::mlir::Value getWhole() { return makesRows() ? getInput() : getResult(); }
    /// From channels to rows.
    bool makesRows();
  }];
}

def Accel_PackOp : Accel_Op<"pack", [Pure]> {
  let summary = "host array to accelerator tensor: permute, add an offset, block";
  let description = [{
    Axis i of the NHWC result is axis permutation[i] of the operand (-1: an axis
    of size 1 that it lacks); `offset` is added to every value in 8 bits (-128
    turns uint8 into int8); then `fold` gathers windows into channels.  A host
    step, not an instruction.
  }];
  let arguments = (ins AnyRankedTensor:$input, DenseI64ArrayAttr:$permutation,
                       I32Attr:$offset, OptionalAttr<Accel_FoldAttr>:$fold);
  let results = (outs Accel_Activation:$result);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// N, H, W, C of the operand's values in the order of the permutation.
    ::llvm::SmallVector<int64_t, 4> getSourceShape();
  }];
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def Accel_UnpackOp : Accel_Op<"unpack", [Pure]> {
  let summary = "accelerator tensor to host array";
  let description = [{
    The NHWC operand's axes are permuted (axis i of the permuted tensor is axis
    permutation[i]), reshaped to the result's shape, and `offset` is added to
    every value in 8 bits.  A host step, not an instruction.
  }];
  let arguments = (ins Accel_Activation:$input, DenseI64ArrayAttr:$permutation, I32Attr:$offset);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

#endif // TENON_DIALECT_ACCEL_ACCELTENSOROPS_TD
