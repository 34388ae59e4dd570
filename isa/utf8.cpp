// Part of Tenon, under the Apache License v2.0.

#include "isa/utf8.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include <cerrno>
#include <iconv.h>
#include <vector>

namespace tenon::isa {

std::string toUtf8(absl::string_view text) {
  std::string result, from(text);
  if (absl::c_all_of(from, absl::ascii_isascii))
    return from;
  iconv_t convert = iconv_open("UTF-8", "UTF-8");
  char *at = from.data();
  size_t left = from.size();
  while (left) {
    char buffer[256], *to = buffer;
    size_t room = sizeof buffer;
    const bool isWhole = iconv(convert, &at, &left, &to, &room) != size_t(-1);
    result.append(buffer, to);
    if (isWhole || errno == E2BIG)
      continue;
    result += "\uFFFD";
    ++at, --left;
  }
  iconv_close(convert);
  return result;
}

std::optional<std::string>
findForeignText(const google::protobuf::Message &message,
                absl::string_view except) {
  using Field = google::protobuf::FieldDescriptor;
  const google::protobuf::Reflection &of = *message.GetReflection();
  std::vector<const Field *> fields;
  of.ListFields(message, &fields);
  for (const Field *field : fields) {
    const bool isText = field->type() == Field::TYPE_STRING;
    if ((!isText && field->cpp_type() != Field::CPPTYPE_MESSAGE) ||
        field->name() == except)
      continue;
    const bool isList = field->is_repeated();
    auto place = [&](int i) {
      return absl::StrCat(field->name(),
                          isList ? absl::StrCat("[", i, "]") : "");
    };
    for (int i = 0; i < (isList ? of.FieldSize(message, field) : 1); ++i) {
      if (!isText) {
        auto inside =
            findForeignText(isList ? of.GetRepeatedMessage(message, field, i)
                                   : of.GetMessage(message, field),
                            except);
        if (inside)
          return absl::StrCat(place(i), ".", *inside);
        continue;
      }
      std::string room;
      const std::string &text =
          isList ? of.GetRepeatedStringReference(message, field, i, &room)
                 : of.GetStringReference(message, field, &room);
      if (toUtf8(text) != text)
        return place(i);
    }
  }
  return std::nullopt;
}

} // namespace tenon::isa
