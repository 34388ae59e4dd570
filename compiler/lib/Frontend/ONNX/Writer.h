//===- Writer.h - The onnx dialect to protobuf ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The reverse of Reader.h.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_WRITER_H
#define TENON_LIB_FRONTEND_ONNX_WRITER_H

#include "ElementTypes.h"
#include "mlir/IR/BuiltinOps.h"
#include "onnx/onnx_pb.h"
#include "tenon/Dialect/ONNX/ONNX.h"

namespace tenon::frontend {

class Writer {
public:
  /// Tensors of more than `MostBytes` are written without their data.
  explicit Writer(uint64_t MostBytes) : MostBytes(MostBytes) {}

  ::onnx::ModelProto writeModel(mlir::ModuleOp Module);
  void writeTensor(mlir::ElementsAttr Value, ::onnx::TensorProto &Proto);
  /// All of a node but its graphs.
  void writeNodeAlone(onnx::NodeOp Op, ::onnx::NodeProto &Proto);

private:
  void writeFunction(onnx::FunctionOp Op, ::onnx::FunctionProto &Proto);
  void writeGraph(onnx::GraphAttr Info, mlir::Region &Body,
                  ::onnx::GraphProto &Proto);
  void writeConstant(onnx::ConstantOp Op, ::onnx::GraphProto &Proto);
  void writeNode(onnx::NodeOp Op, ::onnx::NodeProto &Proto);
  void writeAttribute(mlir::Attribute Value, ::onnx::AttributeProto &Proto);
  void writeList(onnx::ListAttr List, ::onnx::AttributeProto &Proto);
  void writeSparse(onnx::SparseTensorAttr Value,
                   ::onnx::SparseTensorProto &Proto);

  uint64_t MostBytes;
};

/// A node without its graphs, for who looks at it alone; tensors of more than
/// `MostBytes` lack their data.
::onnx::NodeProto writeAlone(onnx::NodeOp Op, uint64_t MostBytes);

/// A tensor; null where it has more than `MostBytes`.
std::unique_ptr<::onnx::TensorProto> writeTensor(mlir::ElementsAttr Value,
                                                 uint64_t MostBytes);

void writeType(mlir::Type Type, ::onnx::TypeProto &Proto);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_WRITER_H
