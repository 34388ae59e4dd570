//===- runtime/session.cpp - Runs a loaded program ------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/session.h"

#include "isa/configuration.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

#include <chrono>
#include <cstring>

namespace tenon::runtime {

absl::Status checkDevice(const isa::Program &program,
                         const sim::Device &device) {
  if (isa::configurationHash(program.configuration()) ==
      isa::configurationHash(device.configuration()))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the program was compiled for configuration '",
      program.configuration().name(), "', the ", device.name(), " device is '",
      device.configuration().name(),
      "'; compile it again with --config=", device.configuration().name()));
}

Session::Session(std::shared_ptr<const LoadedProgram> program,
                 sim::Device &device, Observer *observer)
    : loaded(std::move(program)), device(device), observer(observer),
      places(loaded->program().buffers_size()),
      staging(loaded->steps().size()) {
  for (size_t i = 0; i < staging.size(); ++i) {
    // Padding stays 0: packs write the elements alone.
    if (auto *pack = std::get_if<PackStep>(&loaded->steps()[i]))
      staging[i].resize(pack->plan.bytes());
    if (auto *unpack = std::get_if<UnpackStep>(&loaded->steps()[i]))
      staging[i].resize(unpack->plan.bytes());
  }
}

absl::StatusOr<std::unique_ptr<Session>>
Session::create(std::shared_ptr<const LoadedProgram> program,
                sim::Device &device, Observer *observer) {
  if (absl::Status status = checkDevice(program->program(), device);
      !status.ok())
    return status;
  std::unique_ptr<Session> session(
      new Session(std::move(program), device, observer));
  if (absl::Status status = session->prepareDram(); !status.ok())
    return status;
  return session;
}

absl::Status Session::writeSegment(const isa::Segment &segment) {
  return device.write(segment.offset(),
                      absl::MakeConstSpan(reinterpret_cast<const uint8_t *>(
                                              segment.data().data()),
                                          segment.data().size()));
}

absl::Status Session::prepareDram() {
  device.claim(this);
  if (absl::Status status = device.allocate(loaded->program().dram_bytes());
      !status.ok())
    return status;
  for (const isa::Segment &segment : loaded->program().segments())
    if (absl::Status status = writeSegment(segment); !status.ok())
      return status;
  fresh = true;
  return absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {

/// The bytes of an array at the border.
struct Range {
  uintptr_t begin, end;
  Range(const void *data, uint64_t bytes)
      : begin(reinterpret_cast<uintptr_t>(data)), end(begin + bytes) {}
  bool meets(const Range &other) const {
    return begin < other.end && other.begin < end;
  }
};

absl::Status checkAlignment(const char *what, const isa::Buffer &buffer,
                            const void *data) {
  const unsigned width = elementBytes(buffer.type());
  if (reinterpret_cast<uintptr_t>(data) % width == 0)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " '", buffer.name(), "' lies at 0x",
                   absl::Hex(reinterpret_cast<uintptr_t>(data)),
                   ", expected a multiple of ", width, ", its element's size"));
}

} // namespace

static absl::Status checkMemory(const LoadedProgram &loaded,
                                const Extents &extents,
                                absl::Span<const ConstView> inputs,
                                absl::Span<const View> outputs) {
  const isa::Program &program = loaded.program();
  auto bytes = [&](uint32_t buffer) {
    return loaded.border().bytes(buffer, extents);
  };
  auto overlap = [&](size_t output, const char *what, uint32_t other) {
    return absl::InvalidArgumentError(absl::StrCat(
        "output '", program.buffers(program.outputs(output)).name(),
        "' overlaps ", what, " '", program.buffers(other).name(), "'"));
  };
  for (size_t i = 0; i < inputs.size(); ++i)
    if (absl::Status status = checkAlignment(
            "input", program.buffers(program.inputs(i)), inputs[i].data);
        !status.ok())
      return status;
  for (size_t o = 0; o < outputs.size(); ++o) {
    const uint32_t buffer = program.outputs(o);
    if (absl::Status status =
            checkAlignment("output", program.buffers(buffer), outputs[o].data);
        !status.ok())
      return status;
    const Range range(outputs[o].data, bytes(buffer));
    for (size_t i = 0; i < inputs.size(); ++i)
      if (range.meets(Range(inputs[i].data, bytes(program.inputs(i)))))
        return overlap(o, "input", program.inputs(i));
    for (size_t p = 0; p < o; ++p)
      if (range.meets(Range(outputs[p].data, bytes(program.outputs(p)))))
        return overlap(o, "output", program.outputs(p));
  }
  return absl::OkStatus();
}

absl::Status Session::place(absl::Span<const ConstView> inputs,
                            absl::Span<const View> outputs) {
  const isa::Program &program = loaded->program();
  const Border &border = loaded->border();
  if (absl::Status status = border.bind(inputs, extents); !status.ok())
    return status;
  if (absl::Status status = border.checkOutputs(outputs, extents); !status.ok())
    return status;
  if (absl::Status status = checkMemory(*loaded, extents, inputs, outputs);
      !status.ok())
    return status;
  if (buffers.offsets.empty() || extents != planned) {
    buffers = loaded->planBuffers(extents);
    block.resize(buffers.bytes + bufferAlignment);
    planned = extents;
  }
  const auto begin = reinterpret_cast<uintptr_t>(block.data());
  uint8_t *aligned = block.data() + (-begin & (bufferAlignment - 1));
  for (size_t buffer = 0; buffer < places.size(); ++buffer)
    places[buffer] = aligned + buffers.offsets[buffer];
  for (size_t o = outputs.size(); o-- > 0;)
    places[program.outputs(o)] = static_cast<uint8_t *>(outputs[o].data);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const uint32_t buffer = program.inputs(i);
    auto *data = static_cast<const uint8_t *>(inputs[i].data);
    if (loaded->copiesInput(buffer))
      std::memcpy(places[buffer], data, border.bytes(buffer, extents));
    else
      places[buffer] = const_cast<uint8_t *>(data); // nothing writes it
  }
  return absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {

/// Lists a step in the observer, if there is one, when it ends.
class Timed {
public:
  Timed(Observer *observer, const char *what, const std::string &name,
        const isa::HostKernel *kernel = nullptr)
      : observer(observer), begin(std::chrono::steady_clock::now()) {
    if (observer)
      step = {absl::StrCat(what, name), kernel, 0};
  }
  ~Timed() {
    if (!observer)
      return;
    std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - begin;
    step.milliseconds = taken.count();
    observer->execution.hostSteps.push_back(std::move(step));
  }

private:
  Observer *observer;
  std::chrono::steady_clock::time_point begin;
  HostStep step;
};

} // namespace

