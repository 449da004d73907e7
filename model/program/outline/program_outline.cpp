// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/outline/program_outline.h"

#include <algorithm>
#include <unordered_map>

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

    /// The first of several that are the same stands for itself, the others fold into one part.
    void addUnits(int parent, Stretch operations, const std::vector<RepeatUnit>& units, std::size_t depth)
    {
        const std::vector<RepeatedBlocks> found = m_finder.find(operations, units);
        std::vector<int> models; // by what was found
        std::size_t done = 0;
        int series = 0;
        for (const RepeatedBlocks& repeated : found) {
            const auto first = static_cast<std::size_t>(repeated.first);
            const auto length = static_cast<std::size_t>(repeated.length);
            for (; done < first; ++done)
                addUnit(parent, operations, units[done], depth);
            const bool isBlock = length > 1 || !units[first].scope;
            const auto mirrored = m_firstNumbers.find(repeated.mirror.run);
            const bool mirrors = isBlock && mirrored != m_firstNumbers.end();
            int model = repeated.like < 0 ? -1 : models[static_cast<std::size_t>(repeated.like)];
            int into = parent;
            const int from = model < 0 ? 0 : m_numbers[model], ownSeries = model < 0 ? series : at(model).series;
            if (isBlock && !mirrors)
                m_firstNumbers[repeated.run] = from;
            for (int copy = 0; copy < repeated.copies; ++copy, done += length) {
                if (model >= 0 && into == parent) {
                    add(parent, PartKind::Repeat).model = model;
                    into = newest();
                }
                int part = newest() + 1;
                if (isBlock) {
                    ProgramPart& block = add(into, PartKind::Block);
                    block.mirrors = mirrors;
                    block.number = mirrors ? mirrored->second + repeated.mirror.from - copy : from + copy;
                    block.series = mirrors ? 0 : ownSeries;
                    const auto begin = units.begin() + static_cast<std::ptrdiff_t>(done);
                    addWithin(part, operations, { begin, begin + repeated.length }, depth);
                } else {
                    addUnit(into, operations, units[done], depth);
                }
                if (model < 0)
                    model = part;
            }
            m_numbers[model] = from + repeated.copies;
            models.push_back(model);
            series += isBlock && !mirrors && repeated.like < 0 ? 1 : 0;
        }
        for (; done < units.size(); ++done)
            addUnit(parent, operations, units[done], depth);
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
