// Instructions of the accelerator, one operation each, and the launch that holds
// them. The fields are those of isa/tenon.isa.

#ifndef TENON_DIALECT_ACCEL_ACCELSTREAMOPS_TD
#define TENON_DIALECT_ACCEL_ACCELSTREAMOPS_TD

include "tenon/Dialect/Accel/AccelDialect.td"
include "mlir/IR/RegionKindInterface.td"

class Accel_FieldEnum<string name, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, "", cases> {
  let cppNamespace = "::tenon::accel";
  let genSpecializedAttr = 0;
}
def Accel_Memory : Accel_FieldEnum<"StreamMemory", [
    I32EnumAttrCase<"UopGemm", 0, "uop_gemm">,
    I32EnumAttrCase<"UopAlu", 1, "uop_alu">, I32EnumAttrCase<"Inp", 2, "inp">,
    I32EnumAttrCase<"Wgt", 3, "wgt">, I32EnumAttrCase<"Dwt", 4, "dwt">,
    I32EnumAttrCase<"Acc", 5, "acc">, I32EnumAttrCase<"Acc8", 6, "acc8">,
    I32EnumAttrCase<"Prm", 7, "prm">]>;
def Accel_MemoryAttr : EnumAttr<Accel_Dialect, Accel_Memory, "memory">;
def Accel_PadKind : Accel_FieldEnum<"StreamPad", [
    I32EnumAttrCase<"Zero", 0, "zero">, I32EnumAttrCase<"Min", 1, "min">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Value", 3, "value">]>;
def Accel_PadKindAttr : EnumAttr<Accel_Dialect, Accel_PadKind, "pad">;
def Accel_AluOpKind : Accel_FieldEnum<"StreamAluOp", [
    I32EnumAttrCase<"Mov", 0, "mov">, I32EnumAttrCase<"Add", 1, "add">,
    I32EnumAttrCase<"Sub", 2, "sub">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"Max", 4, "max">, I32EnumAttrCase<"Mul", 5, "mul">,
    I32EnumAttrCase<"Shl", 6, "shl">, I32EnumAttrCase<"Shr", 7, "shr">,
    I32EnumAttrCase<"Shrr", 8, "shrr">, I32EnumAttrCase<"Clamp", 9, "clamp">,
    I32EnumAttrCase<"Mac", 10, "mac">, I32EnumAttrCase<"Quant", 11, "quant">,
    I32EnumAttrCase<"QuantAdd", 12, "quant_add">]>;
def Accel_AluOpAttr : EnumAttr<Accel_Dialect, Accel_AluOpKind, "alu_op">;
def Accel_OperandKind : Accel_FieldEnum<"StreamOperand", [
    I32EnumAttrCase<"Immediate", 0, "immediate">,
    I32EnumAttrCase<"Acc", 1, "acc">]>;
def Accel_OperandAttr : EnumAttr<Accel_Dialect, Accel_OperandKind, "operand">;
def Accel_TargetKind : Accel_FieldEnum<"StreamTarget", [
    I32EnumAttrCase<"Acc", 0, "acc">, I32EnumAttrCase<"Inp", 1, "inp">,
    I32EnumAttrCase<"Out", 2, "out">]>;
def Accel_TargetAttr : EnumAttr<Accel_Dialect, Accel_TargetKind, "target">;
def Accel_EngineKind : Accel_FieldEnum<"StreamEngine", [
    I32EnumAttrCase<"Load", 0, "load">, I32EnumAttrCase<"Gemm", 1, "gemm">,
    I32EnumAttrCase<"Alu", 2, "alu">, I32EnumAttrCase<"Store", 3, "store">]>;
def Accel_EngineAttr : EnumAttr<Accel_Dialect, Accel_EngineKind, "engine">;

def Accel_StreamOp : Accel_Op<"stream", [
    SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "one launch: a linear stream of instructions";
  let description = [{
    The body's operations in program order, FINISH last. `layers` describes the
    layers the instructions work for, `segments` are the constants in DRAM, both
    arrays of dictionaries; `index` numbers the launches of a program. Operands
    and results are the activations that lie in DRAM before and after it.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, I32Attr:$index,
                       ArrayAttr:$layers, ArrayAttr:$segments);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $index `(` $inputs `)` attr-dict-with-keyword $body
    `:` functional-type($inputs, results)
  }];
}

