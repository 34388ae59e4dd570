//===- tools/fpga/area_coefficients.h - The fit of the area model -*- C++ -*-=//
//
// Part of Tenon, under the Apache License v2.0.
//
// area_coefficients.cpp is written by hw/flows/area_fit.py and not edited.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_FPGA_AREA_COEFFICIENTS_H
#define TENON_TOOLS_FPGA_AREA_COEFFICIENTS_H

#include <string>
#include <vector>

namespace tenon::fpga {

/// A part takes the sum over its features of value times coefficient. Features
/// are expressions of isa/expression.h in the names of isa::derivedNames.
struct AreaTerm {
  const char *family, *part, *feature;
  double lut, ff;
};

/// What a flat netlist has left of the sum of its parts.
struct AreaScale {
  const char *family;
  double lut, ff;
};

const std::vector<AreaTerm> &areaTerms();
const std::vector<AreaScale> &areaScales();

/// Range of a feature in the fitted runs: outside of it the model extrapolates.
struct AreaRange {
  const char *family, *feature;
  long least, most;
};
const std::vector<AreaRange> &areaRanges();

/// rtlHash() of what was synthesised.
std::string areaFittedRtl();

} // namespace tenon::fpga

#endif // TENON_TOOLS_FPGA_AREA_COEFFICIENTS_H
