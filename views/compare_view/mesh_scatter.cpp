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

/// From 0 to 1; the middle where all are alike.
double shareOf(double value, double least, double most)
{
    return most > least ? (value - least) / (most - least) : 0.5;
}

} // namespace

ScatterLayout ScatterLayout::make(const QRectF& area, const std::vector<MeshFigures>& meshes)
{
    ScatterLayout layout;
    std::vector<QPointF> logs;
    for (std::size_t i = 0; i < meshes.size(); ++i)
        if (meshes[i].sentBytes && meshes[i].stateBytes) {
            layout.dots.push_back({ i, {} });
            logs.emplace_back(logOf(meshes[i].sentBytes->value()), logOf(static_cast<double>(*meshes[i].stateBytes)));
        }
    if (logs.empty())
        return layout;
    const auto [left, right] =
        std::minmax_element(logs.begin(), logs.end(), [](QPointF a, QPointF b) { return a.x() < b.x(); });
    const auto [low, high] =
        std::minmax_element(logs.begin(), logs.end(), [](QPointF a, QPointF b) { return a.y() < b.y(); });
    for (std::size_t i = 0; i < logs.size(); ++i)
        layout.dots[i].at = { area.left() + area.width() * shareOf(logs[i].x(), left->x(), right->x()),
            area.bottom() - area.height() * shareOf(logs[i].y(), low->y(), high->y()) };
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
    const int line = QFontMetrics(Metrics::small()).height();
    return QRectF(rect()).adjusted(16, line + 12, -16, -line - 12);
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

void MeshScatter::paintLabels(QPainter& painter) const
{
    const Theme& theme = Theme::current();
    painter.setFont(Metrics::small());
    painter.setPen(theme.secondary);
    const QRect inside = rect().adjusted(8, 4, -8, -4);
    painter.drawText(inside, Qt::AlignTop | Qt::AlignLeft, tr("state and gradients per device ↑"));
    painter.drawText(inside, Qt::AlignBottom | Qt::AlignRight, tr("sent per device and step →"));
    painter.setPen(theme.text);
    const QFontMetrics metrics(Metrics::small());
    std::vector<QRectF> taken;
    for (int dot = 0; dot < tableRowCount(); ++dot) {
        const QString name = tableText(dot, 0);
        const QPointF at = m_layout.dots[static_cast<std::size_t>(dot)].at;
        QRectF box(
            at.x() + dotRadius + 4, at.y() - metrics.height() / 2.0, metrics.horizontalAdvance(name), metrics.height());
        if (box.right() > rect().right() - 4)
            box.moveRight(at.x() - dotRadius - 4);
        // A name that would lie on another one is left to the tip and the table.
        if (box.left() < 4
            || std::any_of(taken.begin(), taken.end(), [&box](const QRectF& other) { return other.intersects(box); }))
            continue;
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, name);
        taken.push_back(box);
    }
}

void MeshScatter::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.plotGrid);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
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
