// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mesh_view/device_map.h"

#include <QEvent>
#include <QScrollBar>
#include <algorithm>
#include <utility>

#include "document/selection.h"
#include "views/theme/theme.h"
#include "views/widgets/span_line.h"

namespace shardscope {

namespace {

/// The width of a device's name that is as long as any, with its margin.
QSize nameSize(const Mesh& mesh)
{
    QFont face = Metrics::small();
    face.setWeight(QFont::DemiBold);
    const QFontMetrics metrics(face);
    const QString digits(QString::number(mesh.deviceCount() - 1).size(), QLatin1Char('8'));
    return { metrics.horizontalAdvance(QLatin1Char('d') + digits) + 6, metrics.height() };
}

} // namespace

DeviceMap::DeviceMap(Selection* selection, QWidget* parent)
    : QWidget(parent)
    , m_selection(selection)
    , m_scroll(new QScrollBar(Qt::Vertical, this))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Device map"));
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setAccessibleName(tr("Scroll the device map"));
    m_scroll->hide();
    connect(m_scroll, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
    connect(selection, &Selection::hoverChanged, this, &DeviceMap::followSelection);
    connect(selection, &Selection::changed, this, &DeviceMap::followSelection);
}

void DeviceMap::setMesh(MeshPtr mesh, const DeviceSet& devices, std::optional<Layout> layout)
{
    // A mesh that does not fit the devices yet: there are hosts of that size for all of it.
    const bool fits = mesh && mesh->deviceCount() <= devices.count();
    const std::int32_t perHost = std::max(1, devices.devicesPerHost);
    DeviceSet shown = fits || !mesh
        ? devices
        : DeviceSet::ofHosts(devices.kind, devices.platform,
            static_cast<std::int32_t>((mesh->deviceCount() + perHost - 1) / perHost), perHost);
    const bool same = m_mesh && mesh && (m_mesh == mesh || *m_mesh == *mesh) && m_places.set() == shown;
    m_mesh = std::move(mesh);
    if (!(m_places.set() == shown))
        m_places = DevicePlaces(std::move(shown));
    m_layout = std::move(layout);
    m_shards.clear();
    if (same) {
        tableChanged(this);
        Q_EMIT captionChanged();
        update();
        return;
    }
    m_positions.clear();
    if (m_mesh && !m_mesh->deviceOrder().empty()) {
        m_positions.assign(static_cast<std::size_t>(m_mesh->deviceCount()), 0);
        for (std::int64_t position = 0; position < m_mesh->deviceCount(); ++position)
            if (const std::int32_t id = m_mesh->deviceAt(position); id >= 0 && id < m_mesh->deviceCount())
                m_positions[static_cast<std::size_t>(id)] = position;
    }
    if (m_mesh && m_current >= m_mesh->deviceCount())
        m_current = -1;
    hover(std::nullopt); // its devices would stay lit everywhere
    m_zoom = MapZoom::Fit;
    m_scroll->setValue(0);
    arrange();
    updateGeometry();
    update();
}

QSize DeviceMap::sizeHint() const
{
    return { Metrics::scaled(280), Metrics::scaled(96) };
}

QSize DeviceMap::minimumSizeHint() const
{
    // The same for every mesh, so that nothing moves while a size is changed.
    return { Metrics::scaled(120), Metrics::scaled(m_fitShowsNames ? 96 : 76) };
}

bool DeviceMap::hasColumnHeading() const
{
    const bool wrapped = m_map.fold().slots * m_map.fold().squareColumns < m_map.columns();
    return m_mesh->rank() > 0 && !wrapped && (m_map.columns() > 1 || m_map.groupsPerLine() == 1);
}

void DeviceMap::arrange()
{
    if (!m_mesh)
        return;
    const QFontMetrics strong(Metrics::semibold()), small(Metrics::small());
    const MapSizes sizes{ Metrics::scaled(26), nameSize(*m_mesh), Metrics::scaled(8), Metrics::scaled(10) };
    const int outline = 3; // hosts are outlined at this distance, and keep their own from the edge
    const int bar = m_zoom == MapZoom::Fit ? 0 : m_scroll->sizeHint().width();
    int left = width() / 4;
    m_top = small.height() + 8;
    // How wide the names of lines are depends on how the mesh is folded, and that on the room beside them.
    for (int pass = 0; pass < 3; ++pass) {
        const QRect area(
            left, m_top, std::max(width() - left - 8 - outline - bar, 1), std::max(height() - m_top - 5, 1));
        m_map = DeviceMapLayout(*m_mesh, area, sizes, m_zoom);
        m_top = hasColumnHeading() ? small.height() + 8 : 6;
        int names = small.horizontalAdvance(tr("host %1").arg(99));
        for (const std::int64_t line : { std::int64_t{ 0 }, m_map.lineCount() / 2, m_map.lineCount() - 1 })
            names = std::max(names, spansWidth(lineName(line), Metrics::small()));
        left = std::min(names, width() / 3) + 12;
    }
    const QRect area(left, m_top, std::max(width() - left - 8 - outline - bar, 1), std::max(height() - m_top - 5, 1));
    m_map = DeviceMapLayout(*m_mesh, area, sizes, m_zoom);
    if (m_zoom == MapZoom::Fit) {
        m_fitShowsDevices = m_map.devicesPerSquare() == 1;
        m_fitShowsNames = m_fitShowsDevices && namesFit();
    }
    m_scroll->setVisible(bar > 0);
    m_scroll->setGeometry(width() - bar, m_top, bar, height() - m_top);
    m_scroll->setRange(0, std::max(m_map.area().bottom() + 6 - height(), 0));
    m_scroll->setPageStep(std::max(height() - m_top, 1));
    m_scroll->setSingleStep(std::max(m_map.unit().height() + m_map.lineGap(), 1));
    m_shards.clear();
    followSelection();
    tableChanged(this);
    Q_EMIT captionChanged();
}

bool DeviceMap::namesFit() const
{
    const QSize name = nameSize(*m_mesh), square = m_map.unit();
    return square.width() >= name.width() && square.height() + 1 >= name.height();
}

void DeviceMap::resizeEvent(QResizeEvent*)
{
    arrange();
}

void DeviceMap::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange)
        arrange();
    QWidget::changeEvent(event);
}

