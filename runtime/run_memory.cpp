//===- runtime/run_memory.cpp - Where buffers lie in a run ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/run_memory.h"

#include "isa/program.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace tenon::runtime {

RunMemory::RunMemory(const LoadedProgram &loaded)
    : loaded(loaded), places(loaded.program().buffers_size()),
      shapes(places.size()), made(places.size()) {}

//===----------------------------------------------------------------------===//
// The caller's arrays
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

uint64_t bytesOf(isa::ElementType type, absl::Span<const int64_t> shape) {
  return uint64_t(elementCount(shape)) * elementBytes(type);
}

template <typename Pointer> Range rangeOf(const BasicView<Pointer> &view) {
  return {view.data, view.data ? bytesOf(view.type, view.shape) : 0};
}

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

absl::Status RunMemory::checkMemory(absl::Span<const ConstView> inputs,
                                    absl::Span<const View> outputs) const {
  const isa::Program &program = loaded.program();
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
    if (absl::Status status = checkAlignment(
            "output", program.buffers(program.outputs(o)), outputs[o].data);
        !status.ok())
      return status;
    const Range range = rangeOf(outputs[o]);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (range.meets(rangeOf(inputs[i])))
        return overlap(o, "input", program.inputs(i));
    for (size_t p = 0; p < o; ++p)
      if (range.meets(rangeOf(outputs[p])))
        return overlap(o, "output", program.outputs(p));
  }
  return absl::OkStatus();
}

absl::Status RunMemory::checkValues(absl::Span<const ConstView> inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    absl::Status status = checkElements(inputs[i].type, inputs[i].data,
                                        elementCount(inputs[i].shape));
    const uint32_t buffer = loaded.program().inputs(int(i));
    if (!status.ok())
      return absl::InvalidArgumentError(
          absl::StrCat("input '", loaded.program().buffers(int(buffer)).name(),
                       "': ", status.message()));
  }
  return absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// Before, during and after a run
//===----------------------------------------------------------------------===//

absl::Status RunMemory::reserveWorkspace() {
  absl::Status status = kernels.reserveWorkspace(loaded.workspaceBytes());
  if (status.ok())
    return status;
  return absl::ResourceExhaustedError(
      absl::StrCat("the workspace of host kernels: ", status.message()));
}

absl::Status RunMemory::placeBetweenSteps() {
  if (buffers.offsets.empty() || extents != planned) {
    BufferPlan plan = loaded.planBuffers(extents);
    if (absl::Status status = block.reserve(plan.bytes); !status.ok())
      return absl::ResourceExhaustedError(
          absl::StrCat("arrays between steps: ", status.message()));
    buffers = std::move(plan);
    planned = extents;
  }
  for (size_t buffer = 0; buffer < places.size(); ++buffer) {
    made[buffer].reset();
    places[buffer] = loaded.isMade(uint32_t(buffer))
                         ? nullptr
                         : block.data() + buffers.offsets[buffer];
    shapes[buffer] = loaded.border().shape(uint32_t(buffer), extents);
  }
  return absl::OkStatus();
}

absl::Status RunMemory::place(absl::Span<const ConstView> inputs,
                              absl::Span<const View> outputs) {
  const isa::Program &program = loaded.program();
  const Border &border = loaded.border();
  kernels.beginRun();
  absl::Status status = border.bind(inputs, extents);
  if (status.ok())
    status = border.checkOutputs(outputs, extents);
  if (status.ok())
    status = checkMemory(inputs, outputs);
  if (status.ok())
    status = checkValues(inputs);
  if (status.ok())
    status = placeBetweenSteps();
  if (!status.ok())
    return status;
  for (size_t o = outputs.size(); o-- > 0;)
    if (const uint32_t buffer = program.outputs(int(o)); !loaded.isMade(buffer))
      places[buffer] = static_cast<uint8_t *>(outputs[o].data);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const uint32_t buffer = program.inputs(i);
    auto *data = static_cast<const uint8_t *>(inputs[i].data);
    if (!loaded.copiesInput(buffer))
      places[buffer] = const_cast<uint8_t *>(data); // nothing writes it
    else if (const uint64_t bytes = border.bytes(buffer, extents))
      std::memcpy(places[buffer], data, bytes);
  }
  return absl::OkStatus();
}