class Accel_Instruction<string mnemonic> : Accel_Op<mnemonic> {
  dag tokens = (ins DefaultValuedAttr<I32Attr, "0">:$wait,
                    DefaultValuedAttr<I32Attr, "0">:$signal);
  dag place = (ins I32Attr:$layer, I32Attr:$tile);
}

def Accel_LoadOp : Accel_Instruction<"load"> {
  let summary = "strided DRAM to scratchpad, with padding";
  let arguments = !con((ins Accel_MemoryAttr:$memory, Accel_PadKindAttr:$pad,
      I32Attr:$gather, I32Attr:$sram, I32Attr:$dram, I32Attr:$y_size,
      I32Attr:$x_size, I32Attr:$y_stride, I32Attr:$x_stride, I32Attr:$pad_top,
      I32Attr:$pad_bottom, I32Attr:$pad_left, I32Attr:$pad_right), tokens, place);
  let assemblyFormat = [{
    $memory `at` $sram `dram` $dram `size` $y_size `,` $x_size
    `stride` $y_stride `,` $x_stride
    `pad` $pad $pad_top `,` $pad_bottom `,` $pad_left `,` $pad_right
    `gather` $gather `layer` $layer `tile` $tile attr-dict
  }];
}

def Accel_StoreOp : Accel_Instruction<"store"> {
  let summary = "OUT to strided DRAM";
  let arguments = !con((ins I32Attr:$sram, I32Attr:$dram, I32Attr:$y_size,
      I32Attr:$x_size, I32Attr:$y_stride, I32Attr:$x_stride), tokens, place);
  let assemblyFormat = [{
    `at` $sram `dram` $dram `size` $y_size `,` $x_size
    `stride` $y_stride `,` $x_stride `layer` $layer `tile` $tile attr-dict
  }];
}

def Accel_GemmOp : Accel_Instruction<"gemm"> {
  let summary = "matrix products over two affine loops and micro-ops";
  let arguments = !con((ins I32Attr:$first, I32Attr:$uop_begin,
      I32Attr:$uop_count, I32Attr:$outer_count, I32Attr:$inner_count,
      I32Attr:$dst_outer, I32Attr:$dst_inner, I32Attr:$src_outer,
      I32Attr:$src_inner, I32Attr:$third_outer, I32Attr:$third_inner),
      tokens, place);
  let assemblyFormat = [{
    `first` $first `uops` $uop_begin `,` $uop_count
    `loops` $outer_count `,` $inner_count `dst` $dst_outer `,` $dst_inner
    `src` $src_outer `,` $src_inner `third` $third_outer `,` $third_inner
    `layer` $layer `tile` $tile attr-dict
  }];
}

def Accel_AluOp : Accel_Instruction<"alu"> {
  let summary = "vector operation over two affine loops and micro-ops";
  let arguments = !con((ins Accel_AluOpAttr:$op, Accel_OperandAttr:$operand,
      Accel_TargetAttr:$target, I32Attr:$first, I32Attr:$uop_begin,
      I32Attr:$uop_count, I32Attr:$outer_count, I32Attr:$inner_count,
      I32Attr:$dst_outer, I32Attr:$dst_inner, I32Attr:$src_outer,
      I32Attr:$src_inner, I32Attr:$third_outer, I32Attr:$third_inner),
      tokens, place);
  let assemblyFormat = [{
    $op $operand `to` $target `first` $first `uops` $uop_begin `,` $uop_count
    `loops` $outer_count `,` $inner_count `dst` $dst_outer `,` $dst_inner
    `src` $src_outer `,` $src_inner `third` $third_outer `,` $third_inner
    `layer` $layer `tile` $tile attr-dict
  }];
}

def Accel_SetOp : Accel_Instruction<"set"> {
  let summary = "write a register of an engine; register 0 is none";
  let arguments = !con((ins Accel_EngineAttr:$engine, I32Attr:$index,
      I32Attr:$value), tokens, place);
  let assemblyFormat = [{
    $engine `register` $index `=` $value `layer` $layer `tile` $tile attr-dict
  }];
}

def Accel_FinishOp : Accel_Op<"finish"> {
  let summary = "end of the stream";
  let arguments = (ins I32Attr:$layer, I32Attr:$tile);
  let assemblyFormat = "`layer` $layer `tile` $tile attr-dict";
}

#endif // TENON_DIALECT_ACCEL_ACCELSTREAMOPS_TD
