// Part of Tenon, under the Apache License v2.0.
//
// A shared object as its linker made it is read; each damage is named. Damaged
// is what kernels.c became for x86-64, through the structures of elf.h.

#include "isa/elf_image.h"
#include "isa/host_abi.h"
#include "tests/unit/kernels/kernels.h"

#include "gmock/gmock.h"

#include <elf.h>

#include <cstring>
#include <functional>

using namespace tenon;
using namespace tenon::isa;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

class Object {
public:
  Object() : bytes(kernelsFor(*findHostTarget("x86-64-v2")).image()) {}

  Elf64_Ehdr &header() { return at<Elf64_Ehdr>(0); }
  Elf64_Phdr &segment(uint32_t type, int number = 0) {
    for (int i = 0; i < header().e_phnum; ++i) {
      auto &found = at<Elf64_Phdr>(header().e_phoff + i * sizeof(Elf64_Phdr));
      if (found.p_type == type && number-- == 0)
        return found;
    }
    throw std::out_of_range("no such segment");
  }
  Elf64_Dyn &dynamic(int64_t tag) {
    uint64_t place = segment(PT_DYNAMIC).p_offset;
    while (at<Elf64_Dyn>(place).d_tag != tag)
      place += sizeof(Elf64_Dyn);
    return at<Elf64_Dyn>(place);
  }
  /// What a table of the dynamic section holds, which lies in the file where it
  /// lies in memory.
  template <typename T> T &table(int64_t tag, size_t index = 0) {
    return at<T>(dynamic(tag).d_un.d_ptr + index * sizeof(T));
  }
  Elf64_Sym &symbol(const char *name) {
    const char *strings = &table<char>(DT_STRTAB);
    uint32_t count = table<uint32_t>(DT_HASH, 1);
    for (uint32_t i = 1; i < count; ++i)
      if (auto &found = table<Elf64_Sym>(DT_SYMTAB, i);
          !std::strcmp(strings + found.st_name, name))
        return found;
    throw std::out_of_range(name);
  }

  std::string refusal() const {
    return std::string(
        ElfImage::read(bytes, Architecture::X86_64).status().message());
  }

  std::string bytes;

private:
  template <typename T> T &at(uint64_t place) {
    if (place + sizeof(T) > bytes.size())
      throw std::out_of_range("beyond the file");
    return reinterpret_cast<T &>(bytes[place]);
  }
};

std::string refusal(const std::function<void(Object &)> &damage) {
  Object object;
  damage(object);
  return object.refusal();
}

TEST(ElfImage, ReadsEveryArchitecture) {
  for (const HostTarget &target : hostTargets()) {
    auto image =
        ElfImage::read(kernelsFor(target).image(), target.architecture);
    ASSERT_TRUE(image.ok()) << target.name << ": " << image.status();
    std::vector<std::string> imports(image->imports().begin(),
                                     image->imports().end());
    EXPECT_THAT(imports, ::testing::ElementsAre("memcpy"));
    EXPECT_TRUE(image->hasFunction("triple"));
    EXPECT_TRUE(image->hasFunction("triple_twice"));
    EXPECT_FALSE(image->hasFunction("memcpy"));
    EXPECT_FALSE(image->hasFunction("tenon_host_abi"));
    EXPECT_EQ(image->constant32(TENON_HOST_ABI_SYMBOL), TENON_HOST_ABI_VERSION);
    EXPECT_EQ(image->constant64("tenon_host_constants"), 16u);
    EXPECT_EQ(image->constant64("triple_twice_workspace"), 80u);
    EXPECT_EQ(image->constant64("tenon_host_abi"), std::nullopt);
    EXPECT_EQ(image->constant32("triple_twice_workspace"), std::nullopt);
    EXPECT_EQ(image->constant32("triple"), std::nullopt);
    EXPECT_EQ(image->constant64("nothing"), std::nullopt);
  }
}

TEST(ElfImage, RefusesFilesOfAnotherKind) {
  EXPECT_EQ(refusal([](Object &o) { o.bytes = "short"; }),
            "its 5 bytes are no ELF file");
  EXPECT_THAT(refusal([](Object &o) { o.header().e_machine = EM_AARCH64; }),
              HasSubstr("it is an ELF file of class 2, data 1 and machine 183, "
                        "its triple says class 2, data 1 and machine 62"));
  EXPECT_EQ(refusal([](Object &o) { o.header().e_type = ET_REL; }),
            "it is an ELF file of type 1, expected a shared object");
  EXPECT_THAT(refusal([](Object &o) { o.header().e_phnum = 0xffff; }),
              HasSubstr("its 65535 program headers of 56 bytes at 64 do not "
                        "lie within its"));
}

