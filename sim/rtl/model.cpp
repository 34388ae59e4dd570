//===- sim/rtl/model.cpp - The Verilated accelerator as a library ---------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Compiled on demand together with what Verilator makes of tenon_machine, one
// shared object for each configuration: the loop over cycles, the memory behind
// the AXI port and the accounting are in one optimised unit with the model.
// TENON_BEAT_BYTES and TENON_BURST_BEATS come from the command line.
//
// The model's registers take both edges of their clocks (recipe.cpp), so that
// one evaluation is one cycle; parts of the machine that sleep get no edge.
// Each cycle: the memory drives its outputs, handshakes and trace ports are
// sampled (the machine's side of them stands since the last evaluation: it
// depends on registers only), the clocks change.
//
//===----------------------------------------------------------------------===//

#include "sim/accounting.h"
#include "sim/memory/axi_memory.h"
#include "sim/rtl/coverage_counts.h"
#include "sim/rtl/model_api.h"

#include "Vtenon_top.h"
#include "verilated.h"

#include <cstdio>
#include <memory>
#include <optional>

namespace tenon::sim {
namespace {

constexpr uint32_t beatBytes = TENON_BEAT_BYTES;
constexpr uint32_t burstBeats = TENON_BURST_BEATS;
constexpr unsigned controlTimeout = 10000;
constexpr unsigned resetCycles = 8;

// Where the first assertion failed since a model was made; its name stands on
// standard output. Nothing where they are not checked.
struct FailedAssertion {
#ifdef VL_USER_STOP
  char place[256];
  explicit operator bool() const { return place[0]; }
  void forget() { place[0] = 0; }
#else
  static constexpr char place[1] = "";
  explicit constexpr operator bool() const { return false; }
  void forget() {}
#endif
} failedAssertion;

// Ports of any width are little-endian bytes.
template <typename Port> uint8_t *bytesOf(Port &port) {
  return reinterpret_cast<uint8_t *>(&port);
}

// The parts of the machine in the order of its awake_o.
enum Part { Front, Core, Gemm, Alu, Load, Store, numParts };
constexpr uint32_t allParts = (1u << numParts) - 1;

struct Model {
  VerilatedContext context;
  Vtenon_top top;

  explicit Model(uint64_t powerUp) : top(seeded(context, powerUp)) {
    // Nothing holds before the reset has reached every register.
    context.assertOn(false);
    failedAssertion.forget();
    // Nobody asks for anything, whatever the ports' bits begin with.
    top.s_axil_awvalid_i = top.s_axil_wvalid_i = top.s_axil_arvalid_i = 0;
    top.s_axil_bready_i = top.s_axil_rready_i = 0;
    top.m_axi_arready_i = top.m_axi_awready_i = top.m_axi_wready_i = 0;
    top.m_axi_rvalid_i = top.m_axi_bvalid_i = 0;
    top.rst_i = 1;
    for (unsigned i = 0; i < resetCycles; ++i)
      tick();
    context.assertOn(true);
    top.rst_i = 0;
    tick();
  }
  ~Model() {
    top.final();
    writeCoverage(context);
  }

  static VerilatedContext *seeded(VerilatedContext &context, uint64_t powerUp) {
    context.randReset(powerUp ? 2 : 0);
    context.randSeed(static_cast<int>(powerUp % 0x7fffffff) + 1);
    return &context;
  }

  // The control port's outputs depend on its inputs.
  void settle() { top.eval(); }

  // The end of a cycle for these parts.
  void tick(uint32_t parts = allParts) {
    auto has = [&](Part part) { return parts >> part & 1; };
    top.clk_i ^= 1;
    top.clk_front_i ^= has(Front);
    top.clk_core_i ^= has(Core);
    top.clk_gemm_i ^= has(Gemm);
    top.clk_alu_i ^= has(Alu);
    top.clk_load_i ^= has(Load);
    top.clk_store_i ^= has(Store);
    top.eval();
  }

