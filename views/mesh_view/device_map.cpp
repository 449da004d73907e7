// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mesh_view/device_map.h"

#include <QEvent>
#include <QScrollBar>
#include <algorithm>
#include <utility>

#include "document/selection.h"
#include "views/theme/theme.h"
#include "views/widgets/span_line.h"
#include "words/device_list.h"

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
    grabGesture(Qt::PinchGesture);
    connect(m_scroll, &QScrollBar::valueChanged, this, [this] {
        followPointer();
        forgetPicture();
    });
    connect(selection, &Selection::hoverChanged, this, &DeviceMap::followSelection);
    connect(selection, &Selection::changed, this, &DeviceMap::followSelection);
}

void DeviceMap::setMesh(MeshPtr mesh, const DeviceSet& devices, std::optional<Layout> layout)
{
    // A mesh that does not fit the devices yet: there are hosts of that size for all of it.
    const bool fits = !mesh || mesh->deviceCount() <= devices.count();
    const std::int32_t perHost = std::max(1, devices.devicesPerHost);
    const DeviceSet enough = fits
        ? DeviceSet()
        : DeviceSet::ofHosts(devices.kind, devices.platform,
            static_cast<std::int32_t>((mesh->deviceCount() + perHost - 1) / perHost), perHost);
    const DeviceSet& shown = fits ? devices : enough;
    const bool sameDevices = m_places->set() == shown;
    const bool same = m_mesh && mesh && (m_mesh == mesh || *m_mesh == *mesh) && sameDevices;
    if (!same) {
        // Squares mean something as long as mesh and map belong together: what is lit goes before either changes.
        m_scroll->setValue(0);
        light(std::nullopt, LitBy::Nobody);
        m_positions = mesh ? DevicePositions(*mesh) : DevicePositions();
        if (mesh && m_current >= mesh->deviceCount())
            m_current = -1;
        m_focus = 0;
    }
    m_mesh = std::move(mesh);
    if (!sameDevices)
        m_places = std::make_shared<const DevicePlaces>(shown);
    m_layout = std::move(layout);
    m_digits = m_layout ? ShardDigits(*m_layout) : ShardDigits();
    forgetPicture();
    if (same) {
        if (m_litSquare)
            light(m_litSquare, m_litBy); // other devices hold the same of another tensor
        tableChanged(this);
        Q_EMIT captionChanged();
        update();
        return;
    }
    m_zoom = MapZoom::Fit;
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
    if (!m_mesh) { // nothing is left of the map of another one
        m_map = DeviceMapLayout();
        m_hosts = MapHosts();
        m_levels = { MapZoom::Fit };
        m_current = -1;
        tableChanged(this);
        Q_EMIT captionChanged();
        return;
    }
    const std::int64_t lit = m_litSquare ? m_map.positionOf(*m_litSquare) : -1;
    const LitBy litBy = std::exchange(m_litBy, LitBy::Nobody);
    m_litSquare.reset(); // of the map as it was
    const QFontMetrics small(Metrics::small());
    MapSizes sizes;
    sizes.tile = Metrics::scaled(26);
    sizes.name = nameSize(*m_mesh);
    sizes.named =
        QSize(std::max(Metrics::scaled(48), small.horizontalAdvance(shardText(m_mesh->deviceCount() - 1)) + 8),
            std::max(Metrics::scaled(28), 2 * small.height() + 4));
    sizes.smallestDevice = Metrics::scaled(3);
    sizes.smallestHost = Metrics::scaled(4);
    sizes.smallestBlock = Metrics::scaled(10);
    sizes.devicesPerHost =
        m_mesh->deviceOrder().empty() && m_places->hostsAreRuns() ? m_places->set().devicesPerHost : 0;
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
    if (m_zoom == MapZoom::Fit)
        findLevels(sizes);
    m_scroll->setVisible(bar > 0);
    m_scroll->setGeometry(width() - bar, m_top, bar, height() - m_top);
    m_scroll->setRange(0, std::max(m_map.area().bottom() + 6 - height(), 0));
    m_scroll->setPageStep(std::max(height() - m_top, 1));
    m_scroll->setSingleStep(std::max(m_map.unit().height() + m_map.lineGap(), 1));
    m_hosts = MapHosts(m_map, m_mesh, m_places);
    forgetPicture();
    if (lit >= 0)
        light(litBy == LitBy::Pointer && m_pointer ? squareAt(*m_pointer) : m_map.squareOf(lit), litBy);
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
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange)
        forgetPicture();
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

