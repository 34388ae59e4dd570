// Part of Tenon, under the Apache License v2.0.
//
// What an executor may rely on in a program: nothing in it leads out of
// bounds. The first finding is reported with the place.

#include "isa/check_buffers.h"
#include "isa/executable.h"
#include "isa/field_limits.h"
#include "isa/host_abi.h"
#include "isa/program.h"

#include "fmt/format.h"

#include <algorithm>

namespace tenon::isa {
namespace {

template <typename... Args>
absl::Status invalid(fmt::format_string<Args...> format, Args &&...args) {
  return absl::InvalidArgumentError(
      fmt::format(format, std::forward<Args>(args)...));
}

constexpr int maxFold = 1023;

class Validator {
public:
  Validator(const Program &program, const Layout &layout)
      : program(program), layout(layout) {}

  absl::Status run() {
    for (auto check : {&Validator::checkDram, &Validator::checkSegments,
                       &Validator::checkTensors, &Validator::checkInputs,
                       &Validator::checkBuffers, &Validator::checkExecutables,
                       &Validator::checkSteps, &Validator::checkDebug})
      if (absl::Status status = (this->*check)(); !status.ok())
        return status;
    return absl::OkStatus();
  }

private:
  /// Whether [offset, offset + bytes) lies within the DRAM.
  bool inDram(uint64_t offset, uint64_t bytes) const {
    return bytes <= program.dram_bytes() &&
           offset <= program.dram_bytes() - bytes;
  }

  absl::Status checkDram() {
    if (program.dram_bytes() > mostDramBytes(layout))
      return invalid("dram_bytes is {}, a machine with beats of {} bytes "
                     "addresses at most {}",
                     program.dram_bytes(), layout.beatBytes,
                     mostDramBytes(layout));
    return absl::OkStatus();
  }

  absl::Status checkSegments() {
    std::vector<const Segment *> sorted;
    for (const Segment &segment : program.segments()) {
      if (!inDram(segment.offset(), segment.data().size()))
        return invalid("segment '{}': {} bytes at {} do not lie within the {} "
                       "bytes of DRAM",
                       segment.name(), segment.data().size(), segment.offset(),
                       program.dram_bytes());
      if (!segment.data().empty())
        sorted.push_back(&segment);
    }
    std::sort(sorted.begin(), sorted.end(),
              [](auto *a, auto *b) { return a->offset() < b->offset(); });
    for (size_t i = 1; i < sorted.size(); ++i)
      if (sorted[i - 1]->offset() + sorted[i - 1]->data().size() >
          sorted[i]->offset())
        return invalid("segments '{}' and '{}' overlap at byte {}",
                       sorted[i - 1]->name(), sorted[i]->name(),
                       sorted[i]->offset());
    return absl::OkStatus();
  }

  absl::Status checkTensors() {
    for (int i = 0; i < program.tensors_size(); ++i)
      if (absl::Status status = checkTensor(program.tensors(i)); !status.ok())
        return invalid("tensor {} '{}': {}", i, program.tensors(i).name(),
                       std::string(status.message()));
    return absl::OkStatus();
  }

  absl::Status checkTensor(const DramTensor &tensor) {
    if (tensor.shape_size() != 4)
      return invalid("the shape has {} dimensions, expected N, H, W, C",
                     tensor.shape_size());
    absl::StatusOr<uint64_t> count = elementCount(tensor.shape());
    if (!count.ok())
      return count.status();
    if (*count == 0)
      return invalid("the shape is empty");
    // Each factor is below 2^40 and their product checked, so block padding
    // (at most 2^15 more) stays within 64 bits.
    uint64_t bytes = dramBytes(layout, tensor);
    if (!inDram(tensor.offset(), bytes))
      return invalid("{} bytes at {} do not lie within the {} bytes of DRAM",
                     bytes, tensor.offset(), program.dram_bytes());
    if (tensor.offset() % layout.beatBytes)
      return invalid("offset {} is not a multiple of a beat of {} bytes",
                     tensor.offset(), layout.beatBytes);
    if (tensor.permutation_size() &&
        (tensor.permutation_size() != 4 ||
         !isPermutation(tensor.permutation(), 4, false)))
      return invalid("permutation is not one of N, H, W, C");
    if (tensor.onnx_shape_size()) {
      absl::StatusOr<uint64_t> onnx = elementCount(tensor.onnx_shape());
      if (!onnx.ok() || *onnx != *count)
        return invalid("onnx_shape does not have the tensor's {} elements",
                       *count);
    }
    if (program.has_debug() && program.debug().layers_size() &&
        tensor.producer() >= uint32_t(program.debug().layers_size()))
      return invalid("producer {} is not one of {} layers", tensor.producer(),
                     program.debug().layers_size());
    return absl::OkStatus();
  }

