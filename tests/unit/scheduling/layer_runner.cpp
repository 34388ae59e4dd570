// Part of Tenon, under the Apache License v2.0.
//
// Hand-made layers on the functional simulator, and by definition.

#include "tests/unit/scheduling/layer_runner.h"

#include "sim/functional/functional_device.h"
#include "tenon/Scheduling/ScheduleProblem.h"
#include "tenon/Scheduling/Tokens.h"

#include <algorithm>
#include <limits>

namespace tenon::scheduling {

void finishShapes(Layer &l) {
  l.Out.N = l.In.N;
  l.Out.H = (l.In.H + l.Top + l.Bottom - (l.KH - 1) * l.DY - 1) / l.SY + 1;
  l.Out.W = (l.In.W + l.Left + l.Right - (l.KW - 1) * l.DX - 1) / l.SX + 1;
  if (!l.isContract())
    l.Out.C = l.In.C;
  bool isSpread = l.Residual.H * l.Residual.W == 1 && l.Residual.C == 0;
  l.Residual = l.Out;
  if (isSpread)
    l.Residual.H = l.Residual.W = 1;
  if (l.isProduct()) {
    l.ComputedWeights = l.In;
    l.ComputedWeights.W = l.Out.C;
  }
}

static Activation randomActivation(const TensorView &t,
                                   std::mt19937_64 &random) {
  Activation a{t.N, t.H, t.W, t.C, {}};
  for (int64_t i = 0; i < t.N * t.H * t.W * t.C; ++i)
    a.data.push_back(int8_t(random()));
  return a;
}

Case makeCase(Layer l, std::mt19937_64 &random) {
  auto range = [&](int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  };
  finishShapes(l);
  l.Name = "layer";
  l.InputZp = range(-128, 127);
  l.WeightZp = range(0, 2) ? 0 : range(-128, 127);
  l.OutputZp = range(-128, 127);
  l.ClampMin = range(-128, -20);
  l.ClampMax = range(20, 127);
  int64_t window = l.KH * l.KW * (l.isContract() ? l.In.C / l.Groups : 1);
  size_t weights = l.isProduct()              ? 0
                   : l.isContract()           ? l.Out.C * window
                   : l.Kind == Reduction::Mac ? l.Out.C * window
                                              : 0;
  l.Weights.clear();
  for (size_t i = 0; i < weights; ++i)
    l.Weights.push_back(int8_t(random()));
  l.Bias.clear(), l.Multiplier.clear(), l.Shift.clear();
  bool parameters = l.Kind != Reduction::Average && l.Kind != Reduction::Max;
  for (int64_t i = 0; parameters && i < l.Out.C; ++i) {
    l.Bias.push_back(range(-20000, 20000));
    l.Multiplier.push_back(range(1 << 29, (1 << 30) + (1 << 29)));
    bool multiplied = weights || l.isProduct() || l.multiplies();
    l.Shift.push_back(multiplied ? range(36, 40) + (window > 64)
                                 : range(30, 33));
  }
  if (l.adds()) {
    l.AddendMin = range(-255, -100), l.AddendMax = range(100, 255);
    l.AddendScale = range(1000, (1 << 20)),
    l.OperandScale = range(1000, 1 << 20);
    l.AddShift = range(18, 21);
    l.OperandZp = range(-128, 127);
  }
  Case result{l, randomActivation(l.In, random), {}, {}};
  if (l.HasResidual)
    result.residual = randomActivation(l.Residual, random);
  if (l.isProduct())
    result.weights = randomActivation(l.ComputedWeights, random);
  return result;
}

/// TOSA's apply_scale_32, single rounding.
static int32_t rescale(int32_t v, int32_t multiplier, int32_t shift) {
  return int32_t((int64_t(v) * multiplier + (int64_t(1) << (shift - 1))) >>
                 shift);
}

namespace {
/// One accumulator and how many window elements lie inside.
struct Sum {
  int64_t value = 0;
  uint32_t inside = 0;
};
} // namespace

static Sum accumulate(const Case &of, int64_t n, int64_t y, int64_t x,
                      int64_t o) {
  const Layer &l = of.layer;
  Sum sum;
  if (l.Kind == Reduction::Max)
    sum.value = std::numeric_limits<int32_t>::min();
  for (int64_t ky = 0; ky < l.KH; ++ky)
    for (int64_t kx = 0; kx < l.KW; ++kx) {
      int64_t iy = y * l.SY + ky * l.DY - l.Top;
      int64_t ix = x * l.SX + kx * l.DX - l.Left;
      if (l.RepeatsEdge) {
        iy = std::clamp<int64_t>(iy, 0, l.In.H - 1);
        ix = std::clamp<int64_t>(ix, 0, l.In.W - 1);
      }
      if (iy < 0 || iy >= l.In.H || ix < 0 || ix >= l.In.W)
        continue;
      ++sum.inside;
      if (l.isProduct()) {
        for (int64_t c = 0; c < l.In.C; ++c)
          sum.value += (of.input.at(n, iy, ix, c) - l.InputZp) *
                       (of.weights.at(n, y, o, c) - l.WeightZp);
        continue;
      }
      if (l.isContract()) {
        int64_t depth = l.In.C / l.Groups;
        int64_t first = o / (l.Out.C / l.Groups) * depth; // of the group
        for (int64_t c = 0; c < depth; ++c)
          sum.value += (of.input.at(n, iy, ix, first + c) - l.InputZp) *
                       (l.Weights[((o * l.KH + ky) * l.KW + kx) * depth + c] -
                        l.WeightZp);
        continue;
      }
      int32_t v = of.input.at(n, iy, ix, o) - l.InputZp;
      if (l.multiplies())
        sum.value +=
            v * (l.Factor ? l.Factor : of.operand(n, y, x, o) - l.WeightZp);
      else if (l.Kind == Reduction::Max)
        sum.value = std::max<int64_t>(sum.value, v);
      else if (l.Kind == Reduction::Mac)
        sum.value +=
            v * (l.Weights[(ky * l.KW + kx) * l.In.C + o] - l.WeightZp);
      else
        sum.value += v;
    }
  return sum;
}

static int32_t requantise(const Case &of, Sum sum, int64_t o, int8_t operand) {
  const Layer &l = of.layer;
  int32_t multiplier = 1 << 30, shift = 30;
  if (!l.Multiplier.empty())
    multiplier = l.Multiplier[o], shift = l.Shift[o];
  if (l.Kind == Reduction::Average) {
    uint32_t k = 0;
    while ((1u << k) < sum.inside)
      ++k;
    multiplier = int32_t((((int64_t(1) << 30) + 1) << k) / sum.inside);
    shift = 30 + k;
  }
  int32_t acc = int32_t(sum.value) + (l.Bias.empty() ? 0 : l.Bias[o]);
  int32_t v = rescale(acc, multiplier, shift);
  if (l.adds()) {
    v = std::clamp(v, l.AddendMin, l.AddendMax);
    int64_t both = int64_t(v) * l.AddendScale +
                   int64_t(operand - l.OperandZp) * l.OperandScale;
    v = int32_t((both + (int64_t(1) << (l.AddShift - 1))) >> l.AddShift);
  }
  return std::clamp(v + l.OutputZp, l.ClampMin, l.ClampMax);
}

Activation compute(const Case &of) {
  const TensorView &t = of.layer.Out;
  Activation a{t.N, t.H, t.W, t.C, {}};
  for (int64_t n = 0; n < t.N; ++n)
    for (int64_t y = 0; y < t.H; ++y)
      for (int64_t x = 0; x < t.W; ++x)
        for (int64_t o = 0; o < t.C; ++o)
          a.data.push_back(
              requantise(of, accumulate(of, n, y, x, o), o,
                         of.layer.adds() ? of.operand(n, y, x, o) : 0));
  return a;
}

/// Byte of an element in the layout [N/BATCH][C/M][H][W][M/B][BATCH][B].
static uint64_t byteOf(const isa::Layout &l, const TensorView &t, int64_t n,
                       int64_t y, int64_t x, int64_t c) {
  uint64_t batch = l.config.batch(), m = l.blockMax, b = l.blockMin;
  uint64_t blocks = (t.C + m - 1) / m;
  uint64_t at = (n / batch) * blocks + c / m;
  at = (at * t.H + y) * t.W + x;
  at = at * (m / b) + c % m / b;
  return t.Offset + (at * batch + n % batch) * b + c % b;
}

static void place(const isa::Layout &l, TensorView &t, uint64_t &end) {
  ViewLayout dram(l);
  t.Offset = end;
  t.GroupBytes = dram.groupBytes(t);
  end += dram.tensorBytes(t);
}

static void write(const isa::Layout &l, const TensorView &t,
                  const Activation &a, std::vector<uint8_t> &image) {
  for (int64_t n = 0; n < t.N; ++n)
    for (int64_t y = 0; y < t.H; ++y)
      for (int64_t x = 0; x < t.W; ++x)
        for (int64_t c = 0; c < t.C; ++c)
          image[byteOf(l, t, n, y, x, c)] = a.at(n, y, x, c);
}

/// What a product needs behind its channels: zeros in the input.
static void clearLanes(const isa::Layout &l, TensorView t,
                       std::vector<uint8_t> &image) {
  int64_t channels = t.C;
  t.C = (channels + l.blockMax - 1) / l.blockMax * l.blockMax;
  for (int64_t y = 0; y < t.H; ++y)
    for (int64_t x = 0; x < t.W; ++x)
      for (int64_t c = channels; c < t.C; ++c)
        image[byteOf(l, t, 0, y, x, c)] = 0;
}

/// Executes a stream whose constants are in `image`.
static absl::Status execute(const isa::Layout &l,
                            const std::vector<StreamInstruction> &stream,
                            std::vector<uint8_t> &image) {
  uint64_t begin = (image.size() + 63) / 64 * 64;
  image.resize(begin + stream.size() * l.instructionBytes);
  for (size_t i = 0; i < stream.size(); ++i) {
    auto status =
        isa::encode(l, stream[i].Inst, &image[begin + i * l.instructionBytes]);
    if (!status.ok())
      return status;
  }
  image.resize(image.size() + 4096);
  auto device = sim::FunctionalDevice::create(l.config, 7);
  if (!device.ok())
    return device.status();
  if (auto s = (*device)->allocate(image.size()); !s.ok())
    return s;
  if (auto s = (*device)->write(0, image); !s.ok())
    return s;
  sim::LaunchOptions options;
  options.programOffset = begin;
  options.instructionCount = stream.size();
  if (auto r = (*device)->launch(options); !r.ok())
    return r.status();
  return (*device)->read(0, absl::MakeSpan(image));
}

/// Gives the stream tokens, proves them and executes it on `image`.
static llvm::Error run(const isa::Layout &l,
                       std::vector<StreamInstruction> &stream,
                       const ConstantPool &pool, std::vector<uint8_t> &image) {
  TokenProblem tokens(l, stream, pool.segments());
  if (auto e = tokens.check())
    return e;
  if (auto e = tokens.solve())
    return e;
  if (auto e = tokens.verify())
    return e;
  image.resize(pool.end());
  for (const Segment &s : pool.segments())
    std::copy(s.Data.begin(), s.Data.end(), image.begin() + s.Offset);
  auto status = execute(l, stream, image);
  if (!status.ok())
    return llvm::createStringError(std::string(status.message()));
  return llvm::Error::success();
}

static Activation read(const isa::Layout &l, const TensorView &t,
                       const std::vector<uint8_t> &image) {
  Activation a{t.N, t.H, t.W, t.C, {}};
  for (int64_t n = 0; n < t.N; ++n)
    for (int64_t y = 0; y < t.H; ++y)
      for (int64_t x = 0; x < t.W; ++x)
        for (int64_t c = 0; c < t.C; ++c)
          a.data.push_back(image[byteOf(l, t, n, y, x, c)]);
  return a;
}

RunResult runCase(const isa::Layout &l, Case of, uint32_t threads,
                  const Schedule *schedule) {
  RunResult result;
  uint64_t end = 0;
  place(l, of.layer.In, end);
  if (of.layer.HasResidual)
    place(l, of.layer.Residual, end);
  place(l, of.layer.Out, end);
  if (of.layer.isProduct()) {
    place(l, of.layer.ComputedWeights, end);
    end += ViewLayout(l).bytesBehindWeights(of.layer.ComputedWeights);
  }
  std::vector<uint8_t> image(end);
  for (size_t i = 0; i < image.size(); ++i)
    image[i] = uint8_t(i * 37 + 11);
  write(l, of.layer.In, of.input, image);
  if (of.layer.isProduct()) {
    clearLanes(l, of.layer.In, image);
    write(l, of.layer.ComputedWeights, of.weights, image);
  }
  if (of.layer.HasResidual)
    write(l, of.layer.Residual, of.residual, image);

  auto fail = [&](llvm::Error e) {
    result.error = llvm::toString(std::move(e));
    return result;
  };
  if (schedule) {
    result.schedule = *schedule;
  } else {
    auto found = searchSchedule(l, of.layer, threads);
    if (!found)
      return fail(found.takeError());
    result.schedule = *found;
  }
  ConstantPool pool(end, l.beatBytes);
  StreamBuilder builder(l, pool);
  if (auto e = lowerLayer(builder, of.layer, result.schedule, 0))
    return fail(std::move(e));
  auto stream = builder.finish();
  if (auto e = ScheduleProblem(l, {of.layer}).verify(stream, 0))
    return fail(std::move(e));
  result.instructions = stream.size();
  if (auto e = run(l, stream, pool, image))
    return fail(std::move(e));
  result.output = read(l, of.layer.Out, image);
  return result;
}

PairResult runPair(const isa::Layout &l, Case first, Case second) {
  PairResult result;
  auto fail = [&](llvm::Error e) {
    result.error = llvm::toString(std::move(e));
    return result;
  };
  uint64_t end = 0;
  place(l, first.layer.In, end);
  if (first.layer.HasResidual)
    place(l, first.layer.Residual, end);
  place(l, first.layer.Out, end);
  place(l, second.layer.Out, end);
  second.layer.In = first.layer.Out;
  std::vector<uint8_t> image(end);
  for (size_t i = 0; i < image.size(); ++i)
    image[i] = uint8_t(i * 37 + 11);
  write(l, first.layer.In, first.input, image);
  if (first.layer.HasResidual)
    write(l, first.layer.Residual, first.residual, image);
  auto pair = searchPair(l, first.layer, second.layer, ~uint64_t(0));
  if (!pair)
    return fail(pair.takeError());
  result.found = pair->has_value();
  if (!result.found)
    return result;
  ConstantPool pool(end, l.beatBytes);
  StreamBuilder builder(l, pool);
  if (auto e = lowerPair(builder, **pair, 0))
    return fail(std::move(e));
  result.stream = builder.finish();
  if (auto e = run(l, result.stream, pool, image))
    return fail(std::move(e));
  result.first = read(l, first.layer.Out, image);
  result.second = read(l, second.layer.Out, image);
  return result;
}

} // namespace tenon::scheduling
