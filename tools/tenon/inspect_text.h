//===- tools/tenon/inspect_text.h - An inspection as tables -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_INSPECT_TEXT_H
#define TENON_TOOLS_TENON_INSPECT_TEXT_H

#include "compiler/driver/inspection.pb.h"

#include <string>

namespace tenon::tools {

/// What is in one model.
std::string inspectionText(const compiler::Inspection &inspection);

/// A line a model, then what they lack and what cannot be read.
std::string surveyText(const compiler::Survey &survey);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_INSPECT_TEXT_H
