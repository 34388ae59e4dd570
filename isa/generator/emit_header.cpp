// Part of Tenon, under the Apache License v2.0.
//
// The placeholders of isa/isa.h.in.

#include "isa/generator/emit.h"
#include "isa/generator/names.h"

#include "absl/strings/str_replace.h"
#include "fmt/format.h"

namespace tenon::isa {
namespace {

/// Breaks a documentation string into comment lines of at most 80 columns.
std::string comment(const std::string &indent, const std::string &text) {
  std::string result, line;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    if (!line.empty() && indent.size() + 5 + line.size() + word.size() > 80) {
      result += fmt::format("{}/// {}\n", indent, line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  if (!line.empty())
    result += fmt::format("{}/// {}\n", indent, line);
  return result;
}

std::string memberType(const spec::Field &field) {
  return field.enumeration().empty() ? "uint32_t"
                                     : upperCamel(field.enumeration());
}

std::string memberReset(const spec::Specification &spec,
                        const spec::Field &field) {
  for (const spec::Enumeration &e : spec.enumerations())
    if (e.name() == field.enumeration())
      return upperCamel(e.name()) + "::" + upperCamel(e.values(0).name());
  return "0";
}

std::string emitEquality(const spec::Format &format) {
  std::string type = upperCamel(format.name()), terms;
  for (const spec::Field &field : format.fields())
    if (field.name() != "opcode")
      terms +=
          fmt::format("{}a.{} == b.{}", terms.empty() ? "" : " &&\n         ",
                      camelBack(field.name()), camelBack(field.name()));
  bool empty = terms.empty();
  std::string a = empty ? "" : " a", b = empty ? "" : " b";
  return fmt::format(
      "inline bool operator==(const {0} &{1}, const {0} &{2}) {{\n"
      "  return {3};\n}}\n"
      "inline bool operator!=(const {0} &a, const {0} &b) {{ "
      "return !(a == b); }}\n",
      type, empty ? "" : "a", empty ? "" : "b", empty ? "true" : terms);
}

} // namespace

std::string emitEnumerations(const spec::Specification &spec) {
  std::string result;
  for (const spec::Enumeration &e : spec.enumerations()) {
    std::string type = upperCamel(e.name());
    result += comment("", e.doc());
    result += fmt::format("enum class {} : uint8_t {{\n", type);
    for (const auto &value : e.values()) {
      result += comment("  ", value.doc());
      result +=
          fmt::format("  {} = {},\n", upperCamel(value.name()), value.number());
    }
    result += fmt::format(
        "}};\nconstexpr uint32_t {}Count = {};\n"
        "/// The specification's name of a value; \"?\" for a value that is "
        "none.\nabsl::string_view toString({} value);\n\n",
        camelBack(e.name()), e.values_size(), type);
  }
  return result;
}

std::string emitRegisters(const spec::Specification &spec) {
  std::string result;
  for (const spec::Engine &engine : spec.engines()) {
    std::string body;
    for (const spec::Register &reg : spec.registers())
      if (reg.engine() == engine.name())
        body +=
            comment("  ", reg.doc()) +
            fmt::format("  {} = {},\n", upperCamel(reg.name()), reg.number());
    if (!body.empty())
      result += fmt::format("enum class {}Register : uint8_t {{\n"
                            "  /// No register: SET only waits and signals.\n"
                            "  None = 0,\n{}}};\n\n",
                            upperCamel(engine.name()), body);
  }
  return result;
}

std::string emitControl(const spec::Specification &spec) {
  std::string result;
  for (const spec::ControlRegister &reg : spec.control())
    result += comment("", reg.access() + "; " + reg.doc()) +
              fmt::format("constexpr uint32_t {} = 0x{:x};\n",
                          camelBack(reg.name()), reg.offset());
  result.pop_back();
  return result;
}

std::string emitInstructions(const spec::Specification &spec) {
  std::string result;
  for (const spec::Format &format : spec.formats()) {
    result += comment("", format.semantics());
    result += fmt::format("struct {} {{\n", upperCamel(format.name()));
    for (const spec::Field &field : format.fields()) {
      if (field.name() == "opcode")
        continue;
      result += comment("  ", field.doc());
      result += fmt::format("  {} {} = {};\n", memberType(field),
                            camelBack(field.name()), memberReset(spec, field));
    }
    result += "};\n" + emitEquality(format) + "\n";
  }
  return result;
}

std::string emitVariant(const spec::Specification &spec) {
  std::string result;
  for (const spec::Format &format : spec.formats())
    result += (result.empty() ? "" : ", ") + upperCamel(format.name());
  return result;
}

std::string emitChannels(const spec::Specification &spec) {
  std::string result =
      fmt::format("inline constexpr std::array<Channel, {}> channels = {{{{\n",
                  spec.channels_size());
  for (const spec::Channel &c : spec.channels())
    result += fmt::format("    {{Engine::{}, Engine::{}}}, // {}\n",
                          upperCamel(c.from()), upperCamel(c.to()), c.doc());
  return result + "}};";
}

std::string emitDerived(const spec::Specification &spec) {
  std::string result;
  for (const spec::Derived &d : spec.derived()) {
    std::string doc = d.doc().empty() ? d.value() : d.doc();
    result += comment("  ", doc);
    result += fmt::format("  uint32_t {} = 0;\n", camelBack(d.name()));
  }
  return result;
}

std::string emitHeader(std::string text, const spec::Specification &spec) {
  return absl::StrReplaceAll(
      text, {{"@VERSION@", fmt::format("constexpr uint32_t isaVersion = {};",
                                       spec.version())},
             {"@ENUMERATIONS@", emitEnumerations(spec)},
             {"@REGISTERS@", emitRegisters(spec)},
             {"@CONTROL@", emitControl(spec)},
             {"@INSTRUCTIONS@", emitInstructions(spec)},
             {"@VARIANT@", emitVariant(spec)},
             {"@CHANNELS@", emitChannels(spec)},
             {"@DERIVED@", emitDerived(spec)},
             {"@FORMAT_COUNT@", std::to_string(spec.formats_size())},
             {"@MICRO_OP_COUNT@", std::to_string(spec.micro_ops_size())}});
}

} // namespace tenon::isa
