// Part of Tenon, under the Apache License v2.0.

#include "core_model.h"

#include <algorithm>
#include <cstring>

namespace core {
namespace {

using namespace sizes;

struct Packer {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(instructionBytes);
  uint32_t at = 0;
  void put(uint64_t value, uint32_t width) {
    for (uint32_t b = 0; b < width; ++b, ++at)
      if (value >> b & 1)
        bytes[at / 8] |= 1 << at % 8;
  }
};

int32_t signedField(uint32_t value, uint32_t bits) {
  return int32_t(value << (32 - bits)) >> (32 - bits);
}

uint32_t fieldBits(Kind engine, int field) {
  const uint32_t gemm[] = {ACC_INDEX_BITS, INP_INDEX_BITS, WGT_INDEX_BITS};
  const uint32_t alu[] = {ALU_DST_BITS, ACC_INDEX_BITS, ALU_THIRD_BITS};
  return (engine == Gemm ? gemm : alu)[field];
}

Uop decodeUop(Kind engine, uint32_t word) {
  uint32_t values[3];
  for (int f = 0; f < 3; ++f) {
    uint32_t bits = fieldBits(engine, f);
    values[f] = word & ((1u << bits) - 1);
    word = bits == 32 ? 0 : word >> bits;
  }
  return {values[0], values[1], values[2]};
}

/// Byte of channel c of row n in an element laid out [blocks][BATCH][B].
uint32_t byteOf(uint32_t n, uint32_t c) {
  return (c / BLOCK_MIN * BATCH + n) * BLOCK_MIN + c % BLOCK_MIN;
}

int32_t clampTo(int32_t v, int32_t low, int32_t high) {
  return std::min(std::max(v, low), high);
}

int32_t wrap(int64_t v) { return int32_t(uint32_t(uint64_t(v))); }

bool reducing(const Instruction &i) {
  return i.op == Mac ||
         (i.operand && (i.op == Add || i.op == Min || i.op == Max));
}

/// Calls visit(at, index in the instruction) for every iteration.
template <typename Visit>
void iterate(const Instruction &i, Kind engine,
             const std::vector<uint32_t> &uops, uint32_t base, Visit visit) {
  Uop b = decodeUop(engine, base);
  for (uint32_t o = 0; o < i.outer; ++o)
    for (uint32_t n = 0; n < i.inner; ++n)
      for (uint32_t k = 0; k < i.uopCount; ++k) {
        Uop u = decodeUop(engine, uops[i.uopBegin + k]);
        auto field = [&](uint32_t base, uint32_t own, int f) {
          return (base + own + o * i.steps[2 * f] + n * i.steps[2 * f + 1]) &
                 ((1u << fieldBits(engine, f)) - 1);
        };
        visit(Uop{field(b.dst, u.dst, 0), field(b.src, u.src, 1),
                  field(b.third, u.third, 2)});
      }
}

} // namespace

std::vector<uint8_t> encode(const Instruction &i) {
  Packer p;
  p.put(i.kind, 3);
  p.put(i.wait, 3);
  p.put(i.signal, 3);
  if (i.kind == Set) {
    p.put(i.engine == Gemm ? 1 : 2, 2);
    p.put(i.index, 4);
    p.put(i.value, 32);
    return p.bytes;
  }
  if (i.kind == Alu) {
    p.put(i.op, 4);
    p.put(i.operand, 1);
    p.put(i.target, 2);
  }
  p.put(i.first, 1);
  p.put(i.uopBegin, UOP_INDEX_BITS);
  p.put(i.uopCount, UOP_INDEX_BITS);
  p.put(i.outer, 12);
  p.put(i.inner, 12);
  for (int f = 0; f < 6; ++f)
    p.put(i.steps[f], fieldBits(i.kind, f / 2));
  return p.bytes;
}

uint32_t encodeUop(Kind engine, Uop uop) {
  uint32_t b0 = fieldBits(engine, 0), b1 = fieldBits(engine, 1);
  return uop.dst | uop.src << b0 | uop.third << (b0 + b1);
}

Model::Model()
    : inp(INP_ENTRIES), wgt(WGT_ENTRIES), dwt(DWT_ENTRIES), prm(PRM_ENTRIES),
      acc(ACC_ENTRIES), out(OUT_ENTRIES), running{} {
  for (auto &u : uop)
    u.resize(UOP_ENTRIES);
  resetRegisters();
}

void Model::resetRegisters() {
  std::memset(gemmRegisters, 0, sizeof gemmRegisters);
  std::memset(aluRegisters, 0, sizeof aluRegisters);
  aluRegisters[3] = aluRegisters[8] = uint32_t(-128);
  aluRegisters[4] = aluRegisters[9] = 127;
  aluRegisters[12] = 2;
}

bool Model::execute(const Instruction &i) {
  if (i.kind == Set) {
    (i.engine == Gemm ? gemmRegisters : aluRegisters)[i.index] = i.value;
    return true;
  }
  if (i.kind == Alu)
    return alu(i);
  gemm(i);
  return true;
}

void Model::gemm(const Instruction &i) {
  std::vector<Uop> all;
  iterate(i, Gemm, uop[0], gemmRegisters[1],
          [&](Uop at) { all.push_back(at); });
  int32_t zeroPoint = signedField(gemmRegisters[2], 9);
  for (size_t k = 0; k < all.size(); ++k) {
    Uop at = all[k];
    bool start = k == 0 || all[k - 1].dst != at.dst;
    bool end = k + 1 == all.size() || all[k + 1].dst != at.dst;
    for (uint32_t n = 0; n < BATCH; ++n)
      for (uint32_t o = 0; o < BLOCK_OUT; ++o) {
        int32_t &v = running[n * BLOCK_OUT + o];
        int64_t sum =
            start ? (i.first ? 0 : acc[at.dst][n * BLOCK_OUT + o]) : v;
        for (uint32_t c = 0; c < BLOCK_IN; ++c) {
          int32_t x = inp[at.src][byteOf(n, c)];
          sum += x * wgt[at.third][o * BLOCK_IN + c] - zeroPoint * x;
        }
        v = wrap(sum);
        if (end)
          acc[at.dst][n * BLOCK_OUT + o] = v;
      }
  }
}

int32_t Model::rescaled(const std::array<uint8_t, PRM_BYTES> &p,
                        uint32_t channel, int32_t value) const {
  int32_t bias, multiplier;
  std::memcpy(&bias, &p[channel * 4], 4);
  std::memcpy(&multiplier, &p[(BLOCK_OUT + channel) * 4], 4);
  uint32_t shift = p[BLOCK_OUT * 8 + channel];
  int64_t v = wrap(int64_t(value) + bias);
  return wrap((v * multiplier + (int64_t(1) << (shift - 1))) >> shift);
}

bool Model::alu(const Instruction &i) {
  std::vector<Uop> all;
  iterate(i, Alu, uop[1], aluRegisters[1], [&](Uop at) { all.push_back(at); });
  for (size_t k = 0; k < all.size(); ++k) {
    bool start = k == 0 || all[k - 1].dst != all[k].dst;
    bool end = k + 1 == all.size() || all[k + 1].dst != all[k].dst;
    if (!aluStep(i, all[k], start, end))
      return false;
  }
  return true;
}

bool Model::aluStep(const Instruction &i, Uop at, bool start, bool end) {
  const uint32_t *r = aluRegisters;
  int32_t immediate = r[2], low = r[3], high = r[4], zero = r[5];
  std::array<int32_t, lanes> source = acc[at.src], result;
  std::array<int32_t, lanes> old = acc[at.dst % ACC_ENTRIES];
  std::array<int32_t, lanes> addend = acc[(at.src + r[7]) % ACC_ENTRIES];
  for (uint32_t l = 0; l < lanes; ++l) {
    uint32_t channel = l % BLOCK_OUT;
    int32_t b = i.operand ? source[l] : immediate;
    int32_t a = i.operand ? old[l] : source[l];
    if (reducing(i)) {
      int32_t term = source[l];
      if (i.op == Mac)
        term = wrap(int64_t(term) * (dwt[at.third % DWT_ENTRIES][channel] -
                                     signedField(r[6], 9)));
      int32_t v =
          start ? (i.first ? (i.op == Mac ? 0 : term) : old[l]) : running[l];
      bool take = i.op == Mac || !(start && i.first);
      if (take)
        v = i.op == Min   ? std::min(v, term)
            : i.op == Max ? std::max(v, term)
                          : wrap(int64_t(v) + term);
      running[l] = result[l] = v;
      continue;
    }
    const auto &p = prm[at.third % PRM_ENTRIES];
    switch (i.op) {
    case Mov:
      result[l] = b;
      break;
    case Add:
      result[l] = wrap(int64_t(a) + b);
      break;
    case Sub:
      result[l] = wrap(int64_t(a) - b);
      break;
    case Min:
      result[l] = std::min(a, b);
      break;
    case Max:
      result[l] = std::max(a, b);
      break;
    case Mul:
      result[l] = wrap(int64_t(a) * b);
      break;
    case Shl:
      result[l] = wrap(int64_t(uint64_t(int64_t(a)) << b));
      break;
    case Shr:
      result[l] = a >> b;
      break;
    case Shrr:
      result[l] = wrap((int64_t(a) + (b > 0 ? int64_t(1) << (b - 1) : 0)) >> b);
      break;
    case Clamp:
      result[l] = clampTo(source[l], low, high);
      break;
    case Quant:
      result[l] = clampTo(wrap(int64_t(rescaled(p, channel, source[l])) + zero),
                          low, high);
      break;
    case QuantAdd: {
      int64_t q = clampTo(rescaled(p, channel, source[l]), signedField(r[8], 9),
                          signedField(r[9], 9));
      int64_t o = addend[l];
      if (o < -256 || o > 255)
        return false;
      uint32_t shift = r[12];
      int64_t sum = q * signedField(r[10], 22) + o * signedField(r[11], 22) +
                    (int64_t(1) << (shift - 1));
      result[l] = clampTo(wrap(int64_t(wrap(sum >> shift)) + zero), low, high);
      break;
    }
    }
  }
  if (reducing(i) && !end)
    return true;
  if (i.target == ToAcc)
    acc[at.dst % ACC_ENTRIES] = result;
  else
    for (uint32_t l = 0; l < lanes; ++l)
      (i.target == ToInp ? &inp[at.dst % INP_ENTRIES][0]
                         : &out[at.dst % OUT_ENTRIES][0])[byteOf(
          l / BLOCK_OUT, l % BLOCK_OUT)] = int8_t(result[l]);
  return true;
}

} // namespace core
