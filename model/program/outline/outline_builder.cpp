// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/outline/outline_builder.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "program/calls.h"

namespace shardscope {

OutlineBuilder::OutlineBuilder(const Program& program)
    : m_program(program)
    , m_finder(program)
    , m_scopes(program)
    , m_functions(program)
{
    m_outline.partOfOperation.assign(program.operations.size(), -1);
    m_outline.partOfRegion.assign(program.regions.size(), -1);
}

ProgramOutline OutlineBuilder::build()
{
    findFunctionsInCalls();
    std::vector<std::size_t> beside; // main
    for (std::size_t f = 1; f < m_program.functions.size(); ++f)
        if (!m_inCall[f])
            beside.push_back(f);
    const bool hasMain = !m_program.functions.empty();
    int parent = -1;
    if (!beside.empty()) {
        add(-1, PartKind::Module).name = m_program.name;
        parent = newest();
    }
    add(parent, PartKind::Function).name = hasMain ? m_program.functions.front().name : "main";
    addRegion(newest(), hasMain ? m_program.functions.front().body : RegionId(0));
    if (beside.size() > 1) {
        add(parent, PartKind::Functions);
        parent = newest();
    }
    addFunctions(parent, beside);
    for (std::size_t i = m_outline.parts.size(); i-- > 0;) {
        ProgramPart& part = m_outline.parts[i];
        part.operations += part.kind == PartKind::Operation ? 1 : 0;
        if (part.parent >= 0)
            at(part.parent).operations += part.operations;
    }
    return std::move(m_outline);
}

/// The reference holds until the next part is added.
ProgramPart& OutlineBuilder::add(int parent, PartKind kind)
{
    const int index = static_cast<int>(m_outline.parts.size());
    ProgramPart part;
    part.kind = kind;
    part.parent = parent;
    if (parent >= 0) {
        part.position = static_cast<int>(at(parent).children.size());
        at(parent).children.push_back(index);
    }
    return m_outline.parts.emplace_back(std::move(part));
}

/// Those that one operation alone calls, and that can be reached from main or from one that stands beside it.
void OutlineBuilder::findFunctionsInCalls()
{
    constexpr int deepest = 50; // calls in calls; what is deeper stands beside main
    const std::size_t count = m_program.functions.size();
    m_inCall.assign(count, false);
    if (count < 2)
        return;
    std::vector<std::vector<std::size_t>> callees(count); // with repetitions
    std::vector<int> calls(count, 0);
    for (std::size_t f = 0; f < count; ++f) {
        std::vector<RegionId> waiting{ m_program.functions[f].body };
        while (!waiting.empty()) {
            const Region& region = m_program.regions[waiting.back().index];
            waiting.pop_back();
            for (const OperationId id : region.operations) {
                const Operation& operation = m_program.operation(id);
                waiting.insert(waiting.end(), operation.regions.begin(), operation.regions.end());
                const std::string* name = calleeOf(operation);
                if (const auto callee = name ? m_functions.index(*name) : std::nullopt) {
                    callees[f].push_back(*callee);
                    ++calls[*callee];
                }
            }
        }
    }
    std::vector<std::size_t> reached;
    std::vector<int> depth(count, 0);
    for (std::size_t f = 0; f < count; ++f)
        if (f == 0 || calls[f] != 1)
            reached.push_back(f);
    for (std::size_t i = 0; i < reached.size(); ++i)
        for (const std::size_t callee : callees[reached[i]])
            if (callee != 0 && calls[callee] == 1) {
                m_inCall[callee] = depth[reached[i]] < deepest;
                depth[callee] = m_inCall[callee] ? depth[reached[i]] + 1 : 0;
                reached.push_back(callee);
            }
}

void OutlineBuilder::addFunction(int parent, const Function& function)
{
    add(parent, PartKind::Function).name = function.name;
    addRegion(newest(), function.body);
}

/// What is equal to an earlier one stands folded after it.
void OutlineBuilder::addFunctions(int parent, const std::vector<std::size_t>& functions)
{
    constexpr std::size_t fewest = 3;
    BlockComparison comparison(m_program);
    const auto bodyOf = [this](std::size_t function) { return m_program.functions[function].body; };
    std::vector<std::vector<std::size_t>> equal;
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> alike; // by label: in `equal`
    for (const std::size_t function : functions) {
        std::vector<std::size_t>& known =
            alike[stretchLabel(m_program, m_program.regions[bodyOf(function).index].operations)];
        const auto found = std::find_if(known.begin(), known.end(),
            [&](std::size_t other) { return comparison.same(bodyOf(equal[other].front()), bodyOf(function)); });
        if (found != known.end()) {
            equal[*found].push_back(function);
        } else {
            known.push_back(equal.size());
            equal.push_back({ function });
        }
    }
    for (const std::vector<std::size_t>& same : equal) {
        const int model = newest() + 1;
        int into = parent;
        for (std::size_t i = 0; i < same.size(); ++i) {
            if (i == 1 && same.size() >= fewest) {
                add(parent, PartKind::Repeat).model = model;
                into = newest();
            }
            addFunction(into, m_program.functions[same[i]]);
        }
    }
}

void OutlineBuilder::addRegion(int part, RegionId region)
{
    at(part).region = region;
    m_outline.partOfRegion[region.index] = part;
    // Names that everything in a body bears say nothing about its parts.
    const std::vector<OperationId>& operations = m_program.regions[region.index].operations;
    addStretch(part, operations, at(part).kind == PartKind::Function ? 0 : m_scopes.shared(operations));
}

void OutlineBuilder::addOperation(int parent, OperationId id)
{
    const Operation& operation = m_program.operation(id);
    add(parent, PartKind::Operation).operation = id;
    const int part = newest();
    m_outline.partOfOperation[id.index] = part;
    for (std::size_t i = 0; i < operation.regions.size(); ++i) {
        ProgramPart& body = add(part, PartKind::Body);
        body.operation = id;
        body.number = static_cast<int>(i);
        addRegion(newest(), operation.regions[i]);
    }
    const std::string* callee = calleeOf(operation);
    if (const auto function = callee ? m_functions.index(*callee) : std::nullopt; function && m_inCall[*function])
        addRegion(part, m_program.functions[*function].body);
}

const std::string* OutlineBuilder::scopeName(OperationId id, std::size_t depth) const
{
    const ScopeNames& names = *m_scopes.of(id);
    return depth < names.size() ? &names[depth] : nullptr;
}

/// Neighbours of one scope become a part; operations without one stand for themselves.
void OutlineBuilder::addStretch(int parent, Stretch operations, std::size_t depth)
{
    std::vector<RepeatUnit> units;
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const std::string* name = scopeName(operations[i], depth);
        if (name && !units.empty() && units.back().scope && *units.back().scope == *name)
            ++units.back().count;
        else
            units.push_back({ i, 1, name });
    }
    addUnits(parent, operations, units, depth);
}

