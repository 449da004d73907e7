// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mesh_view/device_map.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "document/selection.h"
#include "views/theme/theme.h"
#include "views/widgets/shard_colour.h"
#include "views/widgets/span_line.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr int hostOutline = 3; ///< distance of a host's outline from its tiles

} // namespace

DeviceMap::DeviceMap(Selection* selection, QWidget* parent)
    : QWidget(parent)
    , m_selection(selection)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Device map"));
    connect(selection, &Selection::hoverChanged, this, qOverload<>(&QWidget::update));
    connect(selection, &Selection::changed, this, qOverload<>(&QWidget::update));
}

void DeviceMap::setMesh(MeshPtr mesh, std::int32_t devicesPerHost, std::optional<Layout> layout)
{
    m_mesh = std::move(mesh);
    m_devicesPerHost = std::max(1, devicesPerHost);
    m_layout = std::move(layout);
    if (m_mesh && m_current >= m_mesh->deviceCount())
        m_current = -1;
    m_hovered.reset();
    arrange();
    updateGeometry();
    update();
}

QSize DeviceMap::sizeHint() const
{
    const std::int64_t rows = m_mesh && m_mesh->rank() > 0 ? m_mesh->deviceCount() / m_mesh->axes().back().size : 1;
    return { Metrics::scaled(280),
        Metrics::scaled(16) + static_cast<int>(std::min<std::int64_t>(rows, 8)) * Metrics::scaled(34) };
}

QSize DeviceMap::minimumSizeHint() const
{
    const std::int64_t rows = m_mesh && m_mesh->rank() > 0 ? m_mesh->deviceCount() / m_mesh->axes().back().size : 1;
    return { Metrics::scaled(120),
        Metrics::scaled(20) + static_cast<int>(std::clamp<std::int64_t>(rows, 2, 4)) * Metrics::scaled(20) };
}

QString DeviceMap::rowName(std::int64_t row) const
{
    if (m_mesh->rank() < 2)
        return {};
    const std::int64_t position = row * m_map.columns();
    QStringList parts;
    for (std::size_t axis = 0; axis + 1 < m_mesh->rank(); ++axis)
        parts << QStringLiteral("%1 %2")
                     .arg(QString::fromStdString(m_mesh->axis(axis).name))
                     .arg(m_mesh->coordinate(position, axis));
    return parts.join(QStringLiteral(", "));
}

void DeviceMap::arrange()
{
    if (!m_mesh)
        return;
    const QFontMetrics strong(Metrics::semibold()), small(Metrics::small());
    m_map = DeviceMapLayout(*m_mesh, QRect(0, 0, 10, 10), 10); // for the number of rows
    int left = small.horizontalAdvance(tr("host %1").arg(99));
    for (const std::int64_t row : { std::int64_t{ 0 }, m_map.rows() - 1 })
        left = std::max(left, strong.horizontalAdvance(rowName(row)));
    left = std::min(left, width() / 3) + 12;
    const int top = small.height() + 8;
    // The outlines of hosts stand around the tiles and keep their distance from the edge as well.
    const QRect area(left, top, std::max(width() - left - 8 - hostOutline, 1), std::max(height() - top - 5, 1));
    m_map = DeviceMapLayout(*m_mesh, area, Metrics::scaled(26));
}

std::vector<std::int32_t> DeviceMap::holdersAt(std::int64_t position) const
{
    if (!m_layout)
        return { m_mesh->deviceAt(position) };
    return m_layout->holders(m_layout->shardAt(position));
}

QColor DeviceMap::fillOf(std::int64_t position, const Theme& theme) const
{
    if (!m_layout || m_layout->distinctShards() == 1)
        return theme.alternateRow;
    return shardColour(theme, *m_layout, m_layout->shardAt(position));
}

void DeviceMap::resizeEvent(QResizeEvent*)
{
    arrange();
}

bool DeviceMap::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && m_mesh) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const auto position = m_map.positionAt(help->pos())) {
            const std::int32_t id = m_mesh->deviceAt(*position);
            QStringList at;
            for (std::size_t axis = 0; axis < m_mesh->rank(); ++axis)
                at << QStringLiteral("%1 %2")
                          .arg(QString::fromStdString(m_mesh->axis(axis).name))
                          .arg(m_mesh->coordinate(*position, axis));
            QString text = tr("<b>d%1</b> on host %2<br>%3")
                               .arg(id)
                               .arg(id / m_devicesPerHost)
                               .arg(at.join(QStringLiteral(", ")).toHtmlEscaped());
            const std::vector<std::int32_t> holders = holdersAt(*position);
            if (m_layout && holders.size() > 1)
                text += QStringLiteral("<br>") + tr("holds the same shard as %1").arg(words::devices(holders));
            QToolTip::showText(help->globalPos(), text, this, m_map.tile(*position));
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return QWidget::event(event);
}

