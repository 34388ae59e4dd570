// The dialect and its types.

#ifndef TENON_DIALECT_ONNX_ONNXDIALECT_TD
#define TENON_DIALECT_ONNX_ONNXDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def ONNX_Dialect : Dialect {
  let name = "onnx";
  let cppNamespace = "::tenon::onnx";
  let summary = "An ONNX model as its file has it";
  let description = [{
    A module with the attribute `onnx.model` (a dictionary: ir_version, opsets,
    producer and so on) holds one `onnx.graph`, the main graph, and an
    `onnx.function` for each local function.  Every node is an `onnx.node`, one
    generic operation: which operators there are is not this dialect's business.
    Values are tensors with ONNX's element types; a dimension that the file
    names is dynamic and its name stands in the type's encoding `#onnx.dims`.
    `uint8` is `ui8`, `int8` is `i8`, `bool` is `i1`.

    The names of values are kept: of a node's results in its `outputs`, of a
    graph's inputs in its `#onnx.graph`, of a constant in its `name`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class ONNX_Type<string name, string typeMnemonic> : TypeDef<ONNX_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def ONNX_StringType : ONNX_Type<"String", "string"> {
  let summary = "element of a tensor of strings";
}

def ONNX_UnknownType : ONNX_Type<"Unknown", "unknown"> {
  let summary = "a value, or an element, whose type the file does not tell";
}

def ONNX_SequenceType : ONNX_Type<"Sequence", "sequence"> {
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
}

def ONNX_OptionalType : ONNX_Type<"Optional", "optional"> {
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
}

def ONNX_MapType : ONNX_Type<"Map", "map"> {
  let parameters = (ins "::mlir::Type":$key, "::mlir::Type":$value);
  let assemblyFormat = "`<` $key `,` $value `>`";
}

def ONNX_SparseType : ONNX_Type<"Sparse", "sparse"> {
  let summary = "a tensor of which only the elements that are not zero are held";
  let parameters = (ins "::mlir::TensorType":$tensor);
  let assemblyFormat = "`<` $tensor `>`";
}

def ONNX_OpaqueType : ONNX_Type<"Opaque", "opaque"> {
  let summary = "a type that another domain defines";
  let parameters = (ins "::mlir::StringAttr":$domain, "::mlir::StringAttr":$name);
  let assemblyFormat = "`<` $domain `,` $name `>`";
}

#endif // TENON_DIALECT_ONNX_ONNXDIALECT_TD
