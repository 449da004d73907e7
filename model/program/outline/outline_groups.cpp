// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of what stands on a long level.
// A part of OutlineBuilder, which is declared in outline_builder.h.
#include <algorithm>
#include <numeric>
#include <utility>

#include "program/outline/outline_builder.h"

namespace shardscope {

OutlineBuilder::Labels OutlineBuilder::labelsOf(const Level& level, Members members, std::size_t detail) const
{
    Labels labels;
    std::unordered_map<std::string, int> known[2]; // scopes and sources
    for (const Member& member : members) {
        const RepeatUnit &unit = level.units[member.unit], &last = level.units[member.unit + member.units - 1];
        LevelPart part;
        part.operations = static_cast<int>(last.first + last.count - unit.first);
        part.alone = member.found >= 0;
        const std::string name = unit.scope ? *unit.scope : sourceName(level.operations[unit.first], detail);
        if (!part.alone && !name.empty()) {
            const auto [at, fresh] = known[unit.scope ? 0 : 1].try_emplace(name, static_cast<int>(labels.names.size()));
            if (fresh) {
                labels.names.push_back(name);
                labels.isScope.push_back(unit.scope != nullptr);
            }
            part.label = at->second;
        }
        labels.parts.push_back(part);
    }
    return labels;
}

std::string OutlineBuilder::sourceName(OperationId id, std::size_t detail) const
{
    const std::uint32_t source = m_program.operation(id).source;
    if (source == 0 || source >= m_program.sources.size())
        return {};
    const SourceNames names = sourceNames(m_program.sources[source].location);
    return detail == 0 ? names.package : detail == 1 ? names.file : names.line;
}

/// False if nothing is known of where they come from.
bool OutlineBuilder::addGroups(Level& level, int parent, Members members, std::size_t detail)
{
    constexpr std::size_t lines = 2;
    const Labels labels = labelsOf(level, members, detail);
    if (labels.names.empty())
        return addShares(level, parent, members, labels);
    const bool hasScopes = std::find(labels.isScope.begin(), labels.isScope.end(), true) != labels.isScope.end();
    if (!hasScopes && detail < lines) { // the same for one parameter after another
        const std::vector<LevelGroup> turns = turnsOf(labelsOf(level, members, lines).parts);
        if (!turns.empty()) {
            addTurns(level, parent, members, labels, turns, detail);
            return true;
        }
    }
    std::vector<LevelGroup> groups = groupsOf(labels.parts);
    const auto tellsNothing = [&](const LevelGroup& group) { return 4 * group.count > 3 * members.size(); };
    if (!hasScopes && detail < lines && std::any_of(groups.begin(), groups.end(), tellsNothing))
        return addGroups(level, parent, members, detail + 1);
    const auto sideBySide = std::accumulate(groups.begin(), groups.end(), std::size_t{ 0 },
        [](std::size_t sum, const LevelGroup& group) { return sum + (group.label < 0 ? group.count : 1); });
    if (groups.size() == 1 || sideBySide > longLevel)
        groups = sharesOf(labels.parts, crossing(level, members));
    for (const LevelGroup& group : groups)
        addGroup(level, parent, members.subspan(group.first, group.count), labels, group.label, detail);
    return true;
}

/// What is known of them are their lines in the text of the program, if that.
bool OutlineBuilder::addShares(Level& level, int parent, Members members, const Labels& labels)
{
    const bool hasLines = std::all_of(members.begin(), members.end(), [&](const Member& member) {
        const std::uint32_t source = m_program.operation(first(level, member)).source;
        return source < m_program.sources.size() && m_program.sources[source].line > 0;
    });
    if (!hasLines)
        return false;
    for (const LevelGroup& share : sharesOf(labels.parts, crossing(level, members))) {
        add(parent, PartKind::Source);
        addMembers(level, newest(), members.subspan(share.first, share.count), 0, nullptr);
    }
    return true;
}

/// By member: how many values pass from before it to it and what comes after.
std::vector<int> OutlineBuilder::crossing(const Level& level, Members members)
{
    std::vector<int> change(members.size() + 1);
    m_readUpTo.resize(m_program.values.size(), -1);
    const auto forEachOperation = [&](const Member& member, const auto& visit) {
        const RepeatUnit &begin = level.units[member.unit], &end = level.units[member.unit + member.units - 1];
        for (std::size_t i = begin.first; i < end.first + end.count; ++i)
            visit(m_program.operation(level.operations[i]));
    };
    for (std::size_t i = 0; i < members.size(); ++i)
        forEachOperation(members[i], [&](const Operation& operation) {
            for (const ValueId operand : operation.operands)
                m_readUpTo[operand.index] = static_cast<int>(i);
        });
    for (std::size_t i = 0; i < members.size(); ++i)
        forEachOperation(members[i], [&](const Operation& operation) {
            for (const ValueId result : operation.results)
                if (const int upTo = std::exchange(m_readUpTo[result.index], -1); upTo > static_cast<int>(i)) {
                    ++change[i + 1];
                    --change[static_cast<std::size_t>(upTo) + 1];
                }
        });
    std::partial_sum(change.begin(), change.end(), change.begin());
    return change;
}

void OutlineBuilder::addTurns(Level& level, int parent, Members members, const Labels& labels,
    const std::vector<LevelGroup>& turns, std::size_t detail)
{
    const auto forEachRead = [&](const LevelGroup& turn, const auto& visit) {
        for (const Member& member : members.subspan(turn.first, turn.count))
            for (const ValueId value : m_program.operation(first(level, member)).operands)
                if (const Value& of = m_program.value(value); !of.definition.valid() && of.type.rank() > 0)
                    visit(value);
    };
    constexpr int several = -1;
    std::unordered_map<std::uint32_t, int> readIn; // by ValueId: the turn
    for (int i = 0; const LevelGroup& turn : turns) {
        forEachRead(turn, [&](ValueId value) {
            int& in = readIn.try_emplace(value.index, i).first->second;
            in = in == i ? i : several;
        });
        ++i;
    }
    for (const LevelGroup& turn : turns) {
        const int group = newest() + 1;
        addGroup(level, parent, members.subspan(turn.first, turn.count), labels, turn.label, detail);
        // A parameter's name stands within those of its moments.
        forEachRead(turn, [&](ValueId value) {
            const std::string& path = m_program.value(value).path;
            ValueId& about = at(group).about;
            if (turn.label >= 0 && readIn.at(value.index) != several && !path.empty()
                && (!about.valid() || path.size() < m_program.value(about).path.size()))
                about = value;
        });
    }
}

void OutlineBuilder::addGroup(
    Level& level, int parent, Members members, const Labels& labels, int label, std::size_t detail)
{
    if (label < 0 || (members.size() == 1 && level.units[members.front().unit].scope)) {
        for (const Member& member : members)
            addMembers(level, parent, { &member, 1 }, detail, nullptr);
        return;
    }
    const std::string& name = labels.names[static_cast<std::size_t>(label)];
    if (!labels.isScope[static_cast<std::size_t>(label)]) {
        add(parent, PartKind::Source).name = closestName(level, members, name, detail);
        return addMembers(level, newest(), members, detail, nullptr);
    }
    add(parent, PartKind::Scope).name = name;
    const bool isAll = std::all_of(members.begin(), members.end(), [&](const Member& member) {
        const std::string* scope = level.units[member.unit].scope;
        return member.found < 0 && (scope ? *scope == name : m_scopes.of(first(level, member))->size() <= level.depth);
    });
    if (!isAll)
        return addMembers(level, newest(), members, detail, &name);
    const RepeatUnit &begin = level.units[members.front().unit], &end = level.units[members.back().unit];
    addStretch(newest(), level.operations.subspan(begin.first, end.first + end.count - begin.first), level.depth + 1);
}

/// The file or the line if all that come from the source `name` come from that.
std::string OutlineBuilder::closestName(const Level& level, Members members, std::string name, std::size_t detail) const
{
    for (std::size_t closer = detail + 1; closer <= 2; ++closer) {
        std::string common;
        for (const Member& member : members) {
            if (level.units[member.unit].scope || sourceName(first(level, member), closer - 1) != name)
                continue;
            const std::string own = sourceName(first(level, member), closer);
            if (!common.empty() && own != common)
                return name;
            common = own;
        }
        name = common.empty() ? name : common;
    }
    return name;
}

} // namespace shardscope
