// Part of Tenon, under the Apache License v2.0.

#include "isa/verifier/verifier.h"

#include "isa/program.h"
#include "isa/verifier/findings.h"
#include "isa/verifier/launch.h"

#include "fmt/format.h"

#include <chrono>

namespace tenon::isa {
namespace {

/// The steps of a program, in their order.
class Verifier {
public:
  Verifier(const Layout &layout, const Program &program, uint32_t most,
           Verification &result)
      : layout(layout), program(program), most(most), result(result),
        contents(layout, program) {}

  void run() {
    result.set_verified(true);
    for (const Step &step : program.steps()) {
      if (step.has_pack())
        pack(program.tensors(int(step.pack().tensor())));
      else if (step.has_unpack())
        unpack(program.tensors(int(step.unpack().tensor())));
      else if (step.has_launch() && !launch(step.launch()))
        return; // what DRAM then holds is not known
    }
  }

private:
  Interval bytesOf(const DramTensor &tensor) const {
    return {tensor.offset(), tensor.offset() + dramBytes(layout, tensor)};
  }

  void pack(const DramTensor &tensor) {
    contents.walker.hostWrites(bytesOf(tensor));
  }

  void unpack(const DramTensor &tensor) {
    Interval bytes = bytesOf(tensor);
    uint64_t missing = contents.walker.dram().firstUndefined(bytes);
    if (missing != bytes.end)
      findings(Stream{}).add(
          "undefined",
          fmt::format("the host unpacks tensor '{}' from {}, which nothing has "
                      "written",
                      tensor.name(),
                      regionText(Space::Dram, {missing, bytes.end})));
  }

  Findings findings(const Stream &stream) {
    return Findings(layout, program, stream, result.launches(), retired, most,
                    result);
  }

  /// False if it does not come to its end.
  bool launch(const Launch &launch) {
    Stream stream;
    Findings found = findings(stream);
    bool whole = decode(launch, stream, found);
    Order order = deriveOrder(layout, stream);
    if (order.isStuck)
      found.addStuck(order);
    else
      for (const Token &token : order.tokens)
        if (token.taker == nobody)
          found.addLeftover(token);
    // Races after what may be their cause.
    std::vector<bool> needed =
        verifyLaunch(layout, launch, stream, order, contents, found);
    for (size_t i = 0; i < needed.size(); ++i)
      if (!needed[i] && order.tokens[i].taker != nobody)
        found.addSuperfluous(order.tokens[i]);
    for (uint32_t e = 0; e < engineCount; ++e)
      retired[e] += uint32_t(stream.engines[e].size());
    result.set_launches(result.launches() + 1);
    result.set_instructions(result.instructions() + stream.size());
    result.set_tokens(result.tokens() + uint32_t(order.tokens.size()));
    return whole && !order.isStuck;
  }

  /// Instructions in front of FINISH; false if an encoding is undefined or
  /// FINISH is missing.
  bool decode(const Launch &launch, Stream &stream, Findings &found) {
    uint64_t count = launch.instruction_count();
    for (uint64_t i = 0; count == 0 || i < count; ++i) {
      uint64_t at = launch.program_offset() + i * layout.instructionBytes;
      const uint8_t *bytes =
          contents.walker.dram().constant(at, layout.instructionBytes);
      if (!bytes) {
        found.add("encoding",
                  fmt::format("instruction {}, at dram[{}], is not in a "
                              "segment, or has been overwritten",
                              i, at));
        return false;
      }
      auto instruction = isa::decode(layout, bytes);
      if (!instruction.ok()) {
        found.add("encoding",
                  fmt::format("instruction {}, at dram[{}], is undefined: {}",
                              i, at,
                              std::string(instruction.status().message())));
        return false;
      }
      if (!std::holds_alternative<Finish>(*instruction)) {
        stream.append(*std::move(instruction));
        continue;
      }
      if (count && i + 1 < count)
        found.add("finish",
                  fmt::format("instruction {} is FINISH, but the launch has {} "
                              "instructions",
                              i, count));
      return true;
    }
    found.add("finish", fmt::format("the launch has no FINISH within its {} "
                                    "instructions",
                                    count));
    return false;
  }

  const Layout &layout;
  const Program &program;
  const uint32_t most;
  Verification &result;
  Contents contents;
  std::array<uint32_t, engineCount> retired{};
};

} // namespace

absl::StatusOr<Verification> verify(const Program &program,
                                    uint32_t mostFindings) {
  auto begin = std::chrono::steady_clock::now();
  if (absl::Status status = validateProgram(program); !status.ok())
    return status;
  absl::StatusOr<Layout> layout = Layout::get(program.configuration());
  if (!layout.ok())
    return layout.status();
  Verification result;
  Verifier(*layout, program, mostFindings, result).run();
  result.set_executables(uint32_t(program.host_code().executables_size()));
  for (const Executable &executable : program.host_code().executables())
    result.set_executable_bytes(result.executable_bytes() +
                                executable.image().size());
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begin;
  result.set_seconds(taken.count());
  return result;
}

namespace {

std::string
listText(const google::protobuf::RepeatedPtrField<Finding> &findings,
         uint32_t more) {
  std::string text;
  for (const Finding &finding : findings)
    text += fmt::format("{}: {}\n", finding.kind(), finding.message());
  if (more)
    text += fmt::format("and {} more\n", more);
  return text;
}

} // namespace

std::string findingsText(const Verification &verification) {
  return listText(verification.findings(), verification.more());
}

std::string superfluousText(const Verification &verification) {
  return listText(verification.superfluous(),
                  verification.superfluous_tokens() -
                      uint32_t(verification.superfluous_size()));
}

} // namespace tenon::isa
