// Operations: a generic node, what it is made of, and what holds it.

#ifndef TENON_DIALECT_ONNX_ONNXOPS_TD
#define TENON_DIALECT_ONNX_ONNXOPS_TD

include "tenon/Dialect/ONNX/ONNXAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class ONNX_Op<string mnemonic, list<Trait> traits = []>
    : Op<ONNX_Dialect, mnemonic, traits>;

def ONNX_NodeOp : ONNX_Op<"node",
    [DeclareOpInterfaceMethods<OpAsmOpInterface,
       ["getAsmResultNames", "getAsmBlockArgumentNames"]>]> {
  let summary = "one node of a graph";
  let description = [{
    `opset` is the version of the operator's domain that the model imports.  An
    input that the node leaves out is the result of `onnx.none`, an output that
    it leaves out has an empty name.  `node_attributes` are the node's own by their
    ONNX names; those that are graphs are regions, region i described by
    `graphs[i]`, and see the values around the node.

    The operation's location is the NameLoc of the node: its name, or, for one
    that has none in the file, its operator and index: `Conv_3`.

    Not a promise that the operator exists or fits its schema; that is checked
    by whoever knows the schemas (`tenon/Frontend/ONNX`).
  }];
  let arguments = (ins StrAttr:$op_type, StrAttr:$domain, StrAttr:$overload,
                       I64Attr:$opset, StrAttr:$name,
                       StrArrayAttr:$outputs, DictionaryAttr:$node_attributes,
                       TypedArrayAttrBase<ONNX_GraphAttr, "graphs">:$graphs,
                       Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$bodies);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def ONNX_ConstantOp : ONNX_Op<"constant",
    [Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "an initializer";
  let description = [{
    `value` is an ElementsAttr (a resource, mapped from the file, unless it is
    small) or `#onnx.sparse_elements`.  The bytes are ONNX's: little-endian,
    elements of less than eight bits packed from the low end, `i1` a byte each:
    MLIR packs those otherwise, so that they are resources always.
    `input` is the declared type where the initializer is the default of an
    input of the graph, too.
  }];
  let arguments = (ins StrAttr:$name, AnyAttr:$value, OptionalAttr<TypeAttr>:$input);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def ONNX_NoneOp : ONNX_Op<"none", [Pure]> {
  let summary = "the input that a node leaves out";
  let results = (outs NoneType:$result);
  let assemblyFormat = "attr-dict";
}

def ONNX_YieldOp : ONNX_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "the outputs of a graph or function";
  let description = "`names` and `types` are the declared ones.";
  let arguments = (ins Variadic<AnyType>:$values, StrArrayAttr:$names, TypeArrayAttr:$types);
  let assemblyFormat = "($values^ `:` type($values))? `as` $names $types attr-dict";
  let hasVerifier = 1;
}

def ONNX_GraphOp : ONNX_Op<"graph",
    [IsolatedFromAbove, SingleBlock,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "the main graph of a model";
  let arguments = (ins ONNX_GraphAttr:$info);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$info $body attr-dict";
  let hasRegionVerifier = 1;
}

def ONNX_FunctionOp : ONNX_Op<"function",
    [IsolatedFromAbove, SingleBlock,
     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "an operator that the model itself defines";
  let description = [{
    Nodes call it by domain, name and overload.  `required` are attributes that
    a caller gives, `defaults` those that it may leave out; nodes of the body
    refer to both by `#onnx.ref`.
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$domain, StrAttr:$overload,
                       DictionaryAttr:$opsets, StrArrayAttr:$required,
                       DictionaryAttr:$defaults, ONNX_GraphAttr:$info);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `of` $domain $overload $info `opsets` $opsets `required` $required
    `defaults` $defaults $body attr-dict
  }];
  let hasRegionVerifier = 1;
}

#endif // TENON_DIALECT_ONNX_ONNXOPS_TD
