// Part of Tenon, under the Apache License v2.0.
//
// What may be loaded as host code: a known kind of host, and a shared object
// that keeps to isa/host_abi.h.

#ifndef TENON_ISA_EXECUTABLE_H
#define TENON_ISA_EXECUTABLE_H

#include "isa/elf_image.h"
#include "isa/proto/program.pb.h"

namespace tenon::isa {

/// The kernel that the compiler makes of a function.
std::string kernelSymbol(absl::string_view function);

/// The object of an executable, checked; nothing of it is executed. The error
/// says what is wrong: the triple, a feature, the file, a symbol that it
/// imports, the version it was made for.
absl::StatusOr<ElfImage> readExecutable(const Executable &executable);

/// Bytes of workspace that kernel `symbol` of an object asks for; none where it
/// offers no such function or does not say.
std::optional<uint64_t> workspaceOf(const ElfImage &image,
                                    absl::string_view symbol);

/// Bytes of constants that the kernels of an object, as readExecutable took it,
/// read.
uint64_t constantsOf(const ElfImage &image);

/// No kernel may ask for more.
constexpr uint64_t mostWorkspace = uint64_t(1) << 40;

/// "x86_64-unknown-linux-gnu" with its features: how messages name it.
std::string toString(const Executable &executable);

} // namespace tenon::isa

#endif // TENON_ISA_EXECUTABLE_H
