//===- tools/tenon/npz.cpp - NumPy's files of several arrays --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/npz.h"

#include "tools/tenon/npy.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <zip.h>

#include <memory>

namespace tenon::tools {

using Zip = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using Entry = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

static absl::Status failed(absl::string_view path, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", path, "' cannot be read as .npz: ", why));
}

static absl::StatusOr<Zip> open(const std::string &path) {
  int code = 0;
  Zip zip(zip_open(path.c_str(), ZIP_RDONLY, &code), zip_discard);
  if (zip)
    return zip;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  absl::Status status = failed(path, zip_error_strerror(&error));
  zip_error_fini(&error);
  return status;
}

/// The bytes of an entry. They are taken as they come: the size that the
/// directory claims is not trusted with memory. libzip compares the checksum
/// where the last byte is read.
static absl::StatusOr<std::string> contentOf(zip_t &zip, zip_uint64_t index,
                                             absl::string_view path) {
  Entry entry(zip_fopen_index(&zip, index, 0), zip_fclose);
  if (!entry)
    return failed(path, zip_strerror(&zip));
  std::string content;
  std::vector<char> chunk(1 << 16);
  while (true) {
    zip_int64_t count = zip_fread(entry.get(), chunk.data(), chunk.size());
    if (count < 0)
      return failed(path, zip_file_strerror(entry.get()));
    if (count == 0)
      return content;
    content.append(chunk.data(), count);
  }
}

absl::StatusOr<std::vector<NamedArray>>
readNpz(const std::string &path,
        const std::map<std::string, isa::ElementType> &types) {
  auto zip = open(path);
  if (!zip.ok())
    return zip.status();
  std::vector<NamedArray> arrays;
  const zip_int64_t count = zip_get_num_entries(zip->get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char *name = zip_get_name(zip->get(), i, 0);
    if (!name)
      return failed(path, zip_strerror(zip->get()));
    std::string where = absl::StrCat(path, "/", name);
    auto content = contentOf(**zip, i, where);
    if (!content.ok())
      return content.status();
    std::string stem(absl::StripSuffix(name, ".npy"));
    auto wanted = types.find(stem);
    auto array = parseNpy(*content, where,
                          wanted == types.end() ? isa::ELEMENT_TYPE_UNSPECIFIED
                                                : wanted->second);
    if (!array.ok())
      return array.status();
    arrays.push_back({std::move(stem), *std::move(array)});
  }
  return arrays;
}

} // namespace tenon::tools