  // Those that have something to do, or something to take from the memory.
  uint32_t awake() const {
    return top.awake_o | top.m_axi_rvalid_i << Front |
           top.m_axi_bvalid_i << Store;
  }
};

// One write through the control port, a cycle at a time: `drive` before the
// model settles, `sample` after.
class ControlWrite {
public:
  ControlWrite(Vtenon_top &top, uint32_t offset, uint32_t value) : top(top) {
    top.s_axil_awaddr_i = offset;
    top.s_axil_wdata_i = value;
  }
  void drive() {
    top.s_axil_awvalid_i = !addressTaken;
    top.s_axil_wvalid_i = !dataTaken;
    top.s_axil_bready_i = !answered;
  }
  void sample() {
    addressTaken |= top.s_axil_awvalid_i && top.s_axil_awready_o;
    dataTaken |= top.s_axil_wvalid_i && top.s_axil_wready_o;
    if (!answered && top.s_axil_bvalid_o) {
      answered = true;
      good = top.s_axil_bresp_o == 0;
    }
  }
  bool accepted() const { return addressTaken && dataTaken; }
  bool finished() const { return answered; }
  bool succeeded() const { return good; }

private:
  Vtenon_top &top;
  bool addressTaken = false, dataTaken = false, answered = false, good = false;
};

bool writeControl(void *handle, uint32_t offset, uint32_t value) {
  Model &model = *static_cast<Model *>(handle);
  ControlWrite write(model.top, offset, value);
  for (unsigned i = 0; i < controlTimeout && !write.finished(); ++i) {
    write.drive();
    model.settle();
    write.sample();
    model.tick();
  }
  write.drive();
  return write.succeeded();
}

bool readControl(void *handle, uint32_t offset, uint32_t *value) {
  Model &model = *static_cast<Model *>(handle);
  Vtenon_top &top = model.top;
  top.s_axil_araddr_i = offset;
  top.s_axil_arvalid_i = 1;
  top.s_axil_rready_i = 1;
  bool answered = false, good = false;
  for (unsigned i = 0; i < controlTimeout && !answered; ++i) {
    model.settle();
    bool taken = top.s_axil_arvalid_i && top.s_axil_arready_o;
    if (top.s_axil_rvalid_o) {
      answered = true;
      good = top.s_axil_rresp_o == 0;
      *value = top.s_axil_rdata_o;
    }
    model.tick();
    if (taken)
      top.s_axil_arvalid_i = 0;
  }
  top.s_axil_arvalid_i = 0;
  top.s_axil_rready_i = 0;
  return answered && good;
}

LayerRuns runsOf(const ModelLaunch &launch) {
  LayerRuns runs;
  runs.layers = launch.layers;
  for (unsigned e = 0; e < numEngines; ++e)
    if (launch.runCounts[e])
      runs.engines[e].assign(launch.runs[e],
                             launch.runs[e] + launch.runCounts[e]);
  return runs;
}

// One launch, from the write that starts it to done.
class Launch {
public:
  Launch(Model &model, const ModelLaunch &options, ModelResult &result)
      : model(model), top(model.top), options(options), result(result),
        memory(options.timing,
               {options.dram, options.dramBase, options.dramBytes}, beatBytes,
               burstBeats, options.disturbance),
        accounting(runsOf(options), options.trace) {
    requests.wData = bytesOf(top.m_axi_wdata_o);
    requests.wStrobe = bytesOf(top.m_axi_wstrb_o);
  }

  void run() {
    if (!start())
      return;
    while (step()) {
    }
    accounting.finish();
    report();
    if (result.outcome == ModelOutcome::Done)
      drain();
  }

private:
  // The port takes the start in one cycle, the machine clears its counters in
  // the next, and the one after that is the first of the launch.
  bool start() {
    ControlWrite write(top, options.startOffset, 1);
    for (unsigned i = 0; i < controlTimeout && !write.accepted(); ++i) {
      write.drive();
      model.settle();
      write.sample();
      model.tick();
    }
    write.drive();
    top.s_axil_bready_i = 1; // the answer is taken during the launch
    if (write.accepted()) {
      stepMemory();
      return true;
    }
    result.outcome = ModelOutcome::NoControl;
    std::snprintf(result.message, sizeof result.message,
                  "the control port did not take the start within %u cycles",
                  controlTimeout);
    return false;
  }

