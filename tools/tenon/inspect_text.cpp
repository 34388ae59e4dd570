//===- tools/tenon/inspect_text.cpp - An inspection as tables -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/inspect_text.h"

#include "tools/tenon/table.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fmt/format.h"

namespace tenon::tools {

using namespace compiler;

namespace {

std::string plural(uint32_t count, absl::string_view what) {
  return absl::StrCat(grouped(count), " ", what, count == 1 ? "" : "s");
}

void addBorders(const google::protobuf::RepeatedPtrField<Border> &borders,
                const char *label, Table &table) {
  for (const Border &border : borders) {
    table.add({label, border.name(), border.type(),
               absl::StrJoin(border.shape(), "x")});
    label = "";
  }
}

std::string opsetsText(const Inspection &inspection) {
  std::vector<std::string> opsets;
  for (const auto &[domain, version] : inspection.opsets())
    opsets.push_back(absl::StrCat(domain, " ", version));
  std::sort(opsets.begin(), opsets.end());
  return absl::StrJoin(opsets, ", ");
}

std::string quantizationText(const Quantization &quantization) {
  if (quantization.form() == "none")
    return "no contraction";
  std::string text = quantization.form();
  if (quantization.forms_size() > 1)
    absl::StrAppend(&text, " of ", absl::StrJoin(quantization.forms(), ", "));
  if (quantization.weights_size())
    absl::StrAppend(&text, " · weights ",
                    absl::StrJoin(quantization.weights(), ", "));
  if (!quantization.granularity().empty())
    absl::StrAppend(&text, ", per ", quantization.granularity());
  if (quantization.activations_size())
    absl::StrAppend(&text, " · activations ",
                    absl::StrJoin(quantization.activations(), ", "));
  return text;
}

std::string macsText(const Inspection &inspection) {
  if (!inspection.macs_unknown())
    return scaled(inspection.macs()) + " MAC";
  std::string open =
      absl::StrCat("unknown of ", plural(inspection.macs_unknown(), "node"),
                   " of open shape");
  return inspection.macs() > 0
             ? absl::StrCat(scaled(inspection.macs()), " MAC, ", open)
             : absl::StrCat("MACs ", open);
}

std::string peakText(const Inspection &inspection) {
  std::string text =
      absl::StrCat(scaled(inspection.parameter_bytes()), "B of parameters, ");
  if (inspection.has_peak_bytes())
    return absl::StrCat(text, scaled(inspection.peak_bytes()),
                        "B with the activations alive at one time");
  return absl::StrCat(text, "activations unknown: ",
                      plural(inspection.peak_unknown(), "tensor"),
                      " of open shape");
}

std::string factsText(const Inspection &inspection) {
  Table table("ll");
  table.add({"opsets", opsetsText(inspection)});
  table.add({"quantised", quantizationText(inspection.quantization())});
  table.add({"size", absl::StrCat(plural(inspection.nodes(), "node"), " · ",
                                  scaled(inspection.parameters()),
                                  " parameters · ", macsText(inspection))});
  table.add({"memory", peakText(inspection)});
  return table.text();
}

std::string operatorsText(const Inspection &inspection) {
  Table table("lrll");
  table.add({"operator", "nodes", "lowering", ""});
  for (const Operator &entry : inspection.operators())
    table.add({entry.name(), grouped(entry.count()),
               entry.lowered() ? "yes" : "MISSING",
               entry.domain() == "ai.onnx" ? "" : "of " + entry.domain()});
  return table.text();
}

std::string missingText(const Inspection &inspection) {
  Table table("lll");
  table.add({"no lowering", "operator", "reason"});
  for (const Missing &missing : inspection.missing())
    table.add({missing.node(), missing.operator_(), missing.reason()});
  return table.text();
}

std::string groupsText(const Inspection &inspection) {
  if (!inspection.groups_size())
    return absl::StrCat("  not placed: ", inspection.groups_reason(), "\n");
  Table table("lrrll");
  table.add({"place", "ms", "nodes", "first node", "reason"});
  for (const Group &group : inspection.groups())
    table.add({group.place(), fmt::format("{:.3f}", group.cost_ms()),
               grouped(group.nodes_size()),
               group.nodes_size() ? group.nodes(0) : "", group.reason()});
  return table.text();
}

/// Parts with an empty line between them.
std::string apart(const std::vector<std::string> &parts) {
  return absl::StrJoin(parts, "\n");
}

std::string modelsText(const Survey &survey) {
  Table table("lrrrll");
  table.add({"model", "nodes", "parameters", "MACs", "quantised", "lowering"});
  for (const Inspection &model : survey.models())
    table.add({model.model(), grouped(model.nodes()),
               scaled(model.parameters()),
               model.macs_unknown() ? "unknown" : scaled(model.macs()),
               model.quantization().form(),
               model.missing_size()
                   ? absl::StrCat(plural(model.missing_size(), "problem"))
               : model.groups_size() ? "all"
                                     : "all, but: " + model.groups_reason()});
  return table.text();
}

} // namespace

std::string inspectionText(const Inspection &inspection) {
  Table borders("llll");
  addBorders(inspection.inputs(), "input", borders);
  addBorders(inspection.outputs(), "output", borders);
  std::vector<std::string> parts = {absl::StrCat(inspection.model(), "\n",
                                                 borders.text(),
                                                 factsText(inspection)),
                                    operatorsText(inspection)};
  if (inspection.missing_size())
    parts.push_back(missingText(inspection));
  parts.push_back(groupsText(inspection));
  return apart(parts);
}

std::string surveyText(const Survey &survey) {
  std::vector<std::string> parts;
  if (survey.models_size())
    parts.push_back(modelsText(survey));
  if (survey.missing_size()) {
    Table table("lrr");
    table.add({"lacks a lowering", "models", "nodes"});
    for (const Lacking &lacking : survey.missing())
      table.add({lacking.operator_(), grouped(lacking.models()),
                 grouped(lacking.nodes())});
    parts.push_back(table.text());
  }
  if (survey.unreadable_size()) {
    Table table("ll");
    table.add({"cannot be read", "reason"});
    for (const Unreadable &file : survey.unreadable())
      table.add({file.model(), file.reason()});
    parts.push_back(table.text());
  }
  return apart(parts);
}

} // namespace tenon::tools
