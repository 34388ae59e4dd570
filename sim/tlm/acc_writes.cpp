//===- sim/tlm/acc_writes.cpp - LOAD's writes into ACC --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/tlm/acc_writes.h"

#include <algorithm>

namespace tenon::sim::tlm {

AccWrites::AccWrites(const isa::Layout &layout)
    : layout(layout), entries(layout.config.acc_entries()),
      bankRows(entries / layout.config.acc_banks()) {}

void AccWrites::begin(const isa::Load &next, uint32_t skipped, Cycle start) {
  load = next;
  uint32_t row = load.padLeft + load.xSize + load.padRight;
  elementBeats =
      std::max(1u, layout.transferBytes(load.memory) / layout.beatBytes);
  skipBeats = skipped;
  index = load.sram + load.padTop * row + load.padLeft;
  beat = skip = column = 0;
  beats = Queue<Interval>(64);
  padIndex = load.sram;
  padAt = start;
  bool any = load.padTop || load.padBottom || load.padLeft || load.padRight;
  enter(!any ? None : load.padTop ? Top : Left);
}

void AccWrites::enter(Part next) {
  part = next;
  uint32_t row = load.padLeft + load.xSize + load.padRight;
  if (part == Top || part == Bottom) {
    rows = 1; // one run of all rows
    run = (part == Top ? load.padTop : load.padBottom) * row;
  } else if (part == Left) {
    rows = load.ySize;
    run = load.padLeft;
  }
}

// What follows a run of padding; without padding on its side a run takes a
// cycle.
void AccWrites::nextRun() {
  switch (part) {
  case Top:
    return enter(Left);
  case Left:
    part = Right;
    run = load.padRight;
    padIndex += load.xSize;
    return;
  case Right:
    if (--rows) {
      part = Left;
      run = load.padLeft;
      return;
    }
    return enter(load.padBottom ? Bottom : None);
  default:
    part = None;
  }
}

void AccWrites::settle(Cycle until) {
  while (part != None && padAt < until) {
    while (!beats.empty() && beats.front().to <= padAt)
      beats.pop();
    if (run == 0) {
      ++padAt;
      nextRun();
    } else if (!beats.empty() && beats.front().from <= padAt) {
      padAt = beats.front().to;
    } else {
      push(padding, padAt + behind, padIndex++);
      ++padAt;
      if (--run == 0)
        nextRun();
    }
  }
}

void AccWrites::take(Cycle first, Cycle last, uint32_t count) {
  if (part != None)
    beats.push({first, last + 1});
  for (uint32_t i = 0; i < count; ++i) {
    if (skip) {
      --skip;
      continue;
    }
    if (++beat < elementBeats)
      continue;
    Cycle taken = count > 1 ? first + i * (last - first) / (count - 1) : first;
    push(data, taken + behind, index++);
    beat = 0;
    if (++column < load.xSize) {
      skip = skipBeats;
      continue;
    }
    column = 0;
    index += load.padLeft + load.padRight;
  }
}

void AccWrites::push(Queue<Write> &writes, Cycle cycle, uint32_t element) {
  writes.push({cycle, element % entries / bankRows});
}

bool AccWrites::isTaken(Cycle cycle, uint32_t bank) {
  bool taken = false;
  for (Queue<Write> *writes : {&data, &padding}) {
    while (!writes->empty() && writes->front().cycle < cycle)
      writes->pop();
    taken |= !writes->empty() && writes->front().cycle == cycle &&
             writes->front().bank == bank;
  }
  return taken;
}

} // namespace tenon::sim::tlm
