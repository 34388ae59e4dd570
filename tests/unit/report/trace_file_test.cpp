// Part of Tenon, under the Apache License v2.0.

#include "hand_made.h"

#include "isa/files.h"
#include "tests/scratch_folder.h"

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/message_differencer.h"
#include "gmock/gmock.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace tenon::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TraceFile : public testing::Test {
protected:
  std::string path(const char *name) const { return folder / name; }
  std::string writeAndFail(const std::string &bytes) {
    EXPECT_TRUE(isa::writeFile(path("bad"), bytes).ok());
    auto read = readTrace(path("bad"));
    EXPECT_FALSE(read.ok());
    EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(path("bad")));
    return std::string(read.status().message());
  }
  std::string rejected(const trace::Trace &trace) {
    EXPECT_TRUE(writeTrace(path("bad"), trace).ok());
    auto read = readTrace(path("bad"));
    EXPECT_FALSE(read.ok());
    return std::string(read.status().message());
  }
  const ScratchFolder folder;
  HandMade made;
};

void expectEqual(const LaunchTrace &a, const LaunchTrace &b) {
  for (unsigned e = 0; e < numEngines; ++e) {
    ASSERT_EQ(a.engines[e].size(), b.engines[e].size());
    for (size_t i = 0; i < a.engines[e].size(); ++i) {
      const InstructionTrace &x = a.engines[e][i], &y = b.engines[e][i];
      EXPECT_EQ(x.begin, y.begin);
      EXPECT_EQ(x.retire, y.retire);
      EXPECT_TRUE(std::equal(x.cycles, x.cycles + numStates, y.cycles));
      EXPECT_TRUE(
          std::equal(x.tokenWait, x.tokenWait + numNeighbours, y.tokenWait));
      EXPECT_TRUE(
          std::equal(x.roomWait, x.roomWait + numNeighbours, y.roomWait));
    }
  }
  EXPECT_EQ(a.traffic.bucketCycles, b.traffic.bucketCycles);
  for (unsigned kind = 0; kind < TrafficTrace::numKinds; ++kind)
    for (unsigned i = 0; i < TrafficTrace::maxBuckets; ++i)
      EXPECT_EQ(a.traffic.beats[kind][i], b.traffic.beats[kind][i]);
}

TEST_F(TraceFile, EventsComeBack) {
  trace::Trace trace = made.trace();
  expectEqual(eventsOf(trace.launches(0)), made.events);
  ASSERT_TRUE(writeTrace(path("good"), trace).ok());
  auto read = readTrace(path("good"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(*read, trace));
  EXPECT_EQ(read->report().layers(1).name(), "second & <b>last</b>");
}

TEST_F(TraceFile, EqualTracesAreEqualBytes) {
  // A map draws its order anew in each object.
  std::set<std::string> files, texts;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(writeTrace(path("good"), made.trace()).ok());
    auto read = readTrace(path("good"));
    ASSERT_TRUE(read.ok()) << read.status();
    files.insert(*isa::readFile(path("good")));
    texts.insert(isa::toJson(read->report()));
  }
  EXPECT_EQ(files.size(), 1u);
  ASSERT_EQ(texts.size(), 1u);
  std::vector<size_t> places;
  for (const char *engine : {"alu", "gemm", "load", "store"})
    places.push_back(texts.begin()->find(absl::StrCat("\"", engine, "\": {")));
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
  EXPECT_NE(places.back(), std::string::npos);
}

TEST_F(TraceFile, ColumnsHoldTheDistances) {
  trace::Trace trace = made.trace();
  const trace::EngineTrace &load = trace.launches(0).engines(0);
  EXPECT_THAT(load.before(), ElementsAre(0, 0, 0));
  EXPECT_THAT(load.busy(), ElementsAre(1, 4, 6));
  EXPECT_THAT(load.memory(), ElementsAre(9, 0, 10));
  EXPECT_THAT(load.run_first(), ElementsAre(0, 1));
  EXPECT_THAT(load.run_layer(), ElementsAre(0, 1));
  EXPECT_THAT(trace.launches(0).engines(2).before(), ElementsAre(0, 29));
  EXPECT_THAT(trace.launches(0).engines(2).token_wait_0(), ElementsAre(0, 29));
  EXPECT_THAT(trace.launches(0).engines(3).before(), ElementsAre(40));
  std::vector<uint64_t> trailing;
  for (const trace::EngineTrace &engine : trace.launches(0).engines())
    trailing.push_back(engine.trailing_empty());
  EXPECT_THAT(trailing, ElementsAre(0, 20, 3, 0));
  EXPECT_THAT(trace.launches(0).traffic().load(), ElementsAre(8));
  EXPECT_THAT(trace.launches(0).traffic().store(), ElementsAre(7));
}

