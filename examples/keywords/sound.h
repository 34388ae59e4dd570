// Part of Tenon, under the Apache License v2.0.

#ifndef SOUND_H
#define SOUND_H

#include <string>
#include <vector>

/// The samples, from -1 to 1, of a file of one channel at `rate` Hz in any
/// format that libsndfile reads (WAV of 8 to 32 bits, FLAC and others); throws
/// std::runtime_error.
std::vector<float> readSound(const std::string &path, int rate);

#endif // SOUND_H