  /// Distinct values of 0..size-1; also any number of -1 where `holes`.
  template <typename List>
  static bool isPermutation(const List &list, int64_t size, bool holes) {
    std::vector<bool> seen(size_t(size), false);
    for (int64_t axis : list) {
      if (axis == -1 && holes)
        continue;
      if (axis < 0 || axis >= size || seen[size_t(axis)])
        return false;
      seen[size_t(axis)] = true;
    }
    return true;
  }

  absl::Status checkBuffers() { return isa::checkBuffers(program); }

  absl::Status checkIndex(const char *what, uint64_t index, int size) {
    if (index < uint64_t(size))
      return absl::OkStatus();
    return invalid("{} {} is not one of {}", what, index, size);
  }

  template <typename List>
  absl::Status checkIndices(const char *what, const List &list, int size) {
    for (uint64_t index : list)
      if (absl::Status status = checkIndex(what, index, size); !status.ok())
        return status;
    return absl::OkStatus();
  }

  absl::Status checkInputs() {
    absl::Status status =
        checkIndices("input buffer", program.inputs(), program.buffers_size());
    return status.ok() ? checkIndices("output buffer", program.outputs(),
                                      program.buffers_size())
                       : status;
  }

  absl::Status checkExecutables() {
    const HostCode &code = program.host_code();
    for (int i = 0; i < code.executables_size(); ++i) {
      auto image = readExecutable(code.executables(i));
      if (!image.ok())
        return invalid("executable {}: {}", i,
                       std::string(image.status().message()));
      if (constantsOf(*image) > code.constants().size())
        return invalid("executable {}: it reads {} bytes of constants, the "
                       "program has {}",
                       i, constantsOf(*image), code.constants().size());
      images.push_back(*std::move(image));
    }
    return absl::OkStatus();
  }

  absl::Status checkSteps() {
    for (int i = 0; i < program.steps_size(); ++i)
      if (absl::Status status = checkStep(program.steps(i)); !status.ok())
        return invalid("step {}: {}", i, std::string(status.message()));
    return checkReads(program);
  }

  absl::Status checkStep(const Step &step) {
    switch (step.kind_case()) {
    case Step::kPack:
      if (absl::Status status = checkFold(step.pack()); !status.ok())
        return status;
      return checkTransfer("pack", step.pack(), true);
    case Step::kUnpack:
      return checkTransfer("unpack", step.unpack(), false);
    case Step::kLaunch:
      return checkLaunch(step.launch());
    case Step::kHostKernel:
      return checkKernel(step.host_kernel());
    case Step::KIND_NOT_SET:
      break;
    }
    return invalid("it is neither pack, unpack, launch nor host_kernel");
  }