void DeviceMap::findLevels(const MapSizes& sizes)
{
    const bool devices = m_map.devicesPerSquare() == 1;
    m_fitShowsNames = devices && namesFit();
    m_levels = { MapZoom::Fit };
    if (m_fitShowsNames)
        return;
    if (!devices && !m_map.showsHosts()
        && DeviceMapLayout(*m_mesh, QRect(0, 0, 400, 400), sizes, MapZoom::Hosts).showsHosts())
        m_levels.push_back(MapZoom::Hosts);
    if (!devices || std::min(m_map.unit().width(), m_map.unit().height()) < 8)
        m_levels.push_back(MapZoom::Devices);
    m_levels.push_back(MapZoom::Names);
}

std::size_t DeviceMap::level() const
{
    const auto found = std::find(m_levels.begin(), m_levels.end(), m_zoom);
    return found == m_levels.end() ? 0 : static_cast<std::size_t>(found - m_levels.begin());
}

bool DeviceMap::canZoomIn() const
{
    return m_mesh && level() + 1 < m_levels.size();
}

void DeviceMap::zoomIn(std::optional<std::int64_t> anchor)
{
    if (canZoomIn())
        setZoom(m_levels[level() + 1], anchor);
}

void DeviceMap::zoomOut(std::optional<std::int64_t> anchor)
{
    if (canZoomOut())
        setZoom(level() == 0 ? MapZoom::Fit : m_levels[level() - 1], anchor);
}

void DeviceMap::zoomTo(int place)
{
    if (m_mesh && place >= 0 && place <= static_cast<int>(level()))
        setZoom(m_levels[static_cast<std::size_t>(place)], m_focus);
}

QStringList DeviceMap::trail() const
{
    if (!m_mesh || m_zoom == MapZoom::Fit)
        return {};
    const std::int32_t device = m_mesh->deviceAt(m_focus);
    QStringList places{ words::counted(m_mesh->deviceCount(), words::Noun::Device) };
    for (std::size_t i = 1; i <= level(); ++i)
        switch (m_levels[i]) {
        case MapZoom::Fit:
            break;
        case MapZoom::Hosts:
            places << tr("host %1").arg(m_places->host(device));
            break;
        case MapZoom::Devices:
            places << words::deviceNames({ device });
            break;
        case MapZoom::Names:
            places << (m_layout ? shardText(m_layout->shardAt(m_focus)) : tr("names"));
            break;
        }
    return places;
}

QString DeviceMap::shardText(std::int64_t shard)
{
    return tr("shard %1").arg(shard);
}

void DeviceMap::forgetPicture()
{
    m_picture = QPixmap();
    update();
}

