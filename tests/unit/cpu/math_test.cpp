//===- math_test.cpp - Mathematics of host code ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Every function in double and float, on every host that this machine can be:
// the same bits, and near C's functions of long double, which keep 11 bits more
// than a double. Conversions of 16-bit floats, of every value.
//
//===----------------------------------------------------------------------===//

#include "tests/unit/cpu/host_run.h"

#include <cmath>
#include <functional>
#include <random>

using namespace tenon;

namespace {

/// `body` computes %r from %a (and %b), of one type, for each element.
std::string elementwise(const std::string &body, const std::string &from,
                        const std::string &to, size_t count, bool binary) {
  const std::string in = "tensor<" + std::to_string(count) + "x" + from + ">";
  const std::string out = "tensor<" + std::to_string(count) + "x" + to + ">";
  return "#id = affine_map<(i) -> (i)>\n"
         "func.func @main(%x: " +
         in + (binary ? ", %y: " + in : "") + ") -> " + out +
         " {\n  %e = tensor.empty() : " + out +
         "\n  %z = linalg.generic {indexing_maps = [#id, #id" +
         (binary ? ", #id" : "") +
         "], iterator_types = [\"parallel\"]} ins(%x" + (binary ? ", %y" : "") +
         " : " + in + (binary ? ", " + in : "") + ") outs(%e : " + out +
         ") {\n  ^bb0(%a: " + from + (binary ? ", %b: " + from : "") +
         ", %o: " + to + "):\n    " + body + "\n    linalg.yield %r : " + to +
         "\n  } -> " + out + "\n  return %z : " + out + "\n}";
}

/// Units in the last place of T between `got` and `want`; 0 for two NaNs and
/// for infinities alike.
template <typename T> double distance(T got, long double want) {
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0 : INFINITY;
  if (got == static_cast<T>(want))
    return std::isinf(got)
               ? 0
               : double(std::fabs((long double)got - want) /
                        std::ldexp(
                            1.0L,
                            std::max(std::ilogb(got),
                                     std::numeric_limits<T>::min_exponent - 1) -
                                std::numeric_limits<T>::digits + 1));
  if (std::isinf(got) || std::isinf(static_cast<T>(want)))
    return INFINITY;
  const int exponent =
      std::max(std::ilogb(want), std::numeric_limits<T>::min_exponent - 1);
  return double(
      std::fabs((long double)got - want) /
      std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits + 1));
}

/// Numbers from `least` to `most`, of small magnitude, special, and of any
/// bits.
template <typename T> std::vector<T> points(double least, double most) {
  constexpr T inf = std::numeric_limits<T>::infinity();
  std::vector<T> values{T(0),
                        T(-0.0),
                        T(1),
                        T(-1),
                        T(0.5),
                        T(-0.5),
                        T(2),
                        T(-2),
                        inf,
                        -inf,
                        std::numeric_limits<T>::quiet_NaN(),
                        std::numeric_limits<T>::denorm_min(),
                        std::numeric_limits<T>::max(),
                        std::numeric_limits<T>::lowest(),
                        std::numeric_limits<T>::min()};
  std::mt19937_64 random(16);
  std::uniform_real_distribution<double> inside(least, most), small(-40, 3);
  while (values.size() < 4000) {
    values.push_back(T(inside(random)));
    values.push_back(T(std::exp2(small(random)) * (random() % 2 ? 1 : -1)));
    // Near 1, where logarithms and inverse functions are near 0.
    values.push_back(T(1 + std::exp2(small(random) - 10)));
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    const Bits bits = Bits(random());
    T any;
    std::memcpy(&any, &bits, sizeof any);
    values.push_back(any);
  }
  return values;
}

struct Function {
  const char *name;
  long double (*exact)(long double);
  double least, most;
  double most64 = 2, most32 = 0.52; // allowed distance
};

const Function functions[] = {
    {"acos", std::acos, -1, 1},     {"acosh", std::acosh, 1, 50},
    {"asin", std::asin, -1, 1},     {"asinh", std::asinh, -50, 50},
    {"atan", std::atan, -10, 10},   {"atanh", std::atanh, -1, 1},
    {"cbrt", std::cbrt, -100, 100}, {"cos", std::cos, -100, 100},
    {"cosh", std::cosh, -100, 100}, {"erf", std::erf, -6, 6},
    {"erfc", std::erfc, -6, 27, 4}, {"exp", std::exp, -104, 89},
    {"exp2", std::exp2, -150, 128}, {"expm1", std::expm1, -40, 89},
    {"log", std::log, 0, 100},      {"log10", std::log10, 0, 100},
    {"log1p", std::log1p, -1, 100}, {"log2", std::log2, 0, 100},
    {"sin", std::sin, -100, 100},   {"sinh", std::sinh, -100, 100},
    {"tan", std::tan, -100, 100},   {"tanh", std::tanh, -20, 20, 2, 0.53},
};