ConstView RunMemory::view(uint32_t buffer) const {
  return {loaded.program().buffers(int(buffer)).type(), shapes[buffer],
          places[buffer]};
}

absl::Status RunMemory::take(const KernelStep &kernel, uint32_t buffer,
                             Made data, Shape shape) {
  const isa::Buffer &want = loaded.program().buffers(int(buffer));
  google::protobuf::RepeatedField<int64_t> list(shape.begin(), shape.end());
  auto count = isa::elementCount(list);
  const ConstView view{want.type(), shape, data.get()};
  if (!count.ok() || !loaded.border().fits(buffer, view, extents) ||
      (*count && !data))
    return absl::InternalError(absl::StrCat(
        "host kernel '", kernel.step->name(), "' made ",
        data ? "" : "nothing for ", "'", want.name(), "' of ", shapeText(shape),
        ", the program has ", loaded.border().described(buffer)));
  if (KernelMemory::bytesOf(data) < bytesOf(want.type(), shape))
    return absl::InternalError(absl::StrCat(
        "host kernel '", kernel.step->name(), "' made '", want.name(), "' of ",
        shapeText(shape), " in ", KernelMemory::bytesOf(data), " bytes"));
  made[buffer] = std::move(data);
  places[buffer] = static_cast<uint8_t *>(made[buffer].get());
  shapes[buffer] = std::move(shape);
  return absl::OkStatus();
}

absl::Status RunMemory::call(const KernelStep &kernel,
                             std::vector<NestRun> *nests) {
  tensors.clear();
  for (uint32_t input : kernel.step->inputs())
    tensors.push_back({places[input], shapes[input].data()});
  // A kernel may read the buffer that it makes anew: extents of their own.
  const size_t first = tensors.size();
  std::vector<Shape> results;
  for (uint32_t output : kernel.step->outputs()) {
    results.push_back(shapes[output]);
    tensors.push_back({loaded.isMade(output) ? nullptr : places[output],
                       results.back().data()});
  }
  auto left = kernels.call(kernel.kernel, absl::MakeSpan(tensors), nests);
  if (absl::IsResourceExhausted(left.status()))
    return absl::ResourceExhaustedError(absl::StrCat(
        "host kernel '", kernel.step->name(), "': ", left.status().message()));
  if (!left.ok())
    return left.status();
  for (int i = 0; i < kernel.step->outputs_size(); ++i)
    if (const uint32_t buffer = kernel.step->outputs(i); loaded.isMade(buffer))
      if (absl::Status status =
              take(kernel, buffer, std::move((*left)[first + i]),
                   std::move(results[i]));
          !status.ok())
        return status;
  return absl::OkStatus();
}

void RunMemory::endStep(size_t step) {
  for (size_t buffer = 0; buffer < made.size(); ++buffer)
    if (made[buffer] && loaded.endsAt(uint32_t(buffer), step)) {
      made[buffer].reset();
      places[buffer] = nullptr;
    }
}

absl::Status RunMemory::copyOut(absl::Span<const View> outputs) const {
  const isa::Program &program = loaded.program();
  for (size_t o = 0; o < outputs.size(); ++o) {
    // A buffer may be several outputs.
    const uint32_t buffer = program.outputs(int(o));
    if (!outputs[o].data || places[buffer] == outputs[o].data)
      continue;
    const uint64_t bytes = bytesOf(outputs[o].type, shapes[buffer]);
    const uint64_t room = bytesOf(outputs[o].type, outputs[o].shape);
    if (bytes > room)
      return absl::InvalidArgumentError(
          absl::StrCat("output '", program.buffers(int(buffer)).name(), "' is ",
                       shapeText(shapes[buffer]), ", which takes ", bytes,
                       " bytes; there is room for ", room));
    if (bytes)
      std::memcpy(outputs[o].data, places[buffer], bytes);
  }
  return absl::OkStatus();
}

} // namespace tenon::runtime
