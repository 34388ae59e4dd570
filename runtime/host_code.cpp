//===- runtime/host_code.cpp - Host kernels, loaded -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/host_code.h"

#include "isa/executable.h"
#include "isa/host_features.h"
#include "runtime/aligned_memory.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tenon::runtime {

struct HostCode::Impl {
  explicit Impl(isa::ElfImage image) : image(std::move(image)) {}
  Impl(const Impl &) = delete;
  ~Impl() {
    if (library)
      dlclose(library);
    if (file >= 0)
      close(file);
  }

  isa::ElfImage image;
  AlignedMemory constants;
  // Stays open: the loader knows libraries by their path, and another file of
  // this number would be taken for this one.
  int file = -1;
  void *library = nullptr;
};

HostCode::HostCode(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
HostCode::HostCode(HostCode &&) noexcept = default;
HostCode &HostCode::operator=(HostCode &&) noexcept = default;
HostCode::~HostCode() = default;

static absl::Status noFile(absl::string_view what) {
  return absl::ErrnoToStatus(
      errno, absl::StrCat("host code cannot be loaded: ", what));
}

/// A file without a name that holds `bytes`.
static absl::StatusOr<int> anonymousFile(absl::string_view bytes) {
  int file = memfd_create("tenon host code", MFD_CLOEXEC);
  if (file < 0)
    return noFile("there is no anonymous file for it");
  for (size_t done = 0; done < bytes.size();) {
    ssize_t count = write(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      absl::Status status = noFile("its anonymous file cannot be written");
      close(file);
      return status;
    }
    done += size_t(count);
  }
  return file;
}

absl::StatusOr<HostCode> HostCode::load(const isa::Executable &executable,
                                        absl::string_view constants) {
  auto image = isa::readExecutable(executable);
  if (!image.ok())
    return absl::InvalidArgumentError(absl::StrCat(
        "the program's host code is damaged: ", image.status().message()));
  if (isa::constantsOf(*image) > constants.size())
    return absl::InvalidArgumentError(
        absl::StrCat("the program's host code is damaged: it reads ",
                     isa::constantsOf(*image),
                     " bytes of constants, there are ", constants.size()));
  auto impl = std::make_unique<Impl>(*std::move(image));
  absl::Status status = impl->constants.reserve(constants.size());
  if (!status.ok())
    return status;
  if (!constants.empty())
    std::memcpy(impl->constants.data(), constants.data(), constants.size());
  auto file = anonymousFile(executable.image());
  if (!file.ok())
    return file.status();
  impl->file = *file;
  impl->library = dlopen(absl::StrCat("/proc/self/fd/", *file).c_str(),
                         RTLD_NOW | RTLD_LOCAL);
  if (!impl->library)
    return absl::UnavailableError(
        absl::StrCat("host code cannot be loaded: ", dlerror()));
  return HostCode(std::move(impl));
}

absl::StatusOr<HostCode> HostCode::load(const isa::HostCode &code) {
  for (const isa::Executable &executable : code.executables())
    if (isa::satisfies(executable))
      return load(executable, code.constants());
  auto name = [](std::string *out, const isa::Executable &executable) {
    out->append(isa::toString(executable));
  };
  return absl::FailedPreconditionError(absl::StrCat(
      "the program has no host code for this machine, ", isa::describeMachine(),
      "; it has some for: ", absl::StrJoin(code.executables(), "; ", name),
      "; compile it again with --host"));
}

absl::StatusOr<Kernel> HostCode::kernel(absl::string_view symbol) const {
  void *address = nullptr;
  std::optional<uint64_t> workspace = isa::workspaceOf(impl->image, symbol);
  if (workspace)
    address = dlsym(impl->library, std::string(symbol).c_str());
  if (!address)
    return absl::NotFoundError(
        absl::StrCat("host code has no kernel '", symbol, "'"));
  return Kernel{reinterpret_cast<TenonHostKernel>(address), *workspace,
                impl->constants.data()};
}

} // namespace tenon::runtime
