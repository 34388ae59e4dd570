// Part of Tenon, under the Apache License v2.0.
//
// Legality, loading, identity and random drawing of configurations.

#include "isa/files.h"
#include "support.h"

#include "tests/scratch_folder.h"

#include "gmock/gmock.h"

#include <set>

namespace tenon::isa {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// The findings for pynq after a change.
template <typename Change> std::string findings(Change change) {
  Configuration config = *loadConfiguration("pynq");
  change(config);
  return std::string(checkConfiguration(config).message());
}

TEST(Configuration, FieldsThatDoNotFit) {
  EXPECT_THAT(findings([](auto &c) { c.set_wgt_entries(8192); }),
              HasSubstr("gemm_uop: fields need 35 bits, a micro-op has 32: 3 "
                        "bits too many; the widest are third (13), dst (11), "
                        "src (11)"));
  EXPECT_THAT(findings([](auto &c) { c.set_dwt_entries(1 << 14); }),
              HasSubstr("load: fields need 129 bits, instruction_bits is 128: "
                        "1 bit too many; the widest are dram (28)"));
  EXPECT_THAT(findings([](auto &c) { c.set_instruction_bits(64); }),
              AllOf(HasSubstr("load: fields need 126 bits, instruction_bits is "
                              "64: 62 bits too many; the widest are dram (28), "
                              "y_stride (20), x_stride (14)"),
                    HasSubstr("store: fields need 104 bits"),
                    HasSubstr("gemm: fields need 120 bits"),
                    HasSubstr("alu: fields need 127 bits")));
}

TEST(Configuration, EveryRuleHasAMessage) {
  const std::pair<std::string, std::string> cases[] = {
      {"name: '' is not made of letters, digits, '_', '-' and '.'",
       findings([](auto &c) { c.clear_name(); })},
      {"name: 'a b'", findings([](auto &c) { c.set_name("a b"); })},
      {"counters: 7 is not NONE, TOTALS or FULL",
       findings([](auto &c) { c.set_counters(Configuration::Counters(7)); })},
      {"clock_mhz: 0 is not a frequency",
       findings([](auto &c) { c.clear_clock_mhz(); })},
      {"batch: 3 is not a power of two from 1 to 64",
       findings([](auto &c) { c.set_batch(3); })},
      {"block_in: 0", findings([](auto &c) { c.set_block_in(0); })},
      {"block_out: 24", findings([](auto &c) { c.set_block_out(24); })},
      {"bus_bits: 16", findings([](auto &c) { c.set_bus_bits(16); })},
      {"a beat of 32 bytes does not divide an INP element of batch*block_in = "
       "16 bytes",
       findings([](auto &c) { c.set_bus_bits(256); })},
      {"a beat of 32 bytes does not divide a DWT element of block_out = 16 "
       "bytes",
       findings([](auto &c) { c.set_bus_bits(256); })},
      {"the largest element has 4096 bytes, 1024 beats", findings([](auto &c) {
         c.set_bus_bits(32);
         c.set_block_in(64);
         c.set_block_out(64);
       })},
      {"uop_entries: 2 is", findings([](auto &c) { c.set_uop_entries(2); })},
      {"inp_entries: 0 is", findings([](auto &c) { c.set_inp_entries(0); })},
      {"wgt_entries: 1 is", findings([](auto &c) { c.set_wgt_entries(1); })},
      {"dwt_entries: 100", findings([](auto &c) { c.set_dwt_entries(100); })},
      {"acc_entries: 4 is", findings([](auto &c) { c.set_acc_entries(4); })},
      {"prm_entries: 0", findings([](auto &c) { c.set_prm_entries(0); })},
      {"out_entries: 7", findings([](auto &c) { c.set_out_entries(7); })},
      {"acc_banks: 16", findings([](auto &c) { c.set_acc_banks(16); })},
      {"alu_lanes: 5 does not divide batch*block_out = 16",
       findings([](auto &c) { c.set_alu_lanes(5); })},
      {"alu_lanes: 0", findings([](auto &c) { c.set_alu_lanes(0); })},
      {"alu_multiply_cycles: 3 is not 1, 2, 4 or 32",
       findings([](auto &c) { c.set_alu_multiply_cycles(3); })},
      {"queue_depth: 0", findings([](auto &c) { c.set_queue_depth(0); })},
      {"channel_depth: 0", findings([](auto &c) { c.set_channel_depth(0); })},
      {"burst_beats: 512", findings([](auto &c) { c.set_burst_beats(512); })},
      {"outstanding_bursts: 0",
       findings([](auto &c) { c.set_outstanding_bursts(0); })},
      {"instruction_bits: 96 neither divides bus_bits = 64",
       findings([](auto &c) { c.set_instruction_bits(96); })},
      {"instruction_bits: 4 is not a multiple of 8 from 8 to 1024",
       findings([](auto &c) { c.set_instruction_bits(4); })},
  };
  for (const auto &[expected, found] : cases)
    EXPECT_THAT(found, HasSubstr(expected));
}

TEST(Configuration, AllFindingsAreListed) {
  std::string found = findings([](auto &c) {
    c.set_batch(3);
    c.set_acc_banks(5);
    c.set_queue_depth(0);
  });
  EXPECT_THAT(found, AllOf(HasSubstr("batch: 3"), HasSubstr("acc_banks: 5"),
                           HasSubstr("queue_depth: 0")));
}

TEST(Configuration, AnyNumbersAreCheckedWithoutHarm) {
  std::mt19937_64 random(3);
  const auto *descriptor = Configuration::descriptor();
  for (int i = 0; i < 5000; ++i) {
    Configuration config = *loadConfiguration("pynq");
    for (int changes = 0; changes < 3; ++changes) {
      const auto *field =
          descriptor->field(int(random() % descriptor->field_count()));
      if (field->cpp_type() == field->CPPTYPE_UINT32)
        config.GetReflection()->SetUInt32(
            &config, field, uint32_t(random() >> (32 + random() % 32)));
    }
    EXPECT_EQ(checkConfiguration(config).ok(), Layout::get(config).ok());
  }
}

TEST(Configuration, SyntaxErrorsHaveAPlace) {
  auto parsed = parseConfiguration("name: \"x\"\nbatch: one\n", "x.textproto");
  EXPECT_THAT(std::string(parsed.status().message()),
              HasSubstr("x.textproto:2:8: "));
  parsed = parseConfiguration("name: \"x\"\nbatches: 1\n", "x.textproto");
  EXPECT_THAT(std::string(parsed.status().message()),
              AllOf(HasSubstr("x.textproto:2:"), HasSubstr("batches")));
}

TEST(Configuration, LoadsByNameAndPath) {
  const ScratchFolder folder;
  const std::string path = folder / "mine.textproto";
  Configuration config = *loadConfiguration("tiny");
  ASSERT_TRUE(writeFile(path, config.DebugString()).ok());
  auto loaded = loadConfiguration(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->DebugString(), config.DebugString());
  EXPECT_THAT(std::string(loadConfiguration("nope").status().message()),
              AllOf(HasSubstr("nope"), HasSubstr("pynq, tiny")));
  EXPECT_THAT(
      std::string(loadConfiguration("./none.textproto").status().message()),
      HasSubstr("./none.textproto: cannot be opened"));
  EXPECT_FALSE(loadConfiguration(folder.path().string()).ok());
}

TEST(Configuration, ShippedFilesAreTheEmbeddedOnes) {
  for (const std::string &name : shippedConfigurations()) {
    auto file = loadConfiguration(TENON_SOURCE_DIR "/isa/config/" + name +
                                  ".textproto");
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(file->DebugString(), loadConfiguration(name)->DebugString());
    EXPECT_EQ(file->name(), name);
  }
}

TEST(Configuration, HashIsTheIdentityOfWhatProgramsDependOn) {
  Configuration config = *loadConfiguration("pynq");
  uint64_t hash = configurationHash(config);
  Configuration same = config;
  same.set_name("other");
  same.set_clock_mhz(250);
  same.set_counters(Configuration::NONE);
  EXPECT_EQ(configurationHash(same), hash);
  const auto *descriptor = Configuration::descriptor();
  std::set<uint64_t> hashes = {hash};
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto *field = descriptor->field(i);
    if (field->cpp_type() != field->CPPTYPE_UINT32 ||
        field->name() == "clock_mhz")
      continue;
    Configuration other = config;
    other.GetReflection()->SetUInt32(&other, field, 12345);
    EXPECT_TRUE(hashes.insert(configurationHash(other)).second)
        << field->name();
  }
}

