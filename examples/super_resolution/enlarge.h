// Part of Tenon, under the Apache License v2.0.

#ifndef ENLARGE_H
#define ENLARGE_H

#include "planes.h"

#include <tenon/tenon.hpp>

/// A network that makes a plane of one size larger by a whole factor, for
/// planes of any size.
class Enlarger {
public:
  /// Throws where the network is none: float32 1x1xHxW to 1x1x(F*H)x(F*W).
  Enlarger(const tenon::Program &program, const std::string &device);

  /// Of values from 0 to 255; the result may leave that range a little.
  ///
  /// The plane is cut into tiles of the network's size that overlap, and of
  /// each result the margins are dropped: there the network saw the zeros that
  /// its convolutions pad with. Around the plane its outermost pixels go on.
  /// Where the network's convolutions reach no farther than `Margin` pixels,
  /// this is what one run over the whole plane would give.
  Plane operator()(const Plane &plane);

  static constexpr int Margin = 8;

private:
  std::vector<int64_t> shape, resultShape;
  tenon::Session session;
  int factor = 0;
};

#endif // ENLARGE_H
