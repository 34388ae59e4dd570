//===- sim/rtl/tool_groups.h - Tools under way ------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Each tool is started in a process group of its own, so that its helpers end
// with it. A terminal's Ctrl-C does not reach that group: whoever ends the
// process by a signal ends the groups first.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_RTL_TOOL_GROUPS_H
#define TENON_SIM_RTL_TOOL_GROUPS_H

#include <sys/types.h>

namespace tenon::sim {

/// How many can be entered at a time.
constexpr unsigned mostToolGroups = 1024;

/// Enters a process group; false where there is no room. Of any thread.
bool enterToolGroup(pid_t group);

/// Removes one that was entered.
void removeToolGroup(pid_t group);

/// Kills every group that is entered. Safe in a signal handler.
void killToolGroups();

} // namespace tenon::sim

#endif // TENON_SIM_RTL_TOOL_GROUPS_H
