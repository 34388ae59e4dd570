//===- isa/secure_hash.h - Keys that strangers' files go into ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_ISA_SECURE_HASH_H
#define TENON_ISA_SECURE_HASH_H

#include "absl/strings/string_view.h"

#include <memory>
#include <string>
#include <vector>

struct evp_md_ctx_st; // of libcrypto

namespace tenon::isa {

/// SHA-256 of a sequence of texts, with their lengths as of ContentHash. Nobody
/// can make two sequences of one hash, so that what was kept for a stranger's
/// network or board is not found for another.
class SecureHash {
public:
  SecureHash();
  void add(absl::string_view text);
  void add(const std::vector<std::string> &texts);
  /// 64 hexadecimal digits; nothing is added behind it.
  std::string hex();

private:
  void mix(absl::string_view text);
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st *)> state;
};

} // namespace tenon::isa

#endif // TENON_ISA_SECURE_HASH_H
