// Part of Tenon, under the Apache License v2.0.
//
// Instructions from text, driven by the syntax table.

#include "isa/parse_instruction.h"
#include "isa/assembler.h"
#include "isa/fields.h"
#include "isa/specification.h"
#include "isa/syntax.h"

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"

#include <set>

namespace tenon::isa {
namespace {

const spec::Format *findFormat(absl::string_view name) {
  for (const spec::Format &format : specification().formats())
    if (format.name() == name)
      return &format;
  return nullptr;
}

const spec::Enumeration &enumerationOf(const spec::Field &field) {
  for (const spec::Enumeration &e : specification().enumerations())
    if (e.name() == field.enumeration())
      return e;
  return specification().enumerations(0);
}

template <typename List> std::string namesOf(const List &list) {
  return absl::StrJoin(list, ", ", [](std::string *out, const auto &value) {
    out->append(value.name());
  });
}

class InstructionParser {
public:
  InstructionParser(const Layout &layout, Scanner &scanner)
      : layout(layout), scanner(scanner) {}

  absl::StatusOr<Instruction> parse() {
    size_t column = scanner.column();
    format = findFormat(scanner.peekWord());
    if (!format)
      return scanner.expected(fmt::format("an instruction ({})",
                                          namesOf(specification().formats())));
    scanner.word();
    values[0] = format->opcode();
    const std::vector<SyntaxItem> &items = syntaxOf(format->opcode());
    for (const SyntaxItem &item : items)
      for (size_t field : item.fields)
        values[field] = item.missing;
    absl::Status status = parseItems(items);
    if (!status.ok())
      return status;
    Instruction result = makeInstruction(format->opcode(), values);
    status = validate(layout, result);
    if (!status.ok())
      return scanner.error(std::string(status.message()), column);
    return result;
  }

private:
  absl::Status parseItems(const std::vector<SyntaxItem> &items) {
    std::set<const SyntaxItem *> seen;
    for (const SyntaxItem &item : items)
      if (item.kind == SyntaxItem::Name)
        if (absl::Status status = parseEnumerator(item.fields[0]); !status.ok())
          return status;
    while (!scanner.atEnd()) {
      const SyntaxItem *item = findItem(items, scanner.peekWord());
      if (!item)
        return scanner.expected(whatIsExpected(items));
      if (!seen.insert(item).second)
        return scanner.error(fmt::format("{} is given twice", item->key));
      if (item->kind != SyntaxItem::Register)
        scanner.word();
      if (absl::Status status = parseItem(*item); !status.ok())
        return status;
    }
    for (const SyntaxItem &item : items)
      if (item.kind == SyntaxItem::Range && !seen.count(&item))
        return scanner.expected(item.key + "=BEGIN+COUNT");
    return absl::OkStatus();
  }

  const SyntaxItem *findItem(const std::vector<SyntaxItem> &items,
                             absl::string_view word) const {
    if (word.empty())
      return nullptr;
    const SyntaxItem *registerItem = nullptr;
    for (const SyntaxItem &item : items) {
      if (item.kind == SyntaxItem::Register)
        registerItem = &item;
      else if (item.kind != SyntaxItem::Name && item.key == word)
        return &item;
    }
    return registerItem;
  }

  std::string whatIsExpected(const std::vector<SyntaxItem> &items) const {
    std::vector<std::string> keys;
    for (const SyntaxItem &item : items) {
      bool bare = item.kind == SyntaxItem::Flag;
      bool mask = item.kind == SyntaxItem::Engines;
      if (item.kind != SyntaxItem::Name)
        keys.push_back(item.key + (bare ? "" : mask ? "(..)" : "="));
    }
    return keys.empty() ? "the end of the line"
                        : "one of " + absl::StrJoin(keys, ", ");
  }

