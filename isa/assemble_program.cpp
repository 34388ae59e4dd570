// Part of Tenon, under the Apache License v2.0.
//
// The text form of a whole program: directives around instructions.

#include "isa/assembler.h"
#include "isa/configuration.h"
#include "isa/files.h"
#include "isa/parse_instruction.h"
#include "isa/program.h"
#include "isa/specification.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"

#include <optional>

namespace tenon::isa {
namespace {

constexpr int64_t maxOffset = int64_t{1} << 40;
/// A program of more bytes could not be stored.
constexpr int64_t maxBytes = INT32_MAX;

class ProgramParser {
public:
  ProgramParser(absl::string_view text, absl::string_view source)
      : source(source), lines(absl::StrSplit(text, '\n')) {
    program.set_isa_version(isaVersion);
  }

  absl::StatusOr<Program> parse() {
    while (next < lines.size()) {
      Scanner scanner(source, int(next) + 1, lines[next]);
      ++next;
      if (scanner.atEnd())
        continue;
      if (absl::Status status = parseLine(scanner); !status.ok())
        return status;
    }
    return finish();
  }

private:
  /// A segment whose instructions are launched.
  struct Area {
    int segment;
    uint64_t count;
  };

  absl::Status parseLine(Scanner &scanner) {
    absl::string_view word = scanner.peekWord();
    if (isMnemonic(word))
      return parseCode(scanner);
    using Handler = absl::Status (ProgramParser::*)(Scanner &);
    static constexpr std::pair<absl::string_view, Handler> directives[] = {
        {".isa", &ProgramParser::parseVersion},
        {".configuration", &ProgramParser::parseConfigurationLine},
        {".dram", &ProgramParser::parseDram},
        {".segment", &ProgramParser::parseSegment},
        {".instructions", &ProgramParser::parseInstructions},
        {".hex", &ProgramParser::parseHex},
        {".word", &ProgramParser::parseWords},
        {".zero", &ProgramParser::parseZero},
        {".gemm_uop", &ProgramParser::parseUop},
        {".alu_uop", &ProgramParser::parseUop},
        {".program", &ProgramParser::parseRest}};
    for (const auto &[name, handler] : directives)
      if (name == word)
        return (this->*handler)(scanner);
    return scanner.expected(
        "an instruction or a directive (" +
        absl::StrJoin(directives, ", ",
                      [](std::string *out, const auto &directive) {
                        out->append(std::string(directive.first));
                      }) +
        ")");
  }

  absl::Status parseVersion(Scanner &scanner) {
    scanner.word();
    size_t column = scanner.column();
    absl::StatusOr<int64_t> version =
        scanner.number("a version", 0, UINT32_MAX);
    if (!version.ok())
      return version.status();
    if (*version != isaVersion)
      return scanner.error(
          fmt::format("the text is for version {} of the instruction set, this "
                      "is version {}",
                      *version, isaVersion),
          column);
    return scanner.expectEnd();
  }

  absl::Status parseConfigurationLine(Scanner &scanner) {
    size_t column = scanner.column();
    scanner.word();
    if (layout)
      return scanner.error(".configuration is given twice", column);
    absl::StatusOr<Configuration> config = readConfiguration(scanner);
    if (!config.ok())
      return config.status();
    absl::StatusOr<Layout> made = Layout::get(*config);
    if (!made.ok())
      return scanner.error(std::string(made.status().message()), column);
    layout = *std::move(made);
    *program.mutable_configuration() = *config;
    return absl::OkStatus();
  }

  absl::StatusOr<Configuration> readConfiguration(Scanner &scanner) {
    size_t column = scanner.column();
    if (scanner.accept('{')) {
      if (absl::Status status = scanner.expectEnd(); !status.ok())
        return status;
      Configuration config;
      absl::Status status = readBlock(scanner, config);
      return status.ok() ? absl::StatusOr<Configuration>(config) : status;
    }
    std::string name(scanner.rest());
    absl::StatusOr<Configuration> config = loadConfiguration(name);
    if (!config.ok())
      return scanner.error(std::string(config.status().message()), column);
    return config;
  }

