//===- tools/tenon/threads.h - --threads ------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_THREADS_H
#define TENON_TOOLS_TENON_THREADS_H

namespace CLI {
class App;
} // namespace CLI

namespace tenon::tools {

/// Adds --threads and --pin, of the process's pool.
void addThreadsOption(CLI::App &verb);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_THREADS_H
