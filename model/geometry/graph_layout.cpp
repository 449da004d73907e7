// SPDX-License-Identifier: GPL-3.0-or-later
#include "geometry/graph_layout.h"
#include "geometry/element_ref.h"

#include <algorithm>
#include <numeric>

namespace shardscope {

GraphLayout::GraphLayout(ProgramPtr program, std::shared_ptr<const ProgramOutline> outline, GraphMeasure measure,
    CollectivePlaces collectives)
    : m_program(std::move(program))
    , m_outline(std::move(outline))
    , m_measure(std::move(measure))
    , m_collectives(std::move(collectives))
    , m_open(m_outline->parts.size())
    , m_levels(m_outline->parts.size())
    , m_origins(m_outline->parts.size())
    , m_itemOfPart(m_outline->parts.size(), -1)
    , m_userStart(m_program->values.size() + 1)
    , m_returned(m_program->values.size())
    , m_childOfOperation(m_program->operations.size())
    , m_levelOfOperation(m_program->operations.size(), -1)
    , m_childOfArgument(m_program->values.size())
    , m_levelOfArgument(m_program->values.size(), -1)
{
    for (const Operation& operation : m_program->operations)
        for (const ValueId operand : operation.operands)
            ++m_userStart[operand.index + 1];
    std::partial_sum(m_userStart.begin(), m_userStart.end(), m_userStart.begin());
    m_users.resize(m_userStart.back());
    std::vector<std::uint32_t> next(m_userStart.begin(), m_userStart.end() - 1);
    for (std::size_t i = 0; i < m_program->operations.size(); ++i)
        for (const ValueId operand : m_program->operations[i].operands)
            m_users[next[operand.index]++] = OperationId(i);
    for (const Region& region : m_program->regions)
        for (const ValueId result : region.results)
            m_returned[result.index] = true;
}

void GraphLayout::setOrigins(int part, QPointF origin)
{
    ref(m_origins, part) = origin;
    for (const GraphItem& item : ref(m_levels, part)->items)
        if (item.part >= 0 && isOpen(item.part))
            setOrigins(item.part, origin + item.rect.topLeft());
}

void GraphLayout::arrange()
{
    if (!isOpen(0))
        return;
    makeLevel(0);
    setOrigins(0, QPointF());
}

void GraphLayout::setOpen(int part, bool open)
{
    if (!m_outline->isContainer(part) || isOpen(part) == open)
        return;
    m_open[static_cast<std::size_t>(part)] = open;
    for (int above = m_outline->part(part).parent; above >= 0; above = m_outline->part(above).parent)
        ref(m_levels, above).reset();
    arrange();
}

void GraphLayout::setOpenParts(const std::vector<int>& parts)
{
    std::fill(m_open.begin(), m_open.end(), false);
    for (const int part : parts)
        m_open[static_cast<std::size_t>(part)] = m_outline->isContainer(part);
    for (auto& level : m_levels)
        level.reset();
    arrange();
}

std::vector<int> GraphLayout::openParts() const
{
    std::vector<int> parts;
    for (std::size_t i = 0; i < m_open.size(); ++i)
        if (m_open[i])
            parts.push_back(static_cast<int>(i));
    return parts;
}

void GraphLayout::reveal(int part)
{
    bool changed = false;
    for (int above = m_outline->part(part).parent; above >= 0; above = m_outline->part(above).parent) {
        changed = changed || !isOpen(above);
        m_open[static_cast<std::size_t>(above)] = true;
    }
    if (!changed)
        return;
    for (int above = m_outline->part(part).parent; above >= 0; above = m_outline->part(above).parent)
        ref(m_levels, above).reset();
    arrange();
}

void GraphLayout::openFirst()
{
    constexpr int maxAtFirst = 48;
    std::vector<int> open;
    int at = 0;
    for (int shown = 0;;) {
        const ProgramPart& part = m_outline->part(at);
        shown += static_cast<int>(part.children.size());
        if (part.children.empty() || (at != 0 && part.kind != PartKind::Function && shown > maxAtFirst))
            break;
        open.push_back(at);
        const auto inner = std::find_if(part.children.begin(), part.children.end(), [&](int child) {
            const ProgramPart& of = m_outline->part(child);
            // A loop or a manual computation, where most of the program stands in it.
            const bool isOpened =
                of.kind == PartKind::Operation ? 2 * of.operations > part.operations : of.kind != PartKind::Repeat;
            return !of.children.empty() && isOpened;
        });
        if (inner == part.children.end())
            break;
        at = *inner;
    }
    setOpenParts(open);
    // What could not be read where it is fitted into a window stays folded.
    const double unit = m_measure.headHeight / 26;
    if (size().width() <= 2400 * unit && size().height() <= 1400 * unit)
        return;
    std::erase_if(open, [this](int part) {
        const PartKind kind = m_outline->part(part).kind;
        return kind != PartKind::Module && kind != PartKind::Function;
    });
    setOpenParts(open);
}

} // namespace shardscope