void DeviceMap::setZoom(MapZoom zoom, std::optional<std::int64_t> anchor)
{
    if (!anchor && m_current >= 0)
        anchor = m_current;
    else if (!anchor)
        anchor = m_map.positionOf(m_map.squareIn(m_map.lineAt(m_top + m_scroll->value()), 0).value_or(0));
    m_focus = *anchor;
    m_zoom = zoom;
    arrange();
    const QRect square = m_map.tile(*anchor);
    m_scroll->setValue(square.center().y() - (m_top + height()) / 2);
    followPointer();
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

DeviceGroup DeviceMap::devicesOf(std::int64_t square) const
{
    return DeviceGroup::block(m_mesh, m_map.blockOf(square));
}

std::int64_t DeviceMap::shardOf(std::int64_t square) const
{
    return m_layout ? m_digits.shardOf(m_map.blockOf(square)) : 0;
}

DeviceGroup DeviceMap::holdersOf(std::int64_t square) const
{
    const std::int64_t shard = shardOf(square);
    return m_layout && shard >= 0 ? DeviceGroup::holders(*m_layout, shard) : devicesOf(square);
}

QString DeviceMap::sharedText(std::int64_t square) const
{
    const DeviceGroup holders = m_layout ? holdersOf(square) : DeviceGroup();
    return holders.size() > m_map.blockOf(square).deviceCount()
        ? tr("same shard on %1", "d1, d5; or: 16 devices: d1, d5, …, d61").arg(words::devices(holders))
        : QString();
}

QString DeviceMap::placeText(std::int64_t square) const
{
    const MeshBlock block = m_map.blockOf(square);
    const std::int64_t first = block.firstRow * m_map.columns() + block.firstColumn;
    const std::int64_t last = (block.endRow - 1) * m_map.columns() + block.endColumn - 1;
    QStringList parts;
    for (std::size_t axis = 0; axis < m_mesh->rank(); ++axis) {
        const std::int64_t low = m_mesh->coordinate(first, axis), high = m_mesh->coordinate(last, axis);
        parts << QString::fromStdString(m_mesh->axis(axis).name) + QLatin1Char(' ')
                + (low == high ? QString::number(low) : words::range(low, high + 1));
    }
    if (const std::int32_t host = m_hosts.ofSquare(m_map, square); host >= 0)
        parts << tr("host %1").arg(host);
    return parts.join(QStringLiteral(", "));
}

QString DeviceMap::describe(std::int64_t square) const
{
    return tr("%1: %2", "devices: where").arg(words::deviceNames(devicesOf(square)), placeText(square));
}

QString DeviceMap::caption() const
{
    if (!m_mesh)
        return {};
    if (m_litSquare)
        return describe(*m_litSquare);
    if (m_current >= 0 && hasFocus())
        return describe(m_map.squareOf(m_current));
    const QString count = m_layout ? words::shardCount(*m_layout) + QStringLiteral(". ") : QString();
    const std::int64_t devices = m_map.devicesPerSquare();
    if (devices == 1)
        return m_zoom == MapZoom::Fit && canZoomIn() ? count + tr("Zoom in to read names.") : count.trimmed();
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
    const QString square = m_map.showsHosts() ? tr("Each square is 1 host, %1 devices").arg(words::count(devices))
                                              : tr("Each square is %1 devices").arg(words::count(devices));
    const QString where = parts.size() == 1
        ? tr("%1 along %2.", "Each square is 8 devices along model.")
              .arg(square, parts.front().section(QLatin1Char(' '), 0, -2))
        : tr("%1: %2.", "Each square is 8 devices: data 2 × model 4.").arg(square, parts.join(QStringLiteral(" × ")));
    return where + QLatin1Char(' ') + count.trimmed();
}

words::Text DeviceMap::groupName(std::int64_t group) const
{
    const MeshBlock line = m_map.blockOfLine(0);
    const std::int64_t span = m_map.fold().squareRows.span;
    const std::int64_t first = line.firstRow + group * span, last = std::min(first + span, line.endRow) - 1;
    words::Text name;
    if (first > last)
        return name;
    for (std::size_t axis = 0; axis + 1 < m_mesh->rank(); ++axis) {
        const auto at = [&](std::int64_t row) { return m_mesh->coordinate(row * m_map.columns(), axis); };
        std::int64_t least = at(line.firstRow), most = least;
        for (std::int64_t row = line.firstRow; row < line.endRow; row += span) {
            least = std::min(least, at(row));
            most = std::max({ most, at(row), at(std::min(row + span, line.endRow) - 1) });
        }
        if (least == most)
            continue;
        // A line with all there are of an axis has the same ones as every other line.
        const bool absolute = m_map.lineCount() == 1 || most - least + 1 == m_mesh->size(axis);
        const std::int64_t low = at(first), high = at(last);
        name.push_back(
            { (name.empty() ? QString() : QStringLiteral(", ")) + QString::fromStdString(m_mesh->axis(axis).name)
                    + (absolute ? QStringLiteral(" ") : QStringLiteral(" +"))
                    + (low == high ? QString::number(low) : words::range(low, high + 1)),
                words::Span::Style::Axis, static_cast<int>(axis) });
    }
    return name;
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
        // Of the axes that vary the first one has its range; those after it go through all their values, as does that
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

DeviceMap::Marks DeviceMap::marksOf(const DeviceGroup& devices) const
{
    if (devices.empty() || !m_mesh)
        return {};
    if (devices.mesh() && (devices.mesh() == m_mesh.get() || *devices.mesh() == *m_mesh))
        return { devices, {} };
    Marks marks;
    marks.squares.resize(static_cast<std::size_t>(m_map.squareCount()));
    for (const std::int32_t id : devices.ids())
        if (const auto position = m_positions.of(id))
            marks.squares[static_cast<std::size_t>(m_map.squareOf(*position))] = true;
    return marks;
}

bool DeviceMap::isMarked(const Marks& marks, std::int64_t square) const
{
    if (marks.group.mesh())
        return marks.group.countIn(m_map.blockOf(square)) > 0;
    return !marks.squares.empty() && marks.squares[static_cast<std::size_t>(square)];
}

void DeviceMap::followSelection()
{
    m_selected = marksOf(m_selection->deviceGroup());
    m_lit = marksOf(m_selection->hoveredGroup());
    update();
}

void DeviceMap::light(std::optional<std::int64_t> square, LitBy by)
{
    if (!square && !m_litSquare) {
        m_litBy = LitBy::Nobody;
        return;
    }
    const bool other = m_litSquare != square;
    m_litSquare = square;
    m_litBy = square ? by : LitBy::Nobody;
    m_selection->setHoveredDevices(square ? holdersOf(*square) : DeviceGroup());
    if (other)
        Q_EMIT captionChanged();
}

void DeviceMap::followPointer()
{
    if (m_litBy == LitBy::Pointer && m_pointer)
        light(squareAt(*m_pointer), LitBy::Pointer);
}

void DeviceMap::select(std::int64_t square)
{
    m_current = m_map.positionOf(square);
    m_selection->setDevices(devicesOf(square));
}

} // namespace shardscope