QRect DeviceMap::viewport() const
{
    return { 0, m_top - 4, width() - (m_scroll->isVisibleTo(this) ? m_scroll->width() : 0), height() - m_top + 4 };
}

QRect DeviceMap::shownRect(std::int64_t square) const
{
    return m_map.rectOf(square).translated(0, -m_scroll->value());
}

std::optional<std::int64_t> DeviceMap::squareAt(QPoint point) const
{
    if (!m_mesh || !viewport().contains(point))
        return std::nullopt;
    return m_map.squareAt(point + QPoint(0, m_scroll->value()));
}

// Zoom.

bool DeviceMap::canZoomIn() const
{
    return m_mesh && !m_fitShowsNames && m_zoom != MapZoom::Names;
}

void DeviceMap::zoomIn(std::optional<std::int64_t> anchor)
{
    if (canZoomIn())
        setZoom(m_zoom == MapZoom::Fit && !m_fitShowsDevices ? MapZoom::Devices : MapZoom::Names, anchor);
}

void DeviceMap::zoomOut(std::optional<std::int64_t> anchor)
{
    if (canZoomOut())
        setZoom(m_zoom == MapZoom::Names && !m_fitShowsDevices ? MapZoom::Devices : MapZoom::Fit, anchor);
}

void DeviceMap::setZoom(MapZoom zoom, std::optional<std::int64_t> anchor)
{
    if (!anchor && m_current >= 0)
        anchor = m_current;
    else if (!anchor)
        anchor = m_map.positionOf(m_map.squareIn(m_map.lineAt(m_top + m_scroll->value()), 0).value_or(0));
    hover(std::nullopt); // its devices would stay lit everywhere
    m_zoom = zoom;
    arrange();
    const QRect square = m_map.tile(*anchor);
    m_scroll->setValue(square.center().y() - (m_top + height()) / 2);
    update();
}

