// SPDX-License-Identifier: GPL-3.0-or-later
// Functions by their names, for whoever follows many calls: Program::function() looks at one function after the other.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "program/program.h"

namespace shardscope {

/// Finds functions by name, and names that are free.
class FunctionNames {
public:
    explicit FunctionNames(const Program& program);
    /// Index of the function; nothing for one that there is not.
    [[nodiscard]] std::optional<std::size_t> index(const std::string& name) const;
    /// The function itself, of a program that has the same functions still; null for one that there is not.
    [[nodiscard]] const Function* find(const Program& program, const std::string& name) const;
    void add(const std::string& name, std::size_t index) { m_index.emplace(name, index); }
    /// The first of wanted_0, wanted_1, ... that no function has.
    [[nodiscard]] std::string numbered(const std::string& wanted);
    /// `wanted` itself where it is free.
    [[nodiscard]] std::string freeName(const std::string& wanted);

private:
    std::unordered_map<std::string, std::size_t> m_index;
    std::unordered_map<std::string, int> m_next; ///< by wanted name: all lower numbers are taken
};

} // namespace shardscope
