//===- sim/rtl/probe/observed_model.cpp - The model with the probe --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// model.cpp with the other side of retire_probe.sv: its calls go to one
// observer, which is that of the library, not of an instance.
//
//===----------------------------------------------------------------------===//

#include "sim/rtl/model.cpp"

#include "sim/rtl/model_observer.h"

#include "Vtenon_top__Dpi.h"

namespace {

tenon::sim::ModelObserver observer = {};

const uint8_t *bytesOf(const svBitVecVal *data) {
  return reinterpret_cast<const uint8_t *>(data);
}

} // namespace

extern "C" {

void tenonProbeWritten(long long cycle, int engine, int memory, int index,
                       int beat, const svBitVecVal *data) {
  if (observer.context)
    observer.written(observer.context, cycle, engine,
                     tenon::sim::WrittenMemory(memory), index, beat,
                     bytesOf(data));
}

void tenonProbeAddressed(long long cycle, long long offset, int beats) {
  if (observer.context)
    observer.addressed(observer.context, cycle, offset, beats);
}

void tenonProbeStored(long long cycle, const svBitVecVal *data) {
  if (observer.context)
    observer.stored(observer.context, cycle, bytesOf(data));
}

void tenonProbeRetired(long long cycle, int engine) {
  if (observer.context)
    observer.retired(observer.context, cycle, engine);
}

void tenonProbePassed(int states, int tokenWaits, int roomWaits) {
  if (observer.context)
    observer.passed(observer.context, states, tokenWaits, roomWaits);
}

__attribute__((visibility("default"))) void
tenonObserve(const tenon::sim::ModelObserver *observer_) {
  observer = *observer_;
}

} // extern "C"
