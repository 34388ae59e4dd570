// Part of Tenon, under the Apache License v2.0.
//
// Random accesses, dense in few words, to every width of the RAM cells at once;
// products against 128-bit arithmetic.

#include "Vcells_bench.h"

#include "gtest/gtest.h"

#include <memory>
#include <random>

namespace {

constexpr unsigned accesses = 200000;
constexpr uint64_t few = 0x7f; // bits of an address

// The value of the low `bits` of `pins`, signed or not.
__int128 valueOf(uint64_t pins, unsigned bits, bool isSigned) {
  pins &= (uint64_t(1) << bits) - 1;
  __int128 value = pins;
  return isSigned && pins >> (bits - 1) ? value - (__int128(1) << bits) : value;
}

uint64_t lowBits(__int128 value, unsigned bits) {
  return uint64_t(value) & ((uint64_t(1) << bits) - 1);
}

class Cells : public ::testing::Test {
protected:
  Cells() { cells->eval(); }
  void clock() {
    cells->clk_i = 1;
    cells->eval();
    cells->clk_i = 0;
    cells->eval();
  }
  uint64_t bits(unsigned count) {
    return random() & ((uint64_t(1) << count) - 1);
  }
  // Mostly few words, where reads meet writes; sometimes the first or last.
  uint16_t address() {
    switch (random() % 8) {
    case 0:
      return bits(14);
    case 1:
      return 0x3f80 | bits(7);
    default:
      return bits(14) & few;
    }
  }

  std::mt19937_64 random{7};
  std::unique_ptr<Vcells_bench> cells = std::make_unique<Vcells_bench>();
};

TEST_F(Cells, RamsAreWhatTheirTablesSay) {
  for (unsigned i = 0; i < accesses; ++i) {
    cells->ce_a_i = random() % 4 != 0;
    cells->ce_b_i = random() % 4 != 0;
    // Only reads at first: the initial contents.
    cells->we_a_i = i > 2000 && random() % 2;
    cells->we_b_i = i > 2000 && random() % 2;
    cells->rst_a_i = random() % 16 == 0;
    cells->rst_b_i = random() % 16 == 0;
    cells->ad_a_i = address();
    cells->ad_b_i = address();
    // Two ports that write one word leave it undefined.
    if (cells->we_a_i && cells->we_b_i)
      cells->ad_b_i = (cells->ad_b_i & ~0x40) | (~cells->ad_a_i & 0x40);
    cells->di_a_i = bits(36);
    cells->di_b_i = bits(36);
    clock();
    ASSERT_EQ(cells->wrong_o, 0u) << "access " << i;
  }
}

TEST_F(Cells, MultipliersMultiply) {
  const uint64_t corners[] = {0,
                              1,
                              0xff,
                              0x100,
                              0x1ff,
                              0x1ffff,
                              0x20000,
                              0x3ffff,
                              1ull << 35,
                              (1ull << 36) - 1,
                              (1ull << 35) - 1};
  for (unsigned i = 0; i < accesses; ++i) {
    uint64_t a = i % 3 ? bits(36) : corners[random() % 11];
    uint64_t b = i % 5 ? bits(36) : corners[random() % 11];
    bool signedA = random() & 1, signedB = random() & 1;
    cells->di_a_i = a;
    cells->di_b_i = b;
    cells->signed_a_i = signedA;
    cells->signed_b_i = signedB;
    cells->eval();
    auto product = [&](unsigned bits) {
      return valueOf(a, bits, signedA) * valueOf(b, bits, signedB);
    };
    ASSERT_EQ(cells->product_ecp5_o, lowBits(product(18), 36));
    ASSERT_EQ(cells->product9_o, lowBits(product(9), 18));
    ASSERT_EQ(cells->product18_o, lowBits(product(18), 36));
    __int128 wide = product(36);
    for (unsigned word = 0; word < 3; ++word)
      ASSERT_EQ(cells->product36_o[word],
                lowBits(wide >> 32 * word, word == 2 ? 8 : 32));
  }
}

// Factors held for one enabled cycle, products for one more; a cycle that is
// not enabled holds everything.
TEST_F(Cells, MultipliersHoldFactorsAndProducts) {
  struct Factors {
    uint64_t a = 0, b = 0;
    bool signedA = false, signedB = false;
  } held;
  uint64_t held18 = 0, held9 = 0, now18 = 0;
  auto product = [&](const Factors &factors, unsigned bits) {
    return lowBits(valueOf(factors.a, bits, factors.signedA) *
                       valueOf(factors.b, bits, factors.signedB),
                   2 * bits);
  };
  for (unsigned i = 0; i < accesses / 10; ++i) {
    Factors factors{bits(36), bits(36), bool(random() & 1), bool(random() & 1)};
    const bool enabled = random() % 3 != 0;
    cells->ce_a_i = enabled;
    cells->di_a_i = factors.a;
    cells->di_b_i = factors.b;
    cells->signed_a_i = factors.signedA;
    cells->signed_b_i = factors.signedB;
    clock();
    if (enabled) {
      held18 = product(held, 18);
      held9 = product(held, 9);
      now18 = product(factors, 18);
      held = factors;
    }
    if (i < 4) // until every register was written
      continue;
    ASSERT_EQ(cells->registered_ecp5_o, held18) << i;
    ASSERT_EQ(cells->registered9_o, held9) << i;
    ASSERT_EQ(cells->held_ecp5_o, now18) << i;
    ASSERT_EQ(cells->held18_o, now18) << i;
  }
}

} // namespace
