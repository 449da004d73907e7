// SPDX-License-Identifier: GPL-3.0-or-later
// How a map of devices is zoomed and scrolled: from all of them in tiles to hosts, to devices with their names, to what
// these hold.
// A part of DeviceMap, which is declared in device_map.h.
#include <QScrollBar>
#include <algorithm>

#include "views/device_map/device_map.h"
#include "views/theme/theme.h"
#include "views/widgets/span_line.h"
#include "words/words.h"

namespace shardscope {

MapSizes DeviceMap::sizes() const
{
    const QFontMetrics small(Metrics::small());
    const int most = static_cast<int>(std::max<std::size_t>(m_field->cells.size(), 1) - 1);
    MapSizes sizes;
    sizes.largest = Metrics::scaled(38);
    sizes.smallest = Metrics::scaled(3);
    sizes.tile = Metrics::scaled(14);
    sizes.title = small.height() + 2;
    sizes.gap = Metrics::scaled(12);
    sizes.titleWidth = small.horizontalAdvance(QStringLiteral("z 00"));
    sizes.named = { small.horizontalAdvance(QString::number(most)) + 7, small.ascent() + 6 };
    sizes.widest = 1.6;
    sizes.heads = headRoom();
    if (m_room == Room::Flat) {
        sizes.largest = Metrics::scaled(30);
        sizes.tile = Metrics::scaled(10);
        sizes.widest = 16;
        sizes.foldsTiles = true;
    }
    return sizes;
}

void DeviceMap::arrange()
{
    m_fit = {};
    if (m_field) {
        const int margin = Metrics::scaled(8);
        QRect area = rect().adjusted(margin, margin / 2, -margin, -margin);
        MapSizes wanted = sizes();
        m_fit = DeviceMapLayout(m_field->shape, area, wanted);
        if (hasHeading()) { // instead of the names of rows and columns
            area.setTop(area.top() + wanted.title);
            wanted.heads = {};
            m_fit = DeviceMapLayout(m_field->shape, area, wanted);
        }
    }
    findLevels();
    zoomLayout();
    followPointer();
    if (m_highlightSource == HighlightSource::Keys)
        highlight(m_highlightedCell, HighlightSource::Keys); // its tile has other devices now
}

bool DeviceMap::hasHeading() const
{
    return m_room == Room::Flat && m_fit.side() > 0 && !m_fit.hasHeads() && m_fit.shape().count() > 1;
}

/// Levels that show more than the one before; a map that was zoomed stays so.
void DeviceMap::findLevels()
{
    const MapZoom now = m_levels[std::min(m_level, m_levels.size() - 1)];
    const QSize smallest = minimumSizeHint();
    m_levels = { MapZoom::Fit };
    m_level = 0;
    m_layout = m_fit;
    if (!m_field)
        return;
    if (m_fit.side() == 0 || m_fit.cellsPerTile() > m_hostTile.cells()) {
        if (m_hostTile.cells() > 1)
            m_levels.push_back(MapZoom::Hosts);
    }
    if (!hasNames())
        m_levels.push_back(MapZoom::Devices);
    if (m_room == Room::Square || !hasNames())
        m_levels.push_back(MapZoom::Holdings);
    const auto found = std::find(m_levels.begin(), m_levels.end(), now);
    m_level = found == m_levels.end() ? 0 : static_cast<std::size_t>(found - m_levels.begin());
    if (minimumSizeHint() != smallest)
        updateGeometry();
}

QSize DeviceMap::headRoom() const
{
    if (!m_field)
        return {};
    const QFontMetrics small(Metrics::small());
    const std::int64_t rows = m_field->shape.rows;
    int names = small.horizontalAdvance(m_field->columns.name);
    if (m_field->mesh && m_room == Room::Flat)
        names = std::max(names, small.horizontalAdvance(tr("host %1").arg(99)));
    for (const std::int64_t many : { std::int64_t{ 1 }, std::max<std::int64_t>(rows / 16, 1) })
        for (const std::int64_t first : { std::int64_t{ 0 }, rows / 2, rows - many })
            names = std::max(names, spansWidth(m_field->rowName(first, first + many), Metrics::small()));
    return { std::min(names, width() * 2 / 5) + Metrics::scaled(6), small.height() + 2 };
}

QSize DeviceMap::tileSize(MapZoom zoom) const
{
    const QFontMetrics small(Metrics::small());
    const auto most = static_cast<std::int32_t>(std::max<std::size_t>(m_field->cells.size(), 1) - 1);
    const int name = small.horizontalAdvance(QString::number(most)) + Metrics::scaled(12);
    if (zoom == MapZoom::Hosts)
        return { std::max(small.horizontalAdvance(tr("host %1").arg(hostOf(most))) + Metrics::scaled(12),
                     Metrics::scaled(28)),
            std::max(small.height() + Metrics::scaled(10), Metrics::scaled(28)) };
    if (zoom == MapZoom::Devices || !m_holding)
        return { std::max(name, Metrics::scaled(26)), std::max(small.height() + 6, Metrics::scaled(22)) };
    // As much as the first and the last device have to say.
    QSize size(name, small.height());
    for (const std::int32_t device : { std::int32_t{ 0 }, most }) {
        const QStringList lines = m_holding(device);
        for (const QString& line : lines)
            size.setWidth(std::max(size.width(), small.horizontalAdvance(line) + Metrics::scaled(12)));
        size.setHeight(std::max(size.height(), static_cast<int>(lines.size() + 1) * small.height()));
    }
    return size + QSize(Metrics::scaled(4), Metrics::scaled(8));
}

QRect DeviceMap::viewport() const
{
    if (m_level == 0)
        return rect();
    const int margin = Metrics::scaled(8), bar = m_down->sizeHint().width();
    const QSize heads = m_layout.hasHeads() ? headRoom() : QSize(0, 0);
    return rect().adjusted(margin + heads.width(), margin / 2 + heads.height(), -bar - 2, -bar - 2);
}

/// The layout of the level, and the bars beside it.
void DeviceMap::zoomLayout()
{
    m_layout = m_fit;
    if (m_level > 0) {
        const QFontMetrics small(Metrics::small());
        const MapZoom zoom = m_levels[m_level];
        const bool titles = m_fit.panels().size() > 1;
        // Heads stay in sight when the map is scrolled; parts of planes would need others each.
        m_layout = m_fit.zoomed(zoom == MapZoom::Hosts ? m_hostTile : MapTile(), tileSize(zoom),
            titles ? small.height() + 2 : 0, Metrics::scaled(12), {}, !m_fit.splitsPlanes());
        const QRect view = viewport();
        m_layout = m_fit.zoomed(zoom == MapZoom::Hosts ? m_hostTile : MapTile(), tileSize(zoom),
            titles ? small.height() + 2 : 0, Metrics::scaled(12), view.topLeft(), !m_fit.splitsPlanes());
        const QSize all = m_layout.bounds().size();
        m_across->setRange(0, std::max(all.width() - view.width(), 0));
        m_down->setRange(0, std::max(all.height() - view.height(), 0));
        m_across->setPageStep(std::max(view.width(), 1));
        m_down->setPageStep(std::max(view.height(), 1));
        m_across->setSingleStep(std::max(m_layout.tileWidth(), 1));
        m_down->setSingleStep(std::max(m_layout.side(), 1));
        const int bar = m_down->sizeHint().width();
        m_across->setGeometry(view.left(), height() - bar, view.width(), bar);
        m_down->setGeometry(width() - bar, view.top(), bar, view.height());
    } else {
        m_across->setRange(0, 0);
        m_down->setRange(0, 0);
    }
    m_across->setVisible(m_across->maximum() > 0);
    m_down->setVisible(m_down->maximum() > 0);
    m_base = {};
    tableChanged(this);
    Q_EMIT zoomChanged();
    update();
}

void DeviceMap::scrollTo(QPoint offset)
{
    m_across->setValue(offset.x());
    m_down->setValue(offset.y());
}

void DeviceMap::ensureVisible(std::int64_t cell)
{
    if (m_level == 0)
        return;
    const QRect view = viewport(), shown = shownRect(cell);
    const auto by = [](int begin, int end, int from, int to) {
        return begin < from ? begin - from : end > to ? end - to : 0;
    };
    const int title = m_layout.hasTitles() ? m_layout.titleRect(m_layout.panels().front()).height() : 0;
    scrollTo(offset()
        + QPoint(by(shown.left(), shown.right(), view.left(), view.right()),
            by(shown.top(), shown.bottom(), view.top() + title, view.bottom())));
}

std::optional<std::int64_t> DeviceMap::cellAt(QPoint point) const
{
    if (!m_field || !viewport().contains(point))
        return std::nullopt;
    return m_layout.cellAt(point + offset());
}

void DeviceMap::setLevel(std::size_t level, std::optional<std::int64_t> anchor)
{
    if (!m_field || level >= m_levels.size() || m_layout.side() == 0)
        return;
    if (!anchor && m_current >= 0)
        anchor = m_current;
    if (!anchor && m_level > 0)
        anchor = cellAt(viewport().center()).value_or(m_focus);
    m_focus = anchor.value_or(m_focus);
    // It stays where it is seen.
    const QPoint before = m_layout.rectOf(m_focus).center() - offset();
    m_level = level;
    zoomLayout();
    const QRect view = viewport();
    const QPoint wanted = m_level == 0 || !view.contains(before) ? view.center() : before;
    scrollTo(m_layout.rectOf(m_focus).center() - wanted);
    ensureVisible(m_focus);
    followPointer();
}

void DeviceMap::zoomIn(std::optional<std::int64_t> anchor)
{
    if (canZoomIn())
        setLevel(m_level + 1, anchor);
}

void DeviceMap::zoomOut(std::optional<std::int64_t> anchor)
{
    if (canZoomOut())
        setLevel(m_level - 1, anchor);
}

void DeviceMap::zoomTo(int place)
{
    if (place >= 0 && static_cast<std::size_t>(place) <= m_level)
        setLevel(static_cast<std::size_t>(place), m_focus);
}

QStringList DeviceMap::trail() const
{
    const std::int32_t device = deviceAt(m_focus);
    if (!m_field || m_level == 0 || device < 0)
        return {};
    QStringList places{ words::counted(static_cast<qint64>(std::count_if(m_field->devices.begin(),
                                           m_field->devices.end(), [](std::int32_t id) { return id >= 0; })),
        words::Noun::Device) };
    for (std::size_t level = 1; level <= m_level; ++level)
        switch (m_levels[level]) {
        case MapZoom::Fit:
            break;
        case MapZoom::Hosts:
            places << tr("host %1").arg(hostOf(device));
            break;
        case MapZoom::Devices:
            places << QStringLiteral("d%1").arg(device);
            break;
        case MapZoom::Holdings:
            places << (m_array ? shardAt(device).front() : tr("what d%1 holds").arg(device));
            break;
        }
    return places;
}

QString DeviceMap::tileText() const
{
    const std::int64_t cells = m_layout.cellsPerTile();
    if (!m_field || cells == 1)
        return {};
    const QString devices = words::counted(cells, words::Noun::Device);
    const QString tile = m_layout.tile() == m_hostTile
        ? tr("Each tile is 1 host, %1", "4 devices").arg(devices)
        : tr("Each tile is %1: %2", "64 devices: x 8 × y 8").arg(devices, m_field->extent(m_layout.tile()));
    const std::size_t colours = coloursIn(m_layout.blockOf(0), maxBands).size();
    return colours > maxBands ? tr("%1, hatched: they have more colours than it has room for.").arg(tile)
        : colours > 1         ? tr("%1, in bands of their %2 colours.").arg(tile).arg(colours)
                              : tr("%1.", "Each tile is 1 host").arg(tile);
}

void DeviceMap::setHolding(std::function<QStringList(std::int32_t)> holding)
{
    m_holding = std::move(holding);
    holdingChanged();
}

void DeviceMap::holdingChanged()
{
    if (m_levels[m_level] == MapZoom::Holdings)
        zoomLayout();
}

void DeviceMap::zoomAt(int steps, QPoint at)
{
    if (steps > 0)
        zoomIn(cellAt(at));
    else
        zoomOut(cellAt(at));
}

bool DeviceMap::scrollBy(QPoint turned, Qt::KeyboardModifiers keys)
{
    if (m_level == 0)
        return false;
    const QPoint by = keys & Qt::ShiftModifier ? QPoint(turned.y(), turned.x()) : turned;
    constexpr int notch = 120;
    scrollTo(offset() - QPoint(by.x() * m_across->singleStep() * 2 / notch, by.y() * m_down->singleStep() * 2 / notch));
    return true;
}

} // namespace shardscope
