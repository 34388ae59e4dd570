// Part of Tenon, under the Apache License v2.0.
//
// Which instructions the machine defines.

#include "isa/validate.h"
#include "isa/specification.h"

#include "fmt/format.h"

namespace tenon::isa {
namespace {

template <typename... Args>
absl::Status undefined(fmt::format_string<Args...> format, Args &&...args) {
  return absl::InvalidArgumentError(
      fmt::format(format, std::forward<Args>(args)...));
}

std::string text(absl::string_view view) { return std::string(view); }

int enumeratorCount(const std::string &enumeration) {
  for (const spec::Enumeration &e : specification().enumerations())
    if (e.name() == enumeration)
      return e.values_size();
  return 0;
}

/// Number of enumerators of each field, 0 where it is an integer; made once,
/// because decoding asks for every field.
uint32_t enumeratorCount(uint32_t opcode, size_t field) {
  using Table = std::vector<std::vector<uint32_t>>;
  static const Table *const table = [] {
    auto *result = new Table;
    for (const spec::Format &format : specification().formats()) {
      result->emplace_back();
      for (const spec::Field &f : format.fields())
        result->back().push_back(enumeratorCount(f.enumeration()));
    }
    return result;
  }();
  return (*table)[opcode][field];
}

/// `mask` is wait (tokens come from the neighbour) or signal (they go to it).
absl::Status checkChannels(const char *format, const char *field, Engine engine,
                           uint32_t mask, bool incoming) {
  auto others = neighbours(engine);
  for (size_t i = 0; i < others.size(); ++i) {
    bool exists = incoming ? hasChannel(others[i], engine)
                           : hasChannel(engine, others[i]);
    if (mask >> i & 1 && !exists)
      return undefined("{}: bit {} of {} is set, but there is no channel from "
                       "{} to {}",
                       format, i, field,
                       text(toString(incoming ? others[i] : engine)),
                       text(toString(incoming ? engine : others[i])));
  }
  return absl::OkStatus();
}

absl::Status checkCount(const char *format, const char *field, uint32_t value) {
  if (value)
    return absl::OkStatus();
  return undefined("{}: {} is 0, expected at least 1", format, field);
}

/// The first error of several checks, all cheap.
absl::Status first(std::initializer_list<absl::Status> checks) {
  for (const absl::Status &status : checks)
    if (!status.ok())
      return status;
  return absl::OkStatus();
}

absl::Status checkPadding(const Load &load) {
  bool padded = load.padTop || load.padBottom || load.padLeft || load.padRight;
  if (!padded && load.padKind != Pad::Zero)
    return undefined("load: pad_kind is {} but there is no padding; expected "
                     "zero",
                     text(toString(load.padKind)));
  bool allowed = load.memory == Memory::Inp || load.memory == Memory::Acc ||
                 load.memory == Memory::Acc8;
  if (padded && !allowed)
    return undefined("load: padding into {}; it is defined for inp, acc and "
                     "acc8",
                     text(toString(load.memory)));
  return absl::OkStatus();
}

absl::Status checkMeaning(const Layout &, const Load &load) {
  return first({checkCount("load", "y_size", load.ySize),
                checkCount("load", "x_size", load.xSize), checkPadding(load)});
}

absl::Status checkMeaning(const Layout &, const Store &store) {
  return first({checkCount("store", "y_size", store.ySize),
                checkCount("store", "x_size", store.xSize)});
}

absl::Status checkMeaning(const Layout &, const Gemm &gemm) {
  return first({checkCount("gemm", "uop_count", gemm.uopCount),
                checkCount("gemm", "outer_count", gemm.outerCount),
                checkCount("gemm", "inner_count", gemm.innerCount)});
}

absl::Status checkOperation(const Layout &layout, const Alu &alu) {
  std::string op = text(toString(alu.op));
  bool requantises = alu.op == AluOp::Quant || alu.op == AluOp::QuantAdd;
  bool implicitOperand =
      requantises || alu.op == AluOp::Clamp || alu.op == AluOp::Mac;
  bool immediateOnly =
      alu.op == AluOp::Shl || alu.op == AluOp::Shr || alu.op == AluOp::Shrr;
  if (alu.operand == Operand::Acc && (implicitOperand || immediateOnly))
    return undefined("alu: operand is acc, but {} {}", op,
                     immediateOnly ? "shifts by an immediate only"
                                   : "has no such operand; expected 0");
  if (alu.first && !isReducing(alu))
    return undefined(
        "alu: first is 1, but {}{} does not reduce; it is defined "
        "for mac, and for add, min and max with operand acc",
        op,
        implicitOperand ? "" : " with operand " + text(toString(alu.operand)));
  if (alu.target != Target::Acc && !requantises)
    return undefined("alu: target is {}, but {} writes acc; other targets are "
                     "defined for quant and quant_add",
                     text(toString(alu.target)), op);
  if (alu.target == Target::Inp &&
      layout.config.block_in() != layout.config.block_out())
    return undefined("alu: target is inp, but block_in is {} and block_out is "
                     "{}; they must be equal",
                     layout.config.block_in(), layout.config.block_out());
  return absl::OkStatus();
}

absl::Status checkMeaning(const Layout &layout, const Alu &alu) {
  return first({checkCount("alu", "uop_count", alu.uopCount),
                checkCount("alu", "outer_count", alu.outerCount),
                checkCount("alu", "inner_count", alu.innerCount),
                checkOperation(layout, alu)});
}

const spec::Register *findRegister(Engine engine, uint32_t number) {
  for (const spec::Register &reg : specification().registers())
    if (reg.number() == number && reg.engine() == toString(engine))
      return &reg;
  return nullptr;
}

absl::Status checkMeaning(const Layout &layout, const Set &set) {
  std::string engine = text(toString(set.engine));
  if (set.index == 0 && set.value != 0)
    return undefined("set: value is {} with index 0, which is no register; "
                     "expected 0",
                     set.value);
  if (set.index == 0)
    return absl::OkStatus();
  uint32_t bits = layout.registerBits(set.engine, set.index);
  if (bits == 0)
    return undefined("set: {} has no register {}", engine, set.index);
  if (bits >= 32)
    return absl::OkStatus();
  const spec::Register *reg = findRegister(set.engine, set.index);
  int64_t value =
      reg->is_signed() ? int64_t(int32_t(set.value)) : int64_t(set.value);
  int64_t least = reg->is_signed() ? -(int64_t{1} << (bits - 1)) : 0;
  int64_t most = (int64_t{1} << (bits - reg->is_signed())) - 1;
  if (value < least || value > most)
    return undefined("set: {} does not fit {} {}: expected {} to {}", value,
                     engine, reg->name(), least, most);
  return absl::OkStatus();
}

absl::Status checkMeaning(const Layout &, const Finish &) {
  return absl::OkStatus();
}

} // namespace

bool isReducing(const Alu &alu) {
  bool optional =
      alu.op == AluOp::Add || alu.op == AluOp::Min || alu.op == AluOp::Max;
  return alu.op == AluOp::Mac || (optional && alu.operand == Operand::Acc);
}

absl::Status validateFields(const Layout &layout, uint32_t opcode,
                            const FieldValues &values) {
  const FormatLayout &format = layout.formats[opcode];
  for (size_t i = 0; i < format.fields.size(); ++i) {
    uint32_t width = format.fields[i].width;
    uint32_t count = enumeratorCount(opcode, i);
    bool fits = width >= 64 || values[i] >> width == 0;
    if (fits && (count == 0 || values[i] < count))
      continue;
    const spec::Format &names = specification().formats(opcode);
    const std::string &field = names.fields(i).name();
    if (count)
      return undefined("{}: {} is {}, expected 0 to {}", names.name(), field,
                       values[i], count - 1);
    return undefined("{}: {} is {}, which does not fit {} bit{}", names.name(),
                     field, values[i], width, width == 1 ? "" : "s");
  }
  return absl::OkStatus();
}

absl::Status validateMeaning(const Layout &layout,
                             const Instruction &instruction) {
  const char *name =
      specification().formats(instruction.index()).name().c_str();
  if (!std::holds_alternative<Finish>(instruction)) {
    Engine engine = engineOf(instruction);
    absl::Status status = first(
        {checkChannels(name, "wait", engine, waitOf(instruction), true),
         checkChannels(name, "signal", engine, signalOf(instruction), false)});
    if (!status.ok())
      return status;
  }
  return std::visit([&](const auto &i) { return checkMeaning(layout, i); },
                    instruction);
}

absl::Status validate(const Layout &layout, const Instruction &instruction) {
  absl::Status status = validateFields(layout, uint32_t(instruction.index()),
                                       fieldValues(instruction));
  return status.ok() ? validateMeaning(layout, instruction) : status;
}

} // namespace tenon::isa
