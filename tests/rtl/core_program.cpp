// Part of Tenon, under the Apache License v2.0.

#include "core_program.h"

#include <algorithm>
#include <cstring>

namespace core {
namespace {

using namespace sizes;

enum Actor { Load, GemmActor, AluActor, Store };

class Maker {
public:
  Maker(uint64_t seed, bool ordered) : random(seed), ordered(ordered) {
    fillMemories();
  }

  Program make(uint32_t instructions) {
    Actor actor = GemmActor;
    for (uint32_t made = 0; made < instructions;) {
      uint32_t run = ordered ? pick(1, 12) : 1;
      for (uint32_t k = 0; k < run; ++k, ++made)
        add(actor);
      Actor next = nextActor(actor);
      if (ordered)
        connect(actor, next);
      actor = next;
    }
    program.final = model;
    return std::move(program);
  }

private:
  uint32_t pick(uint32_t low, uint32_t high) {
    return low + random() % (high - low + 1);
  }
  bool chance(uint32_t percent) { return random() % 100 < percent; }

  template <typename Elements> void fill(Elements &elements) {
    for (auto &e : elements)
      for (auto &v : e)
        v = random();
  }

  void fillMemories() {
    fill(model.inp), fill(model.wgt), fill(model.dwt), fill(model.prm),
        fill(model.acc), fill(model.out);
    for (auto &p : model.prm)
      for (uint32_t c = 0; c < BLOCK_OUT; ++c)
        drawParameter(p, c);
    // Half of ACC fits nine bits, for quant_add.
    for (size_t e = 0; e < model.acc.size(); ++e)
      if (e / 4 % 2 == 0)
        for (int32_t &v : model.acc[e])
          v = int32_t(random() % 512) - 256;
    for (uint32_t e = 0; e < UOP_ENTRIES; ++e) {
      model.uop[0][e] = encodeUop(Gemm, drawUop(0));
      model.uop[1][e] = encodeUop(Alu, drawUop(1));
    }
    program.initial = model;
  }

  void drawParameter(std::array<uint8_t, PRM_BYTES> &p, uint32_t c) {
    int32_t bias = int32_t(random()) >> pick(0, 31),
            multiplier = int32_t(random()) >> pick(0, 20);
    uint8_t shift = chance(50) ? pick(28, 44) : pick(2, 62);
    std::memcpy(&p[c * 4], &bias, 4);
    std::memcpy(&p[(BLOCK_OUT + c) * 4], &multiplier, 4);
    p[BLOCK_OUT * 8 + c] = shift;
  }

  static uint32_t leastTarget() {
    return std::min(ACC_ENTRIES, std::min(INP_ENTRIES, OUT_ENTRIES));
  }

  /// An index out of a small pool; owner 0 GEMM, 1 ALU, 2 LOAD.
  uint32_t address(uint32_t entries, uint32_t owner) {
    uint32_t near = pick(0, chance(70) ? 2 : 7),
             bank = pick(0, 3) * (entries / 4);
    if (ordered)
      return (near + bank) % entries;
    return (4 * near + bank) % entries / 4 * 4 + owner;
  }

  uint32_t step(uint32_t entries) {
    uint32_t unit = ordered ? 1 : 4;
    if (chance(40))
      return 0;
    return chance(70) ? unit * pick(0, 3) : entries - unit * pick(1, 2);
  }

  void loops(Instruction &i) {
    bool small = chance(60);
    i.uopCount = std::min(small ? pick(1, 3) : pick(1, 14), UOP_ENTRIES / 2);
    i.uopBegin = pick(0, UOP_ENTRIES / 2 - i.uopCount);
    i.outer = chance(50) ? 1 : pick(1, 4);
    i.inner = chance(50) ? 1 : pick(1, 5);
    const uint32_t gemm[] = {ACC_ENTRIES, INP_ENTRIES, WGT_ENTRIES};
    const uint32_t alu[] = {leastTarget(), ACC_ENTRIES,
                            std::min(PRM_ENTRIES, DWT_ENTRIES)};
    for (int f = 0; f < 6; ++f)
      i.steps[f] = step((i.kind == Gemm ? gemm : alu)[f / 2]);
    if (i.kind == Alu)
      i.steps[0] %= 64, i.steps[1] %= 64, i.steps[4] %= 8, i.steps[5] %= 8;
  }

  Instruction drawGemm() {
    Instruction i;
    i.engine = Gemm;
    if (chance(15)) {
      i.index = pick(0, 2);
      i.value = i.index == 0 ? 0
                : i.index == 2
                    ? (chance(50) ? 0 : random() & 511)
                    : encodeUop(Gemm, {step(ACC_ENTRIES), step(INP_ENTRIES),
                                       step(WGT_ENTRIES)});
      return i;
    }
    i.kind = Gemm;
    i.first = chance(40);
    loops(i);
    return i;
  }

