// Part of Tenon, under the Apache License v2.0.
//
// Writes the reference manual as Markdown.

#include "isa/manual.h"
#include "isa/configuration.h"
#include "isa/isa.h"
#include "isa/specification.h"
#include "isa/syntax.h"

#include "absl/strings/str_replace.h"
#include "fmt/format.h"

namespace tenon::isa {
namespace {

/// Text in a cell of a Markdown table.
std::string cell(const std::string &text) {
  return absl::StrReplaceAll(text, {{"|", "\\|"}, {"*", "\\*"}, {"<", "&lt;"}});
}

/// Text of a paragraph, in lines of at most 80 columns.
std::string paragraph(const std::string &text) {
  std::string result, line;
  std::string escaped =
      absl::StrReplaceAll(text, {{"*", "\\*"}, {"<", "&lt;"}});
  size_t at = 0;
  while (at < escaped.size()) {
    size_t end = std::min(escaped.find(' ', at), escaped.size());
    if (!line.empty() && line.size() + 1 + end - at > 80) {
      result += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + escaped.substr(at, end - at);
    at = end + 1;
  }
  return result + line + "\n\n";
}

std::string upper(std::string text) {
  for (char &c : text)
    c = char(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

class Manual {
public:
  explicit Manual(std::vector<Layout> layouts)
      : spec(specification()), layouts(std::move(layouts)) {}

  std::string write() {
    out = "# The Tenon instruction set\n\n"
          "<!-- Generated from isa/tenon.isa; `ninja isa-manual` writes it. "
          "-->\n\n";
    out +=
        fmt::format("Version {}.\n\n", spec.version()) + paragraph(spec.doc());
    writeBits();
    writeConfigurations();
    writeMachine();
    for (int i = 0; i < spec.formats_size(); ++i)
      writeFormat(spec.formats(i), &Layout::formats, i, "Instruction");
    for (int i = 0; i < spec.micro_ops_size(); ++i)
      writeFormat(spec.micro_ops(i), &Layout::microOps, i, "Micro-op");
    writeEnumerations();
    writeRegisters();
    writeControl();
    writeAssembler();
    return out;
  }

private:
  std::string configurationHeader(const std::string &first) const {
    std::string names = "| " + first + " |", rule = "|---|";
    for (const Layout &layout : layouts) {
      names += " " + layout.config.name() + " |";
      rule += "---:|";
    }
    return names + "\n" + rule + "\n";
  }

  void writeBits() {
    out += "## Bits per format\n\n" + configurationHeader("format");
    for (int i = 0; i < spec.formats_size(); ++i) {
      out += fmt::format("| {} |", spec.formats(i).name());
      for (const Layout &layout : layouts)
        out += fmt::format(" {} |", layout.formats[i].bits);
      out += "\n";
    }
    out += "| *instruction* |";
    for (const Layout &layout : layouts)
      out += fmt::format(" {} |", layout.config.instruction_bits());
    out += "\n";
    for (int i = 0; i < spec.micro_ops_size(); ++i) {
      out += fmt::format("| {} |", spec.micro_ops(i).name());
      for (const Layout &layout : layouts)
        out += fmt::format(" {} |", layout.microOps[i].bits);
      out += "\n";
    }
    out += "| *micro-op* |";
    for (size_t i = 0; i < layouts.size(); ++i)
      out += " 32 |";
    out += "\n\n";
  }

  void writeConfigurations() {
    out += "## Configurations\n\nOf each configuration: its fields, then the "
           "numbers derived from them.\n\n" +
           configurationHeader("field");
    const auto *descriptor = Configuration::descriptor();
    for (int i = 0; i < descriptor->field_count(); ++i)
      writeNumber(descriptor->field(i)->name());
    for (const spec::Derived &d : spec.derived())
      writeNumber(d.name());
    out += "\n";
    for (const spec::Derived &d : spec.derived())
      if (!d.doc().empty())
        out += fmt::format("* `{}` = `{}`: {}\n", d.name(), d.value(),
                           cell(d.doc()));
    out += "\n";
  }

  void writeNumber(const std::string &name) {
    if (name == "name")
      return;
    auto text = [&](const Layout &layout) {
      return name == "counters"
                 ? Configuration::Counters_Name(layout.config.counters())
                 : std::to_string(
                       derivedNames(layout.config)->find(name)->second);
    };
    out += fmt::format("| {} |", name);
    for (const Layout &layout : layouts)
      out += fmt::format(" {} |", text(layout));
    out += "\n";
  }

  void writeMachine() {
    out += "## Engines\n\n| number | engine | |\n|---|---|---|\n";
    for (int i = 0; i < spec.engines_size(); ++i)
      out += fmt::format("| {} | {} | {} |\n", i, upper(spec.engines(i).name()),
                         cell(spec.engines(i).doc()));
    out +=
        "\nBit i of `wait` and `signal` is the i-th of the other engines, in "
        "this order.\n\n## Token channels\n\n| number | from | to | a token "
        "says |\n|---|---|---|---|\n";
    for (int i = 0; i < spec.channels_size(); ++i)
      out += fmt::format(
          "| {} | {} | {} | {} |\n", i, upper(spec.channels(i).from()),
          upper(spec.channels(i).to()), cell(spec.channels(i).doc()));
    out += "\n## Memories\n\n| memory | elements | bits of an element | bytes "
           "in DRAM | |\n|---|---|---|---|---|\n";
    for (const spec::Memory &m : spec.memories())
      out += fmt::format("| {} | `{}` | `{}` | `{}` | {} |\n", upper(m.name()),
                         m.entries(), m.element_bits(), m.transfer_bytes(),
                         cell(m.doc()));
    out += "\n";
  }

  template <typename Formats>
  void writeFormat(const spec::Format &format, Formats formats, size_t index,
                   const std::string &what) {
    out += fmt::format("## {} {}\n\n", what, upper(format.name())) +
           paragraph(format.semantics());
    out += "Fields from bit 0 upward, with their widths; unused high bits are "
           "zero.\n\n";
    std::string names = "| field | width |", rule = "|---|---|";
    for (const Layout &layout : layouts) {
      names += " " + layout.config.name() + " |";
      rule += "---:|";
    }
    out += names + " |\n" + rule + "---|\n";
    for (int i = 0; i < format.fields_size(); ++i) {
      const spec::Field &field = format.fields(i);
      out += fmt::format("| {} | `{}` |", field.name(), field.width());
      for (const Layout &layout : layouts)
        out += fmt::format(" {} |", (layout.*formats)[index].fields[i].width);
      std::string doc =
          field.enumeration().empty()
              ? field.doc()
              : field.doc() + " (enumeration " + field.enumeration() + ")";
      out += fmt::format(" {} |\n", cell(doc));
    }
    out += "\n";
  }

  void writeEnumerations() {
    for (const spec::Enumeration &e : spec.enumerations()) {
      out += fmt::format("## Enumeration {}\n\n", e.name()) +
             paragraph(e.doc()) + "| number | name | |\n|---|---|---|\n";
      for (const auto &value : e.values())
        out += fmt::format("| {} | {} | {} |\n", value.number(), value.name(),
                           cell(value.doc()));
      out += "\n";
    }
  }

  void writeRegisters() {
    out += "## Registers written by SET\n\n| engine | number | register | bits "
           "| signed | reset | |\n|---|---|---|---|---|---|---|\n";
    for (const spec::Register &reg : spec.registers())
      out += fmt::format("| {} | {} | {} | `{}` | {} | {} | {} |\n",
                         upper(reg.engine()), reg.number(), upper(reg.name()),
                         reg.bits(), reg.is_signed() ? "yes" : "no",
                         reg.reset(), cell(reg.doc()));
    out += "\n";
  }

  void writeControl() {
    out += "## Control port\n\n32-bit words of an AXI4-Lite slave.\n\n| offset "
           "| name | access | |\n|---|---|---|---|\n";
    for (const spec::ControlRegister &reg : spec.control())
      out += fmt::format("| 0x{:03x} | {} | {} | {} |\n", reg.offset(),
                         reg.name(), reg.access(), cell(reg.doc()));
  }

  void writeAssembler() {
    out += "\n## Assembler text\n\nLine based; `;` begins a comment. Numbers "
           "are decimal or hexadecimal with 0x. Items may\nstand in any order; "
           "what is left out is 0, sizes and loop counts 1.\n\n```\n";
    for (const spec::Format &format : spec.formats()) {
      out += format.name();
      for (const SyntaxItem &item : syntaxOf(format.opcode()))
        out += " " + usage(item);
      out += "\n";
    }
    out += "```\n\nA whole program adds directives:\n\n```\n";
    for (const DirectiveHelp &directive : directiveHelp())
      out += fmt::format("{:<30}; {}\n", directive.usage, directive.doc);
    out += "```\n";
  }

  static std::string usage(const SyntaxItem &item) {
    std::string text;
    switch (item.kind) {
    case SyntaxItem::Name:
      return upper(item.key);
    case SyntaxItem::Flag:
      text = item.key;
      break;
    case SyntaxItem::Number:
      text = item.key + "=N";
      break;
    case SyntaxItem::Choice:
      text = item.key + "=" + upper(item.key);
      break;
    case SyntaxItem::Pair:
      text = item.key + "=OUTER,INNER";
      break;
    case SyntaxItem::Range:
      return item.key + "=BEGIN+COUNT";
    case SyntaxItem::Padding:
      text = item.key + "=TOP,BOTTOM,LEFT,RIGHT[:KIND]";
      break;
    case SyntaxItem::Register:
      text = "REGISTER=VALUE";
      break;
    case SyntaxItem::Engines:
      text = item.key + "(ENGINE,..)";
      break;
    }
    return "[" + text + "]";
  }

  const spec::Specification &spec;
  std::vector<Layout> layouts;
  std::string out;
};

} // namespace

absl::StatusOr<std::string> referenceManual() {
  std::vector<Layout> layouts;
  for (const std::string &name : shippedConfigurations()) {
    absl::StatusOr<Configuration> config = loadConfiguration(name);
    if (!config.ok())
      return config.status();
    absl::StatusOr<Layout> layout = Layout::get(*config);
    if (!layout.ok())
      return layout.status();
    layouts.push_back(*std::move(layout));
  }
  return Manual(std::move(layouts)).write();
}

} // namespace tenon::isa
