// Part of Tenon, under the Apache License v2.0.
//
// Programs as text. Bytes of the DRAM image come out as what the launches make
// of them: instructions, micro-ops that a launched LOAD reads, else data.

#include "isa/assembler.h"
#include "isa/configuration.h"
#include "isa/program.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"
#include "fmt/format.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/message_differencer.h"

#include <map>
#include <optional>

namespace tenon::isa {
namespace {

/// How a piece of the DRAM image is printed.
enum class Piece { GemmUops, AluUops, Instructions };

struct Extent {
  uint64_t bytes;
  Piece piece;
};

std::string printText(const google::protobuf::Message &message) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetInitialIndentLevel(1);
  std::string text;
  printer.PrintToString(message, &text);
  return text;
}

class ProgramPrinter {
public:
  ProgramPrinter(const Program &program, bool annotate)
      : program(program), annotate(annotate) {
    if (auto made = Layout::get(program.configuration()); made.ok())
      layout = *std::move(made);
  }

  std::string print() {
    if (layout)
      findExtents();
    out = fmt::format(".isa {}\n", program.isa_version());
    printConfiguration();
    out += fmt::format(".dram {}\n", program.dram_bytes());
    for (const Segment &segment : program.segments())
      printSegment(segment);
    printRest();
    return std::move(out);
  }

private:
  const Segment *segmentAt(uint64_t offset, uint64_t bytes) const {
    for (const Segment &segment : program.segments())
      if (offset >= segment.offset() && bytes <= segment.data().size() &&
          offset - segment.offset() <= segment.data().size() - bytes)
        return &segment;
    return nullptr;
  }

  const uint8_t *bytesAt(uint64_t offset, uint64_t bytes) const {
    const Segment *segment = segmentAt(offset, bytes);
    return segment ? reinterpret_cast<const uint8_t *>(segment->data().data()) +
                         (offset - segment->offset())
                   : nullptr;
  }

  void findExtents() {
    std::array<uint64_t, engineCount> counts{};
    for (const Step &step : program.steps())
      if (step.has_launch())
        findInstructions(step.launch(), counts);
  }

  void findInstructions(const Launch &launch,
                        std::array<uint64_t, engineCount> &counts) {
    uint64_t size = layout->instructionBytes;
    for (uint64_t i = 0; i < launch.instruction_count(); ++i) {
      uint64_t at = launch.program_offset() + i * size;
      const uint8_t *bytes = bytesAt(at, size);
      if (!bytes)
        return;
      absl::StatusOr<Instruction> instruction = decode(*layout, bytes);
      if (!instruction.ok())
        continue;
      extents[at] = {size, Piece::Instructions};
      if (const Load *load = std::get_if<Load>(&*instruction))
        findMicroOps(*load);
      if (annotate && !std::holds_alternative<Finish>(*instruction)) {
        Engine engine = engineOf(*instruction);
        comments.emplace(at, comment(engine, counts[size_t(engine)]++));
      }
    }
  }

  void findMicroOps(const Load &load) {
    bool gemm = load.memory == Memory::UopGemm;
    if (!gemm && load.memory != Memory::UopAlu)
      return;
    // One row of consecutive beats, as compilers write them; anything else is
    // printed as data.
    bool dense = load.ySize == 1 && (load.xStride == 1 || load.xSize == 1);
    uint64_t at = uint64_t(load.dram) * layout->beatBytes;
    uint64_t bytes = uint64_t(load.xSize) * layout->beatBytes;
    if (dense && bytesAt(at, bytes))
      for (uint64_t i = 0; i < load.xSize; ++i)
        extents.emplace(
            at + i * layout->beatBytes,
            Extent{layout->beatBytes, gemm ? Piece::GemmUops : Piece::AluUops});
  }

  std::string comment(Engine engine, uint64_t number) const {
    std::string result =
        fmt::format("{} {}", std::string(toString(engine)), number);
    const Run *run = findRun(program.debug(), engine, number);
    if (!run || run->layer() >= uint32_t(program.debug().layers_size()))
      return result;
    const Layer &layer = program.debug().layers(int(run->layer()));
    result +=
        fmt::format(", {}, tile {}", absl::CEscape(layer.name()), run->tile());
    if (layer.nodes_size())
      result += ", from " + absl::CEscape(absl::StrJoin(layer.nodes(), " "));
    return result;
  }

