//===- MinCut.cpp - The cheapest split of a graph in two ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "MinCut.h"

#include <algorithm>

using namespace tenon;

size_t MinCut::addNode(int64_t OnSource, int64_t OnSink) {
  size_t Node = Edges.size();
  Edges.emplace_back();
  // Cut where the node is on the other side.
  addEdge(Source, Node, OnSink);
  addEdge(Node, Sink, OnSource);
  return Node;
}

void MinCut::addEdge(size_t From, size_t To, int64_t Cost) {
  Edges[From].push_back({To, Cost, Edges[To].size()});
  Edges[To].push_back({From, 0, Edges[From].size() - 1});
}

/// Distances from the source over edges that have room; false if the sink is
/// out of reach.
bool MinCut::findLevels() {
  Level.assign(Edges.size(), 0);
  Level[Source] = 1;
  std::vector<size_t> Queue = {Source};
  for (size_t I = 0; I < Queue.size(); ++I)
    for (const Edge &E : Edges[Queue[I]])
      if (E.Room > 0 && !Level[E.To]) {
        Level[E.To] = Level[Queue[I]] + 1;
        Queue.push_back(E.To);
      }
  return Level[Sink];
}

/// Sends at most `Most` from a node to the sink along rising levels.
int64_t MinCut::push(size_t From, int64_t Most) {
  if (From == Sink)
    return Most;
  for (size_t &I = Next[From]; I < Edges[From].size(); ++I) {
    Edge &E = Edges[From][I];
    if (E.Room <= 0 || Level[E.To] != Level[From] + 1)
      continue;
    int64_t Sent = push(E.To, std::min(Most, E.Room));
    if (!Sent)
      continue;
    E.Room -= Sent;
    Edges[E.To][E.Back].Room += Sent;
    return Sent;
  }
  return 0;
}

/// All that can still send to the sink: the smallest side the sink can have.
void MinCut::markSink() {
  ReachesSink.assign(Edges.size(), false);
  ReachesSink[Sink] = true;
  std::vector<size_t> Queue = {Sink};
  for (size_t I = 0; I < Queue.size(); ++I)
    for (const Edge &E : Edges[Queue[I]])
      if (Edges[E.To][E.Back].Room > 0 && !ReachesSink[E.To]) {
        ReachesSink[E.To] = true;
        Queue.push_back(E.To);
      }
}

void MinCut::solve() {
  while (findLevels()) {
    Next.assign(Edges.size(), 0);
    while (push(Source, Never))
      ;
  }
  markSink();
}
