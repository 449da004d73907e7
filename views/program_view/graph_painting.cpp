// SPDX-License-Identifier: GPL-3.0-or-later
// How the program's graph is drawn: frames, edges, boxes, and what is written on them, as much of it as can be read.
#include <QFontMetricsF>
#include <QPaintEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "views/program_view/graph_canvas.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"

namespace shardscope {

namespace {

constexpr double shapesFrom = 0.6, titlesFrom = 0.3, edgesFrom = 0.12; ///< zoom
constexpr int mostWithText = 500, mostBoxes = 2000; ///< in sight at once, of a level

QFont zoomed(QFont font, double zoom)
{
    if (font.pointSizeF() > 0)
        font.setPointSizeF(font.pointSizeF() * zoom);
    else
        font.setPixelSize(std::max(1, static_cast<int>(std::lround(font.pixelSize() * zoom))));
    return font;
}

QColor mixed(const QColor& a, const QColor& b, double share)
{
    const auto part = [share](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * share)); };
    return QColor(part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue()));
}

} // namespace

struct GraphCanvas::Painting {
    const GraphCanvas& canvas;
    const GraphLayout& layout;
    const GraphWords& said;
    const Theme& theme;
    QPainter& painter;
    const QRectF clip; ///< in the widget
    const double zoom;
    const QFont title, small, smallStrong, fixed, fixedStrong, plain;
    const QFontMetricsF plainMetrics;
    std::vector<std::pair<QRectF, int>> signs; ///< heads of small frames, written last
    std::vector<QRectF> plates; ///< of those that are written

    Painting(const GraphCanvas& of, QPainter& with, const QRectF& where)
        : canvas(of)
        , layout(*of.m_layout)
        , said(*of.m_words)
        , theme(Theme::current())
        , painter(with)
        , clip(where)
        , zoom(of.m_zoom)
        , title(zoomed(Metrics::semibold(), zoom))
        , small(zoomed(Metrics::small(), zoom))
        , smallStrong(strong(small))
        , fixed(zoomed(Metrics::fixed(), zoom))
        , fixedStrong(strong(fixed))
        , plain(Metrics::small())
        , plainMetrics(plain)
    {
    }

    static QFont strong(QFont font)
    {
        font.setWeight(QFont::DemiBold);
        return font;
    }
    [[nodiscard]] double pixels(int at12) const { return Metrics::scaled(at12) * zoom; }
    [[nodiscard]] QPointF toWidget(QPointF point, QPointF origin) const
    {
        return (point + origin - canvas.m_offset) * zoom;
    }
    [[nodiscard]] QRectF toWidget(const QRectF& rect, QPointF origin) const
    {
        return { toWidget(rect.topLeft(), origin), rect.size() * zoom };
    }
    /// On whole pixels, so that lines of one pixel are sharp.
    [[nodiscard]] static QRectF crisp(const QRectF& rect)
    {
        return QRectF(rect.toRect()).adjusted(0.5, 0.5, -0.5, -0.5);
    }

    void level(int part, int depth)
    {
        const GraphLevel& in = *layout.level(part);
        const QPointF origin = layout.origin(part);
        const double top = clip.top() / zoom + canvas.m_offset.y() - origin.y();
        const double bottom = clip.bottom() / zoom + canvas.m_offset.y() - origin.y();
        const auto [first, end] = in.layersWithin(top, bottom);
        const int before = in.layerStart[static_cast<std::size_t>(first)];
        const int behind = in.layerStart[static_cast<std::size_t>(std::max(first, end))];
        const int count = behind - before;
        if (count > mostBoxes) {
            bars(in, origin, first, end);
        } else {
            if (zoom >= edgesFrom)
                edges(part, in, origin, first, end, count <= mostWithText && zoom >= titlesFrom);
            for (int i = before; i < behind; ++i)
                item({ part, i }, in.item(i), origin, count <= mostWithText, depth);
        }
    }

