//===- isa/content_hash.h - Keys of caches ----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_ISA_CONTENT_HASH_H
#define TENON_ISA_CONTENT_HASH_H

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <string>
#include <vector>

namespace tenon::isa {

/// 128-bit FNV-1a of a sequence of texts. Texts are hashed with their lengths,
/// so that no two sequences run together. Against damage and chance: who wants
/// to can make two of one hash (isa/secure_hash.h).
class ContentHash {
public:
  void add(absl::string_view text) {
    std::string length = absl::StrCat(text.size(), ":");
    mix(length);
    mix(text);
  }
  void add(const std::vector<std::string> &texts) {
    add(absl::StrCat(texts.size()));
    for (const std::string &text : texts)
      add(text);
  }
  /// 32 hexadecimal digits.
  std::string hex() const {
    return absl::StrFormat("%016x%016x", absl::Uint128High64(hash),
                           absl::Uint128Low64(hash));
  }

private:
  void mix(absl::string_view text) {
    constexpr absl::uint128 prime = absl::MakeUint128(1ull << 24, 0x13b);
    for (char c : text)
      hash = (hash ^ static_cast<uint8_t>(c)) * prime;
  }
  absl::uint128 hash =
      absl::MakeUint128(0x6c62272e07bb0142ull, 0x62b821756295c58dull);
};

} // namespace tenon::isa

#endif // TENON_ISA_CONTENT_HASH_H
