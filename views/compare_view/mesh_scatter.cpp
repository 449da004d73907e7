// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare_view/mesh_scatter.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"
#include "words/mesh_search_words.h"

namespace shardscope {

namespace {

constexpr double dotRadius = 5, pickRadius = 12;

double logOf(double bytes)
{
    return std::log2(1 + std::max(bytes, 0.0));
}

/// A part of the line between two of its corners, with room around it.
QRectF around(QPointF from, QPointF to)
{
    constexpr double room = 2;
    return QRectF(from, to).normalized().adjusted(-room, -room, room, room);
}

} // namespace

ScatterScale ScatterScale::of(double minimum, double maximum)
{
    constexpr double leastSpan = 0.5; // of a doubling
    ScatterScale scale{ logOf(minimum), logOf(maximum) };
    if (const double missing = leastSpan - (scale.most - scale.least); missing > 0) {
        scale.least = std::max(scale.least - missing / 2, 0.0); // nobody sends less than nothing
        scale.most = scale.least + leastSpan;
    }
    return scale;
}

double ScatterScale::shareOf(double bytes) const
{
    return (logOf(bytes) - least) / (most - least);
}

double ScatterScale::bytesAt(double share) const
{
    return std::round(std::exp2(least + share * (most - least)) - 1);
}

ScatterLayout ScatterLayout::make(const QRectF& area, const std::vector<MeshFigures>& meshes)
{
    ScatterLayout layout;
    std::vector<double> sent, state;
    for (std::size_t i = 0; i < meshes.size(); ++i)
        if (meshes[i].sentBytes && meshes[i].stateBytes) {
            layout.dots.push_back({ i, {} });
            sent.push_back(meshes[i].sentBytes->value());
            state.push_back(static_cast<double>(*meshes[i].stateBytes));
        }
    if (layout.dots.empty())
        return layout;
    const auto scaleOf = [](const std::vector<double>& bytes) {
        const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
        return ScatterScale::of(*least, *most);
    };
    layout.sent = scaleOf(sent);
    layout.state = scaleOf(state);
    for (std::size_t i = 0; i < layout.dots.size(); ++i)
        layout.dots[i].at = { area.left() + area.width() * layout.sent.shareOf(sent[i]),
            area.bottom() - area.height() * layout.state.shareOf(state[i]) };
    std::vector<QPointF> front;
    for (const Dot& dot : layout.dots)
        if (meshes[dot.mesh].isFront())
            front.push_back(dot.at);
    std::sort(front.begin(), front.end(), [](QPointF a, QPointF b) { return a.x() < b.x(); });
    for (const QPointF& at : front) {
        if (!layout.front.isEmpty())
            layout.front << QPointF(at.x(), layout.front.back().y());
        layout.front << at;
    }
    return layout;
}

int ScatterLayout::dotAt(const QPointF& point, double within) const
{
    int nearest = -1;
    double least = within;
    for (std::size_t i = 0; i < dots.size(); ++i) {
        const double distance = std::hypot(dots[i].at.x() - point.x(), dots[i].at.y() - point.y());
        if (distance <= least) {
            least = distance;
            nearest = static_cast<int>(i);
        }
    }
    return nearest;
}

MeshScatter::MeshScatter(QWidget* parent)
    : Canvas(tr("Meshes by what they send and hold"), parent)
{
}

void MeshScatter::setMeshes(std::vector<MeshFigures> meshes, const std::vector<MeshAxis>& open)
{
    if (meshes == m_meshes && open == m_open)
        return;
    m_meshes = std::move(meshes);
    m_open = open;
    m_current = -1;
    arrange();
    tableChanged(this);
}

void MeshScatter::setCurrentMesh(int mesh)
{
    int found = -1;
    for (int dot = 0; dot < tableRowCount(); ++dot)
        if (static_cast<int>(m_layout.dots[static_cast<std::size_t>(dot)].mesh) == mesh)
            found = dot;
    if (found == m_current)
        return;
    m_current = found;
    update();
    tableCurrentChanged(this);
}

const MeshFigures& MeshScatter::meshOf(int dot) const
{
    return m_meshes[m_layout.dots[static_cast<std::size_t>(dot)].mesh];
}

QString MeshScatter::tableText(int row, int column) const
{
    const MeshFigures& mesh = meshOf(row);
    if (column == 0)
        return words::meshNames(mesh.axes);
    return column == 1 ? words::bytes(static_cast<double>(*mesh.stateBytes)) : words::bytes(*mesh.sentBytes);
}

QRect MeshScatter::tableRect(int row) const
{
    const QPointF at = m_layout.dots[static_cast<std::size_t>(row)].at;
    return QRectF(at.x() - dotRadius, at.y() - dotRadius, 2 * dotRadius, 2 * dotRadius).toRect();
}

void MeshScatter::tableActivate(int row)
{
    if (row >= 0 && row < tableRowCount())
        Q_EMIT picked(static_cast<int>(m_layout.dots[static_cast<std::size_t>(row)].mesh));
}

QRectF MeshScatter::area() const
{
    const QFontMetrics small(Metrics::small());
    const int line = small.height(), figures = small.horizontalAdvance(tr("1,023 MiB")) + Metrics::scaled(10);
    return QRectF(rect()).adjusted(figures, line + 10, -24, -2 * line - 10);
}

void MeshScatter::arrange()
{
    m_layout = ScatterLayout::make(area(), m_meshes);
    update();
}

Canvas::Tip MeshScatter::tipAt(QPoint point) const
{
    const int dot = tableRowAt(point);
    if (dot < 0)
        return {};
    const std::size_t mesh = m_layout.dots[static_cast<std::size_t>(dot)].mesh;
    return { plainTip(
                 tr("%1: %2 held, %3 sent, %4", "a mesh, bytes, bytes, front or not")
                     .arg(tableText(dot, 0), tableText(dot, 1), tableText(dot, 2), words::meshVerdict(m_meshes, mesh))),
        tableRect(dot) };
}

std::vector<QRectF> ScatterLayout::labelPlaces(const QRectF& inside, const std::vector<QSizeF>& texts) const
{
    constexpr double aside = dotRadius + 8; // clear of the ring around the mesh that is open
    std::vector<QRectF> taken, places;
    for (const Dot& dot : dots)
        taken.push_back(QRectF(dot.at.x() - dotRadius, dot.at.y() - dotRadius, 2 * dotRadius, 2 * dotRadius));
    for (qsizetype i = 1; i < front.size(); ++i)
        taken.push_back(around(front[i - 1], front[i]));
    for (std::size_t i = 0; i < dots.size(); ++i) {
        const QPointF at = dots[i].at;
        const double width = texts[i].width(), height = texts[i].height(), left = at.x() - aside - width,
                     right = at.x() + aside, middle = at.y() - height / 2, above = at.y() - height - 3,
                     below = at.y() + 3;
        QRectF found;
        for (const QPointF& corner : { QPointF(right, middle), QPointF(right, above), QPointF(right, below),
                 QPointF(left, middle), QPointF(left, above), QPointF(left, below) }) {
            const QRectF box(corner, texts[i]);
            if (inside.contains(box) && std::none_of(taken.begin(), taken.end(), [&box](const QRectF& other) {
                    return other.intersects(box);
                })) {
                found = box;
                break;
            }
        }
        places.push_back(found);
        if (!found.isNull())
            taken.push_back(found);
    }
    return places;
}

/// Figures at both ends and, where there is room, in the middle: the axes are logarithmic, and say so.
void MeshScatter::paintAxes(QPainter& painter) const
{
    const Theme& theme = Theme::current();
    const QFontMetrics metrics(Metrics::small());
    const QRectF area = this->area();
    const int line = metrics.height();
    painter.setFont(Metrics::small());
    const QRect inside = rect().adjusted(8, 4, -8, -4);
    const auto write = [&](Qt::Alignment alignment, const QString& full, const QString& brief) {
        painter.drawText(
            inside, static_cast<int>(alignment), metrics.horizontalAdvance(full) <= inside.width() ? full : brief);
    };
    painter.setPen(theme.secondary);
    write(Qt::AlignTop | Qt::AlignLeft, tr("state and gradients per device, logarithmic ↑"),
        tr("state and gradients per device ↑"));
    write(Qt::AlignBottom | Qt::AlignRight, tr("sent per device and step, logarithmic →"),
        tr("sent per device and step →"));
    if (area.width() < 1 || area.height() < 1 || m_layout.dots.empty())
        return;
    double free = rect().left();
    QString lastState, lastSent; // among nothing but zeros there is no other figure
    for (const double share : { 0.0, 0.5, 1.0 }) {
        const double y = area.bottom() - share * area.height(), x = area.left() + share * area.width();
        const QString state = words::bytes(m_layout.state.bytesAt(share)),
                      sent = words::bytes(m_layout.sent.bytesAt(share));
        if (state != lastState && (share != 0.5 || area.height() >= 4 * line)) {
            lastState = state;
            painter.setPen(theme.plotGrid);
            painter.drawLine(QPointF(area.left() - 4, y), QPointF(rect().right() - 4, y));
            painter.setPen(theme.secondary);
            painter.drawText(QRectF(rect().left(), y - line / 2.0, area.left() - 8, line),
                Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip, state);
        }
        const double width = metrics.horizontalAdvance(sent) + 2;
        const double left = std::min(x - width / 2, rect().right() - 6 - width);
        if (sent == lastSent || left < free || (share == 0.5 && area.width() < 4 * width))
            continue;
        painter.setPen(theme.plotGrid);
        painter.drawLine(QPointF(x, area.top() - 4), QPointF(x, area.bottom() + 6));
        painter.setPen(theme.secondary);
        painter.drawText(QRectF(left, area.bottom() + 7, width, line), Qt::AlignCenter | Qt::TextDontClip, sent);
        free = left + width + 8;
        lastSent = sent;
    }
}

std::vector<QRectF> MeshScatter::labels() const
{
    const QFontMetrics metrics(Metrics::small());
    std::vector<QSizeF> sizes;
    for (int dot = 0; dot < tableRowCount(); ++dot)
        sizes.emplace_back(metrics.horizontalAdvance(tableText(dot, 0)), metrics.height());
    const QRectF area = this->area(); // below it are the figures of the axis
    return m_layout.labelPlaces(
        { QPointF(area.left(), metrics.height() + 4), QPointF(width() - 4, area.bottom() + 6) }, sizes);
}

void MeshScatter::paintLabels(QPainter& painter) const
{
    painter.setFont(Metrics::small());
    painter.setPen(Theme::current().text);
    const std::vector<QRectF> places = labels();
    for (int dot = 0; dot < tableRowCount(); ++dot) // a name without a place is left to the tip and the table
        if (const QRectF& box = places[static_cast<std::size_t>(dot)]; !box.isNull())
            painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, tableText(dot, 0));
}

