//===- tools/tenon/input_stack.cpp - Inputs along an axis -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/input_stack.h"

#include "tools/tenon/npz.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tenon::tools {

using runtime::Array;

namespace {

class Stack : public InputSource {
public:
  Stack(std::string path, const std::vector<isa::Buffer> &inputs)
      : path(std::move(path)), inputs(inputs) {}

  absl::Status take(std::vector<NamedArray> arrays);

  absl::StatusOr<std::vector<Array>> read(size_t index) const override {
    std::vector<Array> result;
    for (const Array &stacked : stacks)
      result.push_back(slice(stacked, index));
    return result;
  }

  bool mayBePixels(size_t) const override { return true; }

  bool alike() const override { return true; }

private:
  static Array slice(const Array &stacked, size_t index);
  absl::Status takeClasses(const Array &classes);
  absl::Status bad(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("'", path, "': ", what));
  }

  const std::string path;
  const std::vector<isa::Buffer> inputs;
  std::vector<Array> stacks; // of each input
};

bool isInteger(isa::ElementType type) {
  const isa::ElementFormat *format = isa::findElementFormat(type);
  return format && format->kind != isa::ElementKind::Float;
}

} // namespace

Array Stack::slice(const Array &stacked, size_t index) {
  const size_t bytes = stacked.bytes.size() / stacked.shape[0];
  auto begin = stacked.bytes.begin() + index * bytes;
  return {stacked.type,
          {stacked.shape.begin() + 1, stacked.shape.end()},
          {begin, begin + bytes}};
}

absl::Status Stack::takeClasses(const Array &classes) {
  if (!isInteger(classes.type) || runtime::elementCount(classes.shape) !=
                                      static_cast<int64_t>(items.size()))
    return bad(absl::StrCat(
        "true classes are ", runtime::elementName(classes.type), " ",
        runtime::shapeText(classes.shape), "; expected an integer for each of ",
        items.size(), " inputs"));
  for (size_t i = 0; i < items.size(); ++i) {
    double value = runtime::valueAt(classes, i);
    if (value < 0 || value > UINT32_MAX)
      return bad(absl::StrCat("true class ", i, " is ", value,
                              ", which is no class's number"));
    items[i].label = static_cast<uint32_t>(value);
  }
  return absl::OkStatus();
}

absl::Status Stack::take(std::vector<NamedArray> arrays) {
  auto extract = [&](absl::string_view name) -> std::optional<Array> {
    auto found = absl::c_find_if(
        arrays, [&](const NamedArray &array) { return array.name == name; });
    if (found == arrays.end())
      return std::nullopt;
    Array array = std::move(found->array);
    arrays.erase(found);
    return array;
  };
  // An input may be called as classes are.
  std::vector<std::optional<Array>> found;
  for (const isa::Buffer &input : inputs)
    found.push_back(extract(input.name()));
  std::optional<Array> classes = extract("labels");
  if (!classes)
    classes = extract("y");
  if (inputs.size() == 1 && !found[0] && arrays.size() == 1)
    found[0] = extract(arrays[0].name);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!found[i])
      return bad(absl::StrCat(
          "no array for input '", inputs[i].name(), "'; there are [",
          absl::StrJoin(arrays, ", ",
                        [](std::string *out, const NamedArray &array) {
                          out->append(array.name);
                        }),
          "]"));
    if (found[i]->shape.empty() ||
        (i > 0 && found[i]->shape[0] != stacks[0].shape[0]))
      return bad(absl::StrCat("the array for input '", inputs[i].name(),
                              "' is ", runtime::shapeText(found[i]->shape),
                              "; expected as many inputs along the first axis "
                              "of every array"));
    stacks.push_back(*std::move(found[i]));
  }
  for (int64_t i = 0; i < stacks[0].shape[0]; ++i)
    items.push_back({absl::StrCat(i), std::nullopt});
  for (const NamedArray &array : arrays)
    notes.push_back(absl::StrCat("left out the array '", array.name,
                                 "' of the inputs, which is of no input"));
  return classes ? takeClasses(*classes) : absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<InputSource>>
openStack(const RunOptions &options, std::vector<isa::Buffer> inputs) {
  std::map<std::string, isa::ElementType> types;
  for (const isa::Buffer &input : inputs)
    types[input.name()] = input.type();
  auto arrays = readNpz(options.many, types);
  if (!arrays.ok())
    return arrays.status();
  auto stack = std::make_unique<Stack>(options.many, inputs);
  if (auto status = stack->take(*std::move(arrays)); !status.ok())
    return status;
  return stack;
}

} // namespace tenon::tools
