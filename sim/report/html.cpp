//===- sim/report/html.cpp - Pages of embedded files ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/report/html.h"

#include "isa/files.h"

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/gzip_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"

namespace tenon::sim {
namespace {

/// The page's data as the scripts read them: JSON, gzip, base64.
absl::StatusOr<std::string> encode(const google::protobuf::Message &page) {
  std::string zipped;
  {
    google::protobuf::io::StringOutputStream to(&zipped);
    google::protobuf::io::GzipOutputStream::Options best;
    best.compression_level = 9;
    google::protobuf::io::GzipOutputStream zip(&to, best);
    google::protobuf::io::CodedOutputStream coded(&zip);
    coded.WriteString(isa::toJson(page, /*indented=*/false));
    coded.Trim();
    if (!zip.Close())
      return absl::ResourceExhaustedError("no memory for the page");
  }
  return absl::Base64Escape(zipped);
}

} // namespace

std::string escapeHtml(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"},
                                    {"<", "&lt;"},
                                    {">", "&gt;"},
                                    {"\"", "&quot;"},
                                    {"'", "&#39;"}});
}

absl::StatusOr<std::string> fillPage(const std::vector<Asset> &assets,
                                     absl::string_view title,
                                     const google::protobuf::Message &data) {
  auto encoded = encode(data);
  if (!encoded.ok())
    return encoded.status();
  std::string text, style, scripts;
  for (const Asset &asset : assets) {
    if (absl::EndsWith(asset.path, ".html"))
      text = asset.text;
    else if (absl::EndsWith(asset.path, ".css"))
      absl::StrAppend(&style, asset.text);
    else
      absl::StrAppend(&scripts, "<script>\n", asset.text, "</script>\n");
  }
  // In one pass: what is put in is not looked at again.
  return absl::StrReplaceAll(text, {{"{{title}}", escapeHtml(title)},
                                    {"{{style}}", style},
                                    {"{{scripts}}", scripts},
                                    {"{{data}}", *encoded}});
}

} // namespace tenon::sim