  // A cycle outside of the launch.
  void stepMemory() {
    driveMemory();
    sampleMemory();
    model.tick();
  }

  // One cycle; false when the launch is over.
  bool step() {
    driveMemory();
    if (top.done_o)
      return finish(ModelOutcome::Done);
    if (options.stopValue && accounting.cycles() >= options.stopAfter)
      stop();
    AxiBeats beats = sampleMemory();
    count(beats);
    model.tick(stopping || options.allAwake ? allParts : model.awake());
    if (memory.failed())
      return finish(ModelOutcome::Protocol);
    if (failedAssertion)
      return finish(ModelOutcome::Assertion);
    uint64_t now = accounting.cycles();
    if (now >= options.cycleLimit)
      return finish(ModelOutcome::CycleLimit);
    if (now - lastProgress >= options.idleLimit)
      return finish(ModelOutcome::Idle);
    if (now == nextReport)
      reportProgress();
    return true;
  }

  // The host's write, beside the launch.
  void stop() {
    if (!stopping)
      stopping.emplace(top, options.startOffset, options.stopValue);
    stopping->drive();
    model.settle();
    stopping->sample();
  }

  // FETCH reads ahead: lets what it asked for arrive, outside of the launch.
  void drain() {
    for (uint64_t i = 0; i < options.idleLimit; ++i) {
      if (memory.idle() && !top.m_axi_arvalid_o)
        return;
      stepMemory();
    }
    result.outcome = ModelOutcome::Idle;
    std::snprintf(result.message, sizeof result.message,
                  "bursts are outstanding after done");
  }

  bool finish(ModelOutcome outcome) {
    result.outcome = outcome;
    return false;
  }

  void driveMemory() {
    memory.drive();
    const AxiOutputs &out = memory.outputs();
    top.m_axi_arready_i = out.arReady;
    top.m_axi_awready_i = out.awReady;
    top.m_axi_wready_i = out.wReady;
    top.m_axi_bvalid_i = out.bValid;
    top.m_axi_bresp_i = out.bResponse;
    top.m_axi_rvalid_i = out.rValid;
    if (!out.rValid)
      return;
    top.m_axi_rlast_i = out.rLast;
    top.m_axi_rid_i = out.rId;
    top.m_axi_rresp_i = out.rResponse;
    std::memcpy(bytesOf(top.m_axi_rdata_i), out.rData, beatBytes);
  }

  AxiBeats sampleMemory() {
    if ((requests.ar.valid = top.m_axi_arvalid_o)) {
      requests.ar.address = top.m_axi_araddr_o;
      requests.ar.length = top.m_axi_arlen_o;
      requests.ar.size = top.m_axi_arsize_o;
      requests.ar.burst = top.m_axi_arburst_o;
      requests.ar.id = top.m_axi_arid_o;
    }
    if ((requests.aw.valid = top.m_axi_awvalid_o)) {
      requests.aw.address = top.m_axi_awaddr_o;
      requests.aw.length = top.m_axi_awlen_o;
      requests.aw.size = top.m_axi_awsize_o;
      requests.aw.burst = top.m_axi_awburst_o;
    }
    requests.rReady = top.m_axi_rready_o;
    requests.bReady = top.m_axi_bready_o;
    requests.wValid = top.m_axi_wvalid_o;
    requests.wLast = top.m_axi_wlast_o;
    return memory.sample(requests);
  }

