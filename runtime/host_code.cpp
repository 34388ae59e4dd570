//===- runtime/host_code.cpp - Object code of host kernels ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/host_code.h"

#include "absl/strings/str_cat.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

#include <mutex>
#include <vector>

namespace tenon::runtime {

struct HostCode::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

HostCode::HostCode(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
HostCode::HostCode(HostCode &&) noexcept = default;
HostCode &HostCode::operator=(HostCode &&) noexcept = default;
HostCode::~HostCode() = default;

static absl::Status failure(absl::string_view what, llvm::Error error) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": ", llvm::toString(std::move(error))));
}

absl::StatusOr<HostCode> HostCode::load(absl::string_view object) {
  static std::once_flag initialised;
  std::call_once(initialised, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return failure("host code cannot be loaded", jit.takeError());
  auto symbols = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!symbols)
    return failure("host code cannot be loaded", symbols.takeError());
  (*jit)->getMainJITDylib().addGenerator(std::move(*symbols));
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(object.data(), object.size()), "host_object");
  if (auto error = (*jit)->addObjectFile(std::move(buffer)))
    return failure("the program's host code is damaged", std::move(error));
  auto impl = std::make_unique<Impl>();
  impl->jit = std::move(*jit);
  return HostCode(std::move(impl));
}

absl::Status HostCode::call(absl::string_view symbol,
                            absl::Span<void *const> buffers) const {
  auto address =
      impl->jit->lookup(llvm::StringRef(symbol.data(), symbol.size()));
  if (!address)
    return absl::NotFoundError(
        absl::StrCat("host code has no kernel '", symbol,
                     "': ", llvm::toString(address.takeError())));
  std::vector<void *> arguments(buffers.begin(), buffers.end());
  address->toPtr<void (*)(void **)>()(arguments.data());
  return absl::OkStatus();
}

} // namespace tenon::runtime
