// Part of Tenon, under the Apache License v2.0.
//
// Tokens on hand-made streams: which edges are needed, which are implied, what
// happens at a full channel, and that verify() finds what is missing.

#include "tenon/Scheduling/Tokens.h"

#include "isa/assembler.h"
#include "isa/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::scheduling {
namespace {

const std::vector<Segment> noSegments;

isa::Layout layoutWith(uint32_t channelDepth) {
  auto configuration = isa::loadConfiguration("pynq");
  EXPECT_TRUE(configuration.ok()) << configuration.status();
  configuration->set_channel_depth(channelDepth);
  auto layout = isa::Layout::get(*configuration);
  EXPECT_TRUE(layout.ok()) << layout.status();
  return *layout;
}

isa::Load loadInp(uint32_t sram, uint32_t count, uint32_t dram = 4096) {
  isa::Load load;
  load.memory = isa::Memory::Inp;
  load.sram = sram, load.dram = dram;
  load.ySize = 1, load.xSize = count, load.xStride = 2;
  return load;
}

isa::Store store(uint32_t sram, uint32_t count, uint32_t dram) {
  isa::Store s;
  s.sram = sram, s.dram = dram;
  s.ySize = 1, s.xSize = count, s.xStride = 2;
  return s;
}

/// One micro-op {0, 0, 0} over `count` elements.
isa::Gemm gemm(uint32_t count) {
  isa::Gemm g;
  g.first = 1, g.uopCount = 1, g.outerCount = 1, g.innerCount = count;
  g.dstInner = 1, g.srcInner = 1;
  return g;
}

isa::Alu quant(uint32_t count) {
  isa::Alu a;
  a.op = isa::AluOp::Quant, a.target = isa::Target::Out;
  a.uopCount = 1, a.outerCount = 1, a.innerCount = count;
  a.dstInner = 1, a.srcInner = 1;
  return a;
}

isa::Set base(isa::Engine engine, const isa::Layout &l, isa::MicroOp at) {
  isa::Set set;
  set.engine = engine, set.index = 1;
  set.value = engine == isa::Engine::Gemm ? isa::encodeGemmUop(l, at)
                                          : isa::encodeAluUop(l, at);
  return set;
}

std::vector<StreamInstruction>
streamOf(std::vector<isa::Instruction> instructions) {
  std::vector<StreamInstruction> result;
  for (isa::Instruction &i : instructions)
    result.push_back({std::move(i), 0, 0});
  result.push_back({isa::Finish{}, 0, 0});
  return result;
}

std::string solved(const isa::Layout &l, std::vector<StreamInstruction> &s) {
  TokenProblem problem(l, s, noSegments);
  if (auto e = problem.check())
    return llvm::toString(std::move(e));
  if (auto e = problem.solve())
    return llvm::toString(std::move(e));
  if (auto e = problem.verify())
    return llvm::toString(std::move(e));
  return "";
}

uint32_t tokens(const std::vector<StreamInstruction> &stream) {
  uint32_t count = 0;
  for (const StreamInstruction &i : stream)
    count += __builtin_popcount(isa::waitOf(i.Inst));
  return count;
}

TEST(Tokens, OrdersAChain) {
  isa::Layout l = layoutWith(8);
  auto s = streamOf(
      {loadInp(0, 8), gemm(8), quant(8), store(0, 8, 0), loadInp(64, 8, 0)});
  ASSERT_EQ(solved(l, s), "");
  EXPECT_EQ(isa::signalOf(s[0].Inst), 1u); // load to gemm
  EXPECT_EQ(isa::waitOf(s[1].Inst), 1u);
  EXPECT_EQ(isa::signalOf(s[1].Inst), 2u); // gemm to alu
  EXPECT_EQ(isa::signalOf(s[2].Inst), 4u); // alu to store
  EXPECT_EQ(isa::signalOf(s[3].Inst), 1u); // store to load, through DRAM
  EXPECT_EQ(tokens(s), 4u);
}

TEST(Tokens, DisjointRegionsNeedNone) {
  isa::Layout l = layoutWith(8);
  // The second load is beside what GEMM reads; rows of the third lie between.
  auto s = streamOf({gemm(8), loadInp(8, 8), loadInp(100, 1)});
  ASSERT_EQ(solved(l, s), "");
  EXPECT_EQ(tokens(s), 0u);
}

TEST(Tokens, StridedRegionsAreExact) {
  isa::Layout l = layoutWith(8);
  // Stores to every other element; the load reads those between.
  isa::Store odd = store(0, 8, 2);
  odd.xStride = 4;
  isa::Load even = loadInp(0, 8, 0);
  even.xStride = 4;
  auto s = streamOf({odd, even});
  ASSERT_EQ(solved(l, s), "");
  EXPECT_EQ(tokens(s), 0u);
}

TEST(Tokens, LatestConflictSuffices) {
  isa::Layout l = layoutWith(8);
  auto s = streamOf({loadInp(0, 2), loadInp(2, 2), loadInp(4, 4), gemm(8)});
  ASSERT_EQ(solved(l, s), "");
  EXPECT_EQ(tokens(s), 1u);
  EXPECT_EQ(isa::signalOf(s[2].Inst), 1u);
}

TEST(Tokens, ImpliedEdgesAreLeftOut) {
  isa::Layout l = layoutWith(8);
  // ALU needs PRM from the first load; that it waits for GEMM, which waited for
  // the second load, says so.
  isa::Load prm;
  prm.memory = isa::Memory::Prm;
  prm.dram = 8192, prm.ySize = 1, prm.xSize = 1;
  prm.xStride = l.prmBytes / l.beatBytes;
  auto s = streamOf({prm, loadInp(0, 8), gemm(8), quant(8)});
  ASSERT_EQ(solved(l, s), "");
  EXPECT_EQ(tokens(s), 2u);
}

TEST(Tokens, FullChannelsMergeWaits) {
  // Six loads in stream order before the GEMMs that read them: more tokens
  // than a channel of two holds.
  for (uint32_t depth : {2, 3, 8}) {
    isa::Layout l = layoutWith(depth);
    std::vector<isa::Instruction> code;
    for (uint32_t i = 0; i < 6; ++i)
      code.push_back(loadInp(i * 8, 8));
    for (uint32_t i = 0; i < 6; ++i) {
      code.push_back(base(isa::Engine::Gemm, l, {i * 8, i * 8, 0}));
      code.push_back(gemm(8));
    }
    auto s = streamOf(code);
    ASSERT_EQ(solved(l, s), "") << depth;
    EXPECT_EQ(tokens(s), std::min(depth, 6u));
  }
}

TEST(Tokens, VerifyNamesTheMissingEdge) {
  isa::Layout l = layoutWith(8);
  auto s = streamOf({loadInp(0, 8), gemm(8)});
  TokenProblem problem(l, s, noSegments);
  auto error = llvm::toString(problem.verify());
  EXPECT_THAT(error, testing::HasSubstr("nothing orders instruction 1"));
  EXPECT_THAT(error, testing::HasSubstr("behind instruction 0"));
}

TEST(Tokens, VerifyFindsStarvationAndOverflow) {
  isa::Layout l = layoutWith(2);
  isa::Load signalling = loadInp(0, 1);
  signalling.signal = 1;
  auto full = streamOf({signalling, signalling, signalling});
  EXPECT_THAT(llvm::toString(TokenProblem(l, full, noSegments).verify()),
              testing::HasSubstr("full channel"));
  isa::Load waiting = loadInp(0, 1);
  waiting.wait = 1;
  auto starved = streamOf({waiting});
  EXPECT_THAT(llvm::toString(TokenProblem(l, starved, noSegments).verify()),
              testing::HasSubstr("not given"));
}

TEST(Tokens, EveryTokenOfALayerIsNeeded) {
  // Removing any one token of the chain is found.
  isa::Layout l = layoutWith(8);
  auto s = streamOf({loadInp(0, 8), gemm(8), quant(8), store(0, 8, 0),
                     loadInp(0, 8, 0), gemm(8), quant(8), store(0, 8, 0)});
  ASSERT_EQ(solved(l, s), "");
  for (size_t i = 0; i + 1 < s.size(); ++i) {
    if (!isa::waitOf(s[i].Inst))
      continue;
    auto broken = s;
    std::visit(
        [](auto &inst) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(inst)>,
                                        isa::Finish>)
            inst.wait = 0;
        },
        broken[i].Inst);
    auto error = TokenProblem(l, broken, noSegments).verify();
    EXPECT_TRUE(bool(error)) << i;
    llvm::consumeError(std::move(error));
  }
}

