// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/graph_texts.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/theme/theme.h"

namespace shardscope {

using words::Span;

namespace {

constexpr std::size_t maxKept = 1 << 14; ///< items

QFont strong(QFont font)
{
    font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

QFont zoomed(QFont font, double zoom)
{
    if (font.pointSizeF() > 0)
        font.setPointSizeF(font.pointSizeF() * zoom);
    else
        font.setPixelSize(std::max(1, static_cast<int>(std::lround(font.pixelSize() * zoom))));
    return font;
}

void GraphTexts::setZoom(double zoom)
{
    if (m_items.size() > maxKept)
        m_items.clear();
    if (zoom == m_zoom)
        return;
    m_zoom = zoom;
    m_title = zoomed(Metrics::semibold(), zoom);
    m_small = zoomed(Metrics::small(), zoom);
    m_smallStrong = strong(m_small);
    m_fixed = zoomed(Metrics::fixed(), zoom);
    m_fixedStrong = strong(m_fixed);
}

void GraphTexts::forget()
{
    m_items.clear();
    m_zoom = 0;
}

const QFont& GraphTexts::font(Span::Style style, bool isTitle) const
{
    if (isTitle)
        return m_title;
    switch (style) {
    case Span::Style::Axis:
        return m_fixedStrong;
    case Span::Style::Strong:
        return m_smallStrong;
    case Span::Style::Plain:
        return m_small;
    default:
        return m_fixed;
    }
}

void GraphTexts::layOut(Line& line) const
{
    line.width = 0;
    for (Line::Run& run : line.runs) {
        run.text.setTextFormat(Qt::PlainText);
        run.text.prepare({}, font(run.style, line.isTitle));
        const QSizeF size = run.text.size();
        run.left = line.width;
        run.height = size.height();
        line.width += size.width();
    }
}

const GraphTexts::Item& GraphTexts::of(const GraphLayout& layout, const GraphWords& stated, GraphPlace place)
{
    const std::uint64_t key = static_cast<std::uint64_t>(place.level) << 32 | static_cast<std::uint32_t>(place.item);
    Item& texts = m_items[key];
    if (texts.zoom == m_zoom)
        return texts;
    if (texts.zoom == 0) {
        const auto set = [](Line& line, const words::Text& text) {
            for (const Span& span : text)
                line.runs.push_back({ QStaticText(span.text), span.style, span.axis, 0, 0 });
        };
        const auto plain = [&](Line& line, const QString& text) { set(line, { { text, Span::Style::Plain, -1 } }); };
        const GraphItem& item = layout.item(place);
        switch (item.kind) {
        case GraphItem::Kind::Results:
            plain(texts.title, stated.results(item.more + 1));
            break;
        case GraphItem::Kind::Value:
            plain(texts.title, stated.valueName(item.value, place.level, item.more));
            if (item.more == 0)
                set(texts.label, stated.shape(item.value));
            break;
        case GraphItem::Kind::Collective:
            plain(texts.title, stated.collectiveTitle(item.collective));
            texts.title.isTitle = true;
            set(texts.more, stated.collectiveFigure(item.collective));
            break;
        case GraphItem::Kind::Part: {
            plain(texts.title, stated.title(item.part));
            texts.title.isTitle = true;
            const ProgramPart& part = layout.outline().part(item.part);
            if (part.kind == PartKind::Operation) {
                set(texts.label, stated.label(part.operation, place.level));
                set(texts.more, stated.collectiveFigure(stated.collectives().ofOperation(part.operation)));
            }
            if (layout.isOpen(item.part))
                plain(texts.more, stated.counts(item.part));
            else if (part.kind != PartKind::Operation)
                plain(texts.more, stated.subtitle(item.part));
            break;
        }
        }
    }
    texts.zoom = m_zoom;
    for (Line* line : { &texts.title, &texts.more, &texts.label })
        layOut(*line);
    return texts;
}

void GraphTexts::draw(QPainter& painter, const Line& line, QPointF at, const QColor& plain, const Theme& theme) const
{
    for (const Line::Run& run : line.runs) {
        const bool isAxis = run.style == Span::Style::Axis && run.axis >= 0;
        painter.setPen(isAxis ? theme.meshAxis(run.axis) : run.style == Span::Style::Strong ? theme.text : plain);
        painter.setFont(font(run.style, line.isTitle));
        painter.drawStaticText(QPointF(at.x() + run.left, at.y() - run.height / 2), run.text);
    }
}

} // namespace shardscope
