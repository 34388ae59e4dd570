//===- tools/tenon/input_folder.cpp - A folder of inputs ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/input_folder.h"

#include "tools/tenon/arrays.h"
#include "tools/tenon/classes.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <filesystem>

namespace tenon::tools {

namespace fs = std::filesystem;

namespace {

class Folder : public InputSource {
public:
  Folder(std::string path, isa::Buffer input, Preprocess preprocess)
      : path(std::move(path)), input(std::move(input)),
        preprocess(std::move(preprocess)) {}

  absl::Status list(const std::vector<std::string> &names);

  absl::StatusOr<std::vector<runtime::Array>>
  read(size_t index) const override {
    auto array = readInput(absl::StrCat(path, "/", items[index].name), input,
                           preprocess);
    if (!array.ok())
      return array.status();
    return std::vector<runtime::Array>{*std::move(array)};
  }

  bool mayBePixels(size_t index) const override {
    return !isPicture(items[index].name);
  }

  bool alike() const override { return false; }

private:
  absl::StatusOr<std::vector<fs::directory_entry>>
  entries(const fs::path &folder);
  absl::Status listClass(const fs::path &folder,
                         const std::vector<std::string> &names);
  void addFile(const std::string &name, std::optional<uint32_t> label);

  const std::string path;
  const isa::Buffer input;
  const Preprocess preprocess;
  unsigned others = 0; // files of other endings
  std::string firstOther;
};

} // namespace

/// Sorted, without what is hidden.
absl::StatusOr<std::vector<fs::directory_entry>>
Folder::entries(const fs::path &folder) {
  std::error_code error;
  std::vector<fs::directory_entry> found;
  for (fs::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (!absl::StartsWith(at->path().filename().string(), "."))
      found.push_back(*at);
  if (error)
    return absl::InvalidArgumentError(
        absl::StrCat("cannot list the directory '", folder.string(),
                     "': ", error.message()));
  std::sort(found.begin(), found.end());
  return found;
}

void Folder::addFile(const std::string &name, std::optional<uint32_t> label) {
  if (isInputFile(name)) {
    items.push_back({name, label});
  } else if (others++ == 0) {
    firstOther = name;
  }
}

absl::Status Folder::listClass(const fs::path &folder,
                               const std::vector<std::string> &names) {
  const std::string name = folder.filename().string();
  auto label = classOf(name, names);
  if (!label)
    return absl::InvalidArgumentError(absl::StrCat(
        "'", folder.string(),
        "': a folder of inputs is a class, but its name is neither a class's "
        "number nor in the file of --labels"));
  auto inside = entries(folder);
  if (!inside.ok())
    return inside.status();
  for (const fs::directory_entry &entry : *inside)
    addFile(absl::StrCat(name, "/", entry.path().filename().string()), label);
  return absl::OkStatus();
}

absl::Status Folder::list(const std::vector<std::string> &names) {
  auto inside = entries(path);
  if (!inside.ok())
    return inside.status();
  for (const fs::directory_entry &entry : *inside) {
    std::error_code error;
    if (!entry.is_directory(error))
      addFile(entry.path().filename().string(), std::nullopt);
    else if (auto status = listClass(entry.path(), names); !status.ok())
      return status;
  }
  if (others)
    notes.push_back(absl::StrCat("left out ", others, " file",
                                 others == 1 ? "" : "s",
                                 " in the folder that are no inputs by their "
                                 "ending, first '",
                                 firstOther, "'"));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<InputSource>>
openFolder(const RunOptions &options, std::vector<isa::Buffer> inputs,
           const std::vector<std::string> &names) {
  if (inputs.size() != 1)
    return absl::InvalidArgumentError(
        absl::StrCat(options.manyOption,
                     " with a directory is for networks of one input, "
                     "this one has ",
                     inputs.size(), "; use .npz with an array for each"));
  auto preprocess = Preprocess::parse(options.preprocess);
  if (!preprocess.ok())
    return preprocess.status();
  auto folder = std::make_unique<Folder>(options.many, std::move(inputs[0]),
                                         *std::move(preprocess));
  if (auto status = folder->list(names); !status.ok())
    return status;
  return folder;
}

} // namespace tenon::tools