TEST(ElfImage, RefusesSegmentsThatDoNotFit) {
  using O = Object;
  const std::pair<std::string, const char *> cases[] = {
      {refusal([](O &o) { o.segment(PT_GNU_STACK).p_type = PT_DYNAMIC; }),
       "it is a second dynamic section"},
      {refusal([](O &o) { o.segment(PT_GNU_STACK).p_flags |= PF_X; }),
       "it asks for an executable stack"},
      {refusal([](O &o) { o.segment(PT_GNU_STACK).p_type = PT_TLS; }),
       "its type 0x7 is none of host code"},
      {refusal([](O &o) { o.segment(PT_GNU_STACK).p_type = PT_INTERP; }),
       "its type 0x3 is none of host code"},
      {refusal([](O &o) { o.segment(PT_LOAD).p_align = 3; }),
       "do not agree in pages of 3"},
      {refusal([](O &o) { o.segment(PT_LOAD).p_vaddr += 8; }),
       "its address 0x8 and its place 0x0 in the file do not agree in pages"},
      {refusal([](O &o) { o.segment(PT_LOAD).p_filesz = 1 << 20; }),
       "do not lie within the file"},
      {refusal([](O &o) {
         o.segment(PT_DYNAMIC);
         o.segment(PT_LOAD, 2).p_memsz = 1ull << 63;
       }),
       "do not lie within the file"},
      {refusal([](O &o) { o.segment(PT_LOAD, 1).p_flags |= PF_W; }),
       "flags 0x7 do not suit"},
      {refusal([](O &o) { o.segment(PT_LOAD).p_memsz += 8; }),
       "bytes from the file"},
      {refusal([](O &o) { o.segment(PT_LOAD, 1).p_vaddr &= 4095; }),
       "it shares a page of 4096 bytes with the one before, or lies below it"},
      {refusal([](O &o) { o.segment(PT_GNU_STACK).p_type = PT_PHDR; }),
       "it lacks one of the segments LOAD, DYNAMIC and GNU_STACK"},
      {refusal([](O &o) { o.segment(PT_DYNAMIC).p_vaddr = 0; }),
       "does not lie in writable data"},
      {refusal([](O &o) { o.segment(PT_DYNAMIC).p_vaddr += 4; }),
       "does not lie in writable data"},
      {refusal([](O &o) { o.segment(PT_PHDR).p_vaddr += 8; }),
       "the segment of type 0x6, "},
      {refusal([](O &o) { o.segment(PT_GNU_RELRO).p_vaddr = 0; }),
       "bytes at 0x0, does not lie where it must"},
  };
  for (const auto &[found, expected] : cases)
    EXPECT_THAT(found, HasSubstr(expected));
}

TEST(ElfImage, RefusesWhatTheLoaderWouldDoBesides) {
  using O = Object;
  const std::pair<std::string, const char *> cases[] = {
      {refusal([](O &o) { o.dynamic(DT_PLTGOT).d_tag = DT_INIT; }),
       "the dynamic section has an entry 0xc, which host code has no use for"},
      {refusal([](O &o) { o.dynamic(DT_PLTGOT).d_tag = DT_NEEDED; }),
       "the dynamic section has an entry 0x1, which"},
      {refusal([](O &o) { o.dynamic(DT_PLTGOT).d_tag = DT_HASH; }),
       "which host code has no use for, or has it twice"},
      {refusal(
           [](O &o) { o.segment(PT_DYNAMIC).p_filesz -= sizeof(Elf64_Dyn); }),
       "the dynamic section does not end"},
      {refusal([](O &o) { o.dynamic(DT_HASH).d_tag = DT_SYMBOLIC; }),
       "the dynamic section lacks an entry 0x4"},
      {refusal([](O &o) { o.dynamic(DT_FLAGS).d_un.d_val |= DF_STATIC_TLS; }),
       "entry 0x1e of the dynamic section is 0x1"},
      {refusal([](O &o) { o.dynamic(DT_SYMENT).d_un.d_val = 1; }),
       "entry 0xb of the dynamic section is 0x1, expected 0x18"},
      {refusal([](O &o) { o.dynamic(DT_PLTRELSZ).d_tag = DT_BIND_NOW; }),
       "the dynamic section has one of the entries 0x17 and 0x2 without the "
       "other"},
      {refusal([](O &o) { o.dynamic(DT_PLTGOT).d_un.d_ptr = 64; }),
       "the procedure linkage table's words at 0x40 are not writable"},
  };
  for (const auto &[found, expected] : cases)
    EXPECT_THAT(found, HasSubstr(expected));
}

