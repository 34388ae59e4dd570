// Part of Tenon, under the Apache License v2.0.
//
// Writes package tenon_pkg from the specification.

#include "isa/verilog.h"
#include "isa/configuration.h"
#include "isa/generator/names.h"
#include "isa/specification.h"

#include "fmt/format.h"

#include <set>

namespace tenon::isa {
namespace {

uint32_t log2Ceil(uint32_t value) {
  uint32_t bits = 0;
  while ((uint64_t{1} << bits) < value)
    ++bits;
  return bits;
}

/// Keywords that the specification's names meet or may soon meet.
std::string memberName(const std::string &name) {
  static const auto *keywords = new std::set<std::string>{
      "wait",   "signed", "unsigned", "type",   "default", "repeat", "begin",
      "end",    "final",  "input",    "output", "with",    "unique", "priority",
      "extern", "table",  "ref",      "this",   "local",   "super"};
  return keywords->count(name) ? name + "_" : name;
}

std::string parameter(const std::string &name, int64_t value) {
  return fmt::format("  localparam int unsigned {} = {};\n", upperSnake(name),
                     value);
}

std::string emitEnum(const spec::Enumeration &e) {
  uint32_t bits = std::max(1u, log2Ceil(e.values_size()));
  std::string result =
      fmt::format("  typedef enum logic [{}:0] {{\n", bits - 1);
  for (int i = 0; i < e.values_size(); ++i)
    result +=
        fmt::format("    {}_{} = {}'d{}{}\n", upperSnake(e.name()),
                    upperSnake(e.values(i).name()), bits, e.values(i).number(),
                    i + 1 < e.values_size() ? "," : "");
  return result + fmt::format("  }} {}_e;\n\n", e.name());
}

/// Whether the enumeration's type is exactly as wide as the field.
bool hasEnumType(const spec::Field &field, uint32_t width) {
  for (const spec::Enumeration &e : specification().enumerations())
    if (e.name() == field.enumeration())
      return std::max(1u, log2Ceil(e.values_size())) == width;
  return false;
}

std::string emitStruct(const spec::Format &format, const FormatLayout &layout) {
  std::string result = parameter(format.name() + "_bits", layout.bits);
  result += "  typedef struct packed {\n";
  for (int i = format.fields_size() - 1; i >= 0; --i) {
    const spec::Field &field = format.fields(i);
    uint32_t width = layout.fields[i].width;
    std::string type = hasEnumType(field, width)
                           ? field.enumeration() + "_e"
                           : fmt::format("logic [{}:0]", width - 1);
    result += fmt::format("    {} {};\n", type, memberName(field.name()));
  }
  return result + fmt::format("  }} {}_t;\n\n", format.name());
}

std::string emitNumbers(const Layout &layout) {
  std::string result = "  // Configuration.\n";
  Names own = configurationNames(layout.config);
  for (const auto &[name, value] : own)
    result += parameter(name, value);
  result += "\n  // Derived from it.\n";
  // Layout::get has evaluated the same expressions.
  Names all = *derivedNames(layout.config);
  for (const spec::Derived &d : specification().derived())
    result += parameter(d.name(), all.find(d.name())->second);
  result += "\n  // Memories.\n";
  for (uint32_t m = 0; m < memoryCount; ++m) {
    std::string name = specification().memories(m).name();
    result +=
        parameter("memory_" + name + "_entries", layout.entries(Memory(m)));
    result += parameter("memory_" + name + "_transfer_bytes",
                        layout.transferBytes(Memory(m)));
  }
  return result;
}

std::string emitChannels() {
  const spec::Specification &spec = specification();
  std::string result = "  // Token channels: index, and bit in the masks.\n";
  result += parameter("channel_count", spec.channels_size());
  for (int i = 0; i < spec.channels_size(); ++i)
    result += parameter(
        "channel_" + spec.channels(i).from() + "_" + spec.channels(i).to(), i);
  return result + "\n";
}

std::string emitConstants(const Layout &layout) {
  const spec::Specification &spec = specification();
  std::string result = "\n" + parameter("isa_version", spec.version());
  result += fmt::format(
      "  localparam logic [31:0] CONFIGURATION_HASH = 32'h{:08x};\n\n",
      uint32_t(configurationHash(layout.config)));
  uint32_t bits = layout.formats[0].fields[0].width;
  result += parameter("opcode_bits", bits);
  for (const spec::Format &f : spec.formats())
    result += fmt::format("  localparam logic [{}:0] {}_OPCODE = {}'d{};\n",
                          bits - 1, upperSnake(f.name()), bits, f.opcode());
  result += "\n  // Registers written by SET.\n";
  for (const spec::Register &reg : spec.registers()) {
    std::string name = upperSnake(reg.engine() + "_reg_" + reg.name());
    result += fmt::format("  localparam logic [3:0] {} = 4'd{};\n", name,
                          reg.number());
    result += fmt::format("  localparam logic [31:0] {}_RESET = 32'h{:08x};\n",
                          name, uint32_t(std::stoll(reg.reset())));
  }
  result += "\n  // Control port.\n";
  for (const spec::ControlRegister &reg : spec.control())
    result +=
        fmt::format("  localparam logic [11:0] CONTROL_{} = 12'h{:03x};\n",
                    upperSnake(reg.name()), reg.offset());
  return result + "\n";
}

} // namespace

std::string verilogPackage(const Layout &layout) {
  const spec::Specification &spec = specification();
  std::string result =
      "// Part of Tenon, under the Apache License v2.0.\n"
      "//\n// Configuration " +
      layout.config.name() +
      ". Generated from isa/tenon.isa; never edited.\n\n"
      "package tenon_pkg;\n  /* verilator lint_off UNUSEDPARAM */\n\n";
  result += emitNumbers(layout) + emitConstants(layout) + emitChannels();
  for (const spec::Enumeration &e : spec.enumerations())
    result += emitEnum(e);
  for (int i = 0; i < spec.formats_size(); ++i)
    result += emitStruct(spec.formats(i), layout.formats[i]);
  for (int i = 0; i < spec.micro_ops_size(); ++i)
    result += emitStruct(spec.micro_ops(i), layout.microOps[i]);
  return result + "  /* verilator lint_on UNUSEDPARAM */\nendpackage\n";
}

} // namespace tenon::isa