TEST(Tokens, RefusesBadStreams) {
  isa::Layout l = layoutWith(8);
  std::vector<StreamInstruction> none;
  EXPECT_THAT(llvm::toString(TokenProblem(l, none, noSegments).check()),
              testing::HasSubstr("FINISH"));
  auto outside = streamOf({loadInp(2047, 8)});
  EXPECT_THAT(solved(l, outside), testing::HasSubstr("outside"));
  isa::Load uops;
  uops.dram = 77, uops.ySize = uops.xSize = uops.xStride = 1;
  auto unknown = streamOf({uops});
  EXPECT_THAT(solved(l, unknown), testing::HasSubstr("no constant"));
}

TEST(Tokens, OperandsWithinTheirMemories) {
  // The third index is of PRM (512 entries), of DWT (1,024) or of nothing.
  isa::Layout l = layoutWith(8);
  auto with = [&](isa::AluOp op, uint32_t third) {
    isa::Load uops;
    uops.memory = isa::Memory::UopAlu;
    uops.ySize = uops.xSize = uops.xStride = 1;
    isa::Alu alu = quant(2);
    alu.op = op, alu.first = op == isa::AluOp::Mac;
    if (op != isa::AluOp::Quant)
      alu.target = isa::Target::Acc;
    alu.thirdInner = third;
    const std::vector<Segment> zeros = {
        {"uops", 0, std::vector<uint8_t>(l.beatBytes)}};
    auto stream = streamOf({uops, alu});
    TokenProblem problem(l, stream, zeros);
    auto error = problem.solve();
    return error ? llvm::toString(std::move(error)) : std::string();
  };
  EXPECT_EQ(with(isa::AluOp::Quant, 511), "");
  EXPECT_THAT(with(isa::AluOp::Quant, 512),
              testing::HasSubstr("alu third operand"));
  EXPECT_EQ(with(isa::AluOp::Mac, 1023), "");
  EXPECT_THAT(with(isa::AluOp::Mac, 1024),
              testing::HasSubstr("alu third operand"));
  EXPECT_EQ(with(isa::AluOp::Add, 1024), "");
}

} // namespace
} // namespace tenon::scheduling
