//===- sim/report/text.cpp - Numbers as people read them ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/report/text.h"

#include "fmt/format.h"

namespace tenon::sim {

std::string grouped(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  int sign = digits[0] == '-';
  for (int i = static_cast<int>(digits.size()) - 3; i > sign; i -= 3)
    digits.insert(i, ",");
  return digits;
}

std::string percent(double share, bool brief) {
  return fmt::format(brief && share >= 0.095 ? "{:.0f} %" : "{:.1f} %",
                     100 * share);
}

} // namespace tenon::sim
