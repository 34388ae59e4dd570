// Part of Tenon, under the Apache License v2.0.

#ifndef MFCC_H
#define MFCC_H

#include <kissfft/kissfft.hh>

#include <vector>

/// Mel-frequency cepstral coefficients of a second of sound, as the keyword
/// networks of MLPerf Tiny hear it: tf.signal's stft,
/// linear_to_mel_weight_matrix and mfccs_from_log_mel_spectrograms with these
/// numbers. All in double: in float the rounding of the transform would be
/// louder than what the logarithm is kept from zero by.
class Mfcc {
public:
  static constexpr int Rate = 16000; // Hz, and samples of a second
  static constexpr int Frames = 49, Coefficients = 10;

  Mfcc();

  /// Frames x Coefficients. Fewer samples than a second are followed by
  /// silence, more are left.
  std::vector<double> operator()(const float *samples, size_t count) const;

private:
  static constexpr int Length = 480, Stride = 320; // 30 ms, each 20 ms
  static constexpr int Points = 512;               // of the transform
  static constexpr int Bands = 40;

  kissfft<double> transform; // of half as many complex numbers
  std::vector<double> window;
  std::vector<double> bands;  // [Bands][Points / 2]: of each point's magnitude
  std::vector<double> cosine; // [Coefficients][Bands]
};

#endif // MFCC_H