TEST_F(TraceFile, OccupancyIsInTheTrace) {
  // One bucket of 64 cycles: acc 0 to 3 from 30 to 40, out 0 to 3 from 40 to
  // 60, one micro-op of the two loaded from 10 to 40, one PRM from 14 to 40.
  std::map<std::string, uint32_t> peaks;
  trace::Trace trace = made.trace();
  for (const trace::Occupancy &curve : trace.launches(0).occupancy()) {
    ASSERT_EQ(curve.peak_size(), 1);
    peaks[curve.memory()] = curve.peak(0);
  }
  EXPECT_EQ(peaks, (std::map<std::string, uint32_t>{{"uop_gemm", 0},
                                                    {"uop_alu", 1},
                                                    {"inp", 0},
                                                    {"wgt", 0},
                                                    {"dwt", 0},
                                                    {"acc", 4},
                                                    {"prm", 1},
                                                    {"out", 4}}));
}

TEST_F(TraceFile, AProgramWhoseAccessesCannotBeToldHasNoOccupancy) {
  made.program.mutable_segments(0)->set_offset(512); // the micro-ops are away
  trace::Trace trace = made.trace();
  EXPECT_EQ(trace.launches(0).occupancy_size(), 0);
  EXPECT_THAT(trace.launches(0).occupancy_missing(),
              HasSubstr("instruction 1 of alu"));
}

TEST_F(TraceFile, EventsMustBeTheProgramsOnes) {
  made.events.engines[1].push_back(event(0, 1, {1}));
  auto trace = makeTrace(made.program, made.report,
                         {{HandMade::cycles, &made.events, made.runs, {}}});
  EXPECT_THAT(std::string(trace.status().message()),
              HasSubstr("1 instructions of engine gemm, the program 0"));
  trace =
      makeTrace(made.program, made.report, {{0, &made.events, made.runs, {}}});
  EXPECT_THAT(std::string(trace.status().message()), HasSubstr("no time"));
}

TEST_F(TraceFile, BadFilesGiveOneClearError) {
  EXPECT_EQ(readTrace(path("missing")).status().ok(), false);
  EXPECT_THAT(writeAndFail(""), HasSubstr("not a trace"));
  EXPECT_THAT(writeAndFail("TENON"), HasSubstr("not a trace"));
  ASSERT_TRUE(writeTrace(path("good"), made.trace()).ok());
  auto bytes = isa::readFile(path("good"));
  ASSERT_TRUE(bytes.ok());
  for (size_t size :
       {size_t{2}, size_t{12}, bytes->size() / 2, bytes->size() - 1})
    EXPECT_THAT(writeAndFail(bytes->substr(0, size)),
                HasSubstr("the trace is truncated or damaged"))
        << size;
  std::string damaged = *bytes;
  damaged[damaged.size() / 2] ^= 0x20;
  EXPECT_THAT(writeAndFail(damaged), HasSubstr("damaged"));
}