void MeshScatter::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.plotGrid);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    paintAxes(painter);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.strongLine, 1.5));
    painter.drawPolyline(m_layout.front);
    for (int dot = 0; dot < tableRowCount(); ++dot) {
        const MeshFigures& mesh = meshOf(dot);
        const QPointF at = m_layout.dots[static_cast<std::size_t>(dot)].at;
        painter.setPen(QPen(theme.text, 1.5));
        painter.setBrush(mesh.isFront() ? theme.text : theme.base);
        painter.drawEllipse(at, dotRadius, dotRadius);
        painter.setBrush(Qt::NoBrush);
        if (mesh.axes == m_open) {
            painter.setPen(QPen(theme.accent, 2));
            painter.drawEllipse(at, dotRadius + 4, dotRadius + 4);
        }
        if (dot == m_current) {
            painter.setPen(QPen(theme.accent, 2));
            painter.drawRect(
                QRectF(at.x() - dotRadius - 7, at.y() - dotRadius - 7, 2 * dotRadius + 14, 2 * dotRadius + 14));
        }
    }
    paintLabels(painter);
    if (hasFocus())
        paintFocusFrame(painter);
}

void MeshScatter::keyPressEvent(QKeyEvent* event)
{
    if (const auto row =
            tableRowCount() > 0 ? rowAfter(*event, m_current, tableRowCount(), Qt::Horizontal) : std::nullopt)
        tableActivate(*row);
    else
        QWidget::keyPressEvent(event);
}

int MeshScatter::tableRowAt(QPoint point) const
{
    return m_layout.dotAt(point, pickRadius);
}

} // namespace shardscope
