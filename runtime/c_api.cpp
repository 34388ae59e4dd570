//===- runtime/c_api.cpp - tenon.h over sessions --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Every function catches whatever its work throws; nothing but tenon_* leaves
// the library.
//
//===----------------------------------------------------------------------===//

#include "runtime/tenon.h"

#include "runtime/open_device.h"
#include "runtime/session.h"
#include "runtime/thread_pool.h"

#include "isa/program.h"

#include "absl/strings/str_cat.h"

#include <cstring>
#include <exception>
#include <new>

using namespace tenon;
using runtime::Border;
using runtime::LoadedProgram;
using runtime::Session;

struct tenon_program {
  std::shared_ptr<const LoadedProgram> loaded;
  // What tenon_info points to, of inputs, then outputs.
  std::vector<std::vector<int64_t>> shapes;
  std::vector<std::vector<const char *>> symbols;
};

struct tenon_session {
  std::unique_ptr<sim::Device> device; // outlives the session
  std::unique_ptr<Session> session;
};

namespace {

// Of the calling thread's last failure. A message that finds no memory is one
// of these that need none.
thread_local std::string lastError;

tenon_status codeOf(const absl::Status &status) {
  switch (status.code()) {
  case absl::StatusCode::kOk:
    return TENON_OK;
  case absl::StatusCode::kInvalidArgument:
  case absl::StatusCode::kPermissionDenied: // of a file
    return TENON_INVALID_ARGUMENT;
  case absl::StatusCode::kNotFound:
    return TENON_NOT_FOUND;
  case absl::StatusCode::kOutOfRange:
    return TENON_OUT_OF_RANGE;
  case absl::StatusCode::kResourceExhausted:
    return TENON_RESOURCE_EXHAUSTED;
  case absl::StatusCode::kFailedPrecondition:
    return TENON_FAILED_PRECONDITION;
  case absl::StatusCode::kAborted:
  case absl::StatusCode::kCancelled:
    return TENON_ABORTED;
  case absl::StatusCode::kUnavailable:
  case absl::StatusCode::kDataLoss:
    return TENON_UNAVAILABLE;
  case absl::StatusCode::kDeadlineExceeded:
    return TENON_DEADLINE_EXCEEDED;
  case absl::StatusCode::kUnimplemented:
    return TENON_UNIMPLEMENTED;
  case absl::StatusCode::kUnauthenticated:
    return TENON_UNTRUSTED;
  default:
    return TENON_INTERNAL;
  }
}

tenon_status fail(tenon_status status, absl::string_view message) noexcept {
  try {
    lastError.assign(message.data(), message.size());
  } catch (const std::bad_alloc &) {
    lastError = "no memory"; // fits where it stands
  }
  return status;
}

tenon_status fail(const absl::Status &status) noexcept {
  return fail(codeOf(status), status.message());
}

tenon_status null(const char *what) {
  return fail(TENON_INVALID_ARGUMENT,
              absl::StrCat("expected ", what, ", found a null pointer"));
}

/// Runs `work`, which returns a status; what it throws is one, too.
template <typename Work> tenon_status guarded(Work work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc &) {
    return fail(TENON_RESOURCE_EXHAUSTED, "no memory");
  } catch (const std::exception &error) {
    return fail(TENON_INTERNAL, error.what());
  } catch (...) {
    return fail(TENON_INTERNAL, "an exception of unknown type");
  }
}

/// Of the program's input or output `index`, counted over both.
uint32_t bufferOf(const isa::Program &program, size_t index) {
  const size_t inputs = program.inputs_size();
  return index < inputs ? program.inputs(int(index))
                        : program.outputs(int(index - inputs));
}

