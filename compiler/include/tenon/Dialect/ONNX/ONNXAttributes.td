// Attributes that MLIR has no own form for.

#ifndef TENON_DIALECT_ONNX_ONNXATTRIBUTES_TD
#define TENON_DIALECT_ONNX_ONNXATTRIBUTES_TD

include "tenon/Dialect/ONNX/ONNXDialect.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/EnumAttr.td"

class ONNX_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<ONNX_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def ONNX_DimsAttr : ONNX_Attr<"Dims", "dims",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "names of a tensor's open dimensions";
  let description = [{
    One name an axis: empty where the extent is fixed or has no name.  Two
    dimensions of one name have one extent throughout the model.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names);
  let assemblyFormat = "`<` `[` $names `]` `>`";
}

/// The kinds of an attribute, by the words of ONNX's AttributeProto.
def ONNX_Kind : I32EnumAttr<"Kind", "kind of an ONNX attribute", [
    I32EnumAttrCase<"Undefined", 0, "undefined">,
    I32EnumAttrCase<"Float", 1, "float">,
    I32EnumAttrCase<"Int", 2, "int">,
    I32EnumAttrCase<"String", 3, "string">,
    I32EnumAttrCase<"Tensor", 4, "tensor">,
    I32EnumAttrCase<"Graph", 5, "graph">,
    I32EnumAttrCase<"Floats", 6, "floats">,
    I32EnumAttrCase<"Ints", 7, "ints">,
    I32EnumAttrCase<"Strings", 8, "strings">,
    I32EnumAttrCase<"Tensors", 9, "tensors">,
    I32EnumAttrCase<"Graphs", 10, "graphs">,
    I32EnumAttrCase<"SparseTensor", 11, "sparse_tensor">,
    I32EnumAttrCase<"SparseTensors", 12, "sparse_tensors">,
    I32EnumAttrCase<"TypeProto", 13, "type_proto">,
    I32EnumAttrCase<"TypeProtos", 14, "type_protos">]> {
  let cppNamespace = "::tenon::onnx";
  let genSpecializedAttr = 0;
}

def ONNX_ListAttr : ONNX_Attr<"List", "list"> {
  let summary = "attribute that is a list of strings, tensors or types";
  let description = [{
    Lists of numbers are `array<i64: ...>` and `array<f32: ...>`.  A list of
    graphs stands here only where it is empty; otherwise the graphs are regions.
  }];
  let parameters = (ins EnumParameter<ONNX_Kind>:$kind, "::mlir::ArrayAttr":$elements);
  let assemblyFormat = "`<` $kind `,` $elements `>`";
}

def ONNX_RefAttr : ONNX_Attr<"Ref", "ref"> {
  let summary = "attribute of a node in a function: the caller's attribute `name`";
  let parameters = (ins EnumParameter<ONNX_Kind>:$kind, "::mlir::StringAttr":$name);
  let assemblyFormat = "`<` $kind `,` $name `>`";
}

def ONNX_SparseAttr : ONNX_Attr<"SparseTensor", "sparse_tensor"> {
  let summary = "values of a sparse tensor";
  let description = [{
    `indices` are positions in the flattened tensor (one axis) or coordinates
    (two axes); `tensor` is the type of the whole.
  }];
  let parameters = (ins "::mlir::ElementsAttr":$values, "::mlir::ElementsAttr":$indices,
                        "::mlir::RankedTensorType":$tensor);
  let assemblyFormat = "`<` $values `,` $indices `,` $tensor `>`";
}

def ONNX_GraphAttr : ONNX_Attr<"Graph", "graph"> {
  let summary = "what a graph has besides its nodes";
  let description = [{
    `attribute` is the node's attribute that holds the graph, `listed` whether
    that is a list of graphs; both are absent for the main graph.  `inputs`
    names every input in the file's order, those that an initializer gives a
    value (`onnx.constant` with `input`) included; the region's arguments are
    the others.  `notes` holds documentation and annotations.
  }];
  let parameters = (ins OptionalParameter<"::mlir::StringAttr">:$attribute,
                        DefaultValuedParameter<"bool", "false">:$listed,
                        "::mlir::StringAttr":$name, "::mlir::ArrayAttr":$inputs,
                        OptionalParameter<"::mlir::DictionaryAttr">:$notes);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // TENON_DIALECT_ONNX_ONNXATTRIBUTES_TD
