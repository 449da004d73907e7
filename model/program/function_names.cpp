// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/function_names.h"

namespace shardscope {

FunctionNames::FunctionNames(const Program& program)
{
    for (std::size_t i = 0; i < program.functions.size(); ++i)
        add(program.functions[i].name, i);
}

std::optional<std::size_t> FunctionNames::index(const std::string& name) const
{
    const auto found = m_index.find(name);
    return found == m_index.end() ? std::nullopt : std::optional(found->second);
}

const Function* FunctionNames::find(const Program& program, const std::string& name) const
{
    const auto found = index(name);
    return found && *found < program.functions.size() ? &program.functions[*found] : nullptr;
}

std::string FunctionNames::numbered(const std::string& wanted)
{
    int& next = m_next[wanted];
    while (m_index.contains(wanted + "_" + std::to_string(next)))
        ++next;
    return wanted + "_" + std::to_string(next);
}

std::string FunctionNames::freeName(const std::string& wanted)
{
    return m_index.contains(wanted) ? numbered(wanted) : wanted;
}

} // namespace shardscope
