//===- tools/tenon/statistics_text.cpp - Statistics as a table ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/statistics_text.h"

#include "tools/tenon/table.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "fmt/format.h"

namespace tenon::tools {

using namespace compiler;

namespace {

std::string text(double number) { return grouped(number); }

/// "1,204 + 3 open"
std::string text(const TensorBytes &size) {
  if (!size.open())
    return text(size.bytes());
  return absl::StrCat(text(size.bytes()), " + ", text(size.open()), " open");
}

/// The number behind a pass, and the one before it where it is another.
template <typename Number>
void addCells(const Number &before, const Number &after,
              std::vector<std::string> &row) {
  std::string from = text(before), to = text(after);
  row.push_back(from == to ? "" : from);
  row.push_back(from == to ? "" : "→");
  row.push_back(to);
}

std::string countsText(const PassStatistics &pass) {
  return absl::StrJoin(
      pass.counts(), ", ", [](std::string *out, const Count &count) {
        absl::StrAppend(out, text(count.number()), " ", count.what());
      });
}

std::string passesText(const Statistics &statistics) {
  Table table("llrlrrlrrlrrlrl");
  table.add({"stage", "pass", "", "", "operators", "", "", "tensor bytes", "",
             "", "peak bytes", "", "", "constant bytes", "did"});
  std::string stage;
  for (const PassStatistics &pass : statistics.passes()) {
    std::vector<std::string> row = {pass.stage() == stage ? "" : pass.stage(),
                                    pass.pass()};
    stage = pass.stage();
    addCells(pass.before().operators(), pass.after().operators(), row);
    addCells(pass.before().tensors(), pass.after().tensors(), row);
    addCells(pass.before().peak(), pass.after().peak(), row);
    addCells(pass.before().constant_bytes(), pass.after().constant_bytes(),
             row);
    row.push_back(countsText(pass));
    table.add(std::move(row));
  }
  return table.text(/*indent=*/0);
}

std::string workspacesText(const Statistics &statistics) {
  Table table("lrrrr");
  table.add({"host kernel", "buffers", "workspace bytes", "lower bound",
             "greedy by size"});
  for (const Workspace &workspace : statistics.workspaces())
    table.add({workspace.kernel(), text(workspace.buffers()),
               text(workspace.bytes()), text(workspace.bound()),
               text(workspace.by_size())});
  return table.text(/*indent=*/0);
}

} // namespace

std::string predictionText(const Prediction &of) {
  std::string text = fmt::format(
      "{:.3f} ms: {} cycles in {} launch{} {:.3f} ms", of.total_ms(),
      grouped(of.cycles()), of.launches(), of.launches() == 1 ? "" : "es",
      of.accelerator_ms() + of.launch_ms());
  if (of.move_ms() > 0)
    text += fmt::format(", moving tensors {:.3f} ms", of.move_ms());
  if (of.host_ms() > 0)
    text += fmt::format(", the host {:.3f} ms", of.host_ms());
  return text;
}

std::string statisticsText(const Statistics &statistics) {
  std::string text = passesText(statistics);
  if (statistics.workspaces_size())
    absl::StrAppend(&text, "\n", workspacesText(statistics));
  if (statistics.has_prediction())
    absl::StrAppend(&text, "\npredicted ",
                    predictionText(statistics.prediction()), "\n");
  return text;
}

} // namespace tenon::tools
