// Part of Tenon, under the Apache License v2.0.
//
// Simulated kHz with GEMM or ALU busy and idle, cycles a vector, and the
// latency of one micro-op of each kind: from its acceptance to its retirement.
// The rates are also a promise: checkRates holds them to their formula.

#include "core_bench.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>

namespace core {
namespace {

/// Micro-ops that share no element.
constexpr uint32_t distinct =
    std::min({64u, sizes::UOP_ENTRIES, sizes::ACC_ENTRIES / 2,
              sizes::INP_ENTRIES, sizes::WGT_ENTRIES, sizes::DWT_ENTRIES,
              sizes::PRM_ENTRIES, sizes::OUT_ENTRIES});

struct Timed {
  double cyclesPerUop, kHz;
  uint64_t cycles;
  uint64_t busy[2]; // cycles that GEMM and ALU call busy
};

/// `prepare` runs first; only `timed` counts.
Timed measure(const std::vector<Instruction> &prepare,
              const std::vector<Instruction> &timed, uint64_t uops) {
  // Distinct destinations, ACC operands in another bank than they.
  Program program = makeProgram(1, false, 0);
  for (uint32_t e = 0; e < sizes::UOP_ENTRIES; ++e) {
    program.initial.uop[0][e] =
        encodeUop(Gemm, {e / 8 % distinct, e % distinct, e % distinct});
    program.initial.uop[1][e] =
        encodeUop(Alu, {e % distinct, sizes::ACC_ENTRIES / 2 + e % distinct,
                        e % distinct});
  }
  Bench bench(1, {}, true);
  bench.reset();
  bench.writeMemories(program.initial);
  for (const Instruction &i : prepare)
    (i.engine == Gemm ? program.gemm : program.alu).push_back(i);
  bench.run(program);
  uint64_t before = bench.cycles,
           busy[2] = {bench.states[0][Busy], bench.states[1][Busy]};
  for (const Instruction &i : timed)
    (i.engine == Gemm ? program.gemm : program.alu).push_back(i);
  std::clock_t start = std::clock();
  bench.run(program);
  double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  uint64_t cycles = bench.cycles - before - 5; // the quiet cycles at the end
  return {double(cycles) / uops,
          (bench.cycles - before) / seconds / 1e3,
          cycles,
          {bench.states[0][Busy] - busy[0], bench.states[1][Busy] - busy[1]}};
}

Instruction work(Kind engine, uint32_t uops, uint32_t loops) {
  Instruction i;
  i.kind = i.engine = engine;
  i.uopCount = uops;
  i.outer = i.inner = loops;
  return i;
}

/// Every kind of micro-op, by name.
void forEachKind(
    const std::function<void(const std::string &, const Instruction &)> &call) {
  Instruction i = work(Gemm, 1, 1);
  i.first = 1;
  call("gemm first", i);
  i.first = 0;
  call("gemm from acc", i);
  const char *names[] = {"mov", "add",   "sub",      "min",  "max",
                         "mul", "shl",   "shr",      "shrr", "clamp",
                         "mac", "quant", "quant_add"};
  for (uint32_t op = 0; op <= QuantAdd; ++op)
    for (uint32_t operand = 0; operand <= (op <= Mul ? 1u : 0u); ++operand) {
      Instruction a = work(Alu, 1, 1);
      a.op = op, a.operand = operand;
      a.target = op >= Quant ? ToOut : ToAcc;
      call(std::string(names[op]) + (operand ? " acc" : ""), a);
      bool reduces =
          op == Mac || (operand && (op == Add || op == Min || op == Max));
      if (reduces) {
        a.first = 1;
        call(std::string(names[op]) + " first", a);
      }
    }
}

void report(const std::string &name, const Instruction &shape) {
  Instruction one = shape, many = shape;
  many.uopCount = distinct, many.outer = many.inner = 40;
  Timed latency = measure({}, {one}, 1);
  Timed rate = measure({}, {many, many, many}, 3 * distinct * 40 * 40);
  std::printf("%-28s %10llu %14.3f %12.0f\n", name.c_str(),
              (unsigned long long)latency.cycles, rate.cyclesPerUop, rate.kHz);
}

/// Cycles of a micro-op whose destination is not that of the one before. GEMM
/// takes one. The ALU takes one for each group of lanes, times a
/// multiplication's where there is one, three for a quant_add; one more where
/// the second operand is in the first one's bank, but not for quant_add, which
/// needs it later.
uint64_t cyclesPerUop(const Instruction &i) {
  if (i.engine == Gemm)
    return 1;
  uint64_t groups = lanes / sizes::ALU_LANES;
  if (i.op == QuantAdd)
    return groups * 3 * sizes::ALU_MULTIPLY_CYCLES;
  bool product = i.op == Mul || i.op == Mac || i.op == Quant;
  bool two = (i.operand || i.op == Mac) && i.op != Mov && !i.first;
  return groups * (product ? sizes::ALU_MULTIPLY_CYCLES : 1) +
         (two && sizes::ACC_BANKS == 1);
}

} // namespace

void speed(const std::string &only) {
  std::printf("%-28s %10s %14s %12s\n", "micro-op", "latency",
              "cycles/micro-op", "kHz");
  forEachKind([&](const std::string &name, const Instruction &shape) {
    if (name.compare(0, only.size(), only) == 0)
      report(name, shape);
  });
}

std::string checkRates() {
  std::string wrong;
  auto expect = [&](const std::string &what, uint64_t is, uint64_t should) {
    if (is != should && wrong.empty())
      wrong = what + " " + std::to_string(is) + " cycles, not " +
              std::to_string(should);
  };
  forEachKind([&](const std::string &name, const Instruction &shape) {
    Instruction once = shape, twice = shape;
    once.uopCount = twice.uopCount = distinct;
    twice.outer = 2;
    uint64_t more =
        measure({}, {twice}, 1).cycles - measure({}, {once}, 1).cycles;
    expect(std::to_string(distinct) + " micro-ops `" + name + "` take", more,
           distinct * cyclesPerUop(shape));
  });
  // A SET goes in a cycle, which counts as busy.
  for (Kind engine : {Gemm, Alu}) {
    Instruction base;
    base.engine = engine;
    base.index = 1;
    Timed sets = measure({}, std::vector<Instruction>(40, base), 40);
    expect("40 SETs keep engine " + std::to_string(engine) + " busy for",
           sets.busy[engine == Alu], 40);
  }
  return wrong;
}

} // namespace core