absl::Status Session::runStep(const PackStep &pack, size_t index) {
  const isa::DramTensor &tensor =
      loaded->program().tensors(pack.step->tensor());
  Timed timed(observer, "pack ", tensor.name());
  std::vector<uint8_t> &blocked = staging[index];
  pack.plan.run(places[pack.step->buffer()], blocked.data());
  if (observer && observer->keepTensors) {
    const Shape shape(tensor.shape().begin(), tensor.shape().end());
    observer->execution.tensors[pack.step->tensor()] =
        BlockedLayout(loaded->layout(), shape).dense(blocked);
  }
  return device.write(tensor.offset(), blocked);
}

absl::Status Session::runStep(const UnpackStep &unpack, size_t index) {
  const isa::DramTensor &tensor =
      loaded->program().tensors(unpack.step->tensor());
  Timed timed(observer, "unpack ", tensor.name());
  std::vector<uint8_t> &blocked = staging[index];
  if (absl::Status status =
          device.read(tensor.offset(), absl::MakeSpan(blocked));
      !status.ok())
    return status;
  unpack.plan.run(blocked.data(), places[unpack.step->buffer()]);
  return absl::OkStatus();
}

absl::Status Session::runStep(const KernelStep &kernel, size_t) {
  Timed timed(observer, "", kernel.step->name(), kernel.step);
  arguments.clear();
  for (uint32_t input : kernel.step->inputs())
    arguments.push_back(places[input]);
  for (uint32_t output : kernel.step->outputs())
    arguments.push_back(places[output]);
  if (!extents.empty())
    arguments.push_back(extents.data());
  kernel.call(arguments.data());
  return absl::OkStatus();
}

absl::Status Session::runSteps() {
  for (int i : loaded->overwrittenSegments())
    if (absl::Status status = writeSegment(loaded->program().segments(i));
        !status.ok())
      return status;
  for (size_t i = 0; i < loaded->steps().size(); ++i) {
    absl::Status status = std::visit(
        [&](const auto &step) { return runStep(step, i); }, loaded->steps()[i]);
    if (!status.ok())
      return status;
  }
  if (!observer || !observer->keepDram)
    return absl::OkStatus();
  observer->execution.dram.resize(loaded->program().dram_bytes());
  return device.read(0, absl::MakeSpan(observer->execution.dram));
}

absl::Status Session::run(absl::Span<const ConstView> inputs,
                          absl::Span<const View> outputs) {
  if (absl::Status status = place(inputs, outputs); !status.ok())
    return status;
  if (!fresh || !device.claim(this))
    if (absl::Status status = prepareDram(); !status.ok())
      return status;
  retired = {};
  if (observer) {
    observer->execution = {};
    observer->execution.tensors.resize(loaded->program().tensors_size());
  }
  fresh = false; // until it is known that all went well
  if (absl::Status status = runSteps(); !status.ok())
    return status;
  fresh = true;
  // A buffer may be several outputs.
  const isa::Program &program = loaded->program();
  for (size_t o = 0; o < outputs.size(); ++o) {
    const uint32_t buffer = program.outputs(o);
    if (places[buffer] != outputs[o].data)
      std::memcpy(outputs[o].data, places[buffer],
                  loaded->border().bytes(buffer, extents));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Shape>>
Session::outputShapes(absl::Span<const ConstView> inputs) const {
  Extents given;
  if (absl::Status status = loaded->border().bind(inputs, given); !status.ok())
    return status;
  std::vector<Shape> shapes;
  for (uint32_t buffer : loaded->program().outputs())
    shapes.push_back(loaded->border().shape(buffer, given));
  return shapes;
}

absl::StatusOr<std::vector<Array>>
Session::run(absl::Span<const Array> inputs) {
  std::vector<ConstView> from;
  for (const Array &input : inputs)
    from.push_back(viewOf(input));
  absl::StatusOr<std::vector<Shape>> shapes = outputShapes(from);
  if (!shapes.ok())
    return shapes.status();
  std::vector<Array> outputs;
  for (size_t i = 0; i < shapes->size(); ++i) {
    const isa::Buffer &buffer =
        loaded->program().buffers(loaded->program().outputs(i));
    const size_t bytes =
        elementCount((*shapes)[i]) * elementBytes(buffer.type());
    outputs.push_back(
        {buffer.type(), std::move((*shapes)[i]), std::vector<uint8_t>(bytes)});
  }
  std::vector<View> to;
  for (Array &output : outputs)
    to.push_back(viewOf(output));
  if (absl::Status status = run(from, to); !status.ok())
    return status;
  return outputs;
}

} // namespace tenon::runtime