    /// Too many boxes to be told apart: how wide each layer is.
    void bars(const GraphLevel& in, QPointF origin, int first, int end)
    {
        const QColor fill = mixed(theme.base, theme.strongLine, 0.35);
        double last = -1e9;
        for (int layer = first; layer < end; ++layer) {
            const auto at = static_cast<std::size_t>(layer);
            const GraphItem& left = in.item(in.layerStart[at]);
            const GraphItem& right = in.item(in.layerStart[at + 1] - 1);
            QRectF bar = toWidget(
                QRectF(QPointF(left.rect.left(), in.layerTop[at]), QPointF(right.rect.right(), in.layerBottom[at])),
                origin);
            if (bar.bottom() < last + 1)
                continue;
            bar.setHeight(std::max(1.0, bar.height()));
            last = bar.bottom();
            painter.fillRect(bar, fill);
        }
    }

    void edges(int part, const GraphLevel& in, QPointF origin, int first, int end, bool curved)
    {
        const auto from = static_cast<std::size_t>(std::max(0, first - GraphLayout::longestEdge));
        const auto to = static_cast<std::size_t>(std::min(in.layers(), std::max(first, end)));
        const int current = canvas.m_current.level == part ? canvas.m_current.item : -1;
        painter.setRenderHint(QPainter::Antialiasing, curved);
        painter.setBrush(Qt::NoBrush);
        std::vector<const GraphEdge*> lit;
        for (int i = in.edgeStart[from]; i < in.edgeStart[to]; ++i) {
            const GraphEdge& each = in.edges[static_cast<std::size_t>(i)];
            const bool isLit = each.from == current || each.to == current
                || (canvas.m_marked.valid() && each.value == canvas.m_marked && each.more == 0);
            if (isLit)
                lit.push_back(&each);
            else
                edge(each, origin, theme.strongLine, 1.5, curved);
        }
        for (const GraphEdge* each : lit)
            edge(*each, origin, theme.accent, 2, curved);
        painter.setRenderHint(QPainter::Antialiasing, true);
    }

    void edge(const GraphEdge& edge, QPointF origin, const QColor& color, double width, bool curved)
    {
        const std::vector<QPointF>& points = edge.points;
        double left = points.front().x(), right = left;
        for (const QPointF& point : points) {
            left = std::min(left, point.x());
            right = std::max(right, point.x());
        }
        const QRectF box =
            toWidget(QRectF(QPointF(left, points.front().y()), QPointF(right, points.back().y())), origin);
        if (!box.adjusted(-8, -1, 8, 1).intersects(clip))
            return;
        painter.setPen(QPen(color, curved ? width * std::clamp(zoom, 0.6, 1.4) : 1));
        if (!curved) {
            painter.drawLine(toWidget(points.front(), origin), toWidget(points.back(), origin));
            return;
        }
        QPainterPath path(toWidget(points.front(), origin));
        for (std::size_t i = 1; i < points.size(); ++i) {
            const QPointF at = toWidget(points[i], origin);
            if (i % 2 == 1) {
                path.lineTo(at);
                continue;
            }
            const QPointF before = path.currentPosition();
            const double middle = (before.y() + at.y()) / 2;
            if (std::abs(before.x() - at.x()) < 0.5)
                path.lineTo(at);
            else
                path.cubicTo({ before.x(), middle }, { at.x(), middle }, at);
        }
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(path);
        const QPointF tip = path.currentPosition();
        const double half = 3.5 * std::clamp(zoom, 0.5, 1.5);
        const QPointF head[]{ tip, tip + QPointF(-half, -2 * half), tip + QPointF(half, -2 * half) };
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawPolygon(head, 3);
    }

