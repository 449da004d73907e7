// SPDX-License-Identifier: GPL-3.0-or-later
// Who calls whom.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
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

/// Finds functions by name, and names that are free.
class FunctionNames {
public:
    explicit FunctionNames(const Program& program);
    /// Index of the function; nothing for one that there is not.
    [[nodiscard]] std::optional<std::size_t> index(const std::string& name) const;
    void add(const std::string& name, std::size_t index) { m_index.emplace(name, index); }
    /// The first of wanted_0, wanted_1, ... that no function has.
    [[nodiscard]] std::string numbered(const std::string& wanted);
    /// `wanted` itself where it is free.
    [[nodiscard]] std::string freeName(const std::string& wanted);

private:
    std::unordered_map<std::string, std::size_t> m_index;
    std::unordered_map<std::string, int> m_next; ///< by wanted name: all lower numbers are taken
};

} // namespace shardscope::passes
