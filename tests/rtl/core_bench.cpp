// Part of Tenon, under the Apache License v2.0.

#include "core_bench.h"

#include "sim/rtl/coverage_counts.h"

#include "Vcore___024root.h"
#include "verilated.h"

#include <cstring>

namespace core {
namespace {

using namespace sizes;

template <typename Port>
void setPort(Port &port, const void *bytes, size_t size) {
  std::memset(&port, 0, sizeof port);
  std::memcpy(&port, bytes, size);
}

/// A scratchpad's row as the Verilated model keeps it.
template <typename Memory> uint8_t *row(Memory &memory, uint32_t index) {
  return reinterpret_cast<uint8_t *>(&memory[index]);
}

#define MEMORY(name) top->rootp->core__DOT__##name##__DOT__memory_q
#define BANK(b)                                                                \
  top->rootp                                                                   \
      ->core__DOT__accumulators__DOT__gen_bank__BRA__##b##__KET____DOT__memory_q

uint8_t *accRow(Vcore *top, uint32_t index) {
  constexpr uint32_t rows = ACC_ENTRIES / ACC_BANKS;
  uint32_t at = index % rows;
  switch (index / rows) {
#if CORE_ACC_BANKS > 4
  case 7:
    return row(BANK(7), at);
  case 6:
    return row(BANK(6), at);
  case 5:
    return row(BANK(5), at);
  case 4:
    return row(BANK(4), at);
#endif
#if CORE_ACC_BANKS > 2
  case 3:
    return row(BANK(3), at);
  case 2:
    return row(BANK(2), at);
#endif
#if CORE_ACC_BANKS > 1
  case 1:
    return row(BANK(1), at);
#endif
  default:
    return row(BANK(0), at);
  }
}

/// Number of `other` among the engines that are not `self`.
uint32_t neighbour(int self, int other) {
  return other > self ? other - 1 : other;
}
int engineAt(int self, uint32_t position) {
  return int(position) >= self ? position + 1 : position;
}

template <typename Element>
std::string difference(const char *name, uint32_t index, const Element &want,
                       const uint8_t *have) {
  for (size_t k = 0; k < want.size(); ++k) {
    typename Element::value_type got;
    std::memcpy(&got, have + k * sizeof got, sizeof got);
    if (got != want[k])
      return std::string(name) + "[" + std::to_string(index) + "] lane " +
             std::to_string(k) + ": RTL has " + std::to_string(got) +
             ", expected " + std::to_string(want[k]);
  }
  return "";
}

} // namespace

Bench::Bench(uint64_t seed, Weather weather, bool sleeps)
    : top(std::make_unique<Vcore>()), sleeps(sleeps), random(seed),
      weather(weather) {
  // Nobody asks for anything, whatever the ports' bits begin with.
  top->clk_i = top->clk_gemm_i = top->clk_alu_i = 0;
  top->gemm_valid_i = top->alu_valid_i = top->ld_valid_i = top->st_valid_i = 0;
  top->gemm_token_i = top->alu_token_i = 0;
}

Bench::~Bench() {
  top->final();
  tenon::sim::writeCoverage(*Verilated::threadContextp());
}

void Bench::clock() {
  uint32_t awake = sleeps && !top->rst_i ? top->awake_o : ~0u;
  top->clk_i = awake & 1;
  top->clk_gemm_i = awake >> 1 & 1;
  top->clk_alu_i = awake >> 2 & 1;
  top->eval();
  top->clk_i = top->clk_gemm_i = top->clk_alu_i = 0;
  ++cycles;
}

void Bench::reset() {
  top->rst_i = 1;
  top->start_i = 0;
  for (int k = 0; k < 4; ++k) {
    top->eval();
    clock();
  }
  top->rst_i = 0;
  top->start_i = 1;
  top->eval();
  clock();
  top->start_i = 0;
}

void Bench::writeMemories(const Model &m) {
  for (uint32_t e = 0; e < UOP_ENTRIES; ++e) {
    std::memcpy(row(MEMORY(uop_gemm), e / UOPS_PER_BEAT) +
                    e % UOPS_PER_BEAT * 4,
                &m.uop[0][e], 4);
    std::memcpy(row(MEMORY(uop_alu), e / UOPS_PER_BEAT) + e % UOPS_PER_BEAT * 4,
                &m.uop[1][e], 4);
  }
  for (uint32_t e = 0; e < INP_ENTRIES; ++e)
    std::memcpy(row(MEMORY(inp), e), m.inp[e].data(), INP_BYTES);
  for (uint32_t e = 0; e < WGT_ENTRIES; ++e)
    std::memcpy(row(MEMORY(wgt), e), m.wgt[e].data(), WGT_BYTES);
  for (uint32_t e = 0; e < DWT_ENTRIES; ++e)
    std::memcpy(row(MEMORY(dwt), e), m.dwt[e].data(), BLOCK_OUT);
  for (uint32_t e = 0; e < PRM_ENTRIES; ++e)
    std::memcpy(row(MEMORY(prm), e), m.prm[e].data(), PRM_BYTES);
  for (uint32_t e = 0; e < OUT_ENTRIES; ++e)
    std::memcpy(row(MEMORY(out), e), m.out[e].data(), OUT_BYTES);
  for (uint32_t e = 0; e < ACC_ENTRIES; ++e)
    std::memcpy(accRow(top.get(), e), m.acc[e].data(), ACC_BYTES);
}

std::string Bench::compare(const Model &m) {
  std::string found;
  for (uint32_t e = 0; e < ACC_ENTRIES && found.empty(); ++e)
    found = difference("acc", e, m.acc[e], accRow(top.get(), e));
  for (uint32_t e = 0; e < OUT_ENTRIES && found.empty(); ++e)
    found = difference("out", e, m.out[e], row(MEMORY(out), e));
  for (uint32_t e = 0; e < INP_ENTRIES && found.empty(); ++e)
    found = difference("inp", e, m.inp[e], row(MEMORY(inp), e));
  return found;
}

uint32_t Bench::tokens(int engine) const {
  uint32_t mask = 0;
  for (uint32_t p = 0; p < 3; ++p)
    mask |= uint32_t(channels[engineAt(engine, p)][engine].count > 0) << p;
  return mask;
}

uint32_t Bench::rooms(int engine) const {
  uint32_t mask = 0;
  for (uint32_t p = 0; p < 3; ++p)
    mask |=
        uint32_t(channels[engine][engineAt(engine, p)].count < weather.depth)
        << p;
  return mask;
}

bool Bench::takeAll(int engine, uint32_t wait) {
  if ((tokens(engine) & wait) != wait)
    return false;
  for (uint32_t p = 0; p < 3; ++p)
    if (wait >> p & 1)
      --channels[engineAt(engine, p)][engine].count;
  return true;
}

bool Bench::giveAll(int engine, uint32_t signal) {
  if ((rooms(engine) & signal) != signal)
    return false;
  for (uint32_t p = 0; p < 3; ++p)
    if (signal >> p & 1)
      ++channels[engine][engineAt(engine, p)].count;
  return true;
}

void Bench::stirTokens() {
  for (auto &from : channels)
    for (Channel &c : from) {
      if (c.count < weather.depth && chance(20))
        ++c.count;
      else if (c.count > 0 && chance(20))
        --c.count;
    }
}

std::string Bench::checkEngine(int engine, uint32_t state, uint32_t tokenWait,
                               uint32_t roomWait) {
  ++states[engine][state & 7];
  uint32_t both = tokenWait << 3 | roomWait;
  bool oneHot = both != 0 && (both & (both - 1)) == 0;
  if (state > 5 || state == 2)
    return "state " + std::to_string(state) + " is none of this engine's";
  if ((state == 1) != oneHot || (state != 1 && both != 0))
    return "state " + std::to_string(state) + " with waits " +
           std::to_string(both);
  return "";
}

std::string Bench::cycle(const Program &program) {
  // What the surroundings offer in this cycle.
  const std::vector<Instruction> *lists[2] = {&program.gemm, &program.alu};
  for (int e = 0; e < 2; ++e)
    offered[e] =
        next[1 + e] < lists[e]->size() && (offered[e] || !chance(weather.idle));
  if (offered[0] && !top->gemm_valid_i)
    setPort(top->gemm_instruction_i, encode(program.gemm[next[1]]).data(),
            instructionBytes);
  if (offered[1] && !top->alu_valid_i)
    setPort(top->alu_instruction_i, encode(program.alu[next[2]]).data(),
            instructionBytes);
  top->gemm_valid_i = offered[0];
  top->alu_valid_i = offered[1];
  top->gemm_token_i = tokens(1), top->gemm_room_i = rooms(1);
  top->alu_token_i = tokens(2), top->alu_room_i = rooms(2);

  // LOAD: a beat a cycle; the signal goes out with the last one.
  uint32_t loadSignal = 0;
  top->ld_valid_i = 0;
  if (next[0] < program.load.size() && !chance(weather.idle)) {
    const LoadStep &step = program.load[next[0]];
    if (!started[0])
      started[0] = takeAll(0, step.wait);
    bool last = beat + 1 == step.beats.size();
    if (started[0] && (!last || (rooms(0) & step.signal) == step.signal)) {
      const Beat &b = step.beats[beat++];
      top->ld_valid_i = 1;
      top->ld_memory_i = b.memory;
      top->ld_index_i = b.index;
      top->ld_beat_i = b.beat;
      top->ld_all_i = b.all;
      top->ld_zero_point_i = b.zeroPoint;
      setPort(top->ld_data_i, b.data.data(), BEAT_BYTES);
      if (last) {
        loadSignal = step.signal;
        started[0] = false, beat = 0, ++next[0];
      }
    }
  }

  // STORE: a read a cycle; its data two cycles later.
  uint32_t storeSignal = 0;
  const StoreStep *reading = nullptr;
  size_t readingAt = 0;
  top->st_valid_i = 0;
  if (next[3] < program.store.size() && !chance(weather.idle)) {
    const StoreStep &step = program.store[next[3]];
    if (!started[3])
      started[3] = takeAll(3, step.wait);
    bool last = read + 1 == step.indices.size();
    if (started[3] && (!last || (rooms(3) & step.signal) == step.signal)) {
      reading = &step, readingAt = read;
      top->st_valid_i = 1;
      top->st_index_i = step.indices[read++];
      if (last) {
        storeSignal = step.signal;
        started[3] = false, read = 0, ++next[3];
      }
    }
  }

  top->eval();

  // What the core answers.
  if (readStep[1]) {
    std::array<uint8_t, OUT_BYTES> data;
    std::memcpy(data.data(), &top->st_data_o, OUT_BYTES);
    std::string wrong =
        difference("stored out", readStep[1]->indices[readAt[1]],
                   readStep[1]->expected[readAt[1]], data.data());
    if (!wrong.empty())
      return wrong;
  }
  readStep[1] = readStep[0], readAt[1] = readAt[0];
  readStep[0] = reading, readAt[0] = readingAt;

  const uint32_t take[2] = {top->gemm_take_o, top->alu_take_o},
                 give[2] = {top->gemm_give_o, top->alu_give_o};
  const bool ready[2] = {bool(top->gemm_ready_o), bool(top->alu_ready_o)};
  retired[0] += top->gemm_retired_o, retired[1] += top->alu_retired_o;
  std::string wrong = checkEngine(0, top->gemm_state_o, top->gemm_token_wait_o,
                                  top->gemm_room_wait_o);
  if (wrong.empty())
    wrong = checkEngine(1, top->alu_state_o, top->alu_token_wait_o,
                        top->alu_room_wait_o);
  if (!wrong.empty())
    return wrong;
  uint32_t had[2] = {tokens(1), tokens(2)}, space[2] = {rooms(1), rooms(2)};
  for (int e = 0; e < 2; ++e) {
    if (take[e] & ~had[e] || give[e] & ~space[e])
      return "a token taken that was not there, or given where no room was";
    if (ready[e] && !offered[e])
      return "ready without an instruction";
  }
  for (int e = 0; e < 2; ++e) {
    takeAll(1 + e, take[e]);
    giveAll(1 + e, give[e]);
    if (ready[e])
      ++next[1 + e], offered[e] = false;
  }
  giveAll(0, loadSignal);
  giveAll(3, storeSignal);
  clock();
  top->gemm_valid_i = offered[0], top->alu_valid_i = offered[1];
  if (weather.anyToken)
    stirTokens();
  return "";
}

std::string Bench::run(const Program &program) {
  uint64_t quiet = 0, seen = 0;
  for (;;) {
    std::string wrong = cycle(program);
    if (!wrong.empty())
      return wrong + " in cycle " + std::to_string(cycles);
    uint64_t progress =
        retired[0] + retired[1] + next[0] + next[3] + beat + read;
    quiet = progress == seen ? quiet + 1 : 0;
    seen = progress;
    bool all =
        retired[0] == program.gemm.size() && retired[1] == program.alu.size() &&
        next[0] == program.load.size() && next[3] == program.store.size();
    if (all && quiet > 4)
      break;
    if (quiet > 2000000)
      return "no progress: retired " + std::to_string(retired[0]) + " of " +
             std::to_string(program.gemm.size()) + " by GEMM, " +
             std::to_string(retired[1]) + " of " +
             std::to_string(program.alu.size()) + " by ALU";
  }
  if (!top->gemm_idle_o || !top->alu_idle_o)
    return "not idle at the end";
  return compare(program.final);
}

} // namespace core
