// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/program_outline.h"

#include <algorithm>

#include "views/program_view/repeated_blocks.h"

namespace shardscope {

namespace {

using Operations = std::span<const OperationId>;

constexpr int fewestAlike = 3; ///< parts that are the same, before all but the first fold into one

class OutlineBuilder {
public:
    explicit OutlineBuilder(const Program& program)
        : m_program(program)
        , m_comparison(program)
    {
        m_outline.partOfOperation.assign(program.operations.size(), -1);
        m_outline.partOfRegion.assign(program.regions.size(), -1);
        for (const std::string& scope : program.scopes) {
            std::vector<std::string>& names = m_scopes.emplace_back();
            for (std::size_t begin = 0; begin < scope.size();) {
                const std::size_t end = std::min(scope.find('/', begin), scope.size());
                if (end > begin)
                    names.push_back(scope.substr(begin, end - begin));
                begin = end + 1;
            }
        }
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
        addScoped(part, m_program.regions[region.index].operations, 0);
    }

    [[nodiscard]] const std::string* scopeName(OperationId id, std::size_t depth) const
    {
        const std::uint32_t scope = m_program.operation(id).scope;
        return scope < m_scopes.size() && depth < m_scopes[scope].size() ? &m_scopes[scope][depth] : nullptr;
    }

    /// Neighbours of one scope become a part; operations without one stand for themselves.
    void addScoped(int parent, Operations operations, std::size_t depth)
    {
        struct Run {
            std::size_t first, end;
            const std::string* name;
        };
        std::vector<Run> runs;
        for (std::size_t i = 0; i < operations.size(); ++i) {
            const std::string* name = scopeName(operations[i], depth);
            const std::string* before = runs.empty() ? nullptr : runs.back().name;
            const bool joins = !runs.empty() && ((!name && !before) || (name && before && *name == *before));
            if (joins)
                runs.back().end = i + 1;
            else
                runs.push_back({ i, i + 1, name });
        }
        const auto part = [&](const Run& run) { return operations.subspan(run.first, run.end - run.first); };
        for (std::size_t i = 0; i < runs.size();) {
            std::size_t end = i + 1; // those that are the same as this one
            while (runs[i].name && end < runs.size() && runs[end].name
                && m_comparison.same(part(runs[i]), part(runs[end])))
                ++end;
            if (!runs[i].name) {
                addBlocks(parent, part(runs[i]));
            } else {
                const bool folds = end - i >= fewestAlike;
                int into = parent, model = -1;
                for (std::size_t k = i; k < end; ++k) {
                    if (folds && k == i + 1) {
                        add(parent, PartKind::Repeat).model = model;
                        into = newest();
                    }
                    add(into, PartKind::Scope).name = *runs[k].name;
                    const int scope = newest();
                    if (k == i)
                        model = scope;
                    addScoped(scope, part(runs[k]), depth + 1);
                }
            }
            i = end;
        }
    }

    /// Where no scope says which operations belong together, repetition does.
    void addBlocks(int parent, Operations operations)
    {
        std::size_t done = 0;
        for (const RepeatedBlocks& repeated : repeatedBlocks(m_program, operations, m_comparison)) {
            const auto first = static_cast<std::size_t>(repeated.first);
            const auto length = static_cast<std::size_t>(repeated.length);
            for (; done < first; ++done)
                addOperation(parent, operations[done]);
            const int model = static_cast<int>(m_outline.parts.size());
            int into = parent;
            for (int copy = 0; copy < repeated.copies; ++copy, done += length) {
                if (copy == 1) {
                    add(parent, PartKind::Repeat).model = model;
                    into = newest();
                }
                add(into, PartKind::Block).number = copy;
                addBlocks(newest(), operations.subspan(done, length));
            }
        }
        for (; done < operations.size(); ++done)
            addOperation(parent, operations[done]);
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
    BlockComparison m_comparison;
    std::vector<std::vector<std::string>> m_scopes; ///< by index of the scope: its names, outermost first
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

int ProgramOutline::likeInModel(int index) const
{
    // From the part up to the repeated one, then the same way down from the model.
    std::vector<int> way;
    int at = index;
    while (at >= 0 && (part(at).parent < 0 || part(part(at).parent).kind != PartKind::Repeat)) {
        way.push_back(part(at).position);
        at = part(at).parent;
    }
    if (at < 0)
        return -1;
    int like = part(part(at).parent).model;
    for (auto step = way.rbegin(); step != way.rend(); ++step) {
        const std::vector<int>& children = part(like).children;
        if (static_cast<std::size_t>(*step) >= children.size())
            return -1;
        like = children[static_cast<std::size_t>(*step)];
    }
    return like;
}

} // namespace shardscope
