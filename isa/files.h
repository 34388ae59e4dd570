// Part of Tenon, under the Apache License v2.0.
//
// Files and protobuf text, with errors that say where.

#ifndef TENON_ISA_FILES_H
#define TENON_ISA_FILES_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/io/zero_copy_stream.h"
#include "google/protobuf/message.h"

#include <string>

namespace tenon::isa {

/// The whole file. A directory or an unreadable file is an error with the
/// system's reason.
absl::StatusOr<std::string> readFile(absl::string_view path);

/// Writes all of `data` to an open file; false with errno set.
bool writeAll(int file, absl::string_view data);

/// Writes beside `path` and renames: the file is whole or as it was before. A
/// link stays and what it leads to is written; a device, a pipe or an open file
/// (/dev/stdout) takes the bytes as they come.
absl::Status writeFile(absl::string_view path, absl::string_view data);

/// Parses protobuf text that begins in line `firstLine` of `source`; an error
/// begins with source:line:column.
absl::Status parseText(absl::string_view text, absl::string_view source,
                       int firstLine, google::protobuf::Message &message);

/// Writes the message with the entries of maps in the order of their keys, so
/// that equal messages are equal bytes: protobuf's own order differs from
/// object to object. False where it is larger than 2 GB or `to` takes no more.
bool serializeSorted(const google::protobuf::Message &message,
                     google::protobuf::io::ZeroCopyOutputStream &to);

/// A message as JSON, protobuf's mapping with the names of the schema; every
/// field is printed, also where it is zero, and maps as serializeSorted has
/// them.
std::string toJson(const google::protobuf::Message &message,
                   bool indented = true);

} // namespace tenon::isa

#endif // TENON_ISA_FILES_H
