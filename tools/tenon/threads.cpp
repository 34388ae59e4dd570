//===- tools/tenon/threads.cpp - --threads --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/threads.h"

#include "runtime/thread_pool.h"

#include "CLI/CLI.hpp"

namespace tenon::tools {

void addThreadsOption(CLI::App &verb) {
  verb.add_option_function<unsigned>(
          "--threads",
          [](const unsigned &threads) {
            runtime::ThreadPool::process().setThreads(threads);
          },
          "that compute on the CPU at a time (default: the processors that "
          "this process may run on)")
      ->check(CLI::Range(1u, 4096u))
      ->type_name("N");
  verb.add_flag_callback(
      "--pin", [] { runtime::ThreadPool::process().setPinned(true); },
      "keep each thread but the first on a processor of its own");
}

} // namespace tenon::tools