std::optional<std::int64_t> DeviceMap::positionAt(QPoint point) const
{
    const auto square = squareAt(point);
    return square ? std::optional(m_map.positionOf(*square)) : std::nullopt;
}

void DeviceMap::ensureVisible(std::int64_t square)
{
    const QRect shown = shownRect(square);
    if (shown.top() < m_top)
        m_scroll->setValue(m_scroll->value() - (m_top - shown.top()));
    else if (shown.bottom() > height() - 5)
        m_scroll->setValue(m_scroll->value() + shown.bottom() - (height() - 5));
}

// What squares stand for.

std::vector<std::int32_t> DeviceMap::devicesOf(std::int64_t square) const
{
    const MeshBlock block = m_map.blockOf(square);
    std::vector<std::int32_t> devices;
    devices.reserve(static_cast<std::size_t>(block.deviceCount()));
    for (std::int64_t row = block.firstRow; row < block.endRow; ++row)
        for (std::int64_t column = block.firstColumn; column < block.endColumn; ++column)
            devices.push_back(m_mesh->deviceAt(row * m_map.columns() + column));
    return devices;
}

std::int64_t DeviceMap::shardOf(std::int64_t square) const
{
    if (!m_layout || m_layout->distinctShards() == 1)
        return 0;
    if (m_map.devicesPerSquare() == 1)
        return m_layout->shardAt(m_map.positionOf(square));
    if (m_shards.empty())
        m_shards.assign(static_cast<std::size_t>(m_map.squareCount()), -2);
    std::int64_t& known = m_shards[static_cast<std::size_t>(square)];
    if (known != -2)
        return known;
    const MeshBlock block = m_map.blockOf(square);
    known = m_layout->shardAt(m_map.positionOf(square));
    for (std::int64_t row = block.firstRow; row < block.endRow && known >= 0; ++row)
        for (std::int64_t column = block.firstColumn; column < block.endColumn && known >= 0; ++column)
            if (m_layout->shardAt(row * m_map.columns() + column) != known)
                known = -1;
    return known;
}

std::vector<std::int32_t> DeviceMap::holdersOf(std::int64_t square) const
{
    const std::int64_t shard = shardOf(square);
    return m_layout && shard >= 0 ? m_layout->holders(shard) : devicesOf(square);
}

QString DeviceMap::blockText(const MeshBlock& block) const
{
    const std::int64_t first = block.firstRow * m_map.columns() + block.firstColumn;
    const std::int64_t last = (block.endRow - 1) * m_map.columns() + block.endColumn - 1;
    QStringList parts;
    for (std::size_t axis = 0; axis < m_mesh->rank(); ++axis) {
        const std::int64_t low = m_mesh->coordinate(first, axis), high = m_mesh->coordinate(last, axis);
        parts << QString::fromStdString(m_mesh->axis(axis).name) + QLatin1Char(' ')
                + (low == high ? QString::number(low) : words::range(low, high + 1));
    }
    const std::int32_t host = hostOfBlock(*m_mesh, block, m_map.columns(), m_places);
    if (host >= 0)
        parts << tr("host %1").arg(host);
    return parts.join(QStringLiteral(", "));
}

QString DeviceMap::describe(std::int64_t square) const
{
    return tr("%1: %2", "devices: where").arg(words::devices(devicesOf(square)), blockText(m_map.blockOf(square)));
}

