//===- sim/rtl/tool_groups.cpp - Tools under way --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/rtl/tool_groups.h"

#include <atomic>
#include <csignal>

namespace tenon::sim {

static_assert(std::atomic<pid_t>::is_always_lock_free,
              "a signal handler reads them");

// 0: free. A handler can only read what is global.
static std::atomic<pid_t> groups[mostToolGroups];

bool enterToolGroup(pid_t group) {
  for (std::atomic<pid_t> &entry : groups) {
    pid_t free = 0;
    if (entry.compare_exchange_strong(free, group))
      return true;
  }
  return false;
}

void removeToolGroup(pid_t group) {
  for (std::atomic<pid_t> &entry : groups) {
    pid_t found = group;
    if (entry.compare_exchange_strong(found, 0))
      return;
  }
}

void killToolGroups() {
  for (std::atomic<pid_t> &entry : groups)
    if (pid_t group = entry.load())
      kill(-group, SIGKILL);
}

} // namespace tenon::sim