  void count(const AxiBeats &beats) {
    uint32_t states = top.state_o, retired = top.retired_o;
    if (beats.load)
      accounting.readBeat(beatBytes);
    if (beats.store)
      accounting.writeBeat(beatBytes);
    result.fetchBytes += beats.fetch ? beatBytes : 0;
    if (options.trace.traffic)
      traceBeats(*options.trace.traffic, beats);
    accounting.step(states, top.token_wait_o, top.room_wait_o, retired);
    // An engine is busy where its three bits are zero.
    bool busy = ((states | states >> 1 | states >> 2) & 0x249) != 0x249;
    if (busy || retired || beats.load || beats.fetch || beats.store)
      lastProgress = accounting.cycles();
    if (retired >> 3)
      takeWatches();
  }

  void traceBeats(TrafficTrace &traffic, const AxiBeats &beats) {
    uint64_t now = accounting.cycles();
    if (beats.load)
      traffic.add(TrafficTrace::Load, now);
    if (beats.fetch)
      traffic.add(TrafficTrace::Fetch, now);
    if (beats.store)
      traffic.add(TrafficTrace::Store, now);
  }

  void takeWatches() {
    for (; result.watchesTaken < options.watchCount; ++result.watchesTaken) {
      const ModelWatch &watch = options.watches[result.watchesTaken];
      if (watch.afterStores > accounting.retired(3))
        return;
      std::memcpy(watch.out, options.dram + watch.offset, watch.bytes);
    }
  }

  uint64_t retiredByAll() const {
    uint64_t sum = 0;
    for (unsigned e = 0; e < numEngines; ++e)
      sum += accounting.retired(e);
    return sum;
  }

  void reportProgress() {
    nextReport += options.progressCycles;
    if (options.progress)
      options.progress(options.progressContext, accounting.cycles(),
                       retiredByAll());
  }

  void report() {
    result.cycles = accounting.cycles();
    auto totals = accounting.totals();
    for (unsigned e = 0; e < numEngines; ++e) {
      result.states[e] = totals[e];
      result.retired[e] = accounting.retired(e);
      result.lastState[e] = accounting.state(e);
      result.lastTokenWait[e] = accounting.tokenWait(e);
      result.lastRoomWait[e] = accounting.roomWait(e);
    }
    for (unsigned c = 0; c < numChannels; ++c)
      result.tokenWaits[c] = accounting.tokenWaits()[c];
    std::copy(accounting.layerResults().begin(),
              accounting.layerResults().end(), result.layers);
    result.readsOutstanding = memory.readsOutstanding();
    result.writesOutstanding = memory.writesOutstanding();
    std::snprintf(result.message, sizeof result.message, "%s",
                  failedAssertion ? failedAssertion.place
                                  : memory.error().c_str());
  }

  Model &model;
  Vtenon_top &top;
  const ModelLaunch &options;
  ModelResult &result;
  AxiMemory memory;
  Accounting accounting;
  AxiRequests requests;
  std::optional<ControlWrite> stopping;
  uint64_t lastProgress = 0;
  uint64_t nextReport = options.progressCycles;
};

void launch(void *handle, const ModelLaunch *options, ModelResult *result) {
  // On the heap: the memory and the accounting are large.
  std::make_unique<Launch>(*static_cast<Model *>(handle), *options, *result)
      ->run();
}

const ModelApi api = {
    modelApiVersion,
    beatBytes,
    [](uint64_t powerUp) -> void * { return new Model(powerUp); },
    [](void *model) { delete static_cast<Model *>(model); },
    writeControl,
    readControl,
    launch,
};

} // namespace
} // namespace tenon::sim

#ifdef VL_USER_STOP
void vl_stop(const char *file, int line, const char *) {
  auto &failed = tenon::sim::failedAssertion;
  if (!failed)
    std::snprintf(failed.place, sizeof failed.place, "%s:%d", file, line);
}
#endif

extern "C" __attribute__((visibility("default")))
const tenon::sim::ModelApi *tenonModelApi() {
  return &tenon::sim::api;
}
