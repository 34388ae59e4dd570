//===- min_cut_test.cpp - The cheapest split of a graph -------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Against all splits of small random graphs.
//
//===----------------------------------------------------------------------===//

#include "compiler/lib/Transforms/MinCut.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace tenon;

namespace {

struct Graph {
  struct Node {
    int64_t OnSource, OnSink;
  };
  struct Edge {
    size_t From, To;
    int64_t Cost;
  };
  std::vector<Node> Nodes;
  std::vector<Edge> Edges;

  /// `OnSource` bit I: node I is on the source's side.
  int64_t cost(unsigned OnSource) const {
    int64_t Sum = 0;
    for (size_t I = 0; I < Nodes.size(); ++I)
      Sum += OnSource >> I & 1 ? Nodes[I].OnSource : Nodes[I].OnSink;
    for (const Edge &E : Edges)
      if ((OnSource >> E.From & 1) && !(OnSource >> E.To & 1))
        Sum += E.Cost;
    return Sum;
  }

  unsigned solve() const {
    MinCut Cut;
    std::vector<size_t> Numbers;
    for (const Node &N : Nodes)
      Numbers.push_back(Cut.addNode(N.OnSource, N.OnSink));
    for (const Edge &E : Edges)
      Cut.addEdge(Numbers[E.From], Numbers[E.To], E.Cost);
    Cut.solve();
    unsigned OnSource = 0;
    for (size_t I = 0; I < Nodes.size(); ++I)
      OnSource |= unsigned(Cut.onSource(Numbers[I])) << I;
    return OnSource;
  }
};

Graph randomGraph(std::mt19937_64 &Random) {
  Graph G;
  size_t Count = 1 + Random() % 9;
  for (size_t I = 0; I < Count; ++I)
    G.Nodes.push_back({int64_t(Random() % 20), int64_t(Random() % 20)});
  for (size_t I = Random() % (3 * Count); Count > 1 && I > 0; --I) {
    size_t From = Random() % Count, To = Random() % Count;
    int64_t Cost = Random() % 8 ? Random() % 10 : uint64_t(MinCut::Never);
    if (From != To)
      G.Edges.push_back({From, To, Cost});
  }
  return G;
}

TEST(MinCut, NoSplitIsCheaperAndOfEqualOnesTheSourceHasMost) {
  std::mt19937_64 Random(1);
  for (int Case = 0; Case < 400; ++Case) {
    Graph G = randomGraph(Random);
    unsigned Got = G.solve();
    int64_t Least = G.cost(Got);
    for (unsigned Other = 0; Other < 1u << G.Nodes.size(); ++Other) {
      ASSERT_GE(G.cost(Other), Least) << "case " << Case;
      if (G.cost(Other) == Least)
        ASSERT_EQ(Other & ~Got, 0u) << "case " << Case;
    }
  }
}

TEST(MinCut, ChainsFollowTheirDearestEdge) {
  // Alone the second node would go to the sink (3 < 5); moving there and back
  // costs 4 each way.
  Graph G;
  G.Nodes = {{0, 100}, {5, 3}, {0, 100}};
  G.Edges = {{0, 1, 4}, {1, 0, 4}, {1, 2, 4}, {2, 1, 4}};
  EXPECT_EQ(G.solve(), 7u);
  G.Nodes[1].OnSource = 13; // 3 + 4 + 4 < 13
  EXPECT_EQ(G.solve(), 5u);
}

} // namespace
