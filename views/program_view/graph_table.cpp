// SPDX-License-Identifier: GPL-3.0-or-later
// The graph as a table for screen readers: one row per item.
// A part of GraphCanvas, which is declared in graph_canvas.h.
#include <algorithm>

#include "views/program_view/graph_canvas.h"

namespace shardscope {

const std::vector<GraphPlace>& GraphCanvas::places() const
{
    if (!m_places)
        m_places = m_layout ? m_layout->places() : std::vector<GraphPlace>();
    return *m_places;
}

int GraphCanvas::tableRowCount() const
{
    return static_cast<int>(places().size());
}

QString GraphCanvas::tableHeader(int column) const
{
    return column == 0 ? tr("Operation or value") : column == 1 ? tr("Shape and sharding") : tr("Part of");
}

QString GraphCanvas::tableText(int row, int column) const
{
    if (row < 0 || row >= tableRowCount())
        return {};
    const GraphPlace place = places()[static_cast<std::size_t>(row)];
    const GraphItem& item = m_layout->item(place);
    if (column == 2)
        return m_words->place(place.level);
    if (item.kind == GraphItem::Kind::Results)
        return column == 0 ? m_words->results(item.more + 1) : QString();
    if (item.kind == GraphItem::Kind::Collective)
        return column == 0 ? m_words->collectiveTitle(item.collective)
                           : words::plain(m_words->collectiveFigure(item.collective)).trimmed();
    if (item.kind == GraphItem::Kind::Value)
        return column == 0 ? m_words->valueName(item.value, place.level, item.more)
                           : words::plain(m_words->shape(item.value));
    const ProgramPart& part = m_outline->part(item.part);
    if (column == 0)
        return part.children.empty()      ? m_words->title(item.part)
            : m_layout->isOpen(item.part) ? tr("%1, open").arg(m_words->title(item.part))
                                          : tr("%1, folded").arg(m_words->title(item.part));
    return part.kind == PartKind::Operation ? words::plain(m_words->label(part.operation, place.level))
                                            : m_words->subtitle(item.part);
}

QRect GraphCanvas::tableRect(int row) const
{
    if (row < 0 || row >= tableRowCount())
        return {};
    return toWidget(m_layout->rect(places()[static_cast<std::size_t>(row)])).toAlignedRect().intersected(rect());
}

int GraphCanvas::rowOf(GraphPlace place) const
{
    const auto found = std::find(places().begin(), places().end(), place);
    return place.valid() && found != places().end() ? static_cast<int>(found - places().begin()) : -1;
}

void GraphCanvas::tableActivate(int row)
{
    if (row >= 0 && row < tableRowCount())
        choose(places()[static_cast<std::size_t>(row)]);
}

} // namespace shardscope
