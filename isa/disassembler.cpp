// Part of Tenon, under the Apache License v2.0.
//
// Instructions as assembler text.

#include "isa/fields.h"
#include "isa/specification.h"
#include "isa/syntax.h"

#include "fmt/format.h"

#include <algorithm>

namespace tenon::isa {
namespace {

std::string enumerator(const spec::Field &field, uint64_t value) {
  for (const spec::Enumeration &e : specification().enumerations())
    if (e.name() == field.enumeration() && value < uint64_t(e.values_size()))
      return e.values(int(value)).name();
  return std::to_string(value);
}

std::string engines(const Instruction &instruction, uint64_t mask) {
  auto others = neighbours(engineOf(instruction));
  std::string result;
  for (size_t i = 0; i < others.size(); ++i)
    if (mask >> i & 1)
      result += (result.empty() ? "" : ",") + std::string(toString(others[i]));
  return result;
}

std::string registerValue(const Instruction &instruction, uint64_t index,
                          uint64_t value) {
  absl::string_view engine = toString(engineOf(instruction));
  for (const spec::Register &reg : specification().registers())
    if (reg.engine() == engine && reg.number() == index)
      return reg.is_signed()
                 ? fmt::format("{}={}", reg.name(), int32_t(uint32_t(value)))
                 : fmt::format("{}=0x{:x}", reg.name(), value);
  // No such register: the assembler refuses it, but a reader sees what it is.
  return fmt::format("{}={}", index, value);
}

std::string numbers(const SyntaxItem &item, const FieldValues &values,
                    size_t count, char separator) {
  std::string result;
  for (size_t i = 0; i < count; ++i) {
    if (i)
      result += separator;
    result += item.hexadecimal ? fmt::format("0x{:x}", values[item.fields[i]])
                               : std::to_string(values[item.fields[i]]);
  }
  return result;
}

std::string print(const Instruction &instruction, const spec::Format &format,
                  const SyntaxItem &item, const FieldValues &values) {
  uint64_t value = values[item.fields[0]];
  size_t count = item.fields.size();
  switch (item.kind) {
  case SyntaxItem::Name:
    return enumerator(format.fields(int(item.fields[0])), value);
  case SyntaxItem::Flag:
    return item.key;
  case SyntaxItem::Choice:
    return item.key + "=" +
           enumerator(format.fields(int(item.fields[0])), value);
  case SyntaxItem::Number:
  case SyntaxItem::Pair:
    return item.key + "=" + numbers(item, values, count, ',');
  case SyntaxItem::Range:
    return item.key + "=" + numbers(item, values, count, '+');
  case SyntaxItem::Engines:
    return item.key + "(" + engines(instruction, value) + ")";
  case SyntaxItem::Register:
    return registerValue(instruction, value, values[item.fields[1]]);
  case SyntaxItem::Padding:
    break;
  }
  uint64_t kind = values[item.fields.back()];
  std::string suffix =
      kind ? ":" + enumerator(format.fields(int(item.fields.back())), kind)
           : "";
  return item.key + "=" + numbers(item, values, count - 1, ',') + suffix;
}

} // namespace

std::string disassemble(const Layout &layout, const Instruction &instruction) {
  const spec::Format &format = specification().formats(instruction.index());
  FieldValues values = fieldValues(instruction);
  std::string result = format.name();
  for (const SyntaxItem &item : syntaxOf(uint32_t(instruction.index()))) {
    bool missing =
        std::all_of(item.fields.begin(), item.fields.end(), [&](size_t field) {
          return values[field] == item.missing;
        });
    if (missing && !item.always && item.kind != SyntaxItem::Name)
      continue;
    result += " " + print(instruction, format, item, values);
  }
  return result;
}

} // namespace tenon::isa