    void item(GraphPlace place, const GraphItem& item, QPointF origin, bool text, int depth)
    {
        const QRectF rect = toWidget(item.rect, origin);
        const double room = std::max(pixels(40), 4.0);
        if (!rect.adjusted(-4, -4, 4, room).intersects(clip) && !labelInSight(item, rect))
            return;
        const bool open = item.part >= 0 && layout.isOpen(item.part);
        const bool container = item.part >= 0 && layout.outline().isContainer(item.part);
        const bool current = place == canvas.m_current;
        const bool marked =
            !open && std::find(canvas.m_marks.begin(), canvas.m_marks.end(), place) != canvas.m_marks.end();
        if (rect.height() < 6 && !open) { // too small for a frame
            painter.fillRect(rect, current || marked ? theme.accent : mixed(theme.base, theme.strongLine, 0.6));
            return;
        }
        const bool repeat = container && layout.outline().part(item.part).kind == PartKind::Repeat;
        const bool value = item.kind != GraphItem::Kind::Part;
        QColor fill = value ? theme.base : theme.button;
        if (open)
            fill = depth % 2 == 0 ? theme.alternateRow : theme.base;
        if (marked || (current && !open))
            fill = theme.selectedRow;
        painter.setRenderHint(QPainter::Antialiasing, true);
        const double radius = (value ? 11 : container ? 6 : 4) * std::min(1.0, zoom);
        QPen pen(marked || current ? theme.accent : value ? theme.border : theme.strongLine, marked || current ? 2 : 1);
        painter.setPen(pen);
        if (repeat && !open && zoom >= titlesFrom) {
            for (const int sheet : { 2, 1 }) {
                painter.setBrush(theme.alternateRow);
                painter.setPen(QPen(theme.strongLine, 1));
                painter.drawRoundedRect(crisp(rect.translated(sheet * pixels(3), sheet * pixels(3))), radius, radius);
            }
            painter.setPen(pen);
        }
        painter.setBrush(fill);
        painter.drawRoundedRect(crisp(rect), radius, radius);
        if (place == canvas.m_hovered && !current) {
            painter.setPen(QPen(theme.text, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(crisp(rect), radius, radius);
        }
        if (current && canvas.hasFocus()) {
            painter.setPen(QPen(theme.accent, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(crisp(rect).adjusted(-3, -3, 3, 3), radius + 3, radius + 3);
        }
        if (open)
            frame(item, rect, depth);
        else if (text)
            folded(place, item, rect, container);
    }

    /// What is written beside the line from an operation reaches beyond the box.
    [[nodiscard]] bool labelInSight(const GraphItem& item, const QRectF& rect) const
    {
        return item.part >= 0 && rect.bottom() < clip.bottom() && rect.bottom() + pixels(24) > clip.top()
            && rect.left() < clip.right() && rect.center().x() + pixels(360) > clip.left();
    }

    void arrow(const QRectF& at, bool open)
    {
        const QPointF center = at.center();
        const double s = pixels(4);
        painter.setPen(QPen(
            theme.secondary, std::max(1.0, 1.5 * std::min(zoom, 1.4)), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const QPointF down[]{ center + QPointF(-s, -s / 2), center + QPointF(0, s / 2), center + QPointF(s, -s / 2) };
        const QPointF right[]{ center + QPointF(-s / 2, -s), center + QPointF(s / 2, 0), center + QPointF(-s / 2, s) };
        painter.setBrush(Qt::NoBrush);
        painter.drawPolyline(open ? down : right, 3);
    }

    void frame(const GraphItem& item, const QRectF& rect, int depth)
    {
        level(item.part, depth + 1);
        if (zoom < shapesFrom) {
            signs.emplace_back(rect, item.part);
            return;
        }
        QRectF head(rect.topLeft(), QSizeF(rect.width(), pixels(26)));
        arrow(QRectF(head.left() + pixels(6), head.top(), pixels(16), head.height()), true);
        painter.setFont(title);
        painter.setPen(theme.text);
        const QString text = said.title(item.part);
        QRectF used;
        painter.drawText(head.adjusted(pixels(26), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text, &used);
        painter.setFont(small);
        painter.setPen(theme.secondary);
        head.setLeft(used.right() + pixels(12));
        painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, said.counts(item.part));
    }

    /// Names of frames whose heads are too small to be read, as large as ever.
    void sign(const QRectF& rect, int part)
    {
        const QRectF seen = rect.intersected(clip);
        const QString text = plainMetrics.elidedText(said.title(part), Qt::ElideRight, seen.width() - 12);
        if (seen.height() < plainMetrics.height() + 4 || text.size() < 3)
            return;
        const QRectF plate(
            seen.topLeft() + QPointF(3, 3), QSizeF(plainMetrics.horizontalAdvance(text) + 6, plainMetrics.height()));
        if (std::any_of(plates.begin(), plates.end(), [&](const QRectF& other) { return other.intersects(plate); }))
            return;
        plates.push_back(plate);
        painter.fillRect(plate, theme.base);
        painter.setFont(plain);
        painter.setPen(theme.secondary);
        painter.drawText(plate, Qt::AlignCenter, text);
    }

    void folded(GraphPlace place, const GraphItem& item, const QRectF& rect, bool container)
    {
        if (item.kind != GraphItem::Kind::Part) {
            if (zoom < titlesFrom)
                return;
            painter.setFont(small);
            painter.setPen(item.kind == GraphItem::Kind::Results ? theme.secondary : theme.text);
            painter.drawText(rect, Qt::AlignCenter,
                item.kind == GraphItem::Kind::Results ? said.results(item.more + 1)
                                                      : said.valueName(item.value, place.level, item.more));
            return;
        }
        const ProgramPart& part = layout.outline().part(item.part);
        if (zoom < shapesFrom && container) { // as large as ever, where there is room
            const QString text = said.title(item.part);
            painter.setFont(plain);
            painter.setPen(theme.text);
            if (plainMetrics.horizontalAdvance(text) + 6 < rect.width() && plainMetrics.height() < rect.height())
                painter.drawText(rect, Qt::AlignCenter, text);
            return;
        }
        if (zoom < titlesFrom)
            return;
        QRectF inner = rect;
        if (container) {
            arrow(QRectF(rect.left() + pixels(5), rect.top(), pixels(16), rect.height()), false);
            inner.setLeft(rect.left() + pixels(14));
        }
        painter.setPen(theme.text);
        painter.setFont(title);
        if (container && part.kind != PartKind::Operation) {
            const QRectF upper(inner.left(), rect.top() + pixels(5), inner.width(), pixels(18));
            painter.drawText(upper, Qt::AlignCenter, said.title(item.part));
            painter.setFont(small);
            painter.setPen(theme.secondary);
            painter.drawText(upper.translated(0, pixels(17)), Qt::AlignCenter, said.subtitle(item.part));
            return;
        }
        if (said.isConstraint(part.operation)) {
            const int side = std::max(6, static_cast<int>(pixels(12)));
            painter.drawPixmap(QPointF(rect.left() + pixels(9), rect.center().y() - side / 2.0).toPoint(),
                iconPixmap(QStringLiteral("pin"), side, theme.secondary, canvas.devicePixelRatioF()));
            inner.setLeft(rect.left() + pixels(14));
        }
        painter.drawText(inner, Qt::AlignCenter, said.title(item.part));
        if (item.leaves)
            leaving(rect);
        if (zoom >= shapesFrom)
            label(place, part.operation, rect);
    }

    /// Others than those in the frame read the value as well.
    void leaving(const QRectF& rect)
    {
        const QPointF from(rect.center().x() - pixels(9), rect.bottom());
        const QPointF to = from + QPointF(0, pixels(7));
        painter.setPen(QPen(theme.strongLine, 1.5 * std::clamp(zoom, 0.6, 1.4)));
        painter.drawLine(from, to);
        painter.setBrush(theme.base);
        painter.drawEllipse(to + QPointF(0, pixels(2)), pixels(2), pixels(2));
    }

    void label(GraphPlace place, OperationId operation, const QRectF& rect)
    {
        double x = rect.center().x() + pixels(6);
        const double top = rect.bottom() + pixels(1), height = pixels(17);
        for (const words::Span& span : said.label(operation, place.level)) {
            const bool isAxis = span.style == words::Span::Style::Axis;
            const bool isName = span.style == words::Span::Style::Strong;
            const QFont& face = isAxis ? fixedStrong : isName ? smallStrong : fixed;
            painter.setFont(span.style == words::Span::Style::Plain ? small : face);
            painter.setPen(isAxis && span.axis >= 0 ? theme.meshAxis(span.axis)
                    : isName                        ? theme.text
                                                    : theme.secondary);
            QRectF used;
            painter.drawText(QRectF(x, top, 10'000, height), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                span.text, &used);
            x = used.right();
        }
    }
};

void GraphCanvas::paintEvent(QPaintEvent* event)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(event->rect(), theme.base);
    if (!m_layout || !m_layout->level(0))
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    Painting painting(*this, painter, QRectF(event->rect()));
    painting.level(0, 0);
    for (auto sign = painting.signs.rbegin(); sign != painting.signs.rend(); ++sign) // outer frames first
        painting.sign(sign->first, sign->second);
    if (hasFocus() && !m_current.valid()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

} // namespace shardscope