  /// Protobuf text up to a line that begins with '}'.
  absl::Status readBlock(Scanner &opening, google::protobuf::Message &message) {
    size_t begin = next;
    while (next < lines.size() &&
           (lines[next].empty() || lines[next][0] != '}'))
      ++next;
    if (next == lines.size())
      return opening.error("the closing '}' in column 1 is missing");
    std::string text;
    for (size_t i = begin; i < next; ++i) {
      text.append(lines[i].data(), lines[i].size());
      text += '\n';
    }
    Scanner closing(source, int(next) + 1, lines[next]);
    ++next;
    closing.accept('}');
    if (absl::Status status = closing.expectEnd(); !status.ok())
      return status;
    return parseText(text, source, int(begin) + 1, message);
  }

  absl::Status parseDram(Scanner &scanner) {
    scanner.word();
    absl::StatusOr<int64_t> bytes =
        scanner.number("a number of bytes", 0, maxOffset);
    if (!bytes.ok())
      return bytes.status();
    program.set_dram_bytes(uint64_t(*bytes));
    return scanner.expectEnd();
  }

  absl::Status openSegment(Scanner &scanner, const std::string &name) {
    if (absl::Status status = scanner.expect('@'); !status.ok())
      return status;
    absl::StatusOr<int64_t> offset =
        scanner.number("a byte offset", 0, maxOffset);
    if (!offset.ok())
      return offset.status();
    Segment *segment = program.add_segments();
    segment->set_name(name);
    segment->set_offset(uint64_t(*offset));
    data = segment->mutable_data();
    inArea = false;
    return scanner.expectEnd();
  }

  absl::Status parseSegment(Scanner &scanner) {
    scanner.word();
    absl::StatusOr<std::string> name = scanner.quoted();
    return name.ok() ? openSegment(scanner, *name) : name.status();
  }

  absl::Status parseInstructions(Scanner &scanner) {
    scanner.word();
    absl::Status status = openSegment(scanner, "instructions");
    areas.push_back({program.segments_size() - 1, 0});
    inArea = true;
    return status;
  }

  /// Where bytes go; an error before the first segment.
  absl::Status needSegment(Scanner &scanner) {
    if (!data)
      return scanner.error("expected .segment or .instructions before data");
    if (!layout)
      return scanner.error("expected .configuration before data");
    return absl::OkStatus();
  }

  absl::Status parseCode(Scanner &scanner) {
    if (absl::Status status = needSegment(scanner); !status.ok())
      return status;
    absl::StatusOr<Instruction> instruction =
        parseInstruction(*layout, scanner);
    if (!instruction.ok())
      return instruction.status();
    size_t at = data->size();
    data->resize(at + layout->instructionBytes);
    if (inArea)
      ++areas.back().count;
    return encode(*layout, *instruction,
                  reinterpret_cast<uint8_t *>(data->data() + at));
  }

  absl::Status parseHex(Scanner &scanner) {
    if (absl::Status status = needSegment(scanner); !status.ok())
      return status;
    scanner.word();
    size_t column = scanner.column();
    int high = -1;
    for (char c : scanner.rest()) {
      int digit = absl::ascii_isdigit(c) ? c - '0'
                  : c >= 'a' && c <= 'f' ? c - 'a' + 10
                  : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                         : -1;
      if (digit < 0 && !absl::ascii_isspace(c))
        return scanner.error(
            fmt::format("expected pairs of hexadecimal digits, found '{}'", c),
            column);
      ++column;
      if (digit < 0)
        continue;
      if (high >= 0)
        *data += char(high << 4 | digit);
      high = high < 0 ? digit : -1;
    }
    if (high >= 0)
      return scanner.error("expected pairs of hexadecimal digits, found an odd "
                           "number of them");
    return absl::OkStatus();
  }

