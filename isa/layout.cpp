// Part of Tenon, under the Apache License v2.0.
//
// Evaluates the specification for one configuration.

#include "isa/configuration.h"
#include "isa/fields.h"
#include "isa/specification.h"

namespace tenon::isa {
namespace {

/// Evaluates expressions, keeping the first error.
class Evaluator {
public:
  explicit Evaluator(const Names &names) : names(names) {}

  uint32_t operator()(const std::string &text) {
    absl::StatusOr<int64_t> value = evaluate(text, names);
    if (value.ok())
      return uint32_t(*value);
    if (status.ok())
      status = value.status();
    return 0;
  }

  absl::Status status;

private:
  const Names &names;
};

FormatLayout layOut(const spec::Format &format, Evaluator &value) {
  FormatLayout result;
  for (const spec::Field &field : format.fields()) {
    uint32_t width = value(field.width());
    result.fields.push_back({result.bits, width});
    result.bits += width;
  }
  return result;
}

} // namespace

absl::StatusOr<Layout> Layout::get(const Configuration &configuration) {
  if (absl::Status status = checkConfiguration(configuration); !status.ok())
    return status;
  absl::StatusOr<Names> names = derivedNames(configuration);
  if (!names.ok())
    return names.status();

  const spec::Specification &spec = specification();
  Evaluator value(*names);
  Layout layout;
  layout.config = configuration;
  assignDerived(layout, *names);
  layout.instructionBytes = configuration.instruction_bits() / 8;
  for (size_t i = 0; i < layout.formats.size(); ++i)
    layout.formats[i] = layOut(spec.formats(i), value);
  for (size_t i = 0; i < layout.microOps.size(); ++i)
    layout.microOps[i] = layOut(spec.micro_ops(i), value);
  for (int i = 0; i < spec.memories_size(); ++i) {
    layout.entryCounts[i] = value(spec.memories(i).entries());
    layout.elementBitCounts[i] = value(spec.memories(i).element_bits());
    layout.transferByteCounts[i] = value(spec.memories(i).transfer_bytes());
  }
  for (const spec::Register &reg : spec.registers())
    for (int e = 0; e < spec.engines_size(); ++e)
      if (spec.engines(e).name() == reg.engine())
        layout.registerBitCounts[e][reg.number()] = value(reg.bits());
  if (!value.status.ok())
    return value.status;
  return layout;
}

uint32_t Layout::registerBits(Engine engine, uint32_t number) const {
  return number < registerBitCounts[0].size()
             ? registerBitCounts[size_t(engine)][number]
             : 0;
}

} // namespace tenon::isa