  Instruction drawAluSet() {
    Instruction i;
    i.engine = Alu;
    i.index = pick(0, 12);
    switch (i.index) {
    case 0:
      i.value = 0;
      break;
    case 1:
      i.value =
          encodeUop(Alu, {step(leastTarget()) % 64, step(ACC_ENTRIES), 0});
      break;
    case 2:
      i.value = chance(40) ? pick(0, 31) : random();
      break;
    case 3:
      i.value = -pick(0, chance(50) ? 255 : 1u << 31);
      break;
    case 4:
      i.value = pick(0, chance(50) ? 255 : (1u << 31) - 1);
      break;
    case 5:
      i.value = int32_t(random()) >> pick(0, 31);
      break;
    case 6:
      i.value = random() & 511;
      break;
    case 7:
      i.value = step(ACC_ENTRIES) + (chance(50) ? ACC_ENTRIES / 4 : 0);
      i.value %= ACC_ENTRIES;
      break;
    case 8:
      i.value = (0u - pick(0, 256)) & 511;
      break;
    case 9:
      i.value = pick(0, 255);
      break;
    case 10:
    case 11:
      i.value = random() & ((1u << 22) - 1);
      break;
    case 12:
      i.value = pick(2, chance(80) ? 30 : 62);
      break;
    }
    return i;
  }

  Instruction drawAlu() {
    if (chance(30))
      return drawAluSet();
    Instruction i;
    i.kind = i.engine = Alu;
    i.op = chance(20) ? QuantAdd : pick(Mov, QuantAdd);
    bool twoOperands = i.op <= Mul;
    i.operand = twoOperands && chance(70);
    bool reduces = i.op == Mac ||
                   (i.operand && (i.op == Add || i.op == Min || i.op == Max));
    i.first = reduces && chance(40);
    if (i.op >= Quant)
      i.target = pick(ToAcc, ToOut);
    if (i.target == ToInp && BLOCK_IN != BLOCK_OUT)
      i.target = ToOut;
    loops(i);
    if (i.op == QuantAdd && chance(80))
      i.outer = i.inner = 1, i.uopCount = std::min(pick(1, 6), UOP_ENTRIES / 2),
      i.uopBegin = 0;
    return i;
  }

  /// Draws until the model accepts; at last a SET without a register.
  Instruction defined(Kind engine) {
    for (int attempt = 0; attempt < 12; ++attempt) {
      Instruction i = engine == Gemm ? drawGemm() : drawAlu();
      bool shift = i.kind == Alu && i.op >= Shl && i.op <= Shrr;
      if (shift && model.aluRegisters[2] > 31)
        continue;
      bool risky = i.kind == Alu && i.op == QuantAdd;
      Model saved;
      if (risky)
        saved = model;
      if (model.execute(i))
        return i;
      model = saved;
    }
    Instruction i;
    i.engine = engine;
    return i;
  }

  void addLoad() {
    LoadStep s;
    uint32_t elements = pick(1, 4);
    for (uint32_t e = 0; e < elements; ++e) {
      Memory m = Memory(pick(ordered ? UopGemm : Inp, Prm));
      if (m <= UopAlu) {
        addMicroOps(m, s);
        continue;
      }
      const uint32_t entries[] = {0,           0,           INP_ENTRIES,
                                  WGT_ENTRIES, DWT_ENTRIES, ACC_ENTRIES,
                                  ACC_ENTRIES, PRM_ENTRIES};
      const uint32_t bytes[] = {0,         0,         INP_BYTES, WGT_BYTES,
                                BLOCK_OUT, ACC_BYTES, OUT_BYTES, PRM_BYTES};
      Beat b;
      b.memory = m;
      b.index = address(entries[m], 2);
      b.zeroPoint = random() & 511;
      bool mayPad = m == Inp || m == Acc || m == Acc8;
      if (mayPad && chance(40)) {
        b.all = true;
        for (auto &d : b.data)
          d = random();
        store(b);
        s.beats.push_back(b);
        continue;
      }
      std::vector<uint8_t> data(bytes[m]);
      for (auto &d : data)
        d = random();
      if (m == Prm) {
        std::array<uint8_t, PRM_BYTES> p;
        for (uint32_t c = 0; c < BLOCK_OUT; ++c)
          drawParameter(p, c);
        data.assign(p.begin(), p.end());
      }
      for (uint32_t k = 0; k < data.size() / BEAT_BYTES; ++k) {
        b.beat = k;
        std::memcpy(b.data.data(), &data[k * BEAT_BYTES], BEAT_BYTES);
        storeBeat(b);
        s.beats.push_back(b);
        // Padding between the beats of an element that is not padding.
        if (k + 1 < data.size() / BEAT_BYTES && chance(10)) {
          Beat pad = b;
          pad.all = true;
          pad.memory = chance(50) ? Inp : Acc;
          pad.index = pad.memory == Inp ? INP_ENTRIES - (ordered ? 1 : 2)
                                        : ACC_ENTRIES - (ordered ? 1 : 2);
          if (pad.index != b.index) { // LOAD pads other elements than it reads
            store(pad);
            s.beats.push_back(pad);
          }
        }
      }
    }
    program.load.push_back(s);
  }