std::unique_ptr<tenon_program>
described(std::shared_ptr<const LoadedProgram> loaded) {
  auto result = std::make_unique<tenon_program>();
  result->loaded = std::move(loaded);
  const isa::Program &program = result->loaded->program();
  const size_t count = program.inputs_size() + program.outputs_size();
  for (size_t i = 0; i < count; ++i) {
    const isa::Buffer &buffer = program.buffers(bufferOf(program, i));
    result->shapes.emplace_back(buffer.shape().begin(), buffer.shape().end());
    std::vector<const char *> &names =
        result->symbols.emplace_back(buffer.shape_size(), "");
    for (int axis = 0; axis < buffer.symbols_size(); ++axis)
      names[axis] = buffer.symbols(axis).c_str();
  }
  return result;
}

tenon_status loadProgram(absl::StatusOr<isa::Program> program,
                         const tenon_load_options *options,
                         tenon_program **result) {
  if (absl::IsDataLoss(program.status())) // else a device's
    return fail(TENON_INVALID_ARGUMENT, program.status().message());
  if (!program.ok())
    return fail(program.status());
  if (options && options->size < sizeof(tenon_load_options))
    return fail(TENON_INVALID_ARGUMENT,
                absl::StrCat("expected options of ", sizeof(tenon_load_options),
                             " bytes or more, found ", options->size));
  auto loaded = LoadedProgram::load(*std::move(program),
                                    options && options->trust_host_code
                                        ? runtime::HostCodeTrust::Any
                                        : runtime::HostCodeTrust::Own);
  if (!loaded.ok())
    return fail(loaded.status());
  *result = described(*std::move(loaded)).release();
  return TENON_OK;
}

tenon_status describe(const tenon_program *program, const char *what,
                      size_t index, size_t count, size_t first,
                      tenon_info *info) {
  if (index >= count)
    return fail(TENON_OUT_OF_RANGE,
                absl::StrCat("the program has ", count, " ", what,
                             "s, expected an index below that, found ", index));
  const size_t at = first + index;
  const isa::Program &container = program->loaded->program();
  const isa::Buffer &buffer = container.buffers(bufferOf(container, at));
  *info = {buffer.name().c_str(),       static_cast<tenon_type>(buffer.type()),
           program->shapes[at].size(),  program->shapes[at].data(),
           program->symbols[at].data(), buffer.scale(),
           buffer.zero_point()};
  return TENON_OK;
}

template <typename View>
std::vector<View> viewsOf(const tenon_array *arrays, size_t count) {
  std::vector<View> views;
  for (size_t i = 0; i < count; ++i)
    views.push_back({static_cast<isa::ElementType>(arrays[i].type),
                     absl::MakeConstSpan(arrays[i].shape, arrays[i].rank),
                     arrays[i].data});
  return views;
}

tenon_status checkShape(const tenon_array &array) {
  return !array.shape && array.rank ? null("a shape") : TENON_OK;
}

/// Whether an array is as large as its type and shape say.
tenon_status checkSize(const char *what, size_t index,
                       const tenon_array &array) {
  if (tenon_status status = checkShape(array); status != TENON_OK)
    return status;
  double bytes =
      runtime::elementBytes(static_cast<isa::ElementType>(array.type));
  for (size_t axis = 0; axis < array.rank; ++axis)
    bytes *= array.shape[axis] < 0 ? 0 : array.shape[axis];
  if (!array.data && bytes > 0)
    return null("data of an array");
  if (bytes > array.bytes)
    return fail(TENON_BUFFER_TOO_SMALL,
                absl::StrCat(what, " ", index, " has ", array.bytes,
                             " bytes, its type and shape need ", bytes));
  return TENON_OK;
}

/// Whether only a run tells the shape of output `index`.
bool isToldByRun(const Session &session, size_t index) {
  const LoadedProgram &loaded = session.program();
  return index < size_t(loaded.program().outputs_size()) &&
         loaded.border().isToldByRun(loaded.program().outputs(int(index)));
}

tenon_status copyResult(const runtime::ConstView &result, size_t index,
                        void *data, size_t room) {
  const size_t bytes = size_t(runtime::elementCount(result.shape)) *
                       runtime::elementBytes(result.type);
  if (bytes > room)
    return fail(TENON_BUFFER_TOO_SMALL,
                absl::StrCat("output ", index, " is ",
                             runtime::shapeText(result.shape), " and has ",
                             bytes, " bytes, there is room for ", room));
  if (bytes)
    std::memcpy(data, result.data, bytes);
  return TENON_OK;
}