TEST_F(TraceFile, WrongNumbersAreFound) {
  trace::Trace good = made.trace(), bad = good;
  bad.set_version(1);
  EXPECT_THAT(rejected(bad),
              HasSubstr("a trace of version 1, this program reads version 2"));
  bad = good;
  bad.mutable_launches(0)->mutable_engines(0)->add_busy(1);
  EXPECT_THAT(rejected(bad), HasSubstr("not a valid trace: "));
  EXPECT_THAT(rejected(bad), HasSubstr("columns of different lengths"));
  bad = good;
  bad.mutable_launches(0)->mutable_engines(0)->set_run_layer(1, 2);
  EXPECT_THAT(rejected(bad), HasSubstr("layer 2 of 2"));
  bad = good;
  bad.mutable_launches(0)->mutable_engines(2)->set_trailing_empty(22);
  EXPECT_THAT(rejected(bad),
              HasSubstr("an engine's instructions take 62 of 61 cycles"));
  bad.mutable_launches(0)->mutable_engines(2)->set_trailing_empty(~uint64_t{0});
  EXPECT_THAT(rejected(bad), HasSubstr("more empty cycles"));
  bad = good;
  bad.mutable_launches(0)->set_cycles(uint64_t{1} << 60);
  EXPECT_THAT(rejected(bad),
              HasSubstr("a launch lacks cycles or engines, or has too many"));
  bad = good;
  bad.mutable_launches(0)->set_cycles(59);
  EXPECT_THAT(rejected(bad), HasSubstr("60 of 59 cycles"));
  bad = good;
  bad.mutable_launches(0)->mutable_engines(0)->set_before(0, 11);
  EXPECT_THAT(rejected(bad), HasSubstr("begins after it retires"));
  bad = good;
  bad.mutable_launches(0)->mutable_engines(0)->set_run_first(0, 2);
  EXPECT_THAT(rejected(bad), HasSubstr("runs of layers are not in order"));
  bad = good;
  bad.mutable_launches(0)->mutable_instructions()->resize(15);
  EXPECT_THAT(rejected(bad), HasSubstr("the instructions are not whole"));
  bad = good;
  bad.mutable_launches(0)->mutable_instructions()->resize(16);
  EXPECT_THAT(rejected(bad), HasSubstr("different lengths"));
  bad = good;
  bad.mutable_launches(0)->mutable_traffic()->set_bucket_cycles(0);
  EXPECT_THAT(rejected(bad),
              HasSubstr("the traffic has no or unequal buckets"));
  bad = good;
  bad.mutable_launches(0)->mutable_occupancy(0)->set_entries(0);
  EXPECT_THAT(rejected(bad),
              HasSubstr("the occupancy of 'uop_gemm' has no buckets"));
  bad = good;
  bad.mutable_configuration()->set_batch(3);
  EXPECT_THAT(rejected(bad), HasSubstr("batch"));
}

TEST_F(TraceFile, HostStepsHaveTimesInOrder) {
  trace::Trace good = made.trace();
  report::HostStep &step = *good.mutable_report()->add_host_steps();
  step.set_name("softmax");
  step.set_ms(3);
  step.set_launches_before(1);
  for (double begin : {0.5, 2.0}) {
    report::LoopNest &nest = *step.add_nests();
    nest.set_begin_ms(begin);
    nest.set_ms(1);
  }
  EXPECT_THAT(rejected(good), HasSubstr("nothing to hold them against"));
  good.mutable_report()->mutable_host_peaks()->add_memory();
  EXPECT_TRUE(validateTrace(good).ok()) << validateTrace(good);
  auto rejectedWith = [&](auto &&change) {
    trace::Trace bad = good;
    change(*bad.mutable_report()->mutable_host_steps(0));
    return rejected(bad);
  };
  EXPECT_THAT(rejectedWith([](report::HostStep &of) { of.set_ms(-1); }),
              HasSubstr("host step 'softmax' takes no time that there is"));
  EXPECT_THAT(rejectedWith([](report::HostStep &of) { of.set_ms(NAN); }),
              HasSubstr("takes no time that there is"));
  EXPECT_THAT(rejectedWith([](report::HostStep &of) { of.set_ms(2.9); }),
              HasSubstr("ends before its loop nests"));
  EXPECT_THAT(rejectedWith([](report::HostStep &of) {
                of.mutable_nests(1)->set_begin_ms(1.4);
              }),
              HasSubstr("loop nests that are not one after the other"));
  EXPECT_THAT(rejectedWith([](report::HostStep &of) {
                of.mutable_nests(1)->set_operations(INFINITY);
              }),
              HasSubstr("an amount that no number holds"));
  trace::Trace bad = good;
  bad.mutable_report()->add_host_steps()->set_name("behind");
  EXPECT_THAT(
      rejected(bad),
      HasSubstr(
          "host step 'behind' comes before launches of the step in front"));
}

} // namespace
} // namespace tenon::sim
