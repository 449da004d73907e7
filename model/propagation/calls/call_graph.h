// SPDX-License-Identifier: GPL-3.0-or-later
// Who calls whom.
#pragma once

#include <string>
#include <vector>

#include "program/editor.h"
#include "program/function_names.h"

namespace shardscope::passes {

/// Calls of a program, by function.
struct CallGraph {
    std::vector<std::vector<OperationId>> calls; ///< per function, in program order, those inside regions as well
    std::vector<std::vector<std::size_t>>
        callees; ///< likewise: index of the function; calls of unknown ones are left out
    bool recursive = false; ///< some function calls itself, directly or not
    /// Callees before callers; functions that nothing reaches from main come last.
    std::vector<std::size_t> calleesFirst;
    /// Callers before callees, in the order of calls.
    std::vector<std::size_t> callersFirst;
};
[[nodiscard]] CallGraph callGraph(const Program& program);

/// The axes of the manual computations that a region stands in, those inside of others as well; calls are not followed.
[[nodiscard]] std::vector<std::string> manualAxesAround(const Editor& edit, RegionId region);
/// The manual axes around the place that a function is called from, and around the calls of its callers; by function,
/// sorted. Of several callers the last one counts: flattenCallGraph() leaves one.
[[nodiscard]] std::vector<std::vector<std::string>> manualAxesOfFunctions(const Editor& edit, const CallGraph& graph);

/// Private functions that nothing calls go.
[[nodiscard]] Program dropUnusedFunctions(Program program);
/// Every call gets a body of its own: the second one and later ones call copies <name>_0, <name>_1, ... that remember
/// the original's name. Programs whose functions call themselves stay as they are, here and below.
[[nodiscard]] Program flattenCallGraph(Program program);
/// The largest program that is propagated and laid out, with a body for every call. An operation takes 2 to 3 KiB until
/// its device program is planned, so that such a program takes 1 to 1.5 GiB.
inline constexpr std::int64_t maximumOperations = std::int64_t{ 1 } << 19;
/// TooLarge where that would make more operations than that: 42 functions that call the next one twice each would make
/// four million millions. Likewise where operations would stand in more than 500 bodies.
[[nodiscard]] Result<void> checkFlattened(const Program& program);
/// Copies of one function with equal shardings become one again.
[[nodiscard]] Program unflattenCallGraph(Program program);
/// Callers before callees.
[[nodiscard]] Program orderFunctions(Program program);

} // namespace shardscope::passes
