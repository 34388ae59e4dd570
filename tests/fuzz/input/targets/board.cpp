// Part of Tenon, under the Apache License v2.0.
//
// The file of a board. Its texts become words of scripts, arguments of tools
// and comments of generated files: whatever is accepted can be nothing else
// there.

#include "tools/fpga/board.h"
#include "isa/configuration.h"
#include "tests/fuzz/input/target.h"
#include "tools/fpga/flow.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace tenon::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// Names of fields whose texts are files of a checkout, or stand between quotes
/// that are escaped (tools/fpga/vivado.cpp).
constexpr absl::string_view quoted[] = {"sources", "constraints", "value"};

/// By what any script or comment takes for more than a word, whatever field of
/// the message it stands in; a field that is added is held to it too.
void checkText(const FieldDescriptor &field, const std::string &text) {
  if (absl::c_linear_search(quoted, field.name()))
    return;
  for (char c : text)
    if (!absl::ascii_isprint(c) ||
        absl::string_view("\"'\\`;#{}<>|&*!~?").find(c) !=
            absl::string_view::npos)
      broken(absl::StrCat(field.full_name(), " holds '", text, "'"));
}

void checkTexts(const Message &message) {
  const google::protobuf::Reflection &reflection = *message.GetReflection();
  std::vector<const FieldDescriptor *> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor *field : fields) {
    const int count =
        field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i)
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
        checkTexts(field->is_repeated()
                       ? reflection.GetRepeatedMessage(message, field, i)
                       : reflection.GetMessage(message, field));
      else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING)
        checkText(*field, field->is_repeated()
                              ? reflection.GetRepeatedString(message, field, i)
                              : reflection.GetString(message, field));
  }
}

} // namespace

absl::Status board(absl::string_view input) {
  auto parsed = fpga::parseBoard(std::string(input), "input", "/nowhere");
  if (!parsed.ok())
    return parsed.status();
  checkTexts(*parsed);
  if (parsed->flow() != fpga::Board::YOSYS_NEXTPNR)
    return absl::OkStatus();
  // Another machine than the board's, which may be a file.
  auto design = fpga::makeDesign(*parsed, "tiny", 0);
  if (!design.ok())
    return design.status();
  if (!(design->clockMegahertz > 0) ||
      design->clockMegahertz > parsed->clock_mhz() * 1.001)
    broken("a clock beyond the one asked for");
  return absl::OkStatus();
}

} // namespace tenon::fuzz
