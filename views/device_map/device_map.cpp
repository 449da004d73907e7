// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/device_map/device_map.h"

#include <algorithm>
#include <set>
#include <utility>

#include "document/selection.h"
#include "views/theme/theme.h"
#include "words/device_list.h"

namespace shardscope {

DeviceMap::DeviceMap(Selection* selection, const QString& name, Room room, QWidget* parent)
    : Canvas(name, Zooms::ByLevels, parent)
    , m_selection(selection)
    , m_room(room)
    , m_across(new QScrollBar(Qt::Horizontal, this))
    , m_down(new QScrollBar(Qt::Vertical, this))
{
    m_across->setAccessibleName(tr("Scroll the map to the right"));
    m_down->setAccessibleName(tr("Scroll the map down"));
    for (QScrollBar* bar : { m_across, m_down }) {
        bar->setFocusPolicy(Qt::NoFocus);
        bar->hide();
        connect(bar, &QScrollBar::valueChanged, this, [this] {
            m_base = {};
            followPointer();
            update();
        });
    }
    connect(selection, &Selection::hoverChanged, this, &DeviceMap::followSelection);
    connect(selection, &Selection::changed, this, &DeviceMap::followSelection);
    followSelection();
}

void DeviceMap::setField(std::shared_ptr<const DeviceField> field, std::vector<std::int32_t> hosts)
{
    const bool same = m_field && field && *m_field == *field;
    if (!same)
        highlight(std::nullopt, HighlightSource::None); // its device would stay lit everywhere
    const bool sameHosts = same && hosts == m_hosts;
    m_field = std::move(field);
    m_hosts = std::move(hosts);
    m_base = {};
    if (!sameHosts)
        m_hostTile = m_field ? hostTile(*m_field, m_hosts) : MapTile();
    if (!same) {
        m_current = -1;
        m_focus = 0;
        m_level = 0;
        arrange();
    }
    update();
}

void DeviceMap::setEmptyText(const QString& text)
{
    m_emptyText = text;
    setAccessibleDescription(text);
    update();
}

void DeviceMap::setFills(DeviceFills fills)
{
    if (fills == m_fills)
        return;
    m_fills = std::move(fills);
    m_base = {};
    update();
}

void DeviceMap::setMesh(const MeshPtr& mesh, const DeviceSet& devices, std::optional<Layout> array)
{
    const bool same = m_field && mesh && m_field->mesh && (m_field->mesh == mesh || *m_field->mesh == *mesh);
    if (!same)
        highlight(std::nullopt, HighlightSource::None); // it means something as long as mesh and array belong together
    m_array = std::move(array);
    m_digits = m_array ? ShardDigits(*m_array) : ShardDigits();
    m_holding = [this](std::int32_t device) { return shardAt(device); };
    if (mesh) {
        // A mesh that does not fit the devices yet: there are hosts of that size for all of it.
        const std::int32_t perHost = std::max(1, devices.devicesPerHost);
        const auto hosts = static_cast<std::int32_t>((mesh->deviceCount() + perHost - 1) / perHost);
        m_places = std::make_shared<const DevicePlaces>(mesh->deviceCount() <= devices.count()
                ? devices
                : DeviceSet::ofHosts(devices.kind, devices.platform, hosts, perHost));
        setField(same ? m_field : std::make_shared<const DeviceField>(meshField(mesh, m_room == Room::Flat ? 2 : 1)),
            hostsOf(*m_places));
    } else {
        setField(nullptr, {});
    }
    showArray();
    if (m_highlightedCell)
        highlight(m_highlightedCell, m_highlightSource); // other devices hold the same of another array
    Q_EMIT currentChanged();
}

DeviceFills DeviceMap::fillsOfArray(const Theme& theme) const
{
    if (!m_array)
        return {};
    switch (m_selection->colouring()) {
    case ColourBy::Device:
        return fillsByDevice(theme, m_array->mesh());
    case ColourBy::Host:
        return m_places ? fillsByHost(theme, *m_places) : DeviceFills();
    case ColourBy::Coordinate:
    case ColourBy::Bytes:
    case ColourBy::Time:
        if (const ColouredGrades grades =
                gradesOf(m_selection->colouring(), theme, *m_array, 1, m_selection->meshAxis(), m_seconds);
            !grades.isEmpty())
            return fillsByGrade(grades);
        break;
    case ColourBy::Shard:
        break;
    }
    return fillsByShard(theme, *m_array);
}

void DeviceMap::setSeconds(std::vector<double> seconds)
{
    m_seconds = std::move(seconds);
    if (m_array && m_selection->colouring() == ColourBy::Time)
        showArray();
}

void DeviceMap::showArray()
{
    m_fillsTheme = &Theme::current();
    setFills(fillsOfArray(*m_fillsTheme));
    tableChanged(this);
    holdingChanged();
}

/// "shard 3".
QStringList DeviceMap::shardAt(std::int32_t device) const
{
    const std::int64_t cell = cellOf(device);
    if (!m_array || cell < 0)
        return {};
    return { m_array->distinctShards() == 1 ? tr("full", "copy of an array")
                                            : tr("shard %1").arg(m_array->shardAt(cell)) };
}

void DeviceMap::setRegions(std::vector<MapRegion> regions)
{
    if (regions == m_regions)
        return;
    m_regions = std::move(regions);
    m_base = {};
    update();
}

void DeviceMap::setPath(MapPath path)
{
    if (path == m_path)
        return;
    m_path = std::move(path);
    update();
}

QSize DeviceMap::sizeHint() const
{
    return m_room == Room::Flat ? QSize(Metrics::scaled(280), Metrics::scaled(96))
                                : QSize(Metrics::scaled(300), Metrics::scaled(240));
}

QSize DeviceMap::minimumSizeHint() const
{
    // About the same with the caption that a map has which can be zoomed.
    return { Metrics::scaled(120), Metrics::scaled(m_room == Room::Square ? 80 : m_levels.size() > 1 ? 76 : 96) };
}

void DeviceMap::recolour()
{
    m_base = {};
    if (m_array)
        showArray();
}

// Cells and devices.

std::int32_t DeviceMap::deviceAt(std::int64_t cell) const
{
    return m_field && cell >= 0 && cell < static_cast<std::int64_t>(m_field->devices.size())
        ? m_field->devices[static_cast<std::size_t>(cell)]
        : -1;
}

std::int64_t DeviceMap::cellOf(std::int32_t device) const
{
    return m_field && device >= 0 && static_cast<std::size_t>(device) < m_field->cells.size()
        ? m_field->cells[static_cast<std::size_t>(device)]
        : -1;
}

std::int32_t DeviceMap::hostOf(std::int32_t device) const
{
    return device >= 0 && static_cast<std::size_t>(device) < m_hosts.size() ? m_hosts[static_cast<std::size_t>(device)]
                                                                            : -1;
}

DeviceGroup DeviceMap::devicesAt(std::int64_t cell) const
{
    return m_field && cell >= 0 ? m_field->devicesOf(m_layout.blockOf(cell)) : DeviceGroup();
}

DeviceGroup DeviceMap::holdersAt(std::int64_t cell) const
{
    const auto block = m_array && cell >= 0 ? m_field->meshBlock(m_layout.blockOf(cell)) : std::nullopt;
    const std::int64_t shard = block ? m_digits.shardOf(*block) : -1;
    return shard >= 0 ? DeviceGroup::holders(*m_array, shard) : devicesAt(cell);
}

QString DeviceMap::sharedText(std::int64_t cell) const
{
    const DeviceGroup holders = m_array ? holdersAt(cell) : DeviceGroup();
    return holders.size() > devicesAt(cell).size()
        ? tr("same shard on %1", "d1, d5; or: 16 devices: d1, d5, …, d61").arg(words::devices(holders))
        : QString();
}

QRgb DeviceMap::fillOf(std::int32_t device) const
{
    return device >= 0 && static_cast<std::size_t>(device) < m_fills.colours.size()
        ? m_fills.colours[static_cast<std::size_t>(device)]
        : device < 0 ? palette().color(backgroundRole()).rgb()
                     : Theme::current().alternateRow.rgb();
}

int DeviceMap::markOf(std::int32_t device) const
{
    return device >= 0 && static_cast<std::size_t>(device) < m_fills.marks.size()
        ? m_fills.marks[static_cast<std::size_t>(device)]
        : 0;
}

std::vector<QRgb> DeviceMap::coloursIn(const MapBlock& block, std::size_t most) const
{
    std::vector<QRgb> found;
    constexpr std::int64_t maxExamined = 1021;
    const std::int64_t columns = block.endColumn - block.firstColumn, count = block.count();
    const std::int64_t step = std::max<std::int64_t>(1, count / maxExamined);
    const MapShape& shape = m_layout.shape();
    for (std::int64_t i = 0; i < count && found.size() <= most; i += step) {
        const std::int32_t device =
            deviceAt(shape.cell(block.plane, block.firstRow + i / columns, block.firstColumn + i % columns));
        if (const QRgb fill = fillOf(device); device >= 0 && std::find(found.begin(), found.end(), fill) == found.end())
            found.push_back(fill);
    }
    return found;
}

bool DeviceMap::isSmall() const
{
    constexpr std::size_t maxCells = 4096;
    return m_layout.side() < 4 || m_layout.cellsPerTile() > 1
        || (m_level == 0 && m_field && m_field->devices.size() > maxCells);
}

bool DeviceMap::hasNames() const
{
    if (!m_field || isSmall())
        return false;
    // All have their names, or none has: the largest id tells.
    const QFontMetrics metrics(Metrics::small());
    const int widest = metrics.horizontalAdvance(QString::number(std::max<std::size_t>(m_field->cells.size(), 1) - 1));
    const int gap = m_layout.side() >= 14 ? 3 : m_layout.side() >= 6 ? 1 : 0;
    return m_layout.side() - gap >= metrics.ascent() + 3 && m_layout.tileWidth() - gap >= widest + 4;
}

bool DeviceMap::hasHoldings() const
{
    if (!m_holding || !hasNames())
        return false;
    const QSize needed = m_levels[m_level] == MapZoom::Holdings ? QSize() : tileSize(MapZoom::Holdings);
    return m_layout.tileWidth() >= needed.width() && m_layout.side() >= needed.height();
}

int DeviceMap::gapAfter(std::int64_t cell) const
{
    const MapShape& shape = m_layout.shape();
    if (m_layout.side() < 6)
        return 0;
    const bool touching = shape.together > 1 && (cell % shape.columns + 1) % shape.together != 0;
    return touching ? 0 : m_layout.side() >= 14 ? 3 : 1;
}

QRect DeviceMap::cellRect(std::int64_t cell) const
{
    const QRect full = m_layout.rectOf(cell);
    const int below = m_layout.side() >= 14 ? 3 : m_layout.side() >= 6 ? 1 : 0;
    return full.adjusted(0, 0, -gapAfter(cell), -below);
}

std::optional<std::int32_t> DeviceMap::currentDevice() const
{
    const std::int64_t cell = m_highlightedCell ? *m_highlightedCell : hasFocus() ? m_current : -1;
    const std::int32_t device = deviceAt(cell);
    return device < 0 ? std::nullopt : std::optional(device);
}

QString DeviceMap::currentText() const
{
    return currentDevice() ? textAt(m_highlightedCell ? *m_highlightedCell : m_current) : QString();
}

QString DeviceMap::textAt(std::int64_t cell) const
{
    const DeviceGroup devices = devicesAt(cell);
    if (devices.size() < 2)
        return devices.empty() ? QString() : describe(devices.deviceAt(0));
    const QString where = m_field->place(m_layout.blockOf(cell));
    const QString count = words::counted(static_cast<qint64>(devices.size()), words::Noun::Device);
    const std::set<std::int32_t> hosts = [&] {
        std::set<std::int32_t> found;
        for (std::int64_t i = 0; i < devices.size(); ++i)
            found.insert(hostOf(devices.deviceAt(i)));
        return found;
    }();
    return hosts.size() == 1 && *hosts.begin() >= 0
        ? tr("host %1, %2: %3", "host 37, 4 devices: where").arg(QString::number(*hosts.begin()), count, where)
        : tr("%1 of %2: %3", "64 devices of 16 hosts: where")
              .arg(count, words::counted(static_cast<qint64>(hosts.size()), words::Noun::Host), where);
}

QString DeviceMap::describe(std::int32_t device) const
{
    if (m_describe)
        return m_describe(device);
    QStringList where{ m_field->place(m_field->blockOf(cellOf(device))) };
    if (const std::int32_t host = hostOf(device); host >= 0)
        where << tr("host %1").arg(host);
    where.removeAll(QString());
    return tr("d%1: %2").arg(device).arg(where.join(QStringLiteral(", ")));
}

// As a table: one row per cell.

QString DeviceMap::tableText(int row, int column) const
{
    const std::int32_t device = deviceAt(row);
    if (device < 0)
        return column == 0 ? tr("no device") : QString();
    if (column == 0)
        return describe(device);
    const auto block = m_field->meshBlock(m_field->blockOf(row));
    const DeviceGroup holders = block ? DeviceGroup::holders(*m_array, m_digits.shardOf(*block)) : DeviceGroup();
    return holders.size() > 1 ? words::devices(holders) : tr("no other device");
}

QRect DeviceMap::tableRect(int row) const
{
    return m_layout.side() == 0 ? QRect() : shownRect(row).intersected(viewport());
}

int DeviceMap::tableRowAt(QPoint point) const
{
    const auto cell = cellAt(point);
    return cell ? static_cast<int>(*cell) : -1;
}

void DeviceMap::tableActivate(int row)
{
    if (const std::int32_t device = deviceAt(row); device >= 0) {
        m_current = row;
        m_selection->setDevices({ device });
    }
}

} // namespace shardscope