  void appendWord(uint32_t word) {
    for (int i = 0; i < 4; ++i)
      *data += char(word >> (8 * i));
  }

  absl::Status parseWords(Scanner &scanner) {
    if (absl::Status status = needSegment(scanner); !status.ok())
      return status;
    scanner.word();
    do {
      absl::StatusOr<int64_t> word =
          scanner.number("a 32-bit word", INT32_MIN, UINT32_MAX);
      if (!word.ok())
        return word.status();
      appendWord(uint32_t(*word));
    } while (scanner.accept(','));
    return scanner.expectEnd();
  }

  absl::Status parseZero(Scanner &scanner) {
    if (absl::Status status = needSegment(scanner); !status.ok())
      return status;
    scanner.word();
    absl::StatusOr<int64_t> count = scanner.number(
        "a number of bytes", 0, maxBytes - int64_t(data->size()));
    if (!count.ok())
      return count.status();
    data->append(size_t(*count), '\0');
    return scanner.expectEnd();
  }

  absl::Status parseUop(Scanner &scanner) {
    if (absl::Status status = needSegment(scanner); !status.ok())
      return status;
    bool gemm = scanner.word() == ".gemm_uop";
    const FormatLayout &format = layout->microOps[gemm ? 0 : 1];
    uint32_t values[3];
    static constexpr const char *names[] = {"dst", "src", "third"};
    for (int i = 0; i < 3; ++i) {
      if (i && !scanner.accept(','))
        return scanner.expected("','");
      absl::StatusOr<int64_t> value = scanner.number(
          names[i], 0, (int64_t{1} << format.fields[i].width) - 1);
      if (!value.ok())
        return value.status();
      values[i] = uint32_t(*value);
    }
    MicroOp uop{values[0], values[1], values[2]};
    appendWord(gemm ? encodeGemmUop(*layout, uop) : encodeAluUop(*layout, uop));
    return scanner.expectEnd();
  }

  absl::Status parseRest(Scanner &scanner) {
    size_t column = scanner.column();
    scanner.word();
    if (hasRest)
      return scanner.error(".program is given twice", column);
    hasRest = true;
    if (absl::Status status = scanner.expect('{'); !status.ok())
      return status;
    if (absl::Status status = scanner.expectEnd(); !status.ok())
      return status;
    Program rest;
    if (absl::Status status = readBlock(scanner, rest); !status.ok())
      return status;
    if (rest.has_configuration() || rest.segments_size() || rest.dram_bytes() ||
        rest.isa_version())
      return scanner.error(".program must not hold configuration, segments, "
                           "dram_bytes or isa_version: they have directives",
                           column);
    program.MergeFrom(rest);
    return absl::OkStatus();
  }

  absl::StatusOr<Program> finish() {
    Scanner end(source, int(lines.size()), lines.back());
    if (!layout)
      return end.error("the text has no .configuration");
    for (const Area &area : areas) {
      if (hasRest)
        break;
      Launch *launch = program.add_steps()->mutable_launch();
      launch->set_program_offset(program.segments(area.segment).offset());
      launch->set_instruction_count(area.count);
    }
    if (absl::Status status = validateProgram(program); !status.ok())
      return absl::InvalidArgumentError(fmt::format(
          "{}: {}", std::string(source), std::string(status.message())));
    return program;
  }

  absl::string_view source;
  std::vector<absl::string_view> lines;
  size_t next = 0;
  Program program;
  std::optional<Layout> layout;
  std::string *data = nullptr; // bytes of the open segment
  bool inArea = false;
  std::vector<Area> areas;
  bool hasRest = false;
};

} // namespace

absl::StatusOr<Program> assembleProgram(absl::string_view text,
                                        absl::string_view source) {
  return ProgramParser(text, source).parse();
}

} // namespace tenon::isa
