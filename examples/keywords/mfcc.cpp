// Part of Tenon, under the Apache License v2.0.

#include "mfcc.h"

#include <algorithm>
#include <cmath>

static const double Pi = std::acos(-1.0);

/// HTK's scale of pitch.
static double mel(double hertz) { return 1127 * std::log1p(hertz / 700); }

Mfcc::Mfcc() : transform(Points / 2, /*inverse=*/false) {
  // Hann's window, periodic: w(n) = (1 - cos(2 pi n / Length)) / 2.
  for (int n = 0; n < Length; ++n)
    window.push_back((1 - std::cos(2 * Pi * n / Length)) / 2);

  // Bands are triangles over pitch from 20 to 4,000 Hz. Each rises from the
  // middle of the band before to 1 at its own, and falls to the next one's.
  const double lowest = mel(20), step = (mel(4000) - lowest) / (Bands + 1);
  for (int band = 0; band < Bands; ++band)
    for (int k = 0; k < Points / 2; ++k) {
      const double pitch = mel(double(k) * Rate / Points);
      const double off = std::abs((pitch - lowest) / step - (band + 1));
      bands.push_back(std::max(1 - off, 0.0));
    }

  // The cosine transform (DCT-II), orthonormal but for its first coefficient:
  // c(j) = sqrt(2 / Bands) sum over b of L(b) cos(pi j (b + 1/2) / Bands).
  for (int j = 0; j < Coefficients; ++j)
    for (int b = 0; b < Bands; ++b)
      cosine.push_back(std::sqrt(2.0 / Bands) *
                       std::cos(Pi * j * (b + 0.5) / Bands));
}

std::vector<double> Mfcc::operator()(const float *samples, size_t count) const {
  count = std::min<size_t>(count, Rate);
  // Loudness is taken out as in training: the largest sample (not the largest
  // amplitude) becomes 1. Silence stays what it is.
  const double largest =
      count ? *std::max_element(samples, samples + count) : 0;
  const double gain = largest ? 1 / largest : 1;

  std::vector<double> result;
  for (int frame = 0; frame < Frames; ++frame) {
    std::vector<double> input(Points); // zeros behind the frame
    for (size_t n = 0, at = size_t(frame) * Stride; n < Length && at < count;
         ++n, ++at)
      input[n] = window[n] * gain * samples[at];
    // The highest frequency, which belongs to no band, is left in element 0.
    std::vector<std::complex<double>> spectrum(Points / 2);
    transform.transform_real(input.data(), spectrum.data());

    double loudness[Bands]; // L(b) = ln(1e-6 + sum over k of B(b, k) |X(k)|)
    for (int b = 0; b < Bands; ++b) {
      double sum = 1e-6;
      for (int k = 1; k < Points / 2; ++k)
        sum += bands[b * (Points / 2) + k] * std::abs(spectrum[k]);
      loudness[b] = std::log(sum);
    }
    for (int j = 0; j < Coefficients; ++j) {
      double sum = 0;
      for (int b = 0; b < Bands; ++b)
        sum += cosine[j * Bands + b] * loudness[b];
      result.push_back(sum);
    }
  }
  return result;
}
