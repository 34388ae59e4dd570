// Part of Tenon, under the Apache License v2.0.

#include "isa/secure_hash.h"

#include "gtest/gtest.h"

namespace tenon::isa {
namespace {

template <typename Add> std::string hashOf(Add add) {
  SecureHash hash;
  add(hash);
  return hash.hex();
}

// By `printf TEXT | sha256sum`.
TEST(SecureHash, IsSha256OfLengthsAndTexts) {
  EXPECT_EQ(hashOf([](SecureHash &) {}),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hashOf([](SecureHash &hash) { hash.add("abc"); }), // 3:abc
            "aab5f9ae99b2e38fb462025c8f72f570c9c811705d2a4277dc855d7fa293fe97");
  EXPECT_EQ(hashOf([](SecureHash &hash) { // 1:22:ab1:c
              hash.add({std::string("ab"), std::string("c")});
            }),
            "7b2c0d01dd95d1288aa00be0ebcae7ffb71364b6eaf112f16fc06edc4e5c7a63");
}

TEST(SecureHash, NoTwoSequencesRunTogether) {
  EXPECT_NE(hashOf([](SecureHash &hash) { hash.add("ab"), hash.add("c"); }),
            hashOf([](SecureHash &hash) { hash.add("a"), hash.add("bc"); }));
}

} // namespace
} // namespace tenon::isa
