// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/outline/program_outline.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "program/outline/long_levels.h"
#include "program/outline/operation_scopes.h"
#include "program/outline/repeated_blocks.h"

namespace shardscope {

namespace {

class OutlineBuilder {
public:
    explicit OutlineBuilder(const Program& program)
        : m_program(program)
        , m_finder(program)
        , m_scopes(program)
    {
        m_outline.partOfOperation.assign(program.operations.size(), -1);
        m_outline.partOfRegion.assign(program.regions.size(), -1);
    }

    ProgramOutline build()
    {
        if (m_program.functions.size() < 2) {
            addFunction(-1, m_program.functions.empty() ? "main" : m_program.functions.front().name, RegionId(0));
        } else {
            add(-1, PartKind::Module).name = m_program.name;
            for (const Function& function : m_program.functions)
                addFunction(0, function.name, function.body);
        }
        for (std::size_t i = m_outline.parts.size(); i-- > 0;) {
            ProgramPart& part = m_outline.parts[i];
            part.operations += part.kind == PartKind::Operation ? 1 : 0;
            if (part.parent >= 0)
                at(part.parent).operations += part.operations;
        }
        return std::move(m_outline);
    }

private:
    ProgramPart& at(int index) { return m_outline.parts[static_cast<std::size_t>(index)]; }
    /// The reference holds until the next part is added.
    ProgramPart& add(int parent, PartKind kind)
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
    [[nodiscard]] int newest() const { return static_cast<int>(m_outline.parts.size()) - 1; }

    void addFunction(int parent, const std::string& name, RegionId body)
    {
        ProgramPart& part = add(parent, PartKind::Function);
        part.name = name;
        addRegion(newest(), body);
    }

    void addRegion(int part, RegionId region)
    {
        at(part).region = region;
        m_outline.partOfRegion[region.index] = part;
        // Names that everything in it bears say nothing about its parts.
        const std::vector<OperationId>& operations = m_program.regions[region.index].operations;
        addStretch(part, operations, at(part).kind == PartKind::Body ? m_scopes.shared(operations) : 0);
    }

    [[nodiscard]] const std::string* scopeName(OperationId id, std::size_t depth) const
    {
        const ScopeNames& names = *m_scopes.of(id);
        return depth < names.size() ? &names[depth] : nullptr;
    }

    /// Neighbours of one scope become a part; operations without one stand for themselves.
    void addStretch(int parent, Stretch operations, std::size_t depth)
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

    /// Units that follow each other on one level, and what of them is the same.
    struct Level {
        Stretch operations;
        const std::vector<RepeatUnit>& units;
        std::size_t depth;
        std::vector<RepeatedBlocks> found;
        std::vector<int> models = {}; ///< by what was found
        int series = 0;
    };
    /// What becomes a part of the level: a unit, or all blocks of a repetition.
    struct Member {
        std::size_t unit = 0, units = 1;
        int found = -1;
    };

    void addUnits(int parent, Stretch operations, const std::vector<RepeatUnit>& units, std::size_t depth)
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
            members.push_back(
                { done, static_cast<std::size_t>(repeated.length * repeated.copies), static_cast<int>(i) });
            done += members.back().units;
        }
        addSingle(units.size());
        addMembers(level, parent, members, 0, nullptr);
    }

    /// `named`: the scope that `parent` is named by, which need not be said again in it.
    void addMembers(
        Level& level, int parent, std::span<const Member> members, std::size_t detail, const std::string* named)
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

    /// What members are labelled by: scopes, and the sources of operations without one.
    struct Labels {
        std::vector<LevelPart> parts;
        std::vector<std::string> names; ///< by label
        std::vector<bool> isScope;
    };
    /// `detail`: 0 for the packages of sources, 1 for files, 2 for lines.
    [[nodiscard]] Labels labelsOf(const Level& level, std::span<const Member> members, std::size_t detail) const
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
                const auto [at, fresh] =
                    known[unit.scope ? 0 : 1].try_emplace(name, static_cast<int>(labels.names.size()));
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
    [[nodiscard]] std::string sourceName(OperationId id, std::size_t detail) const
    {
        const std::uint32_t source = m_program.operation(id).source;
        if (source == 0 || source >= m_program.sources.size())
            return {};
        const SourceNames names = sourceNames(m_program.sources[source].location);
        return detail == 0 ? names.package : detail == 1 ? names.file : names.line;
    }

