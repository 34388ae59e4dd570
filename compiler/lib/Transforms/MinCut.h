//===- MinCut.h - The cheapest split of a graph in two ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Every node goes to one of two sides. A node costs what its side costs, an
// edge costs where its first node is on the source's side and its second on the
// sink's. The cheapest split is the minimum cut, which maximum flow finds
// (E. A. Dinic, "Algorithm for solution of a problem of maximum flow in
// networks with power estimation", 1970).
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_MINCUT_H
#define TENON_LIB_TRANSFORMS_MINCUT_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenon {

class MinCut {
public:
  /// More than any sum of costs.
  static constexpr int64_t Never = int64_t(1) << 50;

  MinCut() : Edges(2) {}

  /// A node and what it costs on the source's and on the sink's side.
  size_t addNode(int64_t OnSource, int64_t OnSink);
  void addEdge(size_t From, size_t To, int64_t Cost);

  /// Splits; of equally cheap splits the one with the most nodes on the
  /// source's side.
  void solve();
  bool onSource(size_t Node) const { return !ReachesSink[Node]; }

private:
  struct Edge {
    size_t To;
    int64_t Room;
    size_t Back; ///< number of the opposite edge at `To`
  };
  static constexpr size_t Source = 0, Sink = 1;

  bool findLevels();
  int64_t push(size_t From, int64_t Most);
  void markSink();

  std::vector<std::vector<Edge>> Edges;
  std::vector<size_t> Level, Next;
  std::vector<bool> ReachesSink;
};

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_MINCUT_H
