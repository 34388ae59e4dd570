//===- compiler/driver/host_code.cpp - Host code, made once ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/host_code.h"

#include "isa/executable.h"
#include "tenon/Target/CPU/Hosts.h"

#include "absl/algorithm/container.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/MC/TargetRegistry.h"

namespace tenon::compiler {

/// Which builds of compiler, MLIR and LLVM make code.
static std::string builds() {
  std::string text;
  for (auto *code :
       {reinterpret_cast<const void *>(&compileForHosts),
        reinterpret_cast<const void *>(&mlir::writeBytecodeToFile),
        reinterpret_cast<const void *>(&llvm::TargetRegistry::targets)})
    text += isa::buildOf(code) + " ";
  return text;
}

static llvm::Expected<std::string>
keyOf(mlir::ModuleOp functions, llvm::ArrayRef<const isa::HostTarget *> hosts) {
  static const std::string made = "host code by " + builds();
  std::string key = made;
  for (const isa::HostTarget *host : hosts)
    key += std::string(host->name) + " ";
  llvm::raw_string_ostream stream(key);
  if (failed(mlir::writeBytecodeToFile(functions, stream)))
    return llvm::createStringError("host functions cannot be written");
  return key;
}

/// Whether it is code that this compiler writes, for at most so many hosts.
static bool isOurs(const isa::HostCode &code, size_t hosts) {
  return code.executables_size() && size_t(code.executables_size()) <= hosts &&
         absl::c_all_of(code.executables(), [&](const isa::Executable &each) {
           auto image = isa::readExecutable(each);
           return image.ok() &&
                  isa::constantsOf(*image) <= code.constants().size();
         });
}

static std::optional<isa::HostCode>
codeOf(const std::optional<std::string> &text, size_t hosts) {
  isa::HostCode code;
  if (!text || !code.ParseFromString(*text) || !isOurs(code, hosts))
    return std::nullopt;
  return code;
}

llvm::Expected<isa::HostCode>
recordedHostCode(mlir::ModuleOp functions,
                 llvm::ArrayRef<const isa::HostTarget *> hosts,
                 isa::RecordStore &records, PassObserver observe) {
  auto key = keyOf(functions, hosts);
  if (!key)
    return key.takeError();
  if (auto known = codeOf(records.find(*key), hosts.size()))
    return *std::move(known);
  auto made = compileForHosts(functions, hosts, observe);
  if (!made)
    return made.takeError();
  records.keep(*key, made->Code.SerializeAsString());
  return std::move(made->Code);
}

/// A program of code and buffers, which are the tensors, holds it.
static std::string textOf(const Reference &reference) {
  isa::Program holder;
  *holder.mutable_host_code() = reference.Code;
  for (const ReferenceTensor &tensor : reference.Tensors) {
    isa::Buffer &buffer = *holder.add_buffers();
    buffer.set_name(tensor.Name);
    buffer.set_type(tensor.IsUnsigned ? isa::UINT8 : isa::INT8);
    buffer.mutable_shape()->Add(tensor.Shape.begin(), tensor.Shape.end());
  }
  return holder.SerializeAsString();
}

/// Nothing where it is no code that this compiler writes.
static std::optional<Reference>
referenceOf(const std::optional<std::string> &text) {
  isa::Program holder;
  if (!text || !holder.ParseFromString(*text) || !isOurs(holder.host_code(), 1))
    return std::nullopt;
  Reference reference;
  reference.Code = std::move(*holder.mutable_host_code());
  for (const isa::Buffer &buffer : holder.buffers())
    reference.Tensors.push_back({buffer.name(),
                                 {buffer.shape().begin(), buffer.shape().end()},
                                 buffer.type() == isa::UINT8});
  return reference;
}

llvm::Expected<Reference> recordedReference(mlir::ModuleOp network,
                                            const std::string &content,
                                            Optimization optimization,
                                            bool withTensors,
                                            isa::RecordStore &records) {
  if (!records.isOpen())
    return tenon::compileReference(network, optimization, withTensors);
  static const std::string made = "reference by " + builds();
  const std::string key = made + std::string(thisHost().name) + " " +
                          std::to_string(int(optimization)) +
                          (withTensors ? " with tensors " : " ") + content;
  if (auto known = referenceOf(records.find(key)))
    return *std::move(known);
  auto reference = tenon::compileReference(network, optimization, withTensors);
  if (reference)
    records.keep(key, textOf(*reference));
  return reference;
}

} // namespace tenon::compiler
