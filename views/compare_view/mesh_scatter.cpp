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

constexpr double dotRadius = ScatterLayout::dotRadius, pickRadius = 12;

} // namespace

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
    const int line = small.height(), figures = small.horizontalAdvance(tr("1,023 MiB")) + Metrics::scaled(16);
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
                     .arg(tableText(dot, 0), tableText(dot, 1), tableText(dot, 2), words::meshReason(m_meshes, mesh))),
        tableRect(dot) };
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
    if (const double gap = m_layout.sent.logarithmsFrom * area.width(); gap > 0) { // zero stands apart
        painter.setPen(theme.secondary);
        for (const double at : { gap / 2 - 2, gap / 2 + 2 })
            painter.drawLine(
                QPointF(area.left() + at - 2, area.bottom() + 4), QPointF(area.left() + at + 2, area.bottom() - 4));
    }
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
            const double room = area.left() - 2 * dotRadius - 2; // where no dot reaches
            painter.drawText(QRectF(rect().left(), y - line / 2.0, room, line),
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

std::vector<MeshScatter::Label> MeshScatter::labels() const
{
    const QFontMetrics metrics(Metrics::small());
    std::vector<Label> labels;
    std::vector<QSizeF> sizes;
    std::size_t open = 0; // its name before those of the others
    for (int dot = 0; dot < tableRowCount(); ++dot) {
        labels.push_back({ tableText(dot, 0), {} });
        sizes.emplace_back(metrics.horizontalAdvance(labels.back().text), metrics.height());
        if (meshOf(dot).axes == m_open)
            open = static_cast<std::size_t>(dot);
    }
    const QRectF area = this->area(); // below it are the figures of the axis
    const QRectF inside(QPointF(area.left(), metrics.height() + 4), QPointF(width() - 4, area.bottom() + 6));
    std::vector<QRectF> places = m_layout.labelPlaces(inside, sizes, open);
    if (open < labels.size() && places[open].isNull() && meshOf(static_cast<int>(open)).axes == m_open) {
        labels[open].text = tr("open", "the mesh that is open now, in few letters");
        sizes[open].setWidth(metrics.horizontalAdvance(labels[open].text));
        places = m_layout.labelPlaces(inside, sizes, open);
    }
    for (std::size_t dot = 0; dot < labels.size(); ++dot)
        labels[dot].place = places[dot];
    return labels;
}

void MeshScatter::paintLabels(QPainter& painter) const
{
    painter.setFont(Metrics::small());
    painter.setPen(Theme::current().text);
    for (const Label& label : labels()) // a name without a place is left to the tip and the table
        if (!label.place.isNull())
            painter.drawText(label.place, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, label.text);
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
