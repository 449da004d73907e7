// SPDX-License-Identifier: GPL-3.0-or-later
// Who calls whom.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/editor.h"

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

/// Index of the function; nothing for one that there is not.
[[nodiscard]] std::optional<std::size_t> functionIndex(const Program& program, const std::string& name);
/// `wanted`, or the first of wanted_0, wanted_1, ... that no function has.
[[nodiscard]] std::string freeFunctionName(const Program& program, const std::string& wanted);

} // namespace shardscope::passes
