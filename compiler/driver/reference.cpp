//===- compiler/driver/reference.cpp - The network on the CPU -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/reference.h"

#include "compiler/driver/collector.h"
#include "compiler/driver/host_code.h"

#include "isa/element_type.h"
#include "isa/executable.h"
#include "isa/isa.h"
#include "tenon/Frontend/ONNX/ImportModel.h"
#include "tenon/Target/Accelerator/Border.h"
#include "tenon/Target/CPU/CPUTarget.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <map>

namespace tenon::compiler {

namespace {

using Indices = google::protobuf::RepeatedField<uint32_t>;
using Extents = google::protobuf::RepeatedField<int64_t>;

absl::Status wrong(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("the program's reference network cannot be used: ", what));
}

/// "1x<tokens>x32x32 uint8"
std::string typeText(const isa::Buffer &buffer) {
  std::vector<std::string> extents;
  for (int axis = 0; axis < buffer.shape_size(); ++axis)
    extents.push_back(axis < buffer.symbols_size() &&
                              !buffer.symbols(axis).empty()
                          ? absl::StrCat("<", buffer.symbols(axis), ">")
                          : absl::StrCat(buffer.shape(axis)));
  return absl::StrCat(absl::StrJoin(extents, "x"), " ",
                      isa::elementName(buffer.type()));
}

/// Whether the network's arrays are the program's: its code reads and writes as
/// many bytes as its own types say.
absl::Status checkArrays(const isa::Program &program, const Indices &buffers,
                         const isa::Program &network, const Indices &own,
                         absl::string_view what) {
  if (buffers.size() != own.size())
    return wrong(absl::StrCat("it has ", own.size(), " ", what,
                              "s, the program has ", buffers.size()));
  for (int i = 0; i < own.size(); ++i) {
    const isa::Buffer &want = program.buffers(int(buffers[i]));
    std::string is = typeText(network.buffers(int(own[i])));
    if (is != typeText(want))
      return wrong(absl::StrCat("its ", what, " '", want.name(), "' is ", is,
                                ", the program's is ", typeText(want)));
  }
  return absl::OkStatus();
}

/// Whether tensors that stand in both have one shape and type.
absl::Status checkTensors(const isa::Program &program,
                          const Reference &reference) {
  std::map<absl::string_view, const ReferenceTensor *> tensors;
  for (const ReferenceTensor &tensor : reference.Tensors)
    tensors[tensor.Name] = &tensor;
  for (const isa::DramTensor &stored : program.tensors()) {
    auto found = tensors.find(stored.name());
    if (!stored.is_named() || found == tensors.end())
      continue;
    if (found->second->IsUnsigned != stored.is_unsigned() ||
        !llvm::equal(found->second->Shape, stored.onnx_shape()))
      return wrong(absl::StrCat("its tensor '", stored.name(), "' is ",
                                absl::StrJoin(found->second->Shape, "x"),
                                ", the program's is ",
                                absl::StrJoin(stored.onnx_shape(), "x")));
  }
  return absl::OkStatus();
}

/// The one step of `network`, which has no steps: everything.
void addKernel(Reference reference, isa::Program &network) {
  isa::HostKernel &kernel = *network.add_steps()->mutable_host_kernel();
  kernel.set_name("reference");
  kernel.set_symbol(isa::kernelSymbol("main"));
  for (const ReferenceTensor &tensor : reference.Tensors) {
    network.add_outputs(network.buffers_size());
    isa::Buffer &buffer = *network.add_buffers();
    buffer.set_name(tensor.Name);
    buffer.set_type(tensor.IsUnsigned ? isa::UINT8 : isa::INT8);
    buffer.mutable_shape()->Add(tensor.Shape.begin(), tensor.Shape.end());
  }
  *kernel.mutable_inputs() = network.inputs();
  *kernel.mutable_outputs() = network.outputs();
  *network.mutable_host_code() = std::move(reference.Code);
}

} // namespace

absl::StatusOr<isa::Program>
compileReference(const isa::Program &program, Optimization optimization,
                 bool withTensors, const std::string &records,
                 const DiagnosticListener &listener) {
  auto layout = isa::Layout::get(program.configuration());
  if (!layout.ok())
    return layout.status();
  mlir::DialectRegistry registry;
  registerCPUTarget(registry);
  mlir::MLIRContext context(registry);
  Collector diagnostics(context, nullptr);
  auto module = parseImported(program.reference(), "reference", context);
  if (!module)
    return wrong(diagnostics.status("the import failed").message());
  auto network = borderOf(*module, *layout);
  if (!network)
    return wrong(llvm::toString(network.takeError()));
  absl::Status status = checkArrays(program, program.inputs(), *network,
                                    network->inputs(), "input");
  status.Update(checkArrays(program, program.outputs(), *network,
                            network->outputs(), "output"));
  if (!status.ok())
    return status;
  // An output of the program that is one of its inputs has that one's name:
  // what the two compute is compared by the program's names.
  for (int i = 0; i < network->outputs_size(); ++i)
    network->mutable_buffers(int(network->outputs(i)))
        ->set_name(program.buffers(int(program.outputs(i))).name());
  isa::RecordStore store(records);
  auto reference = recordedReference(*module, program.reference(), optimization,
                                     withTensors, store);
  if (!reference)
    return wrong(llvm::toString(reference.takeError()));
  if (auto told = store.status(); !told.ok() && listener)
    listener({Severity::Remark, "", std::string(told.message())});
  if (status = checkTensors(program, *reference); !status.ok())
    return status;
  addKernel(*std::move(reference), *network);
  return *std::move(network);
}

} // namespace tenon::compiler
