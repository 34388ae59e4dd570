//===- InferenceContext.h - One node for ONNX's inference -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What the ONNX library asks when it infers the types of a node's results
// (InferenceContext) or the values that flow into shapes (DataPropagation), in
// its own terms, answered from the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_INFERENCECONTEXT_H
#define TENON_LIB_FRONTEND_ONNX_INFERENCECONTEXT_H

#include "onnx/defs/shape_inference.h"
#include "tenon/Dialect/ONNX/Node.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>
#include <map>
#include <memory>

namespace tenon::frontend {

/// Integers that a value is known to have, each a number or a dimension's name.
using KnownValues = llvm::DenseMap<mlir::Value, ::onnx::TensorShapeProto>;

/// Infers a body for arguments of these types; gives the types of its outputs.
using BodyInference = std::function<std::vector<mlir::Type>(
    mlir::Region &, llvm::ArrayRef<mlir::Type>)>;

class NodeContext final : public ::onnx::InferenceContext,
                          public ::onnx::DataPropagationContext {
public:
  NodeContext(onnx::NodeOp Op, const KnownValues &Known, BodyInference Infer);
  ~NodeContext() override;

  const ::onnx::AttributeProto *
  getAttribute(const std::string &Name) const override;
  size_t getNumInputs() const override { return Inputs.size(); }
  const ::onnx::TypeProto *getInputType(size_t Index) const override;
  size_t getNumOutputs() const override { return Outputs.size(); }

  // InferenceContext alone.
  const ::onnx::TensorProto *getInputData(size_t Index) const override;
  const ::onnx::SparseTensorProto *getInputSparseData(size_t) const override {
    return nullptr;
  }
  const ::onnx::TensorShapeProto *getSymbolicInput(size_t Index) const override;
  ::onnx::TypeProto *getOutputType(size_t Index) override;
  ::onnx::GraphInferencer *
  getGraphAttributeInferencer(const std::string &Name) override;

  // DataPropagationContext alone.
  const ::onnx::TypeProto *getOutputType(size_t Index) const override;
  const ::onnx::TensorShapeProto *getInputData(size_t Index) override;
  void addOutputData(size_t Index, ::onnx::TensorShapeProto &&Data) override;

  /// What propagation found of output `Index`; null where it found nothing.
  const ::onnx::TensorShapeProto *outputData(size_t Index) const;

private:
  class BodyInferencer;
  struct Input {
    bool IsPresent = false;
    ::onnx::TypeProto Type;
    std::unique_ptr<::onnx::TensorProto> Constant;
    std::unique_ptr<::onnx::TensorShapeProto> Known;
  };

  onnx::NodeOp Op;
  BodyInference Infer;
  ::onnx::NodeProto Proto;
  std::vector<Input> Inputs;
  std::vector<::onnx::TypeProto> Outputs;
  std::map<size_t, ::onnx::TensorShapeProto> Found;
  std::map<std::string, std::unique_ptr<BodyInferencer>> Bodies;
};

/// The type that `Proto` is; `onnx.unknown` where it says nothing of use.
mlir::Type typeFromProto(mlir::MLIRContext *Context, ::onnx::TypeProto Proto);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_INFERENCECONTEXT_H