void DeviceMap::hover(std::optional<std::int64_t> position)
{
    if (m_hovered == position)
        return;
    m_hovered = position;
    m_selection->setHoveredDevices(position ? holdersAt(*position) : std::vector<std::int32_t>{});
}

void DeviceMap::mouseMoveEvent(QMouseEvent* event)
{
    if (m_mesh)
        hover(m_map.positionAt(event->pos()));
}

void DeviceMap::leaveEvent(QEvent*)
{
    hover(std::nullopt);
}

void DeviceMap::mousePressEvent(QMouseEvent* event)
{
    if (!m_mesh)
        return;
    const auto position = m_map.positionAt(event->pos());
    m_current = position.value_or(-1);
    m_selection->setDevices(position ? std::vector{ m_mesh->deviceAt(*position) } : std::vector<std::int32_t>{});
}

void DeviceMap::keyPressEvent(QKeyEvent* event)
{
    if (!m_mesh) {
        QWidget::keyPressEvent(event);
        return;
    }
    std::int64_t next = m_current;
    switch (event->key()) {
    case Qt::Key_Left:
        next = m_current - 1;
        break;
    case Qt::Key_Right:
        next = m_current + 1;
        break;
    case Qt::Key_Up:
        next = m_current - m_map.columns();
        break;
    case Qt::Key_Down:
        next = m_current < 0 ? 0 : m_current + m_map.columns();
        break;
    case Qt::Key_Escape:
        m_current = -1;
        m_selection->setDevices({});
        m_selection->setHoveredDevices({});
        return;
    default:
        QWidget::keyPressEvent(event);
        return;
    }
    if (next < 0 || next >= m_mesh->deviceCount())
        return;
    m_current = next;
    m_selection->setDevices({ m_mesh->deviceAt(next) });
    m_selection->setHoveredDevices(holdersAt(next));
    setAccessibleDescription(
        tr("device %1, same shard as %2").arg(m_mesh->deviceAt(next)).arg(words::devices(holdersAt(next))));
}