  template <typename Transfer>
  absl::Status checkTransfer(const char *name, const Transfer &transfer,
                             bool holes) {
    if (absl::Status status =
            checkIndex("tensor", transfer.tensor(), program.tensors_size());
        !status.ok())
      return status;
    if (absl::Status status =
            checkIndex("buffer", transfer.buffer(), program.buffers_size());
        !status.ok())
      return status;
    const DramTensor &tensor = program.tensors(int(transfer.tensor()));
    const Buffer &buffer = program.buffers(int(transfer.buffer()));
    if (hasOpenDimension(buffer))
      return invalid("{}: buffer '{}' has an open dimension, tensors have none",
                     name, buffer.name());
    if (!isFolded(transfer) &&
        *elementCount(tensor.shape()) != *elementCount(buffer.shape()))
      return invalid("{}: tensor '{}' and buffer '{}' differ in their number "
                     "of elements",
                     name, tensor.name(), buffer.name());
    if (elementBytes(buffer.type()) != 1)
      return invalid("{}: buffer '{}' has elements of {} bytes, tensors of 1",
                     name, buffer.name(), elementBytes(buffer.type()));
    // Pack names an axis of the buffer for each of the tensor's four, unpack
    // an axis of the tensor for each of the result's four (the buffer reshapes
    // it). No axis is left out but those of one element of a buffer.
    const auto &axes = transfer.permutation();
    int64_t size = holes ? buffer.shape_size() : 4;
    bool named =
        axes.size() == 4 && size <= 4 && isPermutation(axes, size, holes);
    for (int64_t axis = 0; named && axis < size; ++axis)
      named = (holes && buffer.shape(int(axis)) == 1) ||
              std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (!named)
      return invalid("{}: permutation does not name every axis once", name);
    return checkAxes(transfer, tensor, buffer);
  }

  static bool isFolded(const Pack &pack) { return pack.has_fold(); }
  static bool isFolded(const Unpack &) { return false; }

  absl::Status checkAxes(const Unpack &, const DramTensor &, const Buffer &) {
    return absl::OkStatus();
  }

  /// Without a fold, all axes are those of the buffer; a fold makes rows and
  /// columns of any number, and channels as many times as it has phases.
  absl::Status checkAxes(const Pack &pack, const DramTensor &tensor,
                         const Buffer &buffer) {
    int64_t phases = 1;
    for (int32_t count : pack.fold().phases())
      phases *= count;
    for (int i = 0; i < 4; ++i) {
      int axis = int(pack.permutation(i));
      int64_t size = axis < 0 ? 1 : buffer.shape(axis);
      if (pack.has_fold() && (i == 1 || i == 2))
        continue;
      if (i == 3)
        size *= phases;
      if (tensor.shape(i) != size)
        return invalid("pack: axis {} of tensor '{}' has {} elements, axis {} "
                       "of buffer '{}' has {}",
                       i, tensor.name(), tensor.shape(i), axis, buffer.name(),
                       size);
    }
    return absl::OkStatus();
  }

  /// Numbers small enough that no product of them with an extent overflows.
  absl::Status checkFold(const Pack &pack) {
    if (!pack.has_fold())
      return absl::OkStatus();
    const Fold &fold = pack.fold();
    const std::pair<const char *,
                    const google::protobuf::RepeatedField<int32_t> *>
        counts[] = {{"phases", &fold.phases()},
                    {"step", &fold.step()},
                    {"dilation", &fold.dilation()},
                    {"origin", &fold.origin()}};
    for (auto &[name, values] : counts) {
      int least = values == &fold.origin() ? -maxFold : 1;
      if (values->size() != 2)
        return invalid("pack: fold has {} values of {}, expected 2",
                       values->size(), name);
      for (int32_t value : *values)
        if (value < least || value > maxFold)
          return invalid("pack: fold has a {} of {}, expected {} to {}", name,
                         value, least, maxFold);
    }
    if (fold.outside() < -128 || fold.outside() > 127)
      return invalid("pack: fold has {} outside, expected -128 to 127",
                     fold.outside());
    return absl::OkStatus();
  }

