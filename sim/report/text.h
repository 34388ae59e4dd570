//===- sim/report/text.h - Numbers as people read them ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_REPORT_TEXT_H
#define TENON_SIM_REPORT_TEXT_H

#include <string>

namespace tenon::sim {

/// "61,204"; rounded to a whole number.
std::string grouped(double number);

/// A share of 1 as "99.7 %"; from 10 on without decimals where `brief`.
std::string percent(double share, bool brief = false);

} // namespace tenon::sim

#endif // TENON_SIM_REPORT_TEXT_H
