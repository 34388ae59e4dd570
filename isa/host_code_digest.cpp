//===- isa/host_code_digest.cpp - Whose host code it is -------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "isa/host_code_digest.h"

#include "isa/files.h"
#include "isa/user_key.h"

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

namespace tenon::isa {

/// Host code and what decides how it is called, as bytes.
static absl::StatusOr<std::string> coveredBytes(const Program &program) {
  Program covered;
  covered.set_isa_version(program.isa_version());
  *covered.mutable_configuration() = program.configuration();
  *covered.mutable_tensors() = program.tensors();
  *covered.mutable_buffers() = program.buffers();
  *covered.mutable_inputs() = program.inputs();
  *covered.mutable_outputs() = program.outputs();
  *covered.mutable_steps() = program.steps();
  *covered.mutable_host_code() = program.host_code();
  std::string bytes;
  google::protobuf::io::StringOutputStream to(&bytes);
  if (!serializeSorted(covered, to))
    return absl::ResourceExhaustedError(
        "the program's host code is too large for a digest");
  return bytes;
}

static absl::StatusOr<std::string> digestOf(const Program &program,
                                            const std::string &key) {
  auto text = coveredBytes(program);
  if (!text.ok())
    return text;
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  size_t length = 0;
  // What the system's configuration has for other programs is not asked.
  if (!OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr) ||
      !EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, key.data(),
                 key.size(), reinterpret_cast<const uint8_t *>(text->data()),
                 text->size(), reinterpret_cast<uint8_t *>(digest.data()),
                 digest.size(), &length) ||
      length != digest.size())
    return absl::ResourceExhaustedError(
        "no memory for the digest of host code (libcrypto)");
  return digest;
}

absl::Status addHostCodeDigest(Program &program) {
  program.clear_host_code_digest();
  if (program.host_code().executables().empty())
    return absl::OkStatus();
  auto key = makeUserKey();
  if (!key.ok())
    return key.status();
  auto digest = digestOf(program, *key);
  if (!digest.ok())
    return digest.status();
  program.set_host_code_digest(*std::move(digest));
  return absl::OkStatus();
}

static absl::Status refuse(absl::string_view why) {
  return absl::UnauthenticatedError(absl::StrCat(
      "the program carries host code, which is native code, and it is not "
      "known that you compiled it: ",
      why,
      "; compile the network yourself, or, if you trust who made the program, "
      "run it with --trust-host-code (trust_host_code in tenon.h)"));
}

absl::Status checkHostCodeDigest(const Program &program) {
  if (program.host_code().executables().empty())
    return absl::OkStatus();
  const std::string &carried = program.host_code_digest();
  if (carried.empty())
    return refuse("it has no digest of a user");
  auto path = userKeyPath();
  auto key = readUserKey();
  if (absl::IsNotFound(key.status()))
    return refuse(absl::StrCat("you have no key of your own ('", *path,
                               "', made by the first compilation)"));
  if (!key.ok())
    return refuse(key.status().message());
  auto digest = digestOf(program, *key);
  if (!digest.ok())
    return digest.status();
  if (digest->size() != carried.size() ||
      CRYPTO_memcmp(digest->data(), carried.data(), carried.size()) != 0)
    return refuse(absl::StrCat("its digest is of another key than '", *path,
                               "', or the program was changed"));
  return absl::OkStatus();
}

} // namespace tenon::isa