  absl::Status checkLaunch(const Launch &launch) {
    uint64_t bytes;
    if (launch.instruction_count() == 0)
      return invalid(
          "launch: instruction_count is 0, expected at least FINISH");
    if (launch.program_offset() % layout.beatBytes)
      return invalid("launch: program_offset {} is not a multiple of a beat of "
                     "{} bytes",
                     launch.program_offset(), layout.beatBytes);
    if (launch.program_offset() > lastProgramOffset(layout))
      return invalid("launch: program_offset is {}, register PROGRAM holds at "
                     "most {} with beats of {} bytes",
                     launch.program_offset(), lastProgramOffset(layout),
                     layout.beatBytes);
    if (__builtin_mul_overflow(launch.instruction_count(),
                               uint64_t(layout.instructionBytes), &bytes) ||
        !inDram(launch.program_offset(), bytes))
      return invalid("launch: {} instructions at {} do not lie within the {} "
                     "bytes of DRAM",
                     launch.instruction_count(), launch.program_offset(),
                     program.dram_bytes());
    for (const Segment &segment : program.segments())
      if (launch.program_offset() >= segment.offset() &&
          launch.program_offset() - segment.offset() + bytes <=
              segment.data().size())
        return absl::OkStatus();
    return invalid("launch: {} instructions at {} do not lie within a segment",
                   launch.instruction_count(), launch.program_offset());
  }

  /// What executable `index` offers for a kernel.
  absl::Status checkSymbols(const std::string &symbol, size_t index) {
    const std::string name =
        toString(program.host_code().executables(int(index)));
    if (!images[index].hasFunction(symbol))
      return invalid("host_kernel {}: executable {} ({}) has no such function",
                     symbol, index, name);
    std::optional<uint64_t> workspace = workspaceOf(images[index], symbol);
    if (!workspace)
      return invalid("host_kernel {}: executable {} ({}) does not say how much "
                     "workspace it needs: there is no constant "
                     "'{}" TENON_HOST_WORKSPACE_SUFFIX "'",
                     symbol, index, name, symbol);
    if (*workspace > mostWorkspace)
      return invalid("host_kernel {}: executable {} ({}) asks for {} bytes of "
                     "workspace, expected at most {}",
                     symbol, index, name, *workspace, mostWorkspace);
    return absl::OkStatus();
  }

  absl::Status checkKernel(const HostKernel &kernel) {
    if (kernel.symbol().empty())
      return invalid("host_kernel: it has no symbol");
    if (images.empty())
      return invalid("host_kernel {}: the program has no executables",
                     kernel.symbol());
    for (size_t i = 0; i < images.size(); ++i)
      if (absl::Status status = checkSymbols(kernel.symbol(), i); !status.ok())
        return status;
    absl::Status status =
        checkIndices("buffer", kernel.inputs(), program.buffers_size());
    if (status.ok())
      status = checkIndices("buffer", kernel.outputs(), program.buffers_size());
    if (!status.ok())
      return invalid("host_kernel {}: {}", kernel.symbol(),
                     std::string(status.message()));
    return absl::OkStatus();
  }

  absl::Status checkDebug() {
    const Debug &debug = program.debug();
    if (debug.engines_size() > int(engineCount))
      return invalid("debug: {} engines, expected at most {}",
                     debug.engines_size(), engineCount);
    for (const Layer &layer : debug.layers())
      if (absl::Status status = checkIndices("tensor", layer.output_tensors(),
                                             program.tensors_size());
          !status.ok())
        return invalid("debug: layer '{}': {}", layer.name(),
                       std::string(status.message()));
    for (int e = 0; e < debug.engines_size(); ++e) {
      const auto &runs = debug.engines(e).runs();
      for (int i = 0; i < runs.size(); ++i)
        if (runs[i].layer() >= uint32_t(debug.layers_size()) ||
            (i && runs[i].begin() < runs[i - 1].begin()))
          return invalid("debug: run {} of {} goes backwards or names layer {} "
                         "of {}",
                         i, std::string(toString(Engine(e))), runs[i].layer(),
                         debug.layers_size());
    }
    return absl::OkStatus();
  }

  const Program &program;
  const Layout &layout;
  std::vector<ElfImage> images; ///< of the program's executables
};

} // namespace

absl::Status validateProgram(const Program &program) {
  if (program.isa_version() != isaVersion)
    return absl::InvalidArgumentError(
        fmt::format("made for version {} of the instruction set, this is "
                    "version {}",
                    program.isa_version(), isaVersion));
  absl::StatusOr<Layout> layout = Layout::get(program.configuration());
  if (!layout.ok())
    return layout.status();
  return Validator(program, *layout).run();
}

} // namespace tenon::isa
