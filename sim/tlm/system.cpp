//===- sim/tlm/system.cpp - The SystemC model -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/tlm/system.h"

// The sockets' convenience classes want dynamic processes to be declared.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <mutex>
#include <optional>

namespace tenon::sim::tlm {
namespace {

// A cycle is a nanosecond of SystemC's time, in its picoseconds.
constexpr uint64_t cycleTime = 1000;
constexpr Cycle quantum = 1 << 16;

sc_core::sc_time timeOf(Cycle cycles) {
  return sc_core::sc_time::from_value(cycles * cycleTime);
}

// What the generic payload has no field for.
struct Timing : ::tlm::tlm_extension<Timing> {
  Transfer *transfer = nullptr;
  tlm_extension_base *clone() const override { return new Timing(*this); }
  void copy_from(const tlm_extension_base &other) override {
    transfer = static_cast<const Timing &>(other).transfer;
  }
};

// The socket of LOAD, STORE or FETCH.
class Master : public sc_core::sc_module, public MemoryPort {
public:
  explicit Master(const sc_core::sc_module_name &name) : sc_module(name) {
    payload.set_extension(&timing);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_streaming_width(~0u);
  }
  ~Master() override { payload.clear_extension(&timing); }

  void transport(Transfer &transfer) override {
    timing.transfer = &transfer;
    payload.set_command(transfer.step == Transfer::Read
                            ? ::tlm::TLM_READ_COMMAND
                            : ::tlm::TLM_WRITE_COMMAND);
    payload.set_address(transfer.offset);
    payload.set_data_ptr(memory + transfer.offset);
    payload.set_data_length(transfer.beats * beatBytes);
    payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
    Cycle at = transfer.step == Transfer::WriteComplete ? transfer.last
                                                        : transfer.issue;
    // A read may have been issued in the quantum before.
    sc_core::sc_time delay = timeOf(std::max(at, quantumStart) - quantumStart);
    socket->b_transport(payload, delay);
  }

  /// For a new launch: what the direct pointer opens.
  absl::Span<uint8_t> openMemory(uint32_t bytes) {
    beatBytes = bytes;
    quantumStart = 0;
    ::tlm::tlm_dmi dmi;
    socket->get_direct_mem_ptr(payload, dmi);
    memory = dmi.get_dmi_ptr();
    return {memory, size_t(dmi.get_end_address() + 1)};
  }

  tlm_utils::simple_initiator_socket<Master> socket{"socket"};
  Cycle quantumStart = 0; // the cycle of SystemC's present

private:
  ::tlm::tlm_generic_payload payload;
  Timing timing;
  uint8_t *memory = nullptr;
  uint32_t beatBytes = 0;
};

// The memory of all masters.
class MemoryTarget : public sc_core::sc_module {
public:
  explicit MemoryTarget(const sc_core::sc_module_name &name) : sc_module(name) {
    socket.register_b_transport(this, &MemoryTarget::transport);
    socket.register_get_direct_mem_ptr(this, &MemoryTarget::openMemory);
  }

  void begin(const SystemOptions &options) {
    memory.emplace(options.timing, options.beatBytes);
    dram = options.dram;
  }

  tlm_utils::multi_passthrough_target_socket<MemoryTarget> socket{"socket"};

private:
  void transport(int, ::tlm::tlm_generic_payload &payload,
                 sc_core::sc_time &delay) {
    Transfer &transfer = *payload.get_extension<Timing>()->transfer;
    memory->transfer(transfer);
    payload.set_response_status(::tlm::TLM_OK_RESPONSE);
  }

  bool openMemory(int, ::tlm::tlm_generic_payload &, ::tlm::tlm_dmi &dmi) {
    dmi.set_dmi_ptr(dram.data());
    dmi.set_start_address(0);
    dmi.set_end_address(dram.size() - 1);
    dmi.allow_read_write();
    return true;
  }

  std::optional<Memory> memory;
  absl::Span<uint8_t> dram;
};

class System : public sc_core::sc_module {
public:
  explicit System(const sc_core::sc_module_name &name) : sc_module(name) {
    for (Master *master : {&load, &store, &fetch})
      master->socket.bind(memory.socket);
    SC_HAS_PROCESS(System);
    SC_METHOD(step);
    sensitive << started;
    dont_initialize();
  }

  void
  run(const SystemOptions &options,
      absl::FunctionRef<Launch &(const Ports &, absl::Span<uint8_t>)> begin,
      absl::FunctionRef<void(Cycle)> newProgress) {
    memory.begin(options);
    for (Master *master : {&store, &fetch})
      master->openMemory(options.beatBytes);
    launch = &begin({load, store, fetch}, load.openMemory(options.beatBytes));
    progress = &newProgress;
    now = 0;
    started.notify(sc_core::SC_ZERO_TIME);
    sc_core::sc_start();
  }

private:
  void step() {
    for (Master *master : {&load, &store, &fetch})
      master->quantumStart = now;
    bool more = launch->run(now + quantum);
    now += quantum;
    if (more) {
      next_trigger(timeOf(quantum));
      (*progress)(now);
    }
  }

  Master load{"load"}, store{"store"}, fetch{"fetch"};
  MemoryTarget memory{"memory"};
  sc_core::sc_event started;
  Launch *launch = nullptr;
  absl::FunctionRef<void(Cycle)> *progress = nullptr;
  Cycle now = 0; // of the launch, at SystemC's present
};

std::mutex turn; // of whoever uses the system

// Never destroyed: SystemC's kernel may be gone when static objects are.
System &system() {
  static System *system = [] {
    auto *made = new System("tenon");
    sc_core::sc_start(sc_core::SC_ZERO_TIME); // binds the sockets
    return made;
  }();
  return *system;
}

} // namespace

void elaborateSystem() {
  std::lock_guard<std::mutex> lock(turn);
  system();
}

void runOnSystem(
    const SystemOptions &options,
    absl::FunctionRef<Launch &(const Ports &, absl::Span<uint8_t>)> begin,
    absl::FunctionRef<void(Cycle)> progress) {
  std::lock_guard<std::mutex> lock(turn);
  system().run(options, begin, progress);
}

} // namespace tenon::sim::tlm

// The library's own main, which nothing calls, refers to it.
extern "C" int sc_main(int, char **) { return 0; }
