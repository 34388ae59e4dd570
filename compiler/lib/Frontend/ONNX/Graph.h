//===- Graph.h - A checked view of an ONNX file -----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_GRAPH_H
#define TENON_LIB_FRONTEND_ONNX_GRAPH_H

#include "Constant.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace tenon::frontend {

/// One node.  Names refer to the model, which outlives it.
struct Node {
  std::string Name; // as in the file, or operator and index
  llvm::StringRef Operator;
  llvm::StringRef Domain; // empty for ai.onnx
  int64_t Opset;          // of the domain, as the model imports it
  const ::onnx::NodeProto *Proto;

  /// The name of input `Index`, empty where it is absent.
  llvm::StringRef input(int Index) const;
  int inputCount() const { return Proto->input_size(); }
  /// "Conv of ai.onnx, opset 13".
  std::string describe() const;
};

/// An input or output of the graph.
struct Border {
  std::string Name;
  int32_t Type;
  /// Dimensions; where the file leaves one open, -1 and its name (or "?").
  bool HasShape;
  Shape Dims;
  std::vector<std::string> Symbols;
};

/// An ONNX model whose structure is sound: it has a graph and outputs, every
/// name is defined once and before it is used, and every initializer is whole.
class Graph {
public:
  /// Reads binary protobuf, or its text form when `IsText`.
  static llvm::Expected<std::unique_ptr<Graph>> parse(llvm::StringRef Data,
                                                      bool IsText);

  const std::vector<Node> &nodes() const { return Nodes; }
  const std::vector<Border> &inputs() const { return Inputs; }
  const std::vector<Border> &outputs() const { return Outputs; }
  const llvm::StringMap<Constant> &initializers() const { return Constants; }

private:
  llvm::Error check();
  llvm::Error readOpsets();
  llvm::Error readInitializers();
  llvm::Error readBorders();
  llvm::Error readNodes();
  llvm::Error checkNames() const;

  ::onnx::ModelProto Model;
  llvm::StringMap<int64_t> Opsets;
  llvm::StringMap<Constant> Constants;
  std::vector<Border> Inputs, Outputs;
  std::vector<Node> Nodes;
};

/// "ai.onnx" for the empty domain.
llvm::StringRef domainName(llvm::StringRef Domain);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_GRAPH_H