  Uop drawUop(int engine) {
    if (engine == 0)
      return {address(ACC_ENTRIES, 0), address(INP_ENTRIES, 0),
              address(WGT_ENTRIES, 0)};
    return {address(leastTarget(), 1), address(ACC_ENTRIES, 1),
            address(std::min(PRM_ENTRIES, DWT_ENTRIES), 0)};
  }

  void addMicroOps(Memory m, LoadStep &s) {
    Beat b;
    b.memory = m;
    b.index = pick(0, UOP_LINES / 2 - 1);
    for (uint32_t k = 0; k < UOPS_PER_BEAT; ++k) {
      uint32_t word = encodeUop(m == UopGemm ? Gemm : Alu, drawUop(m));
      model.uop[m][b.index * UOPS_PER_BEAT + k] = word;
      std::memcpy(&b.data[k * 4], &word, 4);
    }
    s.beats.push_back(b);
  }

  void store(const Beat &b) {
    int32_t value;
    std::memcpy(&value, b.data.data(), 4);
    if (b.memory == Inp)
      model.inp[b.index].fill(int8_t(value));
    else
      model.acc[b.index].fill(value);
  }

  void storeBeat(const Beat &b) {
    size_t at = b.beat * BEAT_BYTES;
    for (uint32_t k = 0; k < BEAT_BYTES; ++k) {
      uint8_t byte = b.data[k];
      uint32_t n = at + k;
      switch (b.memory) {
      case Inp:
        model.inp[b.index][n] = byte;
        break;
      case Wgt:
        model.wgt[b.index][n] = byte;
        break;
      case Dwt:
        model.dwt[b.index][n] = byte;
        break;
      case Prm:
        model.prm[b.index][n] = byte;
        break;
      case Acc:
        reinterpret_cast<uint8_t *>(&model.acc[b.index][0])[n] = byte;
        break;
      case Acc8: {
        uint32_t block = n / (BATCH * BLOCK_MIN), row = n / BLOCK_MIN % BATCH,
                 c = n % BLOCK_MIN;
        int32_t zero = int32_t(b.zeroPoint << 23) >> 23;
        model.acc[b.index][row * BLOCK_OUT + block * BLOCK_MIN + c] =
            int8_t(byte) - zero;
        break;
      }
      default:
        break;
      }
    }
  }

  void addStore() {
    StoreStep s;
    for (uint32_t k = pick(1, 6); k > 0; --k) {
      s.indices.push_back(address(leastTarget(), 1));
      s.expected.push_back(model.out[s.indices.back()]);
    }
    program.store.push_back(s);
  }

  void add(Actor actor) {
    if (actor == Load)
      addLoad();
    else if (actor == GemmActor)
      program.gemm.push_back(defined(Gemm));
    else if (actor == AluActor)
      program.alu.push_back(defined(Alu));
    else
      addStore();
    // The surroundings give and take tokens as they please.
    if (!ordered && (actor == GemmActor || actor == AluActor) && chance(20)) {
      Instruction &i = (actor == GemmActor ? program.gemm : program.alu).back();
      i.wait = pick(0, 7), i.signal = pick(0, 7);
    }
  }

  Actor nextActor(Actor actor) {
    if (!ordered)
      return Actor(pick(Load, AluActor));
    const std::vector<Actor> next[] = {{GemmActor, AluActor},
                                       {Load, AluActor},
                                       {Load, GemmActor, Store},
                                       {AluActor}};
    return next[actor][random() % next[actor].size()];
  }

  /// The token that puts what follows on `to` behind what stands on `from`.
  void connect(Actor from, Actor to) {
    auto bit = [](Actor self, Actor other) {
      return 1u << (other > self ? other - 1 : other);
    };
    uint32_t signal = bit(from, to);
    (from == Load ? program.load.back().signal
     : from == Store
         ? program.store.back().signal
         : (from == GemmActor ? program.gemm : program.alu).back().signal) |=
        signal;
    if (to == Load || to == Store) {
      add(to);
      (to == Load ? program.load.back().wait : program.store.back().wait) |=
          bit(to, from);
      return;
    }
    add(to);
    (to == GemmActor ? program.gemm : program.alu).back().wait |= bit(to, from);
  }

  std::mt19937 random;
  bool ordered;
  Model model;
  Program program;
};

} // namespace

Program makeProgram(uint64_t seed, bool ordered, uint32_t instructions) {
  return Maker(seed, ordered).make(instructions);
}

} // namespace core
