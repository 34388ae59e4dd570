// Part of Tenon, under the Apache License v2.0.
//
// Spellings of the specification's snake_case names.

#ifndef TENON_ISA_GENERATOR_NAMES_H
#define TENON_ISA_GENERATOR_NAMES_H

#include <cctype>
#include <string>

namespace tenon::isa {

/// alu_op -> AluOp.
inline std::string upperCamel(const std::string &name) {
  std::string result;
  bool start = true;
  for (char c : name) {
    if (c == '_') {
      start = true;
      continue;
    }
    result += start ? char(std::toupper(static_cast<unsigned char>(c))) : c;
    start = false;
  }
  return result;
}

/// y_size -> ySize.
inline std::string camelBack(const std::string &name) {
  std::string result = upperCamel(name);
  if (!result.empty())
    result[0] = char(std::tolower(static_cast<unsigned char>(result[0])));
  return result;
}

/// y_size -> Y_SIZE.
inline std::string upperSnake(std::string name) {
  for (char &c : name)
    c = char(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

} // namespace tenon::isa

#endif // TENON_ISA_GENERATOR_NAMES_H
