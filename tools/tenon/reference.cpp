//===- tools/tenon/reference.cpp - The network on the CPU -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/reference.h"

#include "tenon/Frontend/ONNX/ImportModel.h"
#include "tenon/Target/Accelerator/EmitProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "absl/strings/str_cat.h"

#include <map>

namespace tenon::tools {

using runtime::Array;
using runtime::NamedTensors;

static Array emptyArray(isa::ElementType type, runtime::Shape shape) {
  std::vector<uint8_t> bytes(runtime::elementCount(shape) *
                             runtime::elementBytes(type));
  return {type, std::move(shape), std::move(bytes)};
}

static std::string text(mlir::Type type) {
  std::string result;
  llvm::raw_string_ostream(result) << type;
  return result;
}

/// Whether the network's arguments or results are the program's arrays: its
/// code reads and writes as many bytes as its own types say.
static absl::Status
checkBorder(const isa::Program &program,
            const google::protobuf::RepeatedField<uint32_t> &buffers,
            llvm::ArrayRef<mlir::Type> types, absl::string_view what) {
  if (size_t(buffers.size()) != types.size())
    return absl::InvalidArgumentError(absl::StrCat("it has ", types.size(), " ",
                                                   what, "s, the program has ",
                                                   buffers.size()));
  for (auto [index, type] : llvm::zip(buffers, types)) {
    const isa::Buffer &buffer = program.buffers(int(index));
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    if (buffer.type() == isa::ELEMENT_TYPE_UNSPECIFIED ||
        elementType(tensor.getElementType()) != buffer.type() ||
        !llvm::equal(tensor.getShape(), buffer.shape()))
      return absl::InvalidArgumentError(absl::StrCat(
          "its ", what, " '", buffer.name(), "' is ", text(type),
          ", the program's is ", runtime::shapeText(buffer.shape()), " ",
          runtime::elementName(buffer.type())));
  }
  return absl::OkStatus();
}

/// Whether tensors that stand in both have one shape and type.
static absl::Status checkTensors(const isa::Program &program,
                                 const Reference &reference) {
  std::map<absl::string_view, const ReferenceTensor *> tensors;
  for (const ReferenceTensor &tensor : reference.Tensors)
    tensors[tensor.Name] = &tensor;
  for (const isa::DramTensor &stored : program.tensors()) {
    auto found = tensors.find(stored.name());
    if (!stored.is_named() || found == tensors.end())
      continue;
    if (found->second->IsUnsigned != stored.is_unsigned() ||
        !llvm::equal(found->second->OnnxShape, stored.onnx_shape()))
      return absl::InvalidArgumentError(absl::StrCat(
          "its tensor '", stored.name(), "' is ",
          runtime::shapeText(found->second->OnnxShape), ", the program's is ",
          runtime::shapeText(stored.onnx_shape())));
  }
  return absl::OkStatus();
}

absl::StatusOr<ReferenceNetwork>
ReferenceNetwork::load(const isa::Program &program, Optimization level) {
  auto wrong = [](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("the program's reference network cannot be used: ", what));
  };
  mlir::DialectRegistry registry;
  registerCPUTarget(registry);
  mlir::MLIRContext context(registry);
  auto module = parseTosa(program.reference(), "reference", context);
  if (!module)
    return wrong(llvm::toString(module.takeError()));
  auto main = (*module)->lookupSymbol<mlir::func::FuncOp>("main");
  absl::Status border =
      checkBorder(program, program.inputs(), main.getArgumentTypes(), "input");
  border.Update(
      checkBorder(program, program.outputs(), main.getResultTypes(), "output"));
  if (!border.ok())
    return wrong(border.message());
  auto reference = compileReference(**module, level);
  if (!reference)
    return wrong(llvm::toString(reference.takeError()));
  if (auto status = checkTensors(program, *reference); !status.ok())
    return wrong(status.message());
  auto code = runtime::HostCode::load(reference->Object);
  if (!code.ok())
    return code.status();
  return ReferenceNetwork(program, *std::move(reference), *std::move(code));
}

absl::StatusOr<NamedTensors>
ReferenceNetwork::run(absl::Span<const Array> inputs) const {
  std::vector<void *> pointers;
  for (const Array &input : inputs)
    pointers.push_back(const_cast<uint8_t *>(input.bytes.data()));
  std::vector<Array> arrays;
  for (uint32_t index : program->outputs()) {
    const isa::Buffer &buffer = program->buffers(index);
    arrays.push_back(emptyArray(
        buffer.type(), {buffer.shape().begin(), buffer.shape().end()}));
  }
  for (const ReferenceTensor &tensor : reference.Tensors)
    arrays.push_back(emptyArray(isa::INT8, tensor.Shape));
  for (Array &array : arrays)
    pointers.push_back(array.bytes.data());
  if (auto status = code.call("main_packed", pointers); !status.ok())
    return status;
  NamedTensors result;
  size_t outputs = program->outputs_size();
  for (size_t i = 0; i < reference.Tensors.size(); ++i) {
    const ReferenceTensor &tensor = reference.Tensors[i];
    Array array = runtime::permute(arrays[outputs + i], tensor.Permutation);
    if (tensor.IsUnsigned) {
      runtime::addOffset(array.bytes, 128);
      array.type = isa::UINT8;
    }
    array.shape = tensor.OnnxShape;
    result[tensor.Name] = std::move(array);
  }
  for (size_t i = 0; i < outputs; ++i)
    result[program->buffers(program->outputs(i)).name()] = std::move(arrays[i]);
  return result;
}

std::vector<Array>
ReferenceNetwork::outputs(const NamedTensors &tensors) const {
  std::vector<Array> result;
  for (uint32_t index : program->outputs())
    result.push_back(tensors.at(program->buffers(index).name()));
  return result;
}

} // namespace tenon::tools