TEST(Configuration, RandomOnesAreLegalAndVaried) {
  std::mt19937_64 random(7), again(7);
  std::set<uint32_t> batches, buses, banks, cycles, lanes, instructions;
  bool wideIn = false, wideOut = false;
  for (int i = 0; i < 2000; ++i) {
    Configuration config = randomConfiguration(random);
    ASSERT_TRUE(checkConfiguration(config).ok())
        << checkConfiguration(config) << config.DebugString();
    EXPECT_EQ(config.DebugString(), randomConfiguration(again).DebugString());
    batches.insert(config.batch());
    buses.insert(config.bus_bits());
    banks.insert(config.acc_banks());
    cycles.insert(config.alu_multiply_cycles());
    lanes.insert(config.alu_lanes());
    instructions.insert(config.instruction_bits());
    wideIn |= config.block_in() > config.block_out();
    wideOut |= config.block_in() < config.block_out();
  }
  EXPECT_EQ(batches, (std::set<uint32_t>{1, 2, 4}));
  EXPECT_EQ(buses, (std::set<uint32_t>{32, 64, 128}));
  EXPECT_EQ(banks, (std::set<uint32_t>{1, 2, 4, 8}));
  EXPECT_EQ(cycles, (std::set<uint32_t>{1, 2, 4, 32}));
  EXPECT_EQ(lanes, (std::set<uint32_t>{1, 2, 4, 8, 16, 32, 64}));
  EXPECT_EQ(instructions, (std::set<uint32_t>{128, 256}));
  EXPECT_TRUE(wideIn && wideOut);
}

} // namespace
} // namespace tenon::isa