template <typename T>
void expectNear(const Function &function, const char *type, double most) {
  std::vector<T> x = points<T>(function.least, function.most);
  std::vector<T> y(x.size());
  runMain(
      elementwise("%r = math." + std::string(function.name) + " %a : " + type,
                  type, type, x.size(), false),
      {x.data()}, y);
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = distance(y[i], function.exact(x[i]));
    ASSERT_LE(error, most) << function.name << "(" << x[i] << ") is " << y[i]
                           << ", expected " << function.exact(x[i]);
    if (y[i] == 0)
      ASSERT_EQ(std::signbit(y[i]), std::signbit(function.exact(x[i])))
          << function.name << "(" << x[i] << ")";
  }
}

TEST(Math, DoublesAreWithinTwoUnits) {
  for (const Function &function : functions)
    expectNear<double>(function, "f64", function.most64);
}

TEST(Math, FloatsAreRoundedOnce) {
  for (const Function &function : functions)
    expectNear<float>(function, "f32", function.most32);
}

template <typename T>
void expectNear(const char *operation,
                long double (*exact)(long double, long double),
                const char *type, double most) {
  std::vector<T> x = points<T>(-10, 10), y = points<T>(-5, 5);
  std::mt19937_64 random(4);
  // Special values against each other; powers that neither vanish nor overflow.
  for (size_t i = 0; i < 15; ++i)
    for (size_t k = 0; k < 15; ++k)
      x.push_back(x[i]), y.push_back(y[k]);
  std::shuffle(y.begin() + 15, y.begin() + 3000, random);
  for (int i = 0; i < 4000; ++i) {
    x.push_back(T(std::exp2(double(random() % 4000) / 100 - 20)));
    y.push_back(T(double(random() % 20000) / 1000 - 10));
  }
  std::vector<T> z(x.size());
  runMain(elementwise("%r = " + std::string(operation) + " %a, %b : " + type,
                      type, type, x.size(), true),
          {x.data(), y.data()}, z);
  for (size_t i = 0; i < x.size(); ++i)
    ASSERT_LE(distance(z[i], exact(x[i], y[i])), most)
        << operation << " of " << x[i] << ", " << y[i] << " is " << z[i]
        << ", expected " << exact(x[i], y[i]);
}

TEST(Math, OfTwoOperands) {
  expectNear<double>("math.powf", std::pow, "f64", 1);
  expectNear<float>("math.powf", std::pow, "f32", 0.52);
  expectNear<double>("math.atan2", std::atan2, "f64", 1.5);
  expectNear<float>("math.atan2", std::atan2, "f32", 0.52);
  expectNear<double>("arith.remf", std::fmod, "f64", 0);
  expectNear<float>("arith.remf", std::fmod, "f32", 0);
}

/// Where sines of the floats next to multiples of pi, and of the largest there
/// are, come from: reductions with all bits of 2 / pi.
TEST(Math, OfLargeAngles) {
  std::vector<double> x{0x1.921fb54442d18p+1, 0x1.921fb54442d18p+20,
                        6381956970095103 * 0x1p797, // the double nearest to a
                                                    // multiple of pi / 2
                        0x1.fffffffffffffp+1023, 1e22};
  std::vector<double> y(x.size());
  runMain(elementwise("%r = math.sin %a : f64", "f64", "f64", x.size(), false),
          {x.data()}, y);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_LE(distance(y[i], std::sin((long double)x[i])), 1) << x[i];
}

/// `x` with a number of bits and a least exponent, by the rounding of integers.
double rounded(double x, int bits, int leastExponent, double most) {
  if (x == 0 || !std::isfinite(x))
    return x;
  const double unit =
      std::ldexp(1, std::max(std::ilogb(x), leastExponent) - bits + 1);
  const double result = std::nearbyint(x / unit) * unit;
  return std::copysign(std::fabs(result) > most ? INFINITY : std::fabs(result),
                       x);
}

