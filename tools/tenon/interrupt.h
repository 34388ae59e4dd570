//===- tools/tenon/interrupt.h - Ended from outside -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_INTERRUPT_H
#define TENON_TOOLS_TENON_INTERRUPT_H

namespace tenon::tools {

/// From here on SIGINT (Ctrl-C) and SIGTERM end the tools under way with the
/// process. It ends by that signal, which a shell says as 130 and 143, at once:
/// an output has no name until it is whole.
void endToolsOnInterrupt();

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_INTERRUPT_H
