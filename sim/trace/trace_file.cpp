//===- sim/trace/trace_file.cpp - Runs as files ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/trace/trace_file.h"

#include "isa/files.h"
#include "isa/isa.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/io/gzip_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"

#include <climits>

namespace tenon::sim {
namespace {

using Columns = std::vector<const google::protobuf::RepeatedField<uint32_t> *>;

// Numbers that scripts and nanoseconds can hold exactly.
constexpr uint64_t mostCycles = uint64_t{1} << 50;

bool haveSize(const Columns &columns, int size) {
  for (const auto *column : columns)
    if (column->size() != size)
      return false;
  return true;
}

absl::Status validateEngine(const trace::EngineTrace &engine, uint64_t cycles,
                            size_t instructions, int layers) {
  Columns columns = {
      &engine.before(),       &engine.busy(),         &engine.token(),
      &engine.memory(),       &engine.bank(),         &engine.drain(),
      &engine.empty(),        &engine.token_wait_0(), &engine.token_wait_1(),
      &engine.token_wait_2(), &engine.room_wait_0(),  &engine.room_wait_1(),
      &engine.room_wait_2()};
  if (!haveSize(columns, instructions) ||
      engine.run_first_size() != engine.run_layer_size())
    return absl::InvalidArgumentError("columns of different lengths");
  if (engine.trailing_empty() > cycles)
    return absl::InvalidArgumentError("more empty cycles than cycles");
  uint64_t sum = engine.trailing_empty();
  for (int i = 0; i < engine.before_size(); ++i) {
    uint64_t taken = uint64_t(engine.busy(i)) + engine.token(i) +
                     engine.memory(i) + engine.bank(i) + engine.drain(i) +
                     engine.empty(i);
    if (engine.before(i) > taken)
      return absl::InvalidArgumentError(
          absl::StrCat("instruction ", i, " begins after it retires"));
    sum += taken;
  }
  if (sum > cycles)
    return absl::InvalidArgumentError(absl::StrCat(
        "an engine's instructions take ", sum, " of ", cycles, " cycles"));
  for (uint32_t layer : engine.run_layer())
    if (layer >= uint32_t(layers))
      return absl::InvalidArgumentError(
          absl::StrCat("layer ", layer, " of ", layers));
  for (int i = 1; i < engine.run_first_size(); ++i)
    if (engine.run_first(i) < engine.run_first(i - 1))
      return absl::InvalidArgumentError("runs of layers are not in order");
  return absl::OkStatus();
}

absl::Status validateTraffic(const trace::Launch &launch) {
  const trace::Traffic &traffic = launch.traffic();
  if (traffic.bucket_cycles() == 0 || traffic.bucket_cycles() > mostCycles ||
      traffic.load_size() > int(TrafficTrace::maxBuckets) ||
      !haveSize({&traffic.fetch(), &traffic.store()}, traffic.load_size()))
    return absl::InvalidArgumentError("the traffic has no or unequal buckets");
  for (const trace::Occupancy &curve : launch.occupancy())
    if (curve.bucket_cycles() == 0 || curve.bucket_cycles() > mostCycles ||
        curve.entries() == 0)
      return absl::InvalidArgumentError(absl::StrCat(
          "the occupancy of '", curve.memory(), "' has no buckets"));
  return absl::OkStatus();
}

absl::Status validateLaunch(const isa::Layout &layout,
                            const trace::Launch &launch, int layers) {
  if (launch.cycles() == 0 || launch.cycles() > mostCycles ||
      launch.engines_size() != int(numEngines))
    return absl::InvalidArgumentError(
        "a launch lacks cycles or engines, or has too many");
  std::array<size_t, numEngines> counts{};
  const std::string &bytes = launch.instructions();
  if (bytes.size() % layout.instructionBytes)
    return absl::InvalidArgumentError("the instructions are not whole");
  for (size_t at = 0; at < bytes.size(); at += layout.instructionBytes) {
    auto decoded = isa::decode(
        layout, reinterpret_cast<const uint8_t *>(bytes.data() + at));
    if (!decoded.ok())
      return decoded.status();
    if (std::holds_alternative<isa::Finish>(*decoded))
      break;
    ++counts[size_t(isa::engineOf(*decoded))];
  }
  for (unsigned e = 0; e < numEngines; ++e)
    if (absl::Status status = validateEngine(launch.engines(e), launch.cycles(),
                                             counts[e], layers);
        !status.ok())
      return status;
  return validateTraffic(launch);
}

/// Whether `bytes` are a whole gzip stream. The stream takes the end of its
/// input for its own, so that the length in the last four bytes decides.
bool inflate(absl::string_view bytes, std::string &inflated) {
  google::protobuf::io::ArrayInputStream from(bytes.data(), int(bytes.size()));
  google::protobuf::io::GzipInputStream unzipped(&from);
  const void *data;
  int size;
  // What a message cannot hold is not inflated: a small file can ask for it.
  while (inflated.size() <= INT_MAX && unzipped.Next(&data, &size))
    inflated.append(static_cast<const char *>(data), size);
  uint32_t length = 0;
  for (size_t i = 0; i < 4 && i < bytes.size(); ++i)
    length = length << 8 | uint8_t(bytes[bytes.size() - 1 - i]);
  return unzipped.ZlibErrorCode() >= 0 && inflated.size() <= INT_MAX &&
         length == uint32_t(inflated.size());
}

/// Times that nanoseconds and scripts hold, steps in the order of the launches,
/// nests one after the other inside their step.
absl::Status validateHostSteps(const trace::Trace &trace) {
  constexpr double mostMs = 1e9; // eleven days
  auto isTime = [](double ms) { return ms >= 0 && ms <= mostMs; };
  auto isAmount = [](double n) { return n >= 0 && n <= 0x1p+63; };
  uint32_t before = 0;
  for (const report::HostStep &step : trace.report().host_steps()) {
    auto bad = [&](absl::string_view what) {
      return absl::InvalidArgumentError(
          absl::StrCat("host step '", step.name(), "' ", what));
    };
    if (!isTime(step.ms()))
      return bad("takes no time that there is");
    if (step.launches_before() < before)
      return bad("comes before launches of the step in front");
    before = step.launches_before();
    if (step.nests_size() && !trace.report().host_peaks().memory_size())
      return bad("has loop nests, and the report nothing to hold them against");
    double end = 0;
    for (const report::LoopNest &nest : step.nests()) {
      if (!isTime(nest.begin_ms()) || !isTime(nest.ms()) ||
          nest.begin_ms() < end)
        return bad("has loop nests that are not one after the other");
      if (!isAmount(nest.operations()) || !isAmount(nest.bytes()))
        return bad("has a loop nest with an amount that no number holds");
      end = nest.begin_ms() + nest.ms();
    }
    // The clock is read for the step after the last nest: to rounding.
    if (end > step.ms() * (1 + 1e-9))
      return bad("ends before its loop nests");
  }
  return absl::OkStatus();
}

} // namespace

absl::Status validateTrace(const trace::Trace &trace) {
  auto layout = isa::Layout::get(trace.configuration());
  if (!layout.ok())
    return layout.status();
  for (const trace::Launch &launch : trace.launches())
    if (absl::Status status =
            validateLaunch(*layout, launch, trace.report().layers_size());
        !status.ok())
      return status;
  return validateHostSteps(trace);
}

absl::Status writeTrace(absl::string_view path, const trace::Trace &trace) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream to(&bytes);
    google::protobuf::io::GzipOutputStream zipped(&to);
    if (!isa::serializeSorted(trace, zipped) || !zipped.Close())
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": the trace is larger than 2 GB"));
  }
  return isa::writeFile(path, bytes);
}

absl::StatusOr<trace::Trace> readTrace(absl::string_view path) {
  auto bytes = isa::readFile(path);
  return bytes.ok() ? parseTrace(*bytes, path) : bytes.status();
}

absl::StatusOr<trace::Trace> parseTrace(absl::string_view bytes,
                                        absl::string_view path) {
  auto bad = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", what));
  };
  if (!absl::StartsWith(bytes, "\x1f\x8b") || bytes.size() > INT_MAX)
    return bad("not a trace of `tenon run --trace`");
  std::string inflated;
  if (!inflate(bytes, inflated))
    return bad("the trace is truncated or damaged");
  trace::Trace trace;
  if (!trace.ParseFromString(inflated) || trace.version() == 0)
    return bad("not a trace of `tenon run --trace`");
  if (trace.version() != traceVersion)
    return bad(absl::StrCat("a trace of version ", trace.version(),
                            ", this program reads version ", traceVersion));
  if (absl::Status status = validateTrace(trace); !status.ok())
    return bad(absl::StrCat("not a valid trace: ", status.message()));
  return trace;
}

} // namespace tenon::sim