double valueOf(uint16_t code, int mantissaBits, int bias) {
  const int exponent = (code & 0x7fff) >> mantissaBits;
  const int mantissa = code & ((1 << mantissaBits) - 1);
  double value =
      std::ldexp(exponent ? mantissa + (1 << mantissaBits) : mantissa,
                 std::max(exponent, 1) - bias - mantissaBits);
  if (exponent == 2 * bias + 1)
    value = mantissa ? NAN : INFINITY;
  return code & 0x8000 ? -value : value;
}

struct Small {
  const char *type;
  int mantissaBits, bias;
  double most;
};

template <typename T>
void expectConversions(const Small &small, const char *wide) {
  const std::string type = small.type;
  std::vector<uint16_t> codes(65536);
  for (size_t i = 0; i < codes.size(); ++i)
    codes[i] = uint16_t(i);
  std::vector<T> values(codes.size());
  runMain(elementwise("%r = arith.extf %a : " + type + " to " + wide, type,
                      wide, codes.size(), false),
          {codes.data()}, values);
  std::vector<T> inputs;
  std::mt19937_64 random(16);
  for (size_t i = 0; i < codes.size(); ++i) {
    const double want = valueOf(codes[i], small.mantissaBits, small.bias);
    ASSERT_TRUE(std::isnan(want)
                    ? std::isnan(values[i])
                    : values[i] == want &&
                          std::signbit(values[i]) == std::signbit(want))
        << type << " " << codes[i];
    // Itself, half way to the next, and around that.
    const double next =
        valueOf(uint16_t(i + 1), small.mantissaBits, small.bias);
    const T half = T((want + next) / 2);
    for (T value : {T(want), half, std::nextafter(half, T(INFINITY)),
                    std::nextafter(half, T(-INFINITY))})
      inputs.push_back(value);
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    const Bits bits = Bits(random());
    T any;
    std::memcpy(&any, &bits, sizeof any);
    inputs.push_back(any);
  }
  std::vector<uint16_t> back(inputs.size());
  runMain(
      elementwise("%r = arith.truncf %a : " + std::string(wide) + " to " + type,
                  wide, type, inputs.size(), false),
      {inputs.data()}, back);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const double want =
        rounded(inputs[i], small.mantissaBits + 1, 1 - small.bias, small.most);
    const double got = valueOf(back[i], small.mantissaBits, small.bias);
    ASSERT_TRUE(std::isnan(want)
                    ? std::isnan(got)
                    : got == want && std::signbit(got) == std::signbit(want))
        << inputs[i] << " is " << got << ", expected " << want;
  }
}

TEST(Conversions, OfEverySmallFloat) {
  for (const Small &small :
       {Small{"f16", 10, 15, 65504}, Small{"bf16", 7, 127, 0x1.fep127}}) {
    expectConversions<float>(small, "f32");
    expectConversions<double>(small, "f64");
  }
}

/// Each operation is rounded: 2049 is no half, 2048 + 1 is 2048.
TEST(Conversions, SmallFloatsAreRoundedAtEachStep) {
  std::vector<uint16_t> x{0x6800, 0x3c00}, y(2); // 2048, 1
  runMain(elementwise("%one = arith.constant 1.0 : f16\n"
                      "%s = arith.addf %a, %one : f16\n"
                      "%r = arith.subf %s, %a : f16",
                      "f16", "f16", 2, false),
          {x.data()}, y);
  EXPECT_EQ(y, (std::vector<uint16_t>{0x0000, 0x3c00}));
  runMain(elementwise("%r = math.exp %a : f16", "f16", "f16", 2, false),
          {x.data()}, y);
  EXPECT_EQ(y, (std::vector<uint16_t>{0x7c00, 0x4170})); // infinity, 2.71875
}

