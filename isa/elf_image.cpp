// Part of Tenon, under the Apache License v2.0.

#include "isa/elf_image.h"

#include "isa/elf_segments.h"

#include <algorithm>
#include <cstring>

namespace tenon::isa {

/// Follows the loader: dynamic section, strings, hash table, symbols,
/// relocations.
template <typename Elf> class ElfReader {
public:
  ElfReader(const Segments<Elf> &segments, const ElfKind &kind)
      : segments(segments), kind(kind) {}

  absl::StatusOr<ElfImage> read() {
    for (auto step : {&ElfReader::readDynamic, &ElfReader::readStrings,
                      &ElfReader::readHash, &ElfReader::readSymbols,
                      &ElfReader::readRelocations})
      if (absl::Status status = (this->*step)(); !status.ok())
        return status;
    return std::move(image);
  }

private:
  using Word = typename Elf::Word;
  using Symbol = typename Elf::Symbol;
  using Relocation = typename Elf::Relocation;

  static constexpr bool hasAddends = sizeof(Word) == 8;
  static constexpr int64_t tableTag = hasAddends ? DT_RELA : DT_REL;
  static constexpr int64_t sizeTag = hasAddends ? DT_RELASZ : DT_RELSZ;
  static constexpr int64_t entryTag = hasAddends ? DT_RELAENT : DT_RELENT;

  static bool isKnown(int64_t tag) {
    for (int64_t known :
         {int64_t(DT_HASH), int64_t(DT_STRTAB), int64_t(DT_STRSZ),
          int64_t(DT_SYMTAB), int64_t(DT_SYMENT), tableTag, sizeTag, entryTag,
          int64_t(DT_JMPREL), int64_t(DT_PLTREL), int64_t(DT_PLTRELSZ),
          int64_t(DT_PLTGOT), int64_t(DT_SYMBOLIC), int64_t(DT_BIND_NOW),
          int64_t(DT_FLAGS), int64_t(DT_FLAGS_1)})
      if (tag == known)
        return true;
    return false;
  }

  absl::Status readDynamic() {
    const auto &dynamic = segments.dynamic();
    for (uint64_t at = 0;
         at + sizeof(typename Elf::Dynamic) <= dynamic.p_filesz;
         at += sizeof(typename Elf::Dynamic)) {
      auto entry =
          *segments.template copy<typename Elf::Dynamic>(dynamic.p_vaddr + at);
      if (entry.d_tag == DT_NULL)
        return checkTags();
      if (!isKnown(entry.d_tag) ||
          !tags.emplace(entry.d_tag, entry.d_un.d_val).second)
        return elfError("the dynamic section has an entry {:#x}, which host "
                        "code has no use for, or has it twice",
                        uint64_t(entry.d_tag));
    }
    return elfError("the dynamic section does not end");
  }

  absl::Status checkTags() {
    for (int64_t tag : {DT_HASH, DT_STRTAB, DT_STRSZ, DT_SYMTAB, DT_SYMENT})
      if (!tags.count(tag))
        return elfError("the dynamic section lacks an entry {:#x}", tag);
    // What else these could hold changes how the loader works.
    struct Value {
      int64_t tag;
      uint64_t expected, optional;
    };
    const Value values[] = {{DT_SYMENT, sizeof(Symbol), 0},
                            {entryTag, sizeof(Relocation), 0},
                            {DT_PLTREL, tableTag, 0},
                            {DT_FLAGS, DF_BIND_NOW, DF_SYMBOLIC},
                            {DT_FLAGS_1, DF_1_NOW, 0}};
    for (auto [tag, value, optional] : values)
      if (auto found = tags.find(tag);
          found != tags.end() && (found->second & ~optional) != value)
        return elfError("entry {:#x} of the dynamic section is {:#x}, expected "
                        "{:#x}",
                        tag, found->second, value);
    for (auto [table, others] :
         {std::pair(tableTag, std::array<int64_t, 2>{sizeTag, entryTag}),
          std::pair(int64_t(DT_JMPREL),
                    std::array<int64_t, 2>{DT_PLTRELSZ, DT_PLTREL})})
      for (int64_t other : others)
        if (tags.count(table) != tags.count(other))
          return elfError("the dynamic section has one of the entries {:#x} "
                          "and {:#x} without the other",
                          table, other);
    // The loader keeps its own two words there.
    if (auto found = tags.find(DT_PLTGOT);
        found != tags.end() &&
        !segments.isWritable(found->second, 3 * sizeof(Word)))
      return elfError("the procedure linkage table's words at {:#x} are not "
                      "writable",
                      found->second);
    return absl::OkStatus();
  }

  /// The `bytes` at the address in entry `tag`, which nothing may change.
  absl::StatusOr<const char *> table(const char *what, int64_t tag,
                                     uint64_t bytes) const {
    uint64_t address = tags.at(tag);
    const char *data = segments.constant(address, bytes);
    if (!data || address % alignof(Word))
      return elfError("its {}, {} bytes at {:#x}, do not lie in read-only data",
                      what, bytes, address);
    return data;
  }

  absl::Status readStrings() {
    uint64_t bytes = tags[DT_STRSZ];
    auto data = segments.constant(tags[DT_STRTAB], bytes);
    if (!data || bytes == 0 || data[0] || data[bytes - 1])
      return elfError("its string table of {} bytes at {:#x} does not lie in "
                      "read-only data between two zeros",
                      bytes, tags[DT_STRTAB]);
    strings = {data, size_t(bytes)};
    return absl::OkStatus();
  }

  /// A chain leads to each symbol at most once, so that every search ends.
  absl::Status readHash() {
    auto head = table("hash table", DT_HASH, 8);
    if (!head.ok())
      return head.status();
    uint32_t sizes[2];
    std::memcpy(sizes, *head, 8);
    auto [bucketCount, chainCount] = sizes;
    auto data = table("hash table", DT_HASH,
                      8 + 4 * (uint64_t(bucketCount) + chainCount));
    if (!data.ok())
      return data.status();
    std::vector<uint32_t> words(size_t(bucketCount) + chainCount);
    if (!words.empty())
      std::memcpy(words.data(), *data + 8, 4 * words.size());
    std::vector<bool> seen(chainCount);
    for (uint32_t bucket = 0; bucket < bucketCount; ++bucket)
      for (uint32_t i = words[bucket]; i; i = words[bucketCount + i]) {
        if (i >= chainCount || seen[i])
          return elfError("its hash table leads to symbol {} of {} twice or "
                          "beyond the last",
                          i, chainCount);
        seen[i] = true;
      }
    if (bucketCount == 0 || chainCount == 0)
      return elfError("its hash table is empty");
    symbolCount = chainCount;
    return absl::OkStatus();
  }

  absl::Status readSymbols() {
    auto data = table("symbol table", DT_SYMTAB, symbolCount * sizeof(Symbol));
    if (!data.ok())
      return data.status();
    // The one that relocations name which have no symbol, or seem to.
    const Symbol none{};
    if (std::memcmp(*data, &none, sizeof none) != 0)
      return elfError("symbol 0 is not empty");
    for (uint64_t i = 1; i < symbolCount; ++i) {
      Symbol symbol;
      std::memcpy(&symbol, *data + i * sizeof(Symbol), sizeof(Symbol));
      if (symbol.st_name >= strings.size())
        return elfError("symbol {} has its name outside of the string table",
                        i);
      std::string name = strings.data() + symbol.st_name;
      if (absl::Status status = addSymbol(symbol, name); !status.ok())
        return status;
    }
    return absl::OkStatus();
  }

  absl::Status addSymbol(const Symbol &symbol, const std::string &name) {
    unsigned type = ELF64_ST_TYPE(symbol.st_info);
    unsigned binding = ELF64_ST_BIND(symbol.st_info);
    if (type > STT_FUNC || binding > STB_WEAK ||
        symbol.st_shndx >= SHN_LORESERVE)
      return elfError("symbol '{}' is neither a function nor data", name);
    if (symbol.st_shndx == SHN_UNDEF) {
      image.imported.push_back(name);
      return absl::OkStatus();
    }
    if (type == STT_FUNC) {
      if (!segments.isExecutable(symbol.st_value))
        return elfError("function '{}' does not lie in code", name);
      image.exported[name] = std::monostate();
    } else if (symbol.st_size == 4) {
      addConstant<uint32_t>(symbol, name);
    } else if (symbol.st_size == 8) {
      addConstant<uint64_t>(symbol, name);
    }
    return absl::OkStatus();
  }

  template <typename T>
  void addConstant(const Symbol &symbol, const std::string &name) {
    T value;
    if (const char *bytes = segments.constant(symbol.st_value, sizeof(T))) {
      std::memcpy(&value, bytes, sizeof(T));
      image.exported[name] = value;
    }
  }

  absl::Status readRelocations() {
    for (auto [tag, size] :
         {std::pair(tableTag, sizeTag),
          std::pair(int64_t(DT_JMPREL), int64_t(DT_PLTRELSZ))}) {
      if (!tags.count(tag))
        continue;
      auto data = table("relocations", tag, tags[size]);
      if (!data.ok())
        return data.status();
      if (tags[size] % sizeof(Relocation))
        return elfError("its relocations are {} bytes, no multiple of {}",
                        tags[size], sizeof(Relocation));
      for (uint64_t at = 0; at < tags[size]; at += sizeof(Relocation)) {
        Relocation relocation;
        std::memcpy(&relocation, *data + at, sizeof(Relocation));
        if (absl::Status status = checkRelocation(relocation); !status.ok())
          return status;
      }
    }
    return absl::OkStatus();
  }

  /// It changes one word of the object's own, and not what the loader reads.
  absl::Status checkRelocation(const Relocation &relocation) const {
    uint32_t type = Elf::typeOf(relocation);
    uint32_t symbol = Elf::symbolOf(relocation);
    const auto &types = kind.relocations;
    if (std::find(types.begin(), types.end(), type) == types.end() ||
        symbol >= symbolCount)
      return elfError("a relocation of kind {} and symbol {} is none of host "
                      "code",
                      type, symbol);
    const auto &dynamic = segments.dynamic();
    uint64_t at = relocation.r_offset;
    if (at % sizeof(Word) || !segments.isWritable(at, sizeof(Word)) ||
        (at + sizeof(Word) > dynamic.p_vaddr &&
         at < dynamic.p_vaddr + dynamic.p_memsz))
      return elfError("a relocation changes {:#x}, which is no word of "
                      "writable data",
                      at);
    return absl::OkStatus();
  }

  const Segments<Elf> &segments;
  const ElfKind &kind;
  std::map<int64_t, uint64_t> tags;
  absl::string_view strings;
  uint64_t symbolCount = 0;
  ElfImage image;
};

template <typename Elf>
static absl::StatusOr<ElfImage> readAs(absl::string_view bytes,
                                       const ElfKind &kind) {
  auto segments = Segments<Elf>::read(bytes, kind);
  if (!segments.ok())
    return segments.status();
  return ElfReader<Elf>(*segments, kind).read();
}

absl::StatusOr<ElfImage> ElfImage::read(absl::string_view bytes,
                                        Architecture architecture) {
  if (architecture == Architecture::X86_64)
    return readAs<Elf64>(bytes, {EM_X86_64,
                                 {R_X86_64_64, R_X86_64_GLOB_DAT,
                                  R_X86_64_JUMP_SLOT, R_X86_64_RELATIVE}});
  if (architecture == Architecture::AArch64)
    return readAs<Elf64>(bytes, {EM_AARCH64,
                                 {R_AARCH64_ABS64, R_AARCH64_GLOB_DAT,
                                  R_AARCH64_JUMP_SLOT, R_AARCH64_RELATIVE}});
  return readAs<Elf32>(
      bytes,
      {EM_ARM, {R_ARM_ABS32, R_ARM_GLOB_DAT, R_ARM_JUMP_SLOT, R_ARM_RELATIVE}});
}

bool ElfImage::hasFunction(absl::string_view name) const {
  auto found = exported.find(name);
  return found != exported.end() &&
         std::holds_alternative<std::monostate>(found->second);
}

template <typename T>
std::optional<T> ElfImage::exportedAs(absl::string_view name) const {
  auto found = exported.find(name);
  const T *value =
      found == exported.end() ? nullptr : std::get_if<T>(&found->second);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<uint32_t> ElfImage::constant32(absl::string_view name) const {
  return exportedAs<uint32_t>(name);
}

std::optional<uint64_t> ElfImage::constant64(absl::string_view name) const {
  return exportedAs<uint64_t>(name);
}

} // namespace tenon::isa
