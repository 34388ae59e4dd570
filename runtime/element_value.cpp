//===- runtime/element_value.cpp - Elements as numbers --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Sources of the small formats: IEEE 754-2019 (binary16); Open Compute Project,
// 8-bit Floating Point Specification and Microscaling Formats (E4M3, E5M2,
// E8M0, E2M1); Noune et al., 8-bit Numerical Formats for Deep Neural Networks,
// 2022 (FNUZ).
//
//===----------------------------------------------------------------------===//

#include "runtime/tensor.h"

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"

#include <cmath>
#include <cstring>

namespace tenon::runtime {

namespace {

/// What a format keeps its highest codes for.
enum class Specials {
  Ieee, // the highest exponent: infinities and NaNs
  Nan,  // all ones below the sign: NaN, no infinity
  Fnuz, // the code of -0: NaN, no infinity
  None
};

/// A binary float of at most 16 bits with subnormal numbers.
struct SmallFloat {
  int exponentBits, mantissaBits, bias;
  Specials specials;

  double value(unsigned code) const {
    const unsigned mantissaMask = (1u << mantissaBits) - 1;
    const unsigned magnitude =
        code & ((1u << (exponentBits + mantissaBits)) - 1);
    const bool negative = code != magnitude;
    const int exponent = int(magnitude >> mantissaBits);
    const unsigned mantissa = magnitude & mantissaMask;
    const bool highest = exponent == (1 << exponentBits) - 1;
    if ((specials == Specials::Nan && highest && mantissa == mantissaMask) ||
        (specials == Specials::Fnuz && negative && magnitude == 0) ||
        (specials == Specials::Ieee && highest && mantissa))
      return NAN;
    double result =
        specials == Specials::Ieee && highest
            ? INFINITY
            : std::ldexp(exponent ? mantissa + mantissaMask + 1 : mantissa,
                         std::max(exponent, 1) - bias - mantissaBits);
    return negative ? -result : result;
  }
};

constexpr SmallFloat half{5, 10, 15, Specials::Ieee};
constexpr SmallFloat brain{8, 7, 127, Specials::Ieee};
constexpr SmallFloat e4m3fn{4, 3, 7, Specials::Nan};
constexpr SmallFloat e4m3fnuz{4, 3, 8, Specials::Fnuz};
constexpr SmallFloat e5m2{5, 2, 15, Specials::Ieee};
constexpr SmallFloat e5m2fnuz{5, 2, 16, Specials::Fnuz};
constexpr SmallFloat e2m1{2, 1, 1, Specials::None};

template <typename T> T load(const uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

double floatAt(isa::ElementType type, const uint8_t *bytes) {
  switch (type) {
  case isa::FLOAT64:
    return load<double>(bytes);
  case isa::FLOAT32:
    return load<float>(bytes);
  case isa::FLOAT16:
    return half.value(load<uint16_t>(bytes));
  case isa::BFLOAT16:
    return brain.value(load<uint16_t>(bytes));
  case isa::FLOAT8E4M3FN:
    return e4m3fn.value(*bytes);
  case isa::FLOAT8E4M3FNUZ:
    return e4m3fnuz.value(*bytes);
  case isa::FLOAT8E5M2:
    return e5m2.value(*bytes);
  case isa::FLOAT8E5M2FNUZ:
    return e5m2fnuz.value(*bytes);
  case isa::FLOAT8E8M0: // an exponent alone, without sign and zero
    return *bytes == 255 ? NAN : std::ldexp(1.0, *bytes - 127);
  default:
    return e2m1.value(*bytes);
  }
}

/// Wide enough for differences of the widest too.
absl::int128 integerAt(const isa::ElementFormat &format, const uint8_t *bytes) {
  const bool isSigned = format.kind == isa::ElementKind::Signed;
  auto as = [&](auto ofSigned, auto ofUnsigned) {
    return isSigned ? absl::int128(load<decltype(ofSigned)>(bytes))
                    : absl::int128(load<decltype(ofUnsigned)>(bytes));
  };
  switch (format.bytes) {
  case 1:
    return as(int8_t(), uint8_t());
  case 2:
    return as(int16_t(), uint16_t());
  case 4:
    return as(int32_t(), uint32_t());
  default:
    return as(int64_t(), uint64_t());
  }
}

const uint8_t *elementAt(const Array &array, const isa::ElementFormat &format,
                         int64_t index) {
  return array.bytes.data() + index * format.bytes;
}

} // namespace

double valueAt(const Array &array, int64_t index) {
  const isa::ElementFormat *format = isa::findElementFormat(array.type);
  if (!format)
    return 0;
  const uint8_t *bytes = elementAt(array, *format, index);
  return format->kind == isa::ElementKind::Float
             ? floatAt(array.type, bytes)
             : static_cast<double>(integerAt(*format, bytes));
}

double distanceAt(const Array &a, const Array &b, int64_t index) {
  const isa::ElementFormat *format = isa::findElementFormat(a.type);
  if (format && format->kind != isa::ElementKind::Float) {
    absl::int128 difference = integerAt(*format, elementAt(a, *format, index)) -
                              integerAt(*format, elementAt(b, *format, index));
    return static_cast<double>(difference < 0 ? -difference : difference);
  }
  const double x = valueAt(a, index), y = valueAt(b, index);
  if (x == y || (std::isnan(x) && std::isnan(y)))
    return 0;
  return std::abs(x - y);
}

bool isGreater(const Array &array, int64_t i, int64_t j) {
  const isa::ElementFormat *format = isa::findElementFormat(array.type);
  if (format && format->kind != isa::ElementKind::Float)
    return integerAt(*format, elementAt(array, *format, i)) >
           integerAt(*format, elementAt(array, *format, j));
  const double x = valueAt(array, i), y = valueAt(array, j);
  return x > y || (std::isnan(y) && !std::isnan(x));
}

absl::Status checkElements(isa::ElementType type, const void *data,
                           int64_t count) {
  const isa::ElementFormat *format = isa::findElementFormat(type);
  if (!format || format->bits >= 8)
    return absl::OkStatus();
  const auto *bytes = static_cast<const uint8_t *>(data);
  for (int64_t i = 0; i < count; ++i)
    if (!isa::isElementByte(*format, bytes[i]))
      return absl::InvalidArgumentError(
          absl::StrCat("element ", i, " is the byte ", int(bytes[i]),
                       ", which is no ", format->name));
  return absl::OkStatus();
}

} // namespace tenon::runtime
