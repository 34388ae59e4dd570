// Part of Tenon, under the Apache License v2.0.
//
// What of an ELF file is mapped where, in both classes. All addresses are the
// file's own, before it is moved to its place; all are little-endian, as every
// host of Tenon is.

#ifndef TENON_ISA_ELF_SEGMENTS_H
#define TENON_ISA_ELF_SEGMENTS_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fmt/format.h"

#include <elf.h>

#include <array>
#include <cstring>
#include <optional>
#include <vector>

namespace tenon::isa {

struct Elf64 {
  static constexpr unsigned char fileClass = ELFCLASS64;
  using Word = Elf64_Addr;
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Dynamic = Elf64_Dyn;
  using Symbol = Elf64_Sym;
  using Relocation = Elf64_Rela;
  static uint32_t typeOf(const Relocation &r) { return ELF64_R_TYPE(r.r_info); }
  static uint32_t symbolOf(const Relocation &r) {
    return ELF64_R_SYM(r.r_info);
  }
};

struct Elf32 {
  static constexpr unsigned char fileClass = ELFCLASS32;
  using Word = Elf32_Addr;
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Dynamic = Elf32_Dyn;
  using Symbol = Elf32_Sym;
  using Relocation = Elf32_Rel;
  static uint32_t typeOf(const Relocation &r) { return ELF32_R_TYPE(r.r_info); }
  static uint32_t symbolOf(const Relocation &r) {
    return ELF32_R_SYM(r.r_info);
  }
};

/// What an architecture's files have of their own.
struct ElfKind {
  uint16_t machine;
  std::array<uint32_t, 4> relocations; ///< those that host code may have
};

template <typename... Args>
absl::Status elfError(fmt::format_string<Args...> format, Args &&...args) {
  return absl::InvalidArgumentError(
      fmt::format(format, std::forward<Args>(args)...));
}

/// The segments of a file, checked: mapping them overlaps nothing, nothing is
/// both writable and executable, and the stack does not become executable.
template <typename Elf> class Segments {
public:
  using Segment = typename Elf::Segment;

  static absl::StatusOr<Segments> read(absl::string_view bytes,
                                       const ElfKind &kind);

  const Segment &dynamic() const { return *theDynamic; }

  /// Data that no one writes; null where [address, address + size) is not such.
  const char *constant(uint64_t address, uint64_t size) const {
    const Segment *segment = find(address, size, &Segment::p_filesz);
    return segment && !(segment->p_flags & PF_W) ? pointer(*segment, address)
                                                 : nullptr;
  }
  bool isWritable(uint64_t address, uint64_t size) const {
    const Segment *segment = find(address, size, &Segment::p_memsz);
    return segment && segment->p_flags & PF_W;
  }
  bool isExecutable(uint64_t address) const {
    const Segment *segment = find(address, 1, &Segment::p_filesz);
    return segment && segment->p_flags & PF_X;
  }
  /// A copy of what lies at `address` of the file's mapped data.
  template <typename T> std::optional<T> copy(uint64_t address) const {
    const Segment *segment = find(address, sizeof(T), &Segment::p_filesz);
    if (!segment)
      return std::nullopt;
    T value;
    std::memcpy(&value, pointer(*segment, address), sizeof(T));
    return value;
  }

private:
  absl::Status readHeader(const ElfKind &kind);
  absl::Status readSegment(const Segment &segment, bool isArm);
  absl::Status addLoaded(const Segment &segment);
  absl::Status checkOthers() const;

  const char *pointer(const Segment &segment, uint64_t address) const {
    return bytes.data() + segment.p_offset + (address - segment.p_vaddr);
  }

  /// The loaded segment whose first `extent` bytes hold the range.
  template <typename Size>
  const Segment *find(uint64_t address, uint64_t size,
                      Size Segment::*extent) const {
    for (const Segment &segment : loaded)
      if (address >= segment.p_vaddr && size <= segment.*extent &&
          address - segment.p_vaddr <= segment.*extent - size)
        return &segment;
    return nullptr;
  }

  absl::string_view bytes;
  typename Elf::Header header;
  std::vector<Segment> loaded, others;
  std::optional<Segment> theDynamic;
  bool hasStack = false;
};

extern template class Segments<Elf64>;
extern template class Segments<Elf32>;

} // namespace tenon::isa

#endif // TENON_ISA_ELF_SEGMENTS_H
