// Part of Tenon, under the Apache License v2.0.

#include "sound.h"

#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

std::vector<float> readSound(const std::string &path, int rate) {
  SF_INFO info{};
  std::unique_ptr<SNDFILE, int (*)(SNDFILE *)> file(
      sf_open(path.c_str(), SFM_READ, &info), sf_close);
  const std::string which = "the sound '" + path + "'";
  if (!file)
    throw std::runtime_error("cannot read " + which + ": " +
                             sf_strerror(nullptr));
  if (info.channels != 1 || info.samplerate != rate)
    throw std::runtime_error(
        which + " has " + std::to_string(info.channels) + " channel(s) at " +
        std::to_string(info.samplerate) + " Hz, expected one at " +
        std::to_string(rate) + " Hz (`sox IN -r " + std::to_string(rate) +
        " -c 1 OUT.wav` makes it so)");
  // What the file says of its length may be wrong, so it is read until it ends.
  std::vector<float> samples;
  float block[4096];
  while (sf_count_t count = sf_read_float(file.get(), block, 4096))
    samples.insert(samples.end(), block, block + count);
  if (sf_error(file.get()))
    throw std::runtime_error("cannot read " + which + ": " +
                             sf_strerror(file.get()));
  if (samples.empty())
    throw std::runtime_error(which + " has no samples");
  if (!std::all_of(samples.begin(), samples.end(),
                   [](float sample) { return std::isfinite(sample); }))
    throw std::runtime_error(which + " has samples that are no numbers");
  return samples;
}
