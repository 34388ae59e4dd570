//===- InputSamples.cpp - Some of the inputs of a product -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/InputSamples.h"
#include <algorithm>
#include <cmath>

using namespace tenon::quantization;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

int64_t WindowAxis::windows(int64_t Extent) const {
  if (Pads != Given)
    return (Extent + Stride - 1) / Stride;
  const int64_t Room = Extent + Low + High - reach();
  return Room < 0 ? 0 : Room / Stride + 1;
}

int64_t WindowAxis::begin(int64_t Index, int64_t Extent) const {
  int64_t Before = Low;
  if (Pads != Given) {
    const int64_t Total =
        std::max<int64_t>(0, (windows(Extent) - 1) * Stride + reach() - Extent);
    Before = Pads == SameUpper ? Total / 2 : Total - Total / 2;
  }
  return Index * Stride - Before;
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

struct InputSamples::Image {
  const float *Values;
  int64_t Items;                         // or rows of a matrix
  std::vector<int64_t> Extents, Windows; // an entry an axis
  int64_t Pixels = 1, Positions = 1;     // of an item
};

InputSamples::InputSamples(const WeightInputs &Of, std::vector<WindowAxis> Axes)
    : Of(Of), Axes(std::move(Axes)),
      Capacity(std::clamp<int64_t>(2 * Of.terms(), 128, 1024)) {}

int64_t InputSamples::count() const { return std::min(Seen, Capacity); }

/// In (0, 1), the same with every standard library.
double InputSamples::draw() { return ((Random() >> 11) + 0.5) * 0x1p-53; }

/// From the last position that was taken to the next one.
void InputSamples::skip() {
  Weight *= std::exp(std::log(draw()) / Capacity);
  Next += int64_t(std::log(draw()) / std::log1p(-Weight)) + 1;
}

/// The terms of one input channel, 0 in the padding.
void InputSamples::takeChannel(const Image &From, const float *Channel,
                               const std::vector<int64_t> &Begin,
                               float *To) const {
  for (int64_t Term = 0; Term < Of.Window; ++Term) {
    int64_t Rest = Term, Offset = 0, Distance = 1;
    bool IsInside = true;
    for (int64_t Axis = int64_t(Axes.size()) - 1; Axis >= 0; --Axis) {
      const WindowAxis &A = Axes[Axis];
      const int64_t At = Begin[Axis] + Rest % A.Kernel * A.Dilation;
      Rest /= A.Kernel;
      IsInside &= At >= 0 && At < From.Extents[Axis];
      Offset += At * Distance;
      Distance *= From.Extents[Axis];
    }
    To[Term] = IsInside ? Channel[Offset] : 0;
  }
}

void InputSamples::take(const Image &From, int64_t Position, int64_t Slot) {
  const float *Item =
      From.Values + Position / From.Positions * Of.channels() * From.Pixels;
  int64_t Rest = Position % From.Positions;
  std::vector<int64_t> Begin(Axes.size());
  for (int64_t Axis = int64_t(Axes.size()) - 1; Axis >= 0; --Axis) {
    Begin[Axis] =
        Axes[Axis].begin(Rest % From.Windows[Axis], From.Extents[Axis]);
    Rest /= From.Windows[Axis];
  }
  for (int64_t Channel = 0; Channel < Of.channels(); ++Channel) {
    const int64_t Group = Channel / Of.PerGroup;
    takeChannel(From, Item + Channel * From.Pixels, Begin,
                &Terms[(Group * Capacity + Slot) * Of.terms() +
                       Channel % Of.PerGroup * Of.Window]);
  }
}

void InputSamples::add(const float *Values, const std::vector<int64_t> &Shape) {
  Image From{Values, 1, {}, {}};
  if (Axes.empty())
    for (size_t Axis = 0; Axis + 1 < Shape.size(); ++Axis)
      From.Items *= Shape[Axis];
  else
    From.Items = Shape[0];
  for (size_t Axis = 0; Axis < Axes.size(); ++Axis) {
    From.Extents.push_back(Shape[Axis + 2]);
    From.Windows.push_back(Axes[Axis].windows(Shape[Axis + 2]));
    From.Pixels *= From.Extents.back();
    From.Positions *= From.Windows.back();
  }
  Terms.resize(Of.Groups * Capacity * Of.terms());
  const int64_t First = Seen, End = Seen + From.Items * From.Positions;
  for (; Next < End;) {
    const bool IsFull = Next >= Capacity;
    take(From, Next - First,
         IsFull ? int64_t(Random() % uint64_t(Capacity)) : Next);
    if (Next + 1 < Capacity)
      ++Next;
    else
      skip();
  }
  Seen = End;
}