tenon_status copyShape(absl::Span<const int64_t> extents, int64_t *shape,
                       size_t capacity, size_t *rank) {
  *rank = extents.size();
  if (capacity < extents.size())
    return fail(TENON_BUFFER_TOO_SMALL,
                absl::StrCat("the shape has ", extents.size(),
                             " extents, there is room for ", capacity));
  std::copy(extents.begin(), extents.end(), shape);
  return TENON_OK;
}

} // namespace

extern "C" {

uint32_t tenon_api_version(void) { return TENON_API_VERSION; }

const char *tenon_version(void) { return TENON_VERSION; }

const char *tenon_last_error(void) { return lastError.c_str(); }

tenon_status tenon_set_pinned(int is_pinned) {
  return guarded([&] {
    if (is_pinned != 0 && is_pinned != 1)
      return fail(TENON_INVALID_ARGUMENT,
                  absl::StrCat("expected 0 or 1, found ", is_pinned));
    runtime::ThreadPool::process().setPinned(is_pinned);
    return TENON_OK;
  });
}

tenon_status tenon_set_threads(unsigned threads) {
  return guarded([&] {
    constexpr unsigned most = 4096;
    if (threads > most)
      return fail(
          TENON_INVALID_ARGUMENT,
          absl::StrCat("expected at most ", most, " threads, found ", threads));
    runtime::ThreadPool::process().setThreads(threads ? threads
                                                      : runtime::processors());
    return TENON_OK;
  });
}

tenon_status tenon_program_load_with(const char *path,
                                     const tenon_load_options *options,
                                     tenon_program **program) {
  return guarded([&] {
    if (!path || !program)
      return null(path ? "a place for the program" : "a path");
    return loadProgram(isa::readProgram(path), options, program);
  });
}

tenon_status tenon_program_load(const char *path, tenon_program **program) {
  return tenon_program_load_with(path, nullptr, program);
}

tenon_status tenon_program_load_memory_with(const void *data, size_t bytes,
                                            const tenon_load_options *options,
                                            tenon_program **program) {
  return guarded([&] {
    if (!data || !program)
      return null(data ? "a place for the program" : "the program's bytes");
    return loadProgram(
        isa::parseProgram({static_cast<const char *>(data), bytes}, "memory"),
        options, program);
  });
}

tenon_status tenon_program_load_memory(const void *data, size_t bytes,
                                       tenon_program **program) {
  return tenon_program_load_memory_with(data, bytes, nullptr, program);
}

void tenon_program_release(tenon_program *program) { delete program; }

size_t tenon_program_input_count(const tenon_program *program) {
  return program ? program->loaded->program().inputs_size() : 0;
}

size_t tenon_program_output_count(const tenon_program *program) {
  return program ? program->loaded->program().outputs_size() : 0;
}

tenon_status tenon_program_input(const tenon_program *program, size_t index,
                                 tenon_info *info) {
  return guarded([&] {
    if (!program || !info)
      return null(program ? "a place for the answer" : "a program");
    return describe(program, "input", index, tenon_program_input_count(program),
                    0, info);
  });
}

tenon_status tenon_program_output(const tenon_program *program, size_t index,
                                  tenon_info *info) {
  return guarded([&] {
    if (!program || !info)
      return null(program ? "a place for the answer" : "a program");
    return describe(program, "output", index,
                    tenon_program_output_count(program),
                    tenon_program_input_count(program), info);
  });
}

tenon_status tenon_session_create(const tenon_program *program,
                                  const char *device, tenon_session **session) {
  return guarded([&] {
    if (!program || !device || !session)
      return null(!program  ? "a program"
                  : !device ? "a device's name"
                            : "a place for the session");
    auto opened =
        runtime::openDevice(device, program->loaded->program().configuration());
    if (!opened.ok())
      return fail(opened.status());
    auto created = Session::create(program->loaded, **opened);
    if (!created.ok())
      return fail(created.status());
    *session = new tenon_session{*std::move(opened), *std::move(created)};
    return TENON_OK;
  });
}

void tenon_session_release(tenon_session *session) { delete session; }

tenon_status tenon_session_output_shape(const tenon_session *session,
                                        const tenon_array *inputs,
                                        size_t input_count, size_t index,
                                        int64_t *shape, size_t capacity,
                                        size_t *rank) {
  return guarded([&] {
    if (!session || (!inputs && input_count) || (!shape && capacity) || !rank)
      return null(!session ? "a session"
                  : !rank  ? "a place for the rank"
                           : "arrays");
    for (size_t i = 0; i < input_count; ++i)
      if (tenon_status status = checkShape(inputs[i]); status != TENON_OK)
        return status;
    auto shapes = session->session->outputShapes(
        viewsOf<runtime::ConstView>(inputs, input_count));
    if (!shapes.ok())
      return fail(shapes.status());
    if (index >= shapes->size())
      return fail(TENON_OUT_OF_RANGE,
                  absl::StrCat("the program has ", shapes->size(),
                               " outputs, expected an index below that, found ",
                               index));
    return copyShape((*shapes)[index], shape, capacity, rank);
  });
}

tenon_status tenon_session_result_shape(const tenon_session *session,
                                        size_t index, int64_t *shape,
                                        size_t capacity, size_t *rank) {
  return guarded([&] {
    if (!session || (!shape && capacity) || !rank)
      return null(!session ? "a session"
                  : !rank  ? "a place for the rank"
                           : "a place for the shape");
    auto result = session->session->result(index);
    return result.ok() ? copyShape(result->shape, shape, capacity, rank)
                       : fail(result.status());
  });
}

tenon_status tenon_session_result(const tenon_session *session, size_t index,
                                  void *data, size_t bytes) {
  return guarded([&] {
    if (!session || (!data && bytes))
      return null(session ? "memory" : "a session");
    auto result = session->session->result(index);
    if (!result.ok())
      return fail(result.status());
    if (!isToldByRun(*session->session, index))
      return fail(TENON_INVALID_ARGUMENT,
                  absl::StrCat("output ", index,
                               " is in the memory that the run was given, "
                               "expected one of which only the run tells the "
                               "shape"));
    return copyResult(*result, index, data, bytes);
  });
}

tenon_status tenon_session_run(tenon_session *session,
                               const tenon_array *inputs, size_t input_count,
                               const tenon_array *outputs,
                               size_t output_count) {
  return guarded([&] {
    if (!session)
      return null("a session");
    session->session->forget(); // also where it comes to no run
    if ((!inputs && input_count) || (!outputs && output_count))
      return null("arrays");
    const Session &of = *session->session;
    tenon_status status = TENON_OK;
    for (size_t i = 0; i < input_count && status == TENON_OK; ++i)
      status = checkSize("input", i, inputs[i]);
    for (size_t i = 0; i < output_count && status == TENON_OK; ++i)
      if (!isToldByRun(of, i))
        status = checkSize("output", i, outputs[i]);
    if (status != TENON_OK)
      return status;
    auto to = viewsOf<runtime::View>(outputs, output_count);
    for (size_t i = 0; i < output_count; ++i)
      if (isToldByRun(of, i))
        to[i].data = nullptr, to[i].shape = {};
    absl::Status ran = session->session->run(
        viewsOf<runtime::ConstView>(inputs, input_count), to);
    if (!ran.ok())
      return fail(ran);
    for (size_t i = 0; i < output_count && status == TENON_OK; ++i)
      if (isToldByRun(of, i) && outputs[i].data)
        status =
            copyResult(*of.result(i), i, outputs[i].data, outputs[i].bytes);
    return status;
  });
}

} // extern "C"