QString DeviceMap::caption() const
{
    if (!m_mesh)
        return {};
    if (m_hovered)
        return describe(*m_hovered);
    if (m_current >= 0 && hasFocus())
        return describe(m_map.squareOf(m_current));
    const std::int64_t devices = m_map.devicesPerSquare();
    if (devices == 1)
        return m_zoom == MapZoom::Fit ? tr("Zoom in to read names.") : QString();
    QStringList parts;
    std::int64_t rows = m_map.fold().squareRows.span;
    for (std::size_t axis = m_mesh->rank() < 2 ? 0 : m_mesh->rank() - 1; axis-- > 0;) {
        const std::int64_t size = m_mesh->size(axis), taken = std::min(size, rows);
        if (taken > 1)
            parts.prepend(QString::fromStdString(m_mesh->axis(axis).name) + QLatin1Char(' ') + words::count(taken));
        rows = std::max<std::int64_t>(rows / size, 1);
    }
    if (m_map.fold().squareColumns > 1)
        parts << QString::fromStdString(m_mesh->axes().back().name) + QLatin1Char(' ')
                + words::count(m_map.fold().squareColumns);
    if (parts.size() == 1)
        return tr("Each square is %1 devices along %2.")
            .arg(words::count(devices), parts.front().section(QLatin1Char(' '), 0, -2));
    return tr("Each square is %1 devices: %2.").arg(words::count(devices), parts.join(QStringLiteral(" × ")));
}

words::Text DeviceMap::lineName(std::int64_t line) const
{
    const MeshBlock block = m_map.blockOfLine(line);
    words::Text name;
    const auto add = [&](std::size_t axis, std::int64_t low, std::int64_t high) {
        name.push_back(
            { (name.empty() ? QString() : QStringLiteral(", ")) + QString::fromStdString(m_mesh->axis(axis).name)
                    + QLatin1Char(' ') + (low == high ? QString::number(low) : words::range(low, high + 1)),
                words::Span::Style::Axis, static_cast<int>(axis) });
    };
    const std::int64_t first = block.firstRow * m_map.columns(), last = (block.endRow - 1) * m_map.columns();
    for (std::size_t axis = 0; axis + 1 < m_mesh->rank(); ++axis) {
        const std::int64_t low = m_mesh->coordinate(first, axis), high = m_mesh->coordinate(last, axis);
        if (low == high) {
            if (m_mesh->size(axis) > 1)
                add(axis, low, high);
            continue;
        }
        // Of the axes that vary the first one has its range; those behind it go through all their values, as does that
        // one itself where an axis before it says which part of the mesh this is.
        if (name.empty() || high - low + 1 < m_mesh->size(axis))
            add(axis, low, high);
        break;
    }
    if (block.endColumn - block.firstColumn < m_map.columns())
        add(m_mesh->rank() - 1, block.firstColumn, block.endColumn - 1);
    if (name.empty() && m_mesh->rank() > 1)
        add(m_mesh->rank() - 2, 0, 0); // nothing but axes of size 1
    return name;
}

// Selection.

std::vector<bool> DeviceMap::marksOf(const std::vector<std::int32_t>& devices) const
{
    if (devices.empty() || !m_mesh)
        return {};
    std::vector<bool> marks(static_cast<std::size_t>(m_map.squareCount()));
    for (const std::int32_t id : devices) {
        if (id < 0 || id >= m_mesh->deviceCount())
            continue;
        const std::int64_t position = m_positions.empty() ? id : m_positions[static_cast<std::size_t>(id)];
        marks[static_cast<std::size_t>(m_map.squareOf(position))] = true;
    }
    return marks;
}

void DeviceMap::followSelection()
{
    m_selected = marksOf(m_selection->devices());
    m_lit = marksOf(m_selection->hoveredDevices());
    update();
}

void DeviceMap::hover(std::optional<std::int64_t> square)
{
    if (m_hovered == square)
        return;
    m_hovered = square;
    m_selection->setHoveredDevices(square ? holdersOf(*square) : std::vector<std::int32_t>{});
    Q_EMIT captionChanged();
}

void DeviceMap::select(std::int64_t square)
{
    m_current = m_map.positionOf(square);
    m_selection->setDevices(devicesOf(square));
}

} // namespace shardscope