TEST(ElfImage, RefusesDamagedTables) {
  using O = Object;
  const std::pair<std::string, const char *> cases[] = {
      {refusal([](O &o) { o.dynamic(DT_STRSZ).d_un.d_val -= 1; }),
       "does not lie in read-only data between two zeros"},
      {refusal([](O &o) { o.dynamic(DT_STRTAB).d_un.d_ptr = 1 << 30; }),
       "its string table of"},
      {refusal([](O &o) { o.table<uint32_t>(DT_HASH, 1) = 0xffffffff; }),
       "its hash table, "},
      {refusal([](O &o) { o.table<uint32_t>(DT_HASH, 0) = 0; }),
       "its hash table is empty"},
      // The first chain that is followed leads back to itself.
      {refusal([](O &o) {
         uint32_t buckets = o.table<uint32_t>(DT_HASH);
         for (uint32_t i = 0; i < buckets; ++i)
           if (uint32_t symbol = o.table<uint32_t>(DT_HASH, 2 + i))
             o.table<uint32_t>(DT_HASH, 2 + buckets + symbol) = symbol;
       }),
       "twice or beyond the last"},
      {refusal([](O &o) { o.table<uint32_t>(DT_HASH, 2) = 1000; }),
       "its hash table leads to symbol 1000 of"},
      {refusal([](O &o) { o.dynamic(DT_SYMTAB).d_un.d_ptr += 1; }),
       "do not lie in read-only data"},
      {refusal([](O &o) { o.symbol("triple").st_name = 1 << 20; }),
       "has its name outside of the string table"},
      // What a relocation of no symbol would look up.
      {refusal([](O &o) {
         auto &none = o.table<Elf64_Sym>(DT_SYMTAB, 0);
         none.st_name = o.symbol("memcpy").st_name;
         none.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
         o.table<Elf64_Rela>(DT_JMPREL).r_info =
             ELF64_R_INFO(0, R_X86_64_JUMP_SLOT);
       }),
       "symbol 0 is not empty"},
      {refusal([](O &o) { o.table<Elf64_Sym>(DT_SYMTAB, 0).st_value = 1; }),
       "symbol 0 is not empty"},
      {refusal([](O &o) { o.symbol("triple").st_shndx = SHN_ABS; }),
       "symbol 'triple' is neither a function nor data"},
      {refusal([](O &o) {
         o.symbol("triple").st_info = ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC);
       }),
       "symbol 'triple' is neither a function nor data"},
      {refusal([](O &o) { o.symbol("triple").st_value = 64; }),
       "function 'triple' does not lie in code"},
      {refusal([](O &o) { o.dynamic(DT_PLTRELSZ).d_un.d_val -= 1; }),
       "bytes, no multiple of 24"},
      {refusal([](O &o) { o.dynamic(DT_JMPREL).d_un.d_ptr = 1ull << 40; }),
       "its relocations, "},
      {refusal([](O &o) {
         o.table<Elf64_Rela>(DT_JMPREL).r_info =
             ELF64_R_INFO(1, R_X86_64_IRELATIVE);
       }),
       "a relocation of kind 37 and symbol 1 is none of host code"},
      {refusal([](O &o) {
         o.table<Elf64_Rela>(DT_JMPREL).r_info =
             ELF64_R_INFO(99, R_X86_64_JUMP_SLOT);
       }),
       "a relocation of kind 7 and symbol 99 is none of host code"},
      {refusal([](O &o) { o.table<Elf64_Rela>(DT_JMPREL).r_offset = 64; }),
       "a relocation changes 0x40, which is no word of writable data"},
      {refusal([](O &o) {
         o.table<Elf64_Rela>(DT_JMPREL).r_offset =
             o.segment(PT_DYNAMIC).p_vaddr + 16;
       }),
       "which is no word of writable data"},
  };
  for (const auto &[found, expected] : cases)
    EXPECT_THAT(found, HasSubstr(expected));
}

} // namespace
