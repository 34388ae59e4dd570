//===- tools/fpga/pll.cpp - Dividers of a family's PLL --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/pll.h"

#include "absl/strings/str_cat.h"

#include <vector>

namespace tenon::fpga {
namespace {

struct Range {
  double least, most;
  bool has(double value) const { return least <= value && value <= most; }
};

// A PLL as the sheets describe it: clock = oscillator * feedback / reference /
// divisor, VCO = clock * vcoFactor.
struct Output {
  int setting;      // of the parameter
  double divisor;   // of the clock behind the loop
  double vcoFactor; // VCO cycles in one of the clock
};

struct Pll {
  int references, feedbacks; // 1 to this
  int offset;                // what a parameter is less than its divider
  std::vector<Output> outputs;
  Range detector; // MHz at the phase detector
  Range vco;      // MHz
};

absl::StatusOr<Pll> pllOf(Board::Family family) {
  Pll pll;
  switch (family) {
  case Board::ECP5:
    pll = {128, 80, 0, {}, {3.125, 400}, {400, 800}};
    for (int divider = 1; divider <= 128; ++divider)
      pll.outputs.push_back({divider, 1, double(divider)});
    return pll;
  case Board::GOWIN:
    pll = {64, 64, 1, {}, {3, 500}, {500, 1250}};
    for (int divider : {2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128})
      pll.outputs.push_back({divider, 1, double(divider)});
    return pll;
  case Board::ICE40:
    pll = {16, 128, 1, {}, {10, 133}, {533, 1066}};
    for (int power = 1; power <= 6; ++power)
      pll.outputs.push_back({power, double(1 << power), double(1 << power)});
    return pll;
  default:
    return absl::InvalidArgumentError(absl::StrCat(
        "there are no PLL dividers for family ", Board::Family_Name(family)));
  }
}

} // namespace

absl::StatusOr<PllDividers> pllDividers(Board::Family family,
                                        double oscillatorMegahertz,
                                        double clockMegahertz) {
  auto pll = pllOf(family);
  if (!pll.ok())
    return pll.status();
  constexpr double rounding = 1e-9, nearEnough = 0.95;
  PllDividers best;
  double bestVco = 0;
  for (int reference = 1; reference <= pll->references; ++reference) {
    if (!pll->detector.has(oscillatorMegahertz / reference))
      continue;
    for (int feedback = 1; feedback <= pll->feedbacks; ++feedback)
      for (const Output &output : pll->outputs) {
        double clock =
            oscillatorMegahertz * feedback / reference / output.divisor;
        double vco = clock * output.vcoFactor;
        if (!pll->vco.has(vco) || clock > clockMegahertz * (1 + rounding))
          continue;
        // Of equal clocks the one with the smallest reference divider and,
        // then, the fastest VCO: both mean less jitter.
        bool isBetter =
            clock > best.clockMegahertz * (1 + rounding) ||
            (clock > best.clockMegahertz * (1 - rounding) &&
             reference - pll->offset == best.reference && vco > bestVco);
        if (!isBetter)
          continue;
        best = {reference - pll->offset, feedback - pll->offset, output.setting,
                clock};
        bestVco = vco;
      }
  }
  if (best.clockMegahertz < clockMegahertz * nearEnough)
    return absl::InvalidArgumentError(absl::StrCat(
        "the PLL makes no clock of ", clockMegahertz, " MHz out of ",
        oscillatorMegahertz, " MHz; ",
        best.clockMegahertz > 0
            ? absl::StrCat("the nearest below is ", best.clockMegahertz)
            : "it reaches nothing below"));
  return best;
}

} // namespace tenon::fpga
