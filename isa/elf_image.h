// Part of Tenon, under the Apache License v2.0.
//
// An ELF shared object as the system's loader sees it. That loader trusts what
// it maps: a damaged table takes the process with it. So everything it reads is
// checked before, and what host code has no use for is refused: constructors,
// libraries by name, thread-local storage, writable code, notes.

#ifndef TENON_ISA_ELF_IMAGE_H
#define TENON_ISA_ELF_IMAGE_H

#include "isa/host_target.h"

#include "absl/status/statusor.h"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tenon::isa {

class ElfImage {
public:
  /// InvalidArgument where loading `bytes` on a machine of `architecture` could
  /// do anything but map segments, bind symbols and relocate words of its own.
  static absl::StatusOr<ElfImage> read(absl::string_view bytes,
                                       Architecture architecture);

  /// Symbols that it expects from elsewhere, in the order of its table.
  absl::Span<const std::string> imports() const { return imported; }
  /// Whether it offers a function of this name.
  bool hasFunction(absl::string_view name) const;
  /// The constant of so many bytes, 4 or 8, that it offers under this name.
  std::optional<uint32_t> constant32(absl::string_view name) const;
  std::optional<uint64_t> constant64(absl::string_view name) const;

private:
  template <typename Elf> friend class ElfReader;

  std::vector<std::string> imported;
  /// Functions have no value, constants of 4 and 8 bytes theirs.
  using Value = std::variant<std::monostate, uint32_t, uint64_t>;
  template <typename T>
  std::optional<T> exportedAs(absl::string_view name) const;
  std::map<std::string, Value, std::less<>> exported;
};

} // namespace tenon::isa

#endif // TENON_ISA_ELF_IMAGE_H
