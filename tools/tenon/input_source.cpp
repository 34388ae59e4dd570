//===- tools/tenon/input_source.cpp - The inputs of --inputs --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/input_source.h"

#include "tools/tenon/classes.h"
#include "tools/tenon/files.h"
#include "tools/tenon/input_folder.h"
#include "tools/tenon/input_stack.h"

#include "isa/files.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <filesystem>

namespace tenon::tools {

static absl::StatusOr<std::unique_ptr<InputSource>>
open(const RunOptions &options, std::vector<isa::Buffer> inputs,
     const std::vector<std::string> &names) {
  std::error_code error;
  if (std::filesystem::is_directory(options.many, error))
    return openFolder(options, std::move(inputs), names);
  if (absl::EndsWithIgnoreCase(options.many, ".npz"))
    return openStack(options, std::move(inputs));
  return absl::InvalidArgumentError(
      absl::StrCat(options.manyOption, " ", options.many,
                   ": expected a directory or a file that ends in .npz"));
}

static absl::Status giveClasses(const TrueClasses &classes,
                                const std::string &path, InputSource &source) {
  if (!classes.inOrder.empty()) {
    if (classes.inOrder.size() != source.items.size())
      return absl::InvalidArgumentError(
          absl::StrCat("'", path, "' has ", classes.inOrder.size(),
                       " classes for ", source.items.size(), " inputs"));
    for (size_t i = 0; i < source.items.size(); ++i)
      source.items[i].label = classes.inOrder[i];
    return absl::OkStatus();
  }
  bool any = false;
  for (Item &item : source.items) {
    auto found = classes.byName.find(item.name);
    if (found == classes.byName.end())
      found = classes.byName.find(baseName(item.name));
    item.label.reset();
    if (found == classes.byName.end())
      continue;
    item.label = found->second;
    any = true;
  }
  return any ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat(
                   "no line of '", path, "' names an input; the first is '",
                   source.items[0].name, "'"));
}

absl::StatusOr<std::unique_ptr<InputSource>>
openInputs(const RunOptions &options, std::vector<isa::Buffer> inputs,
           const std::vector<std::string> &names) {
  auto source = open(options, std::move(inputs), names);
  if (!source.ok())
    return source;
  if ((*source)->items.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        options.manyOption, " ", options.many, ": there is no input in it"));
  if (options.expectLabels.empty())
    return source;
  auto text = isa::readFile(options.expectLabels);
  if (!text.ok())
    return text.status();
  auto classes = TrueClasses::parse(*text, options.expectLabels, names);
  if (!classes.ok())
    return classes.status();
  if (auto status = giveClasses(*classes, options.expectLabels, **source);
      !status.ok())
    return status;
  return source;
}

} // namespace tenon::tools
