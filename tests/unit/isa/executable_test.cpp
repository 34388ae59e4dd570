// Part of Tenon, under the Apache License v2.0.

#include "isa/executable.h"
#include "isa/host_abi.h"
#include "tests/unit/kernels/kernels.h"

#include "fmt/format.h"
#include "gmock/gmock.h"

#include <functional>

using namespace tenon;
using namespace tenon::isa;
using ::testing::HasSubstr;

namespace {

std::string refusal(const std::function<void(Executable &)> &change) {
  Executable executable = kernelsFor(*findHostTarget("x86-64-v3"));
  change(executable);
  return std::string(readExecutable(executable).status().message());
}

/// Replaces every `from` of the image by `to`, of the same length.
std::function<void(Executable &)> renamed(const std::string &from,
                                          const std::string &to) {
  return [=](Executable &executable) {
    std::string &image = *executable.mutable_image();
    for (size_t at = 0; (at = image.find(from, at)) != std::string::npos;)
      image.replace(at, from.size(), to);
  };
}

TEST(Executable, IsReadForEveryTarget) {
  for (const HostTarget &target : hostTargets()) {
    Executable executable = kernelsFor(target);
    for (absl::string_view feature : target.features)
      executable.add_features(std::string(feature));
    auto image = readExecutable(executable);
    EXPECT_TRUE(image.ok()) << target.name << ": " << image.status();
  }
}

TEST(Executable, IsRefusedForWhatItAsks) {
  EXPECT_EQ(refusal([](Executable &e) { e.set_triple("z80-unknown-cpm"); }),
            "triple: 'z80-unknown-cpm' is none that host code can be made for");
  EXPECT_THAT(refusal([](Executable &e) { e.add_features("neon"); }),
              HasSubstr("features: 'neon' is unknown or out of order, expected "
                        "some of: avxvnni, cx16, popcnt, "));
  EXPECT_THAT(refusal([](Executable &e) {
                e.add_features("avx2");
                e.add_features("avx");
              }),
              HasSubstr("features: 'avx' is unknown or out of order"));
  EXPECT_THAT(
      refusal([](Executable &e) { e.set_triple("aarch64-unknown-linux-gnu"); }),
      HasSubstr("image: it is an ELF file of class 2, data 1 and "
                "machine 62, its triple says"));
}

TEST(Executable, IsRefusedForItsSymbols) {
  EXPECT_EQ(refusal(renamed("memcpy", "system")),
            "image: it imports 'system', host code may import memcpy, memmove, "
            "memset");
  EXPECT_EQ(refusal(renamed("tenon_host_abi", "another_thing_")),
            "image: it does not say which host interface it has: there is no "
            "constant 'tenon_host_abi'");
  EXPECT_EQ(refusal(renamed("tenon_host_constants", "another_thing_______")),
            "image: it does not say how many constants it reads: there is no "
            "constant 'tenon_host_constants'");
  EXPECT_EQ(refusal([](Executable &e) {
              // The constant: read-only data of this value.
              std::string &image = *e.mutable_image();
              const char version = TENON_HOST_ABI_VERSION;
              const std::string own({version, 0, 0, 0});
              auto read = readExecutable(e);
              ASSERT_EQ(read->constant32(TENON_HOST_ABI_SYMBOL),
                        TENON_HOST_ABI_VERSION);
              for (size_t at = 0; at + 4 <= image.size(); at += 4) {
                if (image.compare(at, 4, own) != 0)
                  continue;
                image[at] = 99;
                auto again = ElfImage::read(image, Architecture::X86_64);
                if (again.ok() &&
                    again->constant32(TENON_HOST_ABI_SYMBOL) == 99u)
                  return;
                image[at] = version;
              }
            }),
            fmt::format("image: it was made for version 99 of the host "
                        "interface, this is version {}; compile the "
                        "program again",
                        TENON_HOST_ABI_VERSION));
}

TEST(Executable, IsNamedWithItsFeatures) {
  Executable executable;
  executable.set_triple("t");
  EXPECT_EQ(toString(executable), "t");
  executable.add_features("a");
  executable.add_features("b");
  EXPECT_EQ(toString(executable), "t with a, b");
}

} // namespace