void OutlineBuilder::addUnits(int parent, Stretch operations, const std::vector<RepeatUnit>& units, std::size_t depth)
{
    Level level{ operations, units, depth, m_finder.find(operations, units) };
    std::vector<Member> members;
    std::size_t done = 0;
    const auto addSingle = [&](std::size_t upTo) {
        for (; done < upTo; ++done)
            members.push_back({ done, 1, -1 });
    };
    for (std::size_t i = 0; i < level.found.size(); ++i) {
        const RepeatedBlocks& repeated = level.found[i];
        addSingle(static_cast<std::size_t>(repeated.first));
        members.push_back({ done, static_cast<std::size_t>(repeated.length * repeated.copies), static_cast<int>(i) });
        done += members.back().units;
    }
    addSingle(units.size());
    addMembers(level, parent, members, 0, nullptr);
}

void OutlineBuilder::addUnit(int parent, Stretch operations, const RepeatUnit& unit, std::size_t depth)
{
    if (!unit.scope)
        return addOperation(parent, operations[unit.first]);
    add(parent, PartKind::Scope).name = *unit.scope;
    addStretch(newest(), operations.subspan(unit.first, unit.count), depth + 1);
}

/// A part of a list, with units that count from its own beginning.
void OutlineBuilder::addWithin(int parent, Stretch operations, std::vector<RepeatUnit> units, std::size_t depth)
{
    const std::size_t first = units.front().first;
    const std::size_t count = units.back().first + units.back().count - first;
    for (RepeatUnit& unit : units)
        unit.first -= first;
    addUnits(parent, operations.subspan(first, count), units, depth);
}

/// The first of several that are the same stands for itself, the others fold into one part.
void OutlineBuilder::addRepeated(Level& level, int parent, const Member& member)
{
    const RepeatedBlocks& repeated = level.found[static_cast<std::size_t>(member.found)];
    const auto length = static_cast<std::size_t>(repeated.length);
    const bool isBlock = length > 1 || !level.units[member.unit].scope;
    const auto mirrored = m_firstNumbers.find(repeated.mirror.run);
    const bool mirrors = isBlock && mirrored != m_firstNumbers.end();
    int model = repeated.like < 0 ? -1 : level.models[static_cast<std::size_t>(repeated.like)];
    int into = parent;
    const int from = model < 0 ? 0 : m_numbers[model], ownSeries = model < 0 ? level.series : at(model).series;
    if (isBlock && !mirrors)
        m_firstNumbers[repeated.run] = from;
    std::size_t done = member.unit;
    for (int copy = 0; copy < repeated.copies; ++copy, done += length) {
        if (model >= 0 && into == parent) {
            add(parent, PartKind::Repeat).model = model;
            into = newest();
        }
        const int part = newest() + 1;
        if (isBlock) {
            ProgramPart& block = add(into, PartKind::Block);
            block.mirrors = mirrors;
            block.number = mirrors ? mirrored->second + repeated.mirror.from - copy : from + copy;
            block.series = mirrors ? 0 : ownSeries;
            const auto begin = level.units.begin() + static_cast<std::ptrdiff_t>(done);
            addWithin(part, level.operations, { begin, begin + repeated.length }, level.depth);
        } else {
            addUnit(into, level.operations, level.units[done], level.depth);
        }
        if (model < 0)
            model = part;
    }
    m_numbers[model] = from + repeated.copies;
    level.models.push_back(model);
    level.series += isBlock && !mirrors && repeated.like < 0 ? 1 : 0;
}

/// `named`: the scope that `parent` is named by, which need not be said again in it.
void OutlineBuilder::addMembers(Level& level, int parent, Members members, std::size_t detail, const std::string* named)
{
    if (members.size() > longLevel && addGroups(level, parent, members, detail))
        return;
    for (const Member& member : members) {
        const RepeatUnit& unit = level.units[member.unit];
        if (member.found >= 0)
            addRepeated(level, parent, member);
        else if (unit.scope && named && *unit.scope == *named)
            addStretch(parent, level.operations.subspan(unit.first, unit.count), level.depth + 1);
        else
            addUnit(parent, level.operations, unit, level.depth);
    }
}

} // namespace shardscope
