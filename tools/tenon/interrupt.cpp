//===- tools/tenon/interrupt.cpp - Ended from outside ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/interrupt.h"

#include "sim/rtl/tool_groups.h"

#include <csignal>
#include <initializer_list>
#include <unistd.h>

namespace tenon::tools {

/// By the signal itself and not by an exit code: a shell ends a loop over
/// commands only where the one that Ctrl-C met did.
static void endBy(int number) {
  sim::killToolGroups();
  ::raise(number);
  // Still here: the first process of a container is not ended by a signal.
  ::_exit(128 + number);
}

void endToolsOnInterrupt() {
  for (int number : {SIGINT, SIGTERM}) {
    struct sigaction action = {};
    if (::sigaction(number, nullptr, &action) == 0 &&
        action.sa_handler == SIG_IGN)
      continue; // as whoever started it asks, `nohup` for one
    action = {};
    action.sa_handler = endBy;
    action.sa_flags = SA_RESETHAND | SA_NODEFER;
    ::sigaction(number, &action, nullptr);
  }
}

} // namespace tenon::tools
