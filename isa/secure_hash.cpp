//===- isa/secure_hash.cpp - Keys that strangers' files go into -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "isa/secure_hash.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include <new>
#include <openssl/crypto.h>
#include <openssl/evp.h>

namespace tenon::isa {

/// libcrypto's functions fail where there is no memory.
static void require(bool ok) {
  if (!ok)
    throw std::bad_alloc();
}

SecureHash::SecureHash() : state(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  // What the system's configuration has for other programs is not asked.
  require(state && OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) &&
          EVP_DigestInit_ex(state.get(), EVP_sha256(), nullptr));
}

void SecureHash::add(absl::string_view text) {
  mix(absl::StrCat(text.size(), ":"));
  mix(text);
}

void SecureHash::add(const std::vector<std::string> &texts) {
  add(absl::StrCat(texts.size()));
  for (const std::string &text : texts)
    add(text);
}

std::string SecureHash::hex() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned bytes = 0;
  require(EVP_DigestFinal_ex(state.get(), digest, &bytes));
  return absl::BytesToHexString(
      {reinterpret_cast<const char *>(digest), bytes});
}

void SecureHash::mix(absl::string_view text) {
  require(EVP_DigestUpdate(state.get(), text.data(), text.size()));
}

} // namespace tenon::isa