    /// False if nothing is known of where they come from.
    bool addGroups(Level& level, int parent, std::span<const Member> members, std::size_t detail)
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
    bool addShares(Level& level, int parent, std::span<const Member> members, const Labels& labels)
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
    [[nodiscard]] std::vector<int> crossing(const Level& level, std::span<const Member> members)
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

    void addTurns(Level& level, int parent, std::span<const Member> members, const Labels& labels,
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

    void addGroup(
        Level& level, int parent, std::span<const Member> members, const Labels& labels, int label, std::size_t detail)
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
            return member.found < 0
                && (scope ? *scope == name : m_scopes.of(first(level, member))->size() <= level.depth);
        });
        if (!isAll)
            return addMembers(level, newest(), members, detail, &name);
        const RepeatUnit &begin = level.units[members.front().unit], &end = level.units[members.back().unit];
        addStretch(
            newest(), level.operations.subspan(begin.first, end.first + end.count - begin.first), level.depth + 1);
    }
    /// The file or the line if all that come from the source `name` come from that.
    [[nodiscard]] std::string closestName(
        const Level& level, std::span<const Member> members, std::string name, std::size_t detail) const
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
    static OperationId first(const Level& level, const Member& member)
    {
        return level.operations[level.units[member.unit].first];
    }

    /// The first of several that are the same stands for itself, the others fold into one part.
    void addRepeated(Level& level, int parent, const Member& member)
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

    /// A part of a list, with units that count from its own beginning.
    void addWithin(int parent, Stretch operations, std::vector<RepeatUnit> units, std::size_t depth)
    {
        const std::size_t first = units.front().first;
        const std::size_t count = units.back().first + units.back().count - first;
        for (RepeatUnit& unit : units)
            unit.first -= first;
        addUnits(parent, operations.subspan(first, count), units, depth);
    }

    void addUnit(int parent, Stretch operations, const RepeatUnit& unit, std::size_t depth)
    {
        if (!unit.scope)
            return addOperation(parent, operations[unit.first]);
        add(parent, PartKind::Scope).name = *unit.scope;
        addStretch(newest(), operations.subspan(unit.first, unit.count), depth + 1);
    }

    void addOperation(int parent, OperationId id)
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
    }

    const Program& m_program;
    RepeatFinder m_finder;
    OperationScopes m_scopes;
    std::unordered_map<int, int> m_firstNumbers; ///< by run of the finder, of those whose copies are blocks
    std::vector<int> m_readUpTo; ///< by value, while the last reader on a level is looked for
    std::unordered_map<int, int> m_numbers; ///< by model: of the next block
    ProgramOutline m_outline;
};

} // namespace

ProgramOutline ProgramOutline::build(const Program& program)
{
    return OutlineBuilder(program).build();
}

std::string ProgramOutline::key(int index) const
{
    const ProgramPart& at = part(index);
    std::string own;
    switch (at.kind) {
    case PartKind::Module:
        return {};
    case PartKind::Function:
    case PartKind::Scope:
        own = at.name;
        break;
    case PartKind::Source: // of which several bear one name
        own = at.name + " at " + std::to_string(at.position);
        break;
    case PartKind::Repeat:
        own = "as " + key(at.model);
        break;
    case PartKind::Block:
        own = "block " + std::to_string(at.number) + " of " + std::to_string(at.position);
        break;
    case PartKind::Body:
        own = "body " + std::to_string(at.number);
        break;
    case PartKind::Operation:
        own = "#" + std::to_string(at.position);
        break;
    }
    return at.parent < 0 ? own : key(at.parent) + '/' + own;
}

} // namespace shardscope
