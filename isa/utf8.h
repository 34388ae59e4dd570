// Part of Tenon, under the Apache License v2.0.
//
// Text in messages is UTF-8: what is not, protobuf writes and cannot read.

#ifndef TENON_ISA_UTF8_H
#define TENON_ISA_UTF8_H

#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

#include <optional>
#include <string>

namespace tenon::isa {

/// The text with U+FFFD for each byte that is part of no character.
std::string toUtf8(absl::string_view text);

/// Where a message holds text that is not UTF-8, such as "graph.node[3].name";
/// none where it holds none. Fields called `except` may hold any.
std::optional<std::string>
findForeignText(const google::protobuf::Message &message,
                absl::string_view except = "");

} // namespace tenon::isa

#endif // TENON_ISA_UTF8_H
