//===- runtime/session.cpp - Runs a loaded program ------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/session.h"

#include "isa/configuration.h"

#include "absl/strings/str_cat.h"

#include <chrono>

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
      memory(*loaded), staging(loaded->steps().size()) {
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
  absl::Status status = session->memory.reserveWorkspace();
  if (status.ok())
    status = session->prepareDram();
  if (!status.ok())
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

namespace {

/// Lists a step in the observer, if there is one, when it ends.
class Timed {
public:
  Timed(Observer *observer, const char *what, const std::string &name,
        const isa::HostKernel *kernel = nullptr)
      : observer(observer), begin(std::chrono::steady_clock::now()) {
    if (observer)
      step = {absl::StrCat(what, name),
              kernel,
              0,
              {},
              observer->execution.launches.size()};
  }
  ~Timed() {
    if (!observer)
      return;
    std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - begin;
    step.milliseconds = taken.count();
    observer->execution.hostSteps.push_back(std::move(step));
  }
  /// Where the loop nests go; null where nobody asks for them.
  std::vector<NestRun> *nests() {
    return observer && observer->profile ? &step.nests : nullptr;
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
  pack.plan.run(memory.at(pack.step->buffer()), blocked.data());
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
  unpack.plan.run(blocked.data(), memory.at(unpack.step->buffer()));
  return absl::OkStatus();
}

absl::Status Session::runStep(const KernelStep &kernel, size_t) {
  Timed timed(observer, "", kernel.step->name(), kernel.step);
  return memory.call(kernel, timed.nests());
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
    memory.endStep(i);
  }
  if (!observer || !observer->keepDram)
    return absl::OkStatus();
  observer->execution.dram.resize(loaded->program().dram_bytes());
  return device.read(0, absl::MakeSpan(observer->execution.dram));
}

absl::Status Session::run(absl::Span<const ConstView> inputs,
                          absl::Span<const View> outputs) {
  forget();
  if (absl::Status status = memory.place(inputs, outputs); !status.ok())
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
  fresh = ended = true;
  return memory.copyOut(outputs);
}

absl::StatusOr<ConstView> Session::result(size_t output) const {
  if (output >= size_t(loaded->program().outputs_size()))
    return absl::OutOfRangeError(
        absl::StrCat("the program has ", loaded->program().outputs_size(),
                     " outputs, expected an index below that, found ", output));
  if (!ended)
    return absl::FailedPreconditionError(
        "there is no result: no run of this session has ended well since the "
        "last one began");
  return memory.view(loaded->program().outputs(int(output)));
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
  const isa::Program &program = loaded->program();
  std::vector<Array> outputs;
  std::vector<View> to;
  for (size_t i = 0; i < shapes->size(); ++i) {
    const uint32_t buffer = program.outputs(int(i));
    Array &output = outputs.emplace_back();
    output.type = program.buffers(int(buffer)).type();
    output.shape = std::move((*shapes)[i]);
    if (!loaded->border().isToldByRun(buffer))
      output.bytes.resize(elementCount(output.shape) *
                          elementBytes(output.type));
  }
  for (Array &output : outputs)
    to.push_back(viewOf(output));
  for (size_t i = 0; i < to.size(); ++i)
    if (loaded->border().isToldByRun(program.outputs(int(i))))
      to[i].data = nullptr;
  if (absl::Status status = run(from, to); !status.ok())
    return status;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (loaded->border().isToldByRun(program.outputs(int(i))))
      outputs[i] = arrayOf(memory.view(program.outputs(int(i))));
  return outputs;
}

} // namespace tenon::runtime
