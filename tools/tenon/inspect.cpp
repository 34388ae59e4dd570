//===- tools/tenon/inspect.cpp - tenon inspect ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/commands.h"
#include "tools/tenon/exit_code.h"
#include "tools/tenon/files.h"
#include "tools/tenon/inspect_text.h"
#include "tools/tenon/progress.h"
#include "tools/tenon/shapes.h"

#include "compiler/driver/inspect.h"
#include "tools/graph/page.h"

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace tenon::tools {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::string model, json, report;
  compiler::Options compile;
};

int write(const Options &options, const google::protobuf::Message &facts,
          const std::string &text) {
  if (!options.json.empty())
    if (auto status = writeOutput(options.json, isa::toJson(facts));
        !status.ok())
      return report(status);
  return options.json == "-" ? ExitDone : report(writeOutput("-", text));
}

int inspectModel(const Options &options) {
  auto picture = compiler::inspect(options.model, options.compile);
  if (!picture.ok())
    return report(picture.status());
  if (!options.report.empty()) {
    auto page = graph::page(*picture);
    absl::Status status =
        page.ok() ? writeOutput(options.report, *page) : page.status();
    if (!status.ok())
      return report(status);
  }
  return write(options, picture->inspection(),
               inspectionText(picture->inspection()));
}

/// ONNX files below `folder`, in the order of their names.
absl::StatusOr<std::vector<std::string>>
modelsBelow(const std::string &folder) {
  std::vector<std::string> paths;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".onnx")
      paths.push_back(entry->path().string());
  if (error)
    return absl::InvalidArgumentError(absl::StrCat(
        "cannot read the directory '", folder, "': ", error.message()));
  if (paths.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("there is no .onnx file below '", folder, "'"));
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// What most models lack comes first.
void countMissing(compiler::Survey &survey) {
  std::map<std::string, compiler::Lacking> lacking;
  for (const compiler::Inspection &model : survey.models()) {
    std::set<std::string> here;
    for (const compiler::Missing &missing : model.missing()) {
      std::string name =
          missing.operator_().empty() ? missing.reason() : missing.operator_();
      compiler::Lacking &entry = lacking[name];
      entry.set_operator_(name);
      entry.set_nodes(entry.nodes() + 1);
      entry.set_models(entry.models() + here.insert(name).second);
    }
  }
  for (auto &[name, entry] : lacking)
    *survey.add_missing() = std::move(entry);
  std::sort(survey.mutable_missing()->begin(), survey.mutable_missing()->end(),
            [](const compiler::Lacking &a, const compiler::Lacking &b) {
              return std::make_pair(b.models(), a.operator_()) <
                     std::make_pair(a.models(), b.operator_());
            });
}

int inspectFolder(const Options &options) {
  auto paths = modelsBelow(options.model);
  if (!paths.ok())
    return report(paths.status());
  compiler::Survey survey;
  Progress progress;
  for (size_t i = 0; i < paths->size(); ++i) {
    progress.show(absl::StrCat("model ", i + 1, " of ", paths->size(), ": ",
                               (*paths)[i]));
    auto picture = compiler::inspect((*paths)[i], options.compile);
    if (picture.ok()) {
      *survey.add_models() = std::move(*picture->mutable_inspection());
      continue;
    }
    compiler::Unreadable &file = *survey.add_unreadable();
    file.set_model((*paths)[i]);
    file.set_reason(std::string(picture.status().message()));
  }
  progress.clear();
  countMissing(survey);
  if (int code = write(options, survey, surveyText(survey)); code != ExitDone)
    return code;
  return survey.unreadable_size() ? ExitBadInput : ExitDone;
}

int run(const Options &options) {
  std::error_code error;
  if (!fs::is_directory(options.model, error))
    return inspectModel(options);
  if (!options.report.empty())
    return reportUsage("--report draws one model, not a folder of them");
  return inspectFolder(options);
}

} // namespace

void addInspect(CLI::App &program, int &exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App *verb = program.add_subcommand(
      "inspect", "What is in a model, what of it has no lowering, and where "
                 "the rest would run");
  verb->add_option("MODEL", options->model,
                   "ONNX file, or a folder with ONNX files")
      ->required();
  verb->add_option("--config", options->compile.config,
                   "configuration, by name or file")
      ->capture_default_str();
  addShapeOption(*verb, options->compile);
  verb->add_option("--json", options->json,
                   "file for the facts as JSON; '-' is stdout");
  verb->add_option("--report", options->report,
                   "HTML file with the graph, coloured by place");
  verb->callback([options, &exitCode] { exitCode = run(*options); });
}

} // namespace tenon::tools
