// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments and results of main as the text declares them: types, shardings, attributes, names.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "program/program.h"

namespace shardscope {

/// What is said of main's arguments and results, from one place.
class MainInterface {
public:
    explicit MainInterface(const Program& program)
        : m_program(program)
        , m_region(program.main())
    {
    }

    [[nodiscard]] std::size_t arguments() const { return m_region.arguments.size(); }
    [[nodiscard]] std::size_t results() const { return m_region.results.size(); }
    /// The number of the argument of that path.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view path) const
    {
        const auto& all = m_region.arguments;
        const auto found = std::find_if(
            all.begin(), all.end(), [&](ValueId a) { return std::string_view(*m_program.value(a).path) == path; });
        return path.empty() || found == all.end() ? std::nullopt
                                                  : std::optional(static_cast<std::size_t>(found - all.begin()));
    }
    [[nodiscard]] const TensorType& argumentType(std::size_t a) const
    {
        return m_program.value(m_region.arguments[a]).type;
    }
    [[nodiscard]] const TensorType& resultType(std::size_t r) const
    {
        return m_program.value(m_region.results[r]).type;
    }
    /// The text of an attribute of the argument; nothing where it has none.
    [[nodiscard]] const NamedText* attribute(std::size_t a, std::string_view key) const
    {
        if (m_program.functions.empty() || a >= m_program.functions.front().argumentExtras.size())
            return nullptr;
        const Dictionary& entries = m_program.dictionaries[m_program.functions.front().argumentExtras[a]];
        const auto found =
            std::find_if(entries.begin(), entries.end(), [&](const NamedText& entry) { return entry.name == key; });
        return found == entries.end() ? nullptr : &*found;
    }
    /// Whether the argument's memory may become that of a result, as donate_argnums says.
    [[nodiscard]] bool isDonated(std::size_t a) const
    {
        const NamedText* donor = attribute(a, "jax.buffer_donor");
        return attribute(a, "tf.aliasing_output") || (donor && donor->text != "false");
    }
    /// Whether result `r` can be argument `a` of the next step as it lies: a sharding that one of them lacks is open.
    [[nodiscard]] bool fit(std::size_t a, std::size_t r) const
    {
        if (argumentType(a) != resultType(r) || !isTensor(argumentType(a).dtype))
            return false;
        const ProgramSharding* specified = argumentSharding(a);
        const ProgramSharding* made = resultSharding(r);
        return !specified || !made || *specified == *made;
    }
    [[nodiscard]] std::size_t numberOf(ValueId argument) const { return m_program.value(argument).index; }
    [[nodiscard]] bool typesFit(ValueId argument, std::size_t r) const
    {
        return m_program.value(argument).type == resultType(r);
    }
    /// What a named location calls the argument; "" for nothing.
    [[nodiscard]] std::string_view argumentName(std::size_t a) const
    {
        if (m_program.functions.empty() || a >= m_program.functions.front().argumentNames.size())
            return {};
        return m_program.functions.front().argumentNames[a];
    }
    /// What jax.result_info calls the result; "" for nothing.
    [[nodiscard]] std::string_view resultName(std::size_t r) const
    {
        if (m_program.functions.empty() || r >= m_program.functions.front().resultExtras.size())
            return {};
        const Dictionary& entries = m_program.dictionaries[m_program.functions.front().resultExtras[r]];
        const auto found = std::find_if(
            entries.begin(), entries.end(), [](const NamedText& entry) { return entry.name == "jax.result_info"; });
        return found == entries.end() ? std::string_view() : std::string_view(found->text);
    }
    /// Null for none, as for results.
    [[nodiscard]] const ProgramSharding* argumentSharding(std::size_t a) const
    {
        return m_program.shardingOf(m_region.arguments[a]);
    }
    [[nodiscard]] const ProgramSharding* resultSharding(std::size_t r) const
    {
        if (m_program.functions.empty() || r >= m_program.functions.front().resultShardings.size())
            return nullptr;
        const ShardingIndex index = m_program.functions.front().resultShardings[r];
        return index == 0 ? nullptr : &m_program.shardings[index - 1];
    }
    [[nodiscard]] StatePair pair(std::size_t a, std::size_t r) const
    {
        return { m_region.arguments[a], static_cast<std::uint32_t>(r) };
    }

private:
    const Program& m_program;
    const Region& m_region;
};

} // namespace shardscope
