#ifndef TENON_DIALECT_ACCEL_ACCELDIALECT_TD
#define TENON_DIALECT_ACCEL_ACCELDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Accel_Dialect : Dialect {
  let name = "accel";
  let cppNamespace = "::tenon::accel";
  let summary = "The tensor accelerator, from network layers to instructions";
  let description = [{
    Two levels.  On the *tensor level* (AccelTensorOps.td) an operation is a
    whole layer: a contraction (convolution, matrix product) that GEMM computes
    or a window reduction (depthwise, pooling, addition, requantisation) that
    ALU computes, each with its requantising epilogue.  Tensors are logical
    NHWC int8 values.  On the *stream level* (AccelStreamOps.td) an operation
    is one machine instruction with concrete scratchpad and DRAM regions; order
    in the block is program order.
  }];
  let useDefaultAttributePrinterParser = 1;
}

class Accel_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Accel_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Accel_Op<string mnemonic, list<Trait> traits = []>
    : Op<Accel_Dialect, mnemonic, traits>;

#endif // TENON_DIALECT_ACCEL_ACCELDIALECT_TD