  absl::Status parseItem(const SyntaxItem &item) {
    switch (item.kind) {
    case SyntaxItem::Name:
      return absl::OkStatus();
    case SyntaxItem::Flag:
      values[item.fields[0]] = 1;
      return absl::OkStatus();
    case SyntaxItem::Engines:
      return parseEngines(item.fields[0]);
    case SyntaxItem::Register:
      return parseRegister(item);
    default:
      break;
    }
    if (absl::Status status = scanner.expect('='); !status.ok())
      return status;
    if (item.kind == SyntaxItem::Choice)
      return parseEnumerator(item.fields[0]);
    bool padding = item.kind == SyntaxItem::Padding;
    char separator = item.kind == SyntaxItem::Range ? '+' : ',';
    for (size_t i = 0; i + padding < item.fields.size(); ++i) {
      if (i && !scanner.accept(separator))
        return scanner.expected(fmt::format("'{}'", separator));
      if (absl::Status status = parseNumber(item.fields[i]); !status.ok())
        return status;
    }
    if (padding && scanner.accept(':'))
      return parseEnumerator(item.fields.back());
    return absl::OkStatus();
  }

  absl::Status parseNumber(size_t field) {
    uint32_t width = layout.formats[format->opcode()].fields[field].width;
    auto value = scanner.number(format->fields(field).name(), 0,
                                (int64_t{1} << width) - 1);
    if (value.ok())
      values[field] = uint64_t(*value);
    return value.status();
  }

  absl::Status parseEnumerator(size_t field) {
    const spec::Enumeration &e = enumerationOf(format->fields(field));
    for (const auto &value : e.values()) {
      if (value.name() != scanner.peekWord())
        continue;
      scanner.word();
      values[field] = value.number();
      return absl::OkStatus();
    }
    return scanner.expected(
        fmt::format("{} ({})", e.name(), namesOf(e.values())));
  }

  absl::Status parseEngines(size_t field) {
    Engine engine = engineOf(makeInstruction(format->opcode(), values));
    auto others = neighbours(engine);
    if (absl::Status status = scanner.expect('('); !status.ok())
      return status;
    do {
      size_t bit = 0;
      while (bit < others.size() && toString(others[bit]) != scanner.peekWord())
        ++bit;
      if (bit == others.size())
        return scanner.expected(fmt::format(
            "an engine ({})",
            absl::StrJoin(others, ", ", [](std::string *out, Engine e) {
              out->append(std::string(toString(e)));
            })));
      scanner.word();
      values[field] |= uint64_t{1} << bit;
    } while (scanner.accept(','));
    return scanner.expect(')');
  }

  absl::Status parseRegister(const SyntaxItem &item) {
    const spec::Register *reg = nullptr;
    std::string engine(
        toString(engineOf(makeInstruction(format->opcode(), values))));
    std::vector<std::string> names;
    for (const spec::Register &r : specification().registers()) {
      if (r.engine() != engine)
        continue;
      names.push_back(r.name());
      if (r.name() == scanner.peekWord())
        reg = &r;
    }
    if (!reg)
      return scanner.expected(
          names.empty()
              ? fmt::format("wait(..) or signal(..): {} has no registers",
                            engine)
              : fmt::format("a register of {} ({}), wait(..) or signal(..)",
                            engine, absl::StrJoin(names, ", ")));
    scanner.word();
    if (absl::Status status = scanner.expect('='); !status.ok())
      return status;
    absl::StatusOr<int64_t> value =
        scanner.number(reg->name(), reg->is_signed() ? INT32_MIN : 0,
                       reg->is_signed() ? INT32_MAX : int64_t(UINT32_MAX));
    if (!value.ok())
      return value.status();
    values[item.fields[0]] = reg->number();
    values[item.fields[1]] = uint32_t(*value);
    return absl::OkStatus();
  }

  const Layout &layout;
  Scanner &scanner;
  const spec::Format *format = nullptr;
  FieldValues values{};
};

} // namespace

absl::StatusOr<Instruction> parseInstruction(const Layout &layout,
                                             Scanner &scanner) {
  return InstructionParser(layout, scanner).parse();
}

bool isMnemonic(absl::string_view word) { return findFormat(word) != nullptr; }

absl::StatusOr<std::vector<Instruction>> assemble(const Layout &layout,
                                                  absl::string_view text,
                                                  absl::string_view source) {
  std::vector<Instruction> result;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    Scanner scanner(source, ++number, line);
    if (scanner.atEnd())
      continue;
    absl::StatusOr<Instruction> instruction = parseInstruction(layout, scanner);
    if (!instruction.ok())
      return instruction.status();
    result.push_back(*std::move(instruction));
  }
  return result;
}

} // namespace tenon::isa
