// Part of Tenon, under the Apache License v2.0.
//
// Legality of a configuration. Every rule is checked; rules that need others
// to hold are skipped where those fail.

#include "isa/configuration.h"
#include "isa/specification.h"

#include "absl/strings/str_join.h"
#include "fmt/format.h"

#include <algorithm>

namespace tenon::isa {
namespace {

bool isPowerOfTwo(uint64_t value) { return value && !(value & (value - 1)); }

/// The most a number may be where nothing else bounds it; keeps every derived
/// size within 32 bits.
constexpr uint32_t maxBatch = 64;
constexpr uint32_t maxBlock = 512;
constexpr uint32_t maxEntries = 1 << 20;
constexpr uint32_t maxQueue = 1024;
/// LOAD numbers the beats of an element in 8 bits.
constexpr uint32_t maxElementBeats = 256;

class Checker {
public:
  explicit Checker(const Configuration &c) : c(c) {}

  std::vector<std::string> run() {
    checkName();
    checkShape();
    checkDepths();
    checkAlu();
    checkQueues();
    checkPort();
    // Widths of fields are functions of numbers that must make sense first.
    if (findings.empty())
      checkFormats();
    return findings;
  }

private:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args &&...args) {
    findings.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  bool checkPowerOfTwo(const char *name, uint32_t value, uint32_t least,
                       uint32_t most) {
    if (isPowerOfTwo(value) && value >= least && value <= most)
      return true;
    add("{}: {} is not a power of two from {} to {}", name, value, least, most);
    return false;
  }

  void checkRange(const char *name, uint32_t value, uint32_t least,
                  uint32_t most) {
    if (value < least || value > most)
      add("{}: {} is not in {}..{}", name, value, least, most);
  }

  void checkName() {
    bool ok = !c.name().empty() &&
              std::all_of(c.name().begin(), c.name().end(), [](char ch) {
                return std::isalnum(static_cast<unsigned char>(ch)) ||
                       ch == '_' || ch == '-' || ch == '.';
              });
    if (!ok)
      add("name: '{}' is not made of letters, digits, '_', '-' and '.'",
          c.name());
    if (!Configuration::Counters_IsValid(c.counters()))
      add("counters: {} is not NONE, TOTALS or FULL", int(c.counters()));
    if (c.clock_mhz() == 0)
      add("clock_mhz: 0 is not a frequency");
  }

  void checkShape() {
    bool ok = checkPowerOfTwo("batch", c.batch(), 1, maxBatch);
    ok &= checkPowerOfTwo("block_in", c.block_in(), 1, maxBlock);
    ok &= checkPowerOfTwo("block_out", c.block_out(), 1, maxBlock);
    ok &= checkPowerOfTwo("bus_bits", c.bus_bits(), 32, 1024);
    if (!ok)
      return;
    uint32_t beat = c.bus_bits() / 8;
    if (c.batch() * c.block_in() % beat)
      add("bus_bits: a beat of {} bytes does not divide an INP element of "
          "batch*block_in = {} bytes",
          beat, c.batch() * c.block_in());
    if (c.block_out() % beat)
      add("bus_bits: a beat of {} bytes does not divide a DWT element of "
          "block_out = {} bytes",
          beat, c.block_out());
    uint64_t largest = std::max<uint64_t>(
        {uint64_t(c.block_out()) * c.block_in(),
         uint64_t(c.batch()) * c.block_out() * 4, uint64_t(c.block_out()) * 9});
    if (largest / beat > maxElementBeats)
      add("bus_bits: the largest element has {} bytes, {} beats; LOAD counts "
          "{} "
          "beats of an element",
          largest, largest / beat, maxElementBeats);
  }

  void checkDepths() {
    // An index has at least one bit; a UOP memory at least two lines, a bank
    // of ACC two elements.
    bool bus = isPowerOfTwo(c.bus_bits()) && c.bus_bits() >= 32 &&
               c.bus_bits() <= 1024;
    uint32_t perBeat = bus ? c.bus_bits() / 32 : 1;
    checkPowerOfTwo("uop_entries", c.uop_entries(), 2 * perBeat, maxEntries);
    checkPowerOfTwo("inp_entries", c.inp_entries(), 2, maxEntries);
    checkPowerOfTwo("wgt_entries", c.wgt_entries(), 2, maxEntries);
    checkPowerOfTwo("dwt_entries", c.dwt_entries(), 2, maxEntries);
    bool banks = checkPowerOfTwo("acc_banks", c.acc_banks(), 1, 8);
    checkPowerOfTwo("acc_entries", c.acc_entries(),
                    banks ? 2 * c.acc_banks() : 2, maxEntries);
    checkPowerOfTwo("prm_entries", c.prm_entries(), 2, maxEntries);
    checkPowerOfTwo("out_entries", c.out_entries(), 2, maxEntries);
  }

  void checkAlu() {
    uint64_t width = uint64_t(c.batch()) * c.block_out();
    if (c.alu_lanes() == 0 || width % c.alu_lanes())
      add("alu_lanes: {} does not divide batch*block_out = {}", c.alu_lanes(),
          width);
    uint32_t cycles = c.alu_multiply_cycles();
    if (cycles != 1 && cycles != 2 && cycles != 4 && cycles != 32)
      add("alu_multiply_cycles: {} is not 1, 2, 4 or 32", cycles);
  }

  void checkQueues() {
    checkRange("queue_depth", c.queue_depth(), 1, maxQueue);
    checkRange("channel_depth", c.channel_depth(), 1, maxQueue);
  }

  void checkPort() {
    checkPowerOfTwo("burst_beats", c.burst_beats(), 16, 256);
    checkRange("outstanding_bursts", c.outstanding_bursts(), 1, 256);
    uint32_t bits = c.instruction_bits(), bus = c.bus_bits();
    if (bits == 0 || bits % 8 || bits > 1024)
      add("instruction_bits: {} is not a multiple of 8 from 8 to 1024", bits);
    else if (bus && bits % bus && bus % bits)
      add("instruction_bits: {} neither divides bus_bits = {} nor is a "
          "multiple of it",
          bits, bus);
  }

  void checkFormats() {
    absl::StatusOr<Names> names = derivedNames(c);
    if (!names.ok())
      return add("{}", std::string(names.status().message()));
    for (const spec::Format &format : specification().formats())
      checkFormat(format, *names, "instruction_bits is", c.instruction_bits());
    for (const spec::Format &format : specification().micro_ops())
      checkFormat(format, *names, "a micro-op has", 32);
  }

  void checkFormat(const spec::Format &format, const Names &names,
                   const char *what, uint32_t available) {
    // Widest first, in the order of the specification among equals.
    std::vector<std::pair<int64_t, int>> widths;
    int64_t bits = 0;
    for (int i = 0; i < format.fields_size(); ++i) {
      const spec::Field &field = format.fields(i);
      absl::StatusOr<int64_t> width = evaluate(field.width(), names);
      if (!width.ok() || *width < 1 || *width > 32)
        return add("{}.{}: width '{}' is not 1 to 32 bits", format.name(),
                   field.name(), field.width());
      widths.emplace_back(-*width, i);
      bits += *width;
    }
    if (bits <= available)
      return;
    std::sort(widths.begin(), widths.end());
    std::vector<std::string> widest;
    for (size_t i = 0; i < widths.size() && i < 3; ++i)
      widest.push_back(fmt::format(
          "{} ({})", format.fields(widths[i].second).name(), -widths[i].first));
    int64_t excess = bits - available;
    add("{}: fields need {} bits, {} {}: {} bit{} too many; the widest are {}",
        format.name(), bits, what, available, excess, excess == 1 ? "" : "s",
        absl::StrJoin(widest, ", "));
  }

  const Configuration &c;
  std::vector<std::string> findings;
};

} // namespace

absl::Status checkConfiguration(const Configuration &configuration) {
  std::vector<std::string> findings = Checker(configuration).run();
  if (findings.empty())
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("configuration '{}' is not legal:\n  {}",
                  configuration.name(), absl::StrJoin(findings, "\n  ")));
}

} // namespace tenon::isa
