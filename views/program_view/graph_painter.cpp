// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/graph_painter.h"

#include <algorithm>
#include <cmath>

#include "views/program_view/graph_frame.h"
#include "views/theme/icons.h"
#include "views/widgets/chip.h"

namespace shardscope {

namespace {

constexpr int maxWithText = 500, maxBoxes = 2000; ///< in sight at once, of a level

/// On pixels, at least one of them: the paint engine fills that in one go, where antialiased edges take a path.
QRect onPixels(const QRectF& rect)
{
    const QRect pixels = rect.toRect();
    return { pixels.topLeft(), pixels.size().expandedTo(QSize(1, 1)) };
}

/// On whole pixels, so that lines of one pixel are sharp.
QRectF crisp(const QRectF& rect)
{
    return QRectF(rect.toRect()).adjusted(0.5, 0.5, -0.5, -0.5);
}

/// A rounded rectangle. Frames may be a thousand times as high as the widget, and their outline as a path takes longer
/// than all that stands in them: of a large one its corners alone are painted as paths, the rest is filled.
void box(QPainter& painter, const QRectF& rect, double radius, const QPen& pen, const QColor& fill)
{
    const QRect outer = onPixels(rect);
    const bool isRound = radius >= 1.5; // smaller ones are not seen
    const int line = pen.width();
    const int corner = isRound ? static_cast<int>(std::ceil(radius)) + line : line;
    if (isRound) {
        painter.setPen(pen);
        painter.setBrush(fill);
        const bool isLarge = std::max(outer.width(), outer.height()) > 200 && line == 1;
        if (!isLarge || std::min(outer.width(), outer.height()) < 2 * corner) {
            painter.drawRoundedRect(crisp(rect), radius, radius);
            return;
        }
        const int side = 2 * corner, lastX = outer.right() + 1 - side, lastY = outer.bottom() + 1 - side;
        for (const QPoint at :
            { outer.topLeft(), QPoint(lastX, outer.top()), QPoint(outer.left(), lastY), QPoint(lastX, lastY) })
            painter.drawRoundedRect(crisp(QRectF(at, QSizeF(side, side))), radius, radius);
    }
    if (std::min(outer.width(), outer.height()) < 2 * corner) {
        painter.fillRect(outer, pen.color());
        return;
    }
    const int width = outer.width() - 2 * corner, height = outer.height() - 2 * corner; // between the corners
    const QPoint inside = outer.topLeft() + QPoint(corner, corner);
    const int right = inside.x() + width;
    painter.fillRect(inside.x(), outer.top() + line, width, outer.height() - 2 * line, fill);
    for (const int y : { outer.top(), outer.bottom() + 1 - line })
        painter.fillRect(inside.x(), y, width, line, pen.color());
    painter.fillRect(outer.left() + line, inside.y(), corner - line, height, fill);
    painter.fillRect(right, inside.y(), corner - line, height, fill);
    for (const int x : { outer.left(), outer.right() + 1 - line })
        painter.fillRect(x, inside.y(), line, height, pen.color());
}

} // namespace

void GraphPainter::paint(QPainter& painter, const QRectF& clip, const GraphScene& scene)
{
    painter.setRenderHint(QPainter::Antialiasing);
    m_texts.setZoom(scene.zoom);
    m_signs.clear();
    m_plates.clear();
    m_above.clear();
    Frame frame(*this, painter, clip, scene);
    frame.level(0, 0);
    for (auto sign = m_signs.rbegin(); sign != m_signs.rend(); ++sign) // outer frames first
        frame.sign(sign->first, sign->second);
    frame.trail();
    frame.step();
}

GraphPainter::Frame::Frame(GraphPainter& painterOf, QPainter& with, const QRectF& where, const GraphScene& of)
    : own(painterOf)
    , scene(of)
    , layout(of.layout)
    , stated(of.words)
    , theme(Theme::current())
    , painter(with)
    , clip(where)
    , zoom(of.zoom)
    , plain(Metrics::small())
    , plainMetrics(plain)
{
}

void GraphPainter::Frame::level(int part, int depth)
{
    const GraphLevel& in = *layout.level(part);
    const QPointF origin = layout.origin(part);
    const double room = 6 / zoom; // for sheets, rings and lines
    const QRectF seen = inSight(origin).adjusted(-room, -room, room, room);
    const int count = in.itemTree.count(seen, maxBoxes);
    if (count > maxBoxes)
        return bars(in, origin);
    const bool text = count <= maxWithText;
    if (zoom >= edgesFrom)
        edges(part, in, origin, text && zoom >= titlesFrom);
    in.itemTree.visit(seen, [&](int i) {
        item({ part, i }, in.item(i), origin, text, depth);
        return true;
    });
}

/// Too many boxes to be told apart: how high each layer is.
void GraphPainter::Frame::bars(const GraphLevel& in, QPointF origin)
{
    const QColor fill = mixed(theme.base, theme.strongLine, 0.35);
    const QRectF seen = inSight(origin);
    for (const QRectF& layer : in.layerRects) {
        if (!layer.intersects(seen))
            continue;
        painter.fillRect(onPixels(toWidget(layer, origin).intersected(clip)), fill);
    }
}

void GraphPainter::Frame::item(GraphPlace place, const GraphItem& item, QPointF origin, bool text, int depth)
{
    const QRectF rect = toWidget(item.rect, origin);
    const bool open = item.part >= 0 && layout.isOpen(item.part);
    const bool container = item.part >= 0 && layout.outline().isContainer(item.part);
    const bool current = place == scene.current;
    const bool marked = !open && std::binary_search(scene.marks.begin(), scene.marks.end(), place);
    const int collective = collectiveAt(item);
    const int axis = stated.axisOf(collective);
    if (rect.height() < 6 && !open) { // too small for a frame
        painter.fillRect(onPixels(rect),
            current || marked ? theme.accent
                : axis >= 0   ? theme.meshAxis(axis)
                              : mixed(theme.base, theme.strongLine, 0.6));
        return;
    }
    const bool repeat = container && layout.outline().part(item.part).kind == PartKind::Repeat;
    const bool value = item.kind != GraphItem::Kind::Part && collective < 0;
    QColor fill = value ? theme.base : theme.button;
    if (axis >= 0)
        fill = axisTint(theme, axis);
    if (open)
        fill = depth % 2 == 0 ? theme.alternateRow : theme.base;
    if (marked || (current && !open))
        fill = theme.selectedRow;
    painter.setRenderHint(QPainter::Antialiasing, true);
    const double radius = (value ? 11 : container ? 6 : 4) * std::min(1.0, zoom);
    const QPen pen(marked || current ? theme.accent
            : axis >= 0              ? theme.meshAxis(axis)
            : value                  ? theme.border
                                     : theme.strongLine,
        marked || current ? 2 : 1);
    if (repeat && !open && zoom >= titlesFrom)
        for (const int sheet : { 2, 1 }) {
            painter.setBrush(theme.alternateRow);
            painter.setPen(QPen(theme.strongLine, 1));
            painter.drawRoundedRect(crisp(rect.translated(sheet * pixels(3), sheet * pixels(3))), radius, radius);
        }
    box(painter, rect, radius, pen, fill);
    const auto ring = [&](const QColor& color, double outside) {
        painter.setPen(QPen(color, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(
            crisp(rect).adjusted(-outside, -outside, outside, outside), radius + outside, radius + outside);
    };
    if (place == scene.hovered && !current)
        ring(theme.text, 0);
    if (current && scene.hasFocus)
        ring(theme.accent, 3);
    if (open)
        frame(place, rect, depth);
    else if (text)
        folded(place, item, rect, container);
}

int GraphPainter::Frame::collectiveAt(const GraphItem& item) const
{
    if (item.kind != GraphItem::Kind::Part)
        return item.collective;
    const ProgramPart& part = layout.outline().part(item.part);
    return part.kind == PartKind::Operation ? layout.collectives().ofOperation(part.operation) : -1;
}

void GraphPainter::Frame::arrow(const QRectF& at, bool open)
{
    const QPointF center = at.center();
    const double s = pixels(4);
    painter.setPen(
        QPen(theme.secondary, std::max(1.0, 1.5 * std::min(zoom, 1.4)), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF down[]{ center + QPointF(-s, -s / 2), center + QPointF(0, s / 2), center + QPointF(s, -s / 2) };
    const QPointF right[]{ center + QPointF(-s / 2, -s), center + QPointF(s / 2, 0), center + QPointF(-s / 2, s) };
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(open ? down : right, 3);
}

void GraphPainter::Frame::frame(GraphPlace place, const QRectF& rect, int depth)
{
    level(layout.item(place).part, depth + 1);
    if (zoom < shapesFrom) {
        own.m_signs.emplace_back(rect, place);
        return;
    }
    const double height = pixels(26);
    if (rect.top() + height < 0) {
        own.m_above.push_back(place);
        return;
    }
    arrow(QRectF(rect.left() + pixels(6), rect.top(), pixels(16), height), true);
    const GraphTexts::Item& texts = own.m_texts.of(layout, stated, place);
    const double width = texts.title.width + pixels(12) + texts.more.width;
    // What is wider than the widget is named where one looks.
    const double left = std::max(rect.left() + pixels(26), std::min(8.0, rect.right() - width - pixels(8)));
    const QPointF at(left, rect.top() + height / 2);
    own.m_texts.draw(painter, texts.title, at, theme.text, theme);
    own.m_texts.draw(painter, texts.more, at + QPointF(texts.title.width + pixels(12), 0), theme.secondary, theme);
}

/// Names of frames whose heads are too small to be read, as large as ever.
void GraphPainter::Frame::sign(const QRectF& rect, GraphPlace place)
{
    const QRectF seen = rect.intersected(QRectF(QPointF(), scene.size));
    if (seen.height() < plainMetrics.height() + 4 || seen.width() < 24)
        return;
    const int part = layout.item(place).part;
    const QString title = stated.title(part), all = title + QStringLiteral("   ") + stated.counts(part);
    const QString text = plainMetrics.horizontalAdvance(all) < seen.width() - 12
        ? all
        : plainMetrics.elidedText(title, Qt::ElideRight, seen.width() - 12);
    if (text.size() >= 3)
        plate(seen.topLeft() + QPointF(3, 3), text);
}

/// What the widget shows the inside of, from the outermost frame on.
void GraphPainter::Frame::trail()
{
    QStringList names;
    for (auto place = own.m_above.rbegin(); place != own.m_above.rend(); ++place)
        if (const QRectF rect = toWidget(layout.rect(*place), {});
            rect.left() < scene.size.width() / 2 && rect.right() > scene.size.width() / 2)
            names << stated.title(layout.item(*place).part);
    if (!names.isEmpty())
        plate({ 3, 3 },
            plainMetrics.elidedText(names.join(QStringLiteral(" › ")), Qt::ElideLeft, scene.size.width() - 18));
}

/// Words on a ground of their own, unless others are there.
void GraphPainter::Frame::plate(QPointF at, const QString& text)
{
    const QRectF plate(at, QSizeF(plainMetrics.horizontalAdvance(text) + 6, plainMetrics.height()));
    if (std::any_of(
            own.m_plates.begin(), own.m_plates.end(), [&](const QRectF& other) { return other.intersects(plate); }))
        return;
    own.m_plates.push_back(plate);
    painter.fillRect(plate, theme.base);
    painter.setFont(plain);
    painter.setPen(theme.secondary);
    painter.drawText(plate, Qt::AlignCenter, text);
}

void GraphPainter::Frame::folded(GraphPlace place, const GraphItem& item, const QRectF& rect, bool container)
{
    const bool isOperation = item.part >= 0 && layout.outline().part(item.part).kind == PartKind::Operation;
    if (item.kind == GraphItem::Kind::Part && container && zoom < shapesFrom) { // as large as ever, where there is room
        if (rect.height() <= plainMetrics.height())
            return;
        const QString text =
            plainMetrics.elidedText(stated.title(item.part), Qt::ElideMiddle, rect.width() - 6); // names end in numbers
        painter.setFont(plain);
        painter.setPen(theme.text);
        if (text.size() >= 3) {
            painter.drawText(rect, Qt::AlignCenter, text);
            return;
        }
    }
    if (zoom < titlesFrom)
        return;
    const GraphTexts::Item& texts = own.m_texts.of(layout, stated, place);
    QRectF inner = rect;
    const auto centred = [&](const GraphTexts::Line& line, double y, const QColor& color) {
        own.m_texts.draw(painter, line, QPointF(inner.center().x() - line.width / 2, y), color, theme);
    };
    if (container) {
        arrow(QRectF(rect.left() + pixels(5), rect.top(), pixels(16), rect.height()), false);
        inner.setLeft(rect.left() + pixels(14));
    }
    if (collectiveAt(item) >= 0) {
        centred(texts.title, rect.top() + pixels(12), theme.text);
        centred(texts.more, rect.top() + pixels(27), theme.secondary);
        if (isOperation && zoom >= shapesFrom)
            label(texts.label, rect);
        return;
    }
    if (container && !isOperation) {
        centred(texts.title, rect.top() + pixels(14), theme.text);
        centred(texts.more, rect.top() + pixels(31), theme.secondary);
        return;
    }
    if (isOperation && stated.isConstraint(layout.outline().part(item.part).operation)) {
        const int side = std::max(6, static_cast<int>(pixels(12)));
        painter.drawPixmap(QPointF(rect.left() + pixels(9), rect.center().y() - side / 2.0).toPoint(),
            iconPixmap(QStringLiteral("pin"), side, theme.secondary, scene.pixelRatio));
        inner.setLeft(rect.left() + pixels(14));
    }
    const bool results = item.kind == GraphItem::Kind::Results;
    centred(texts.title, rect.center().y(), results ? theme.secondary : theme.text);
    if (item.leaves)
        leaving(rect);
    if (zoom >= shapesFrom)
        label(texts.label, rect);
}

/// Below the box.
void GraphPainter::Frame::label(const GraphTexts::Line& line, const QRectF& rect)
{
    own.m_texts.draw(
        painter, line, QPointF(rect.left() + pixels(1), rect.bottom() + pixels(9)), theme.secondary, theme);
}

/// Others than those in the frame read the value as well.
void GraphPainter::Frame::leaving(const QRectF& rect)
{
    const QPointF from(rect.right(), rect.bottom() - pixels(6));
    const QPointF to = from + QPointF(pixels(5), 0);
    painter.setPen(QPen(theme.strongLine, 1.5 * std::clamp(zoom, 0.6, 1.4)));
    painter.drawLine(from, to);
    painter.setBrush(theme.base);
    painter.drawEllipse(to + QPointF(pixels(2), 0), pixels(2), pixels(2));
}

} // namespace shardscope
