// Part of Tenon, under the Apache License v2.0.

#include "isa/elf_segments.h"

namespace tenon::isa {

/// Mapped bytes of one object; more could not be host code of one network.
constexpr uint64_t maxImage = uint64_t{1} << 31;
constexpr uint64_t leastPage = 4096, mostPage = 65536;

template <typename Elf>
absl::StatusOr<Segments<Elf>> Segments<Elf>::read(absl::string_view bytes,
                                                  const ElfKind &kind) {
  Segments result;
  result.bytes = bytes;
  if (absl::Status status = result.readHeader(kind); !status.ok())
    return status;
  for (unsigned i = 0; i < result.header.e_phnum; ++i) {
    Segment segment;
    std::memcpy(&segment,
                bytes.data() + result.header.e_phoff + i * sizeof(Segment),
                sizeof(Segment));
    if (absl::Status status =
            result.readSegment(segment, kind.machine == EM_ARM);
        !status.ok())
      return elfError("segment {}: {}", i, std::string(status.message()));
  }
  if (absl::Status status = result.checkOthers(); !status.ok())
    return status;
  return result;
}

template <typename Elf>
absl::Status Segments<Elf>::readHeader(const ElfKind &kind) {
  if (bytes.size() < sizeof(header) ||
      std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
    return elfError("its {} bytes are no ELF file", bytes.size());
  std::memcpy(&header, bytes.data(), sizeof(header));
  const unsigned char *ident = header.e_ident;
  if (ident[EI_CLASS] != Elf::fileClass || ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != kind.machine)
    return elfError("it is an ELF file of class {}, data {} and machine {}, "
                    "its triple says class {}, data {} and machine {}",
                    ident[EI_CLASS], ident[EI_DATA], header.e_machine,
                    Elf::fileClass, ELFDATA2LSB, kind.machine);
  if (header.e_type != ET_DYN || ident[EI_VERSION] != EV_CURRENT ||
      header.e_version != EV_CURRENT || ident[EI_OSABI] != ELFOSABI_SYSV)
    return elfError("it is an ELF file of type {}, expected a shared object",
                    header.e_type);
  if (header.e_phentsize != sizeof(Segment) || header.e_phoff > bytes.size() ||
      header.e_phnum * sizeof(Segment) > bytes.size() - header.e_phoff)
    return elfError("its {} program headers of {} bytes at {} do not lie "
                    "within its {} bytes",
                    header.e_phnum, header.e_phentsize, header.e_phoff,
                    bytes.size());
  return absl::OkStatus();
}

template <typename Elf>
absl::Status Segments<Elf>::readSegment(const Segment &segment, bool isArm) {
  switch (segment.p_type) {
  case PT_LOAD:
    return addLoaded(segment);
  case PT_DYNAMIC:
    if (theDynamic)
      return elfError("it is a second dynamic section");
    theDynamic = segment;
    return absl::OkStatus();
  case PT_GNU_STACK:
    hasStack = true;
    if (segment.p_flags & PF_X)
      return elfError("it asks for an executable stack");
    return absl::OkStatus();
  case PT_PHDR:
  case PT_GNU_RELRO:
    others.push_back(segment);
    return absl::OkStatus();
  }
  // The table that unwinds Arm's functions.
  if (isArm && segment.p_type == PT_ARM_EXIDX) {
    others.push_back(segment);
    return absl::OkStatus();
  }
  return elfError("its type {:#x} is none of host code", segment.p_type);
}

template <typename Elf>
absl::Status Segments<Elf>::addLoaded(const Segment &segment) {
  uint64_t page = segment.p_align;
  if (page < leastPage || page > mostPage || page & (page - 1) ||
      (segment.p_vaddr - segment.p_offset) % page)
    return elfError("its address {:#x} and its place {:#x} in the file do not "
                    "agree in pages of {}",
                    segment.p_vaddr, segment.p_offset, page);
  if (segment.p_offset > bytes.size() ||
      segment.p_filesz > bytes.size() - segment.p_offset ||
      segment.p_filesz > segment.p_memsz || segment.p_vaddr > maxImage ||
      segment.p_memsz > maxImage - segment.p_vaddr)
    return elfError("{} bytes at {} of the file for {} bytes at {:#x} do not "
                    "lie within the file",
                    segment.p_filesz, segment.p_offset, segment.p_memsz,
                    segment.p_vaddr);
  bool writable = segment.p_flags & PF_W;
  if (!(segment.p_flags & PF_R) || (writable && segment.p_flags & PF_X) ||
      (!writable && segment.p_filesz != segment.p_memsz))
    return elfError("flags {:#x} do not suit {} of {} bytes from the file",
                    segment.p_flags, segment.p_filesz, segment.p_memsz);
  if (!loaded.empty()) {
    const Segment &last = loaded.back();
    uint64_t end = last.p_vaddr + last.p_memsz;
    if (segment.p_vaddr / page < (end + page - 1) / page)
      return elfError("it shares a page of {} bytes with the one before, or "
                      "lies below it",
                      page);
  }
  loaded.push_back(segment);
  return absl::OkStatus();
}

template <typename Elf> absl::Status Segments<Elf>::checkOthers() const {
  if (!hasStack || !theDynamic || loaded.empty())
    return elfError("it lacks one of the segments LOAD, DYNAMIC and GNU_STACK");
  // The loader writes into it.
  if (theDynamic->p_vaddr % sizeof(typename Elf::Word) ||
      theDynamic->p_filesz > theDynamic->p_memsz ||
      !find(theDynamic->p_vaddr, theDynamic->p_memsz, &Segment::p_filesz) ||
      !isWritable(theDynamic->p_vaddr, theDynamic->p_memsz))
    return elfError("its dynamic section, {} bytes at {:#x}, does not lie in "
                    "writable data",
                    theDynamic->p_memsz, theDynamic->p_vaddr);
  for (const Segment &other : others) {
    const Segment *inside =
        find(other.p_vaddr, other.p_memsz, &Segment::p_memsz);
    bool headers = other.p_type == PT_PHDR;
    if (!inside ||
        (other.p_type == PT_GNU_RELRO) == !(inside->p_flags & PF_W) ||
        (headers && (other.p_vaddr - inside->p_vaddr + inside->p_offset !=
                         header.e_phoff ||
                     other.p_memsz != header.e_phnum * sizeof(Segment))))
      return elfError("the segment of type {:#x}, {} bytes at {:#x}, does not "
                      "lie where it must",
                      other.p_type, other.p_memsz, other.p_vaddr);
  }
  return absl::OkStatus();
}

template class Segments<Elf64>;
template class Segments<Elf32>;

} // namespace tenon::isa
