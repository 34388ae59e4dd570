// Part of Tenon, under the Apache License v2.0.
//
// tenon.h for C++: handles that release themselves, errors as exceptions.
// Owner, threads and errors are as tenon.h says.
//
//   tenon::Program program("net.tenon");
//   tenon::Session session(program);
//   session.run({tenon::array(pixels, shape)}, {tenon::array(scores, {1,
//   10})});

#ifndef TENON_HPP
#define TENON_HPP

#include "tenon.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenon {

/// A call that failed, with its status and the library's message.
class Error : public std::runtime_error {
public:
  Error(tenon_status status, const char *message)
      : std::runtime_error(message), status(status) {}
  const tenon_status status;
};

inline void check(tenon_status status) {
  if (status != TENON_OK)
    throw Error(status, tenon_last_error());
}

template <typename T> struct TypeOf;
template <> struct TypeOf<int8_t> {
  static constexpr tenon_type value = TENON_INT8;
};
template <> struct TypeOf<uint8_t> {
  static constexpr tenon_type value = TENON_UINT8;
};
template <> struct TypeOf<int32_t> {
  static constexpr tenon_type value = TENON_INT32;
};
template <> struct TypeOf<float> {
  static constexpr tenon_type value = TENON_FLOAT32;
};
template <> struct TypeOf<int64_t> {
  static constexpr tenon_type value = TENON_INT64;
};
template <> struct TypeOf<int16_t> {
  static constexpr tenon_type value = TENON_INT16;
};
template <> struct TypeOf<uint16_t> {
  static constexpr tenon_type value = TENON_UINT16;
};
template <> struct TypeOf<uint32_t> {
  static constexpr tenon_type value = TENON_UINT32;
};
template <> struct TypeOf<uint64_t> {
  static constexpr tenon_type value = TENON_UINT64;
};
template <> struct TypeOf<double> {
  static constexpr tenon_type value = TENON_FLOAT64;
};

/// The elements of `data` as an array of this shape; both must outlive it. The
/// second is for types that C++ has none of its own for: a
/// std::vector<uint16_t> of TENON_FLOAT16, a std::vector<uint8_t> of
/// TENON_BOOL.
template <typename T>
tenon_array array(std::vector<T> &data, const std::vector<int64_t> &shape) {
  return {data.data(), data.size() * sizeof(T), TypeOf<T>::value, shape.size(),
          shape.data()};
}
template <typename T>
tenon_array array(std::vector<T> &data, const std::vector<int64_t> &shape,
                  tenon_type type) {
  return {data.data(), data.size() * sizeof(T), type, shape.size(),
          shape.data()};
}

/// For an output of which only the run tells the shape: it stays in the session
/// (Session::result).
inline tenon_array later(tenon_type type) {
  return {nullptr, 0, type, 0, nullptr};
}

/// Whose host code is loaded: this user's own, or anybody's, which can do all
/// that this process can.
enum class HostCode { Own, Any };

/// A loaded program, shared by its copies.
class Program {
public:
  explicit Program(const std::string &path, HostCode trusted = HostCode::Own) {
    tenon_program *loaded = nullptr;
    const tenon_load_options options = optionsFor(trusted);
    check(tenon_program_load_with(path.c_str(), &options, &loaded));
    handle.reset(loaded, tenon_program_release);
  }
  Program(const void *data, size_t bytes, HostCode trusted = HostCode::Own) {
    tenon_program *loaded = nullptr;
    const tenon_load_options options = optionsFor(trusted);
    check(tenon_program_load_memory_with(data, bytes, &options, &loaded));
    handle.reset(loaded, tenon_program_release);
  }

  size_t inputs() const { return tenon_program_input_count(get()); }
  size_t outputs() const { return tenon_program_output_count(get()); }
  tenon_info input(size_t index) const {
    tenon_info info;
    check(tenon_program_input(get(), index, &info));
    return info;
  }
  tenon_info output(size_t index) const {
    tenon_info info;
    check(tenon_program_output(get(), index, &info));
    return info;
  }
  const tenon_program *get() const { return handle.get(); }

private:
  static tenon_load_options optionsFor(HostCode trusted) {
    return {sizeof(tenon_load_options), trusted == HostCode::Any};
  }

  std::shared_ptr<tenon_program> handle;
};

/// A program on a device of its own.
class Session {
public:
  explicit Session(const Program &program,
                   const std::string &device = "functional") {
    tenon_session *created = nullptr;
    check(tenon_session_create(program.get(), device.c_str(), &created));
    handle.reset(created);
  }

  std::vector<int64_t> outputShape(const std::vector<tenon_array> &inputs,
                                   size_t index) const {
    size_t rank = 0;
    std::vector<int64_t> shape(8); // no array has more dimensions
    check(tenon_session_output_shape(handle.get(), inputs.data(), inputs.size(),
                                     index, shape.data(), shape.size(), &rank));
    shape.resize(rank);
    return shape;
  }

  void run(const std::vector<tenon_array> &inputs,
           const std::vector<tenon_array> &outputs) {
    check(tenon_session_run(handle.get(), inputs.data(), inputs.size(),
                            outputs.data(), outputs.size()));
  }

  /// Of output `index` of the last run.
  std::vector<int64_t> resultShape(size_t index) const {
    size_t rank = 0;
    std::vector<int64_t> shape(8); // no array has more dimensions
    check(tenon_session_result_shape(handle.get(), index, shape.data(),
                                     shape.size(), &rank));
    shape.resize(rank);
    return shape;
  }

  /// Elements of output `index` of the last run, of which only the run told the
  /// shape. T has the size of an element.
  template <typename T> std::vector<T> result(size_t index) const {
    size_t count = 1;
    for (int64_t extent : resultShape(index))
      count *= static_cast<size_t>(extent);
    std::vector<T> elements(count);
    check(tenon_session_result(handle.get(), index, elements.data(),
                               count * sizeof(T)));
    return elements;
  }

private:
  struct Release {
    void operator()(tenon_session *session) const {
      tenon_session_release(session);
    }
  };
  std::unique_ptr<tenon_session, Release> handle;
};

} // namespace tenon

#endif // TENON_HPP