void DeviceMap::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    if (!m_mesh)
        return;
    paintHeadings(painter, theme);
    paintTiles(painter, theme);

    painter.setBrush(Qt::NoBrush);
    if (m_map.tile(0).width() >= 12 && m_devicesPerHost < m_mesh->deviceCount()) {
        QPen dashed(theme.strongLine, 1);
        dashed.setDashPattern({ 3, 2 });
        painter.setPen(dashed);
        for (const HostBox& box : m_map.hosts(*m_mesh, m_devicesPerHost))
            painter.drawRect(box.rect.adjusted(-hostOutline, -hostOutline, hostOutline - 1, hostOutline - 1));
    }
    const auto outline = [&](const std::vector<std::int32_t>& devices, const QColor& color, qreal width) {
        painter.setPen(QPen(color, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        if (devices.size() > 4096)
            return;
        for (const std::int32_t id : devices) {
            if (id < 0 || id >= m_mesh->deviceCount())
                continue;
            const QRect tile = m_map.tile(m_mesh->positionOf(id));
            painter.drawRect(QRectF(tile).adjusted(width / 2 - 1, width / 2 - 1, 1 - width / 2, 1 - width / 2));
        }
    };
    outline(m_selection->devices(), theme.accent, 3);
    outline(m_selection->hoveredDevices(), theme.text, 2);
    if (hasFocus() && m_current < 0) {
        painter.setPen(QPen(theme.accent, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void DeviceMap::paintTiles(QPainter& painter, const Theme& theme) const
{
    const std::int64_t count = m_mesh->deviceCount();
    if (m_map.isRaster()) {
        const QRect area = m_map.area();
        QImage image(area.size(), QImage::Format_RGB32);
        for (int y = 0; y < area.height(); ++y) {
            auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
            std::int64_t last = -1;
            QRgb color = 0;
            for (int x = 0; x < area.width(); ++x) {
                const std::int64_t position = m_map.nearestPosition(area.topLeft() + QPoint(x, y));
                if (position != last)
                    color = fillOf(position, theme).rgb();
                last = position;
                line[x] = color;
            }
        }
        painter.drawImage(area.topLeft(), image);
        return;
    }
    const qreal ratio = devicePixelRatioF();
    QFont face = Metrics::semibold();
    if (m_map.tile(0).height() < Metrics::scaled(20)) {
        face = Metrics::small();
        face.setWeight(QFont::DemiBold);
    }
    const QFontMetrics metrics(face);
    painter.setFont(face);
    const bool whole = m_layout && m_layout->distinctShards() == 1;
    for (std::int64_t position = 0; position < count; ++position) {
        const QRect tile = m_map.tile(position);
        const QColor fill = fillOf(position, theme);
        painter.setBrushOrigin(0, 0);
        painter.fillRect(tile, fill);
        const bool stripes = m_layout && m_layout->copies() > 1 && tile.width() >= 12 && tile.height() >= 10;
        if (stripes)
            painter.fillRect(tile, theme.stripes(fill, whole ? 8 : m_layout->copies(), ratio));
        painter.setPen(theme.strongLine);
        painter.setBrush(Qt::NoBrush);
        if (tile.width() >= 8 && tile.height() >= 8)
            painter.drawRect(tile.adjusted(0, 0, -1, -1));
        const QString text = QStringLiteral("d%1").arg(m_mesh->deviceAt(position));
        const int width = metrics.horizontalAdvance(text);
        if (width + 6 > tile.width() || metrics.height() > tile.height() + 1)
            continue;
        QRect plate(0, 0, width + 6, std::min(metrics.height(), tile.height() - 2));
        plate.moveCenter(tile.center());
        if (stripes)
            painter.fillRect(plate, fill);
        painter.setPen(theme.textOn(fill));
        painter.drawText(plate, Qt::AlignCenter, text);
    }
}

void DeviceMap::paintHeadings(QPainter& painter, const Theme& theme) const
{
    const QRect area = m_map.area();
    QFont strong = Metrics::small();
    strong.setWeight(QFont::DemiBold);
    const QFontMetrics strongMetrics(strong), small(Metrics::small());
    if (m_mesh->rank() > 0) {
        const int axis = static_cast<int>(m_mesh->rank()) - 1;
        const QString name = QString::fromStdString(m_mesh->axes().back().name);
        painter.setFont(strong);
        painter.setPen(theme.meshAxis(axis));
        const int width = m_map.tile(0).width();
        const QString longest = QStringLiteral("%1 %2").arg(name).arg(m_map.columns() - 1);
        if (strongMetrics.horizontalAdvance(longest) <= width) {
            for (std::int64_t column = 0; column < m_map.columns(); ++column) {
                const QRect tile = m_map.tile(column);
                painter.drawText(QRect(tile.left(), tile.top() - small.height() - 5, tile.width(), small.height()),
                    Qt::AlignCenter, QStringLiteral("%1 %2").arg(name).arg(column));
            }
        } else {
            painter.drawText(QRect(area.left(), area.top() - small.height() - 5, area.width(), small.height()),
                Qt::AlignCenter, QStringLiteral("%1 0–%2").arg(name).arg(m_map.columns() - 1));
        }
    }
    if (m_mesh->rank() < 2)
        return;
    // Row names where they fit one below the other; the host as well where there is room for two lines.
    const double pitch =
        static_cast<double>(area.height()) / static_cast<double>(std::max<std::int64_t>(m_map.rows(), 1));
    std::int64_t step = 1;
    while (pitch * static_cast<double>(step) < small.height())
        step *= 2;
    const bool hosts = pitch >= 2 * small.height() && m_map.columns() <= m_devicesPerHost;
    for (std::int64_t row = 0; row < m_map.rows(); row += step) {
        const QRect tile = m_map.tile(row * m_map.columns());
        const int lines = hosts ? 2 : 1;
        QRect line(0, tile.center().y() - lines * small.height() / 2, area.left() - 8, small.height());
        words::Text name;
        for (std::size_t axis = 0; axis + 1 < m_mesh->rank(); ++axis)
            name.push_back({ (axis == 0 ? QString() : QStringLiteral(", "))
                    + QStringLiteral("%1 %2")
                          .arg(QString::fromStdString(m_mesh->axis(axis).name))
                          .arg(m_mesh->coordinate(row * m_map.columns(), axis)),
                words::Span::Style::Axis, static_cast<int>(axis) });
        const int width = std::min(spansWidth(name, Metrics::small()), line.width());
        paintSpans(painter, QRect(line.right() - width, line.top(), width + 1, line.height()), name, Metrics::small(),
            theme.text, theme);
        if (hosts) {
            line.translate(0, small.height() - 1);
            painter.setFont(Metrics::small());
            painter.setPen(theme.secondary);
            painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter,
                tr("host %1").arg(m_mesh->deviceAt(row * m_map.columns()) / m_devicesPerHost));
        }
    }
}

} // namespace shardscope