/// Columns of whole registers and of each part of one.
TEST(Conversions, SmallFloatsLieInVectors) {
  constexpr int rows = 5, columns = 4 * 16 + 31;
  std::vector<uint16_t> x, y(columns);
  std::mt19937 random(GTEST_FLAG_GET(random_seed) + 16);
  while (x.size() < size_t(rows) * columns)
    if (const auto code = uint16_t(random());
        !std::isnan(valueOf(code, 10, 15)))
      x.push_back(code);
  runMain(R"(
func.func @main(%x: tensor<5x95xf16>) -> tensor<95xf16> {
  %least = arith.constant 0xFC00 : f16
  %two = arith.constant 2.0 : f16
  %e = tensor.empty() : tensor<95xf16>
  %f = linalg.fill ins(%least : f16) outs(%e : tensor<95xf16>) -> tensor<95xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x95xf16>) outs(%f : tensor<95xf16>) {
  ^bb0(%a: f16, %o: f16):
    %d = arith.divf %a, %two : f16
    %m = arith.maximumf %o, %d : f16
    linalg.yield %m : f16
  } -> tensor<95xf16>
  return %y : tensor<95xf16>
})",
          {x.data()}, y);
  for (int j = 0; j < columns; ++j) {
    double want = -INFINITY;
    for (int i = 0; i < rows; ++i)
      want = std::max(want,
                      rounded(valueOf(x[size_t(i) * columns + j], 10, 15) / 2,
                              11, -14, 65504));
    EXPECT_EQ(valueOf(y[j], 10, 15), want) << "column " << j;
  }
}

TEST(Conversions, TakeTheNearestInteger) {
  std::vector<double> x{NAN, INFINITY, -INFINITY, 1e30, -1e30, 1.9, -1.9, 5e9};
  std::vector<int32_t> y(x.size());
  runMain(elementwise("%r = arith.fptosi %a : f64 to i32", "f64", "i32",
                      x.size(), false),
          {x.data()}, y);
  EXPECT_EQ(y, (std::vector<int32_t>{0, INT32_MAX, INT32_MIN, INT32_MAX,
                                     INT32_MIN, 1, -1, INT32_MAX}));
  std::vector<uint64_t> z(x.size());
  runMain(elementwise("%r = arith.fptoui %a : f64 to i64", "f64", "i64",
                      x.size(), false),
          {x.data()}, z);
  EXPECT_EQ(z, (std::vector<uint64_t>{0, UINT64_MAX, 0, UINT64_MAX, 0, 1, 0,
                                      5000000000}));
  x.insert(x.end(), {0x1p63, -0x1p63, 0x1.fffffffffffffp62, -5e9});
  std::vector<int64_t> w(x.size());
  runMain(elementwise("%r = arith.fptosi %a : f64 to i64", "f64", "i64",
                      x.size(), false),
          {x.data()}, w);
  EXPECT_EQ(w,
            (std::vector<int64_t>{0, INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN,
                                  1, -1, 5000000000, INT64_MAX, INT64_MIN,
                                  INT64_MAX - 1023, -5000000000}));
}

TEST(Math, IsThereForEveryHost) {
  std::vector<const isa::HostTarget *> targets;
  for (const isa::HostTarget &target : isa::hostTargets())
    targets.push_back(&target);
  for (const char *type : {"f16", "bf16", "f32", "f64"}) {
    const std::string t = std::string(" : ") + type + "\n";
    std::string body = "%v0 = arith.addf %a, %b" + t;
    int count = 0;
    auto add = [&](const std::string &operation) {
      const std::string last = "%v" + std::to_string(count++);
      body += "%v" + std::to_string(count) + " = " + operation + " " + last;
    };
    for (const Function &function : functions) {
      add("math." + std::string(function.name));
      body += t;
    }
    for (const char *name : {"floor", "ceil", "trunc", "round", "roundeven",
                             "sqrt", "rsqrt", "absf"}) {
      add("math." + std::string(name));
      body += t;
    }
    for (const char *name : {"math.powf", "math.atan2", "math.copysign",
                             "arith.remf", "arith.maximumf", "arith.minimumf",
                             "arith.maxnumf", "arith.minnumf", "arith.divf"}) {
      add(name);
      body += ", %b" + t;
    }
    const std::string last = "%v" + std::to_string(count);
    for (const char *integer : {"i1", "i8", "i16", "i32", "i64"}) {
      const std::string to = std::string(" to ") + integer + "\n";
      const std::string from =
          std::string(" : ") + integer + " to " + type + "\n";
      for (const char *sign : {"s", "u"}) {
        const std::string name = std::string("%") + integer + sign;
        body += name + " = arith.fpto" + sign + "i " + last + " : " + type +
                to + name + "f = arith." + sign + "itofp " + name + from;
      }
    }
    body += "%r = arith.addf %i64sf, %i64uf : " + std::string(type);
    EXPECT_EQ(refusal(elementwise(body, type, type, 8, true), targets), "")
        << type;
  }
}

} // namespace