  void printConfiguration() {
    const Configuration &config = program.configuration();
    absl::StatusOr<Configuration> shipped =
        config.name().find('/') == std::string::npos
            ? loadConfiguration(config.name())
            : absl::NotFoundError("");
    if (shipped.ok() &&
        google::protobuf::util::MessageDifferencer::Equals(*shipped, config))
      out += fmt::format(".configuration {}\n", config.name());
    else
      out += ".configuration {\n" + printText(config) + "}\n";
  }

  void printSegment(const Segment &segment) {
    out += fmt::format("\n.segment \"{}\" @0x{:x}\n",
                       absl::CEscape(segment.name()), segment.offset());
    uint64_t at = segment.offset();
    uint64_t end = at + segment.data().size();
    auto extent = extents.lower_bound(at);
    while (at < end) {
      while (extent != extents.end() && extent->first < at)
        ++extent;
      uint64_t stop =
          extent == extents.end() ? end : std::min(end, extent->first);
      printData(segment, at, stop);
      at = stop;
      if (at == end || end - at < extent->second.bytes)
        return printData(segment, at, end);
      printExtent(at, extent->second);
      at += extent->second.bytes;
    }
  }

  void printExtent(uint64_t at, const Extent &extent) {
    const uint8_t *bytes = bytesAt(at, extent.bytes);
    if (extent.piece == Piece::Instructions)
      return printInstruction(at, bytes);
    for (uint64_t i = 0; i < extent.bytes; i += 4) {
      uint32_t word = uint32_t(bytes[i]) | uint32_t(bytes[i + 1]) << 8 |
                      uint32_t(bytes[i + 2]) << 16 |
                      uint32_t(bytes[i + 3]) << 24;
      printMicroOp(word, extent.piece == Piece::GemmUops);
    }
  }

  void printInstruction(uint64_t at, const uint8_t *bytes) {
    std::string text = "  " + disassemble(*layout, *decode(*layout, bytes));
    auto found = comments.find(at);
    if (found != comments.end())
      text = fmt::format("{:<76} ; {}", text, found->second);
    out += text + "\n";
  }

  void printMicroOp(uint32_t word, bool gemm) {
    MicroOp uop =
        gemm ? decodeGemmUop(*layout, word) : decodeAluUop(*layout, word);
    uint32_t again =
        gemm ? encodeGemmUop(*layout, uop) : encodeAluUop(*layout, uop);
    if (again != word)
      out += fmt::format("  .word 0x{:08x}\n", word);
    else
      out += fmt::format("  {} {},{},{}\n", gemm ? ".gemm_uop" : ".alu_uop",
                         uop.dst, uop.src, uop.third);
  }

  /// Bytes in lines of 32, long runs of zeros as such.
  void printData(const Segment &segment, uint64_t at, uint64_t end) {
    const std::string &data = segment.data();
    size_t i = size_t(at - segment.offset());
    size_t stop = size_t(end - segment.offset());
    while (i < stop) {
      size_t zeros = std::min(data.find_first_not_of('\0', i), stop) - i;
      if (zeros >= 32) {
        out += fmt::format("  .zero {}\n", zeros);
        i += zeros;
        continue;
      }
      size_t count = std::min<size_t>(32, stop - i);
      out +=
          "  .hex " + absl::BytesToHexString({data.data() + i, count}) + "\n";
      i += count;
    }
  }

  void printRest() {
    // Everything the directives do not say, fields to come included.
    Program rest = program;
    rest.clear_isa_version();
    rest.clear_configuration();
    rest.clear_dram_bytes();
    rest.clear_segments();
    out += "\n.program {\n" + printText(rest) + "}\n";
  }

  const Program &program;
  bool annotate;
  std::optional<Layout> layout;
  std::map<uint64_t, Extent> extents;
  std::map<uint64_t, std::string> comments;
  std::string out;
};

} // namespace

std::string disassembleProgram(const Program &program, bool annotate) {
  return ProgramPrinter(program, annotate).print();
}

} // namespace tenon::isa
