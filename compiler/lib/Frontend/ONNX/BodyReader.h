//===- BodyReader.h - Nodes and values of one graph -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Fills one block: of the main graph, of a function, of the graph in a node's
// attribute.  Names are looked up here, then in the graphs around.  Every name
// is defined once, before it is used: so no graph has a cycle.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_BODYREADER_H
#define TENON_LIB_FRONTEND_ONNX_BODYREADER_H

#include "Reader.h"
#include "llvm/ADT/StringSet.h"

namespace tenon::frontend {

class BodyReader {
public:
  using Values = google::protobuf::RepeatedPtrField<::onnx::ValueInfoProto>;

  BodyReader(Reader &R, const Opsets &Versions, const BodyReader *Parent,
             mlir::Region &Body);

  /// Reads the whole of `Graph`; what it has besides its nodes is the result.
  /// `Attribute` and `IsListed`: where it stands, of a node's graph.
  onnx::GraphAttr readGraph(::onnx::GraphProto &Graph,
                            mlir::StringAttr Attribute = {},
                            bool IsListed = false);
  onnx::GraphAttr readFunction(::onnx::FunctionProto &Function);

private:
  using Nodes = google::protobuf::RepeatedPtrField<::onnx::NodeProto>;

  void declare(const Values &Infos);
  void readInitializers(::onnx::GraphProto &Graph);
  void addConstant(llvm::StringRef Name, mlir::Attribute Value);
  void addInput(llvm::StringRef Name);
  void readNodes(Nodes &Protos);
  void readNode(::onnx::NodeProto &Proto, int64_t Index);
  void readAttributes(::onnx::NodeProto &Proto, const llvm::Twine &Where,
                      mlir::OperationState &State);
  mlir::Value use(llvm::StringRef Name, const llvm::Twine &Where);
  void finish(llvm::ArrayRef<llvm::StringRef> Outputs);

  /// The value of a name here or around; null where there is none yet.
  mlir::Value find(llvm::StringRef Name) const;
  /// Whether a node here or around computes it, before or after.
  bool isProduced(llvm::StringRef Name) const;
  bool define(llvm::StringRef Name, mlir::Value Value);
  mlir::Type declaredType(llvm::StringRef Name) const;
  mlir::Value none();

  Reader &R;
  const Opsets &Versions;
  const BodyReader *Parent;
  mlir::OpBuilder B;
  mlir::Block *Block;
  llvm::StringMap<mlir::Type> Declared;
  llvm::StringMap<mlir::Value> Defined;
  llvm::StringSet<> Produced;
  mlir::Value None;
};

/// Reads a function to where `B` stands.
onnx::FunctionOp readFunction(Reader &R, ::onnx::FunctionProto &Proto,
                              mlir::OpBuilder &B);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_BODYREADER_H
