// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology_view/field_map.h"

#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <set>
#include <utility>

#include "document/selection.h"
#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"

namespace shardscope {

FieldMap::FieldMap(Selection* selection, const QString& name, QWidget* parent)
    : QWidget(parent)
    , m_selection(selection)
    , m_across(new QScrollBar(Qt::Horizontal, this))
    , m_down(new QScrollBar(Qt::Vertical, this))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(name);
    grabGesture(Qt::PinchGesture);
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
    connect(selection, &Selection::hoverChanged, this, &FieldMap::followSelection);
    connect(selection, &Selection::changed, this, &FieldMap::followSelection);
    followSelection();
}

void FieldMap::setField(std::shared_ptr<const DeviceField> field, std::vector<std::int32_t> hosts)
{
    const bool same = m_field && field && *m_field == *field;
    if (!same)
        hover(std::nullopt); // its device would stay lit everywhere
    const bool sameHosts = same && hosts == m_hosts;
    m_field = std::move(field);
    m_hosts = std::move(hosts);
    m_base = {};
    if (!sameHosts)
        m_hostTile = m_field ? hostTile(*m_field, m_hosts) : FieldTile();
    if (!same) {
        m_current = -1;
        m_focus = 0;
        m_level = 0;
        arrange();
    }
    update();
}

void FieldMap::setEmptyText(const QString& text)
{
    m_emptyText = text;
    setAccessibleDescription(text);
    update();
}

void FieldMap::setFills(std::vector<QRgb> fills, std::vector<std::uint8_t> marks)
{
    if (fills == m_fills && marks == m_marked)
        return;
    m_fills = std::move(fills);
    m_marked = std::move(marks);
    m_base = {};
    update();
}

void FieldMap::setRegions(std::vector<FieldRegion> regions)
{
    if (regions == m_regions)
        return;
    m_regions = std::move(regions);
    m_base = {};
    update();
}

void FieldMap::setPath(FieldPath path)
{
    if (path == m_path)
        return;
    m_path = std::move(path);
    update();
}

QSize FieldMap::sizeHint() const
{
    return { Metrics::scaled(300), Metrics::scaled(240) };
}

QSize FieldMap::minimumSizeHint() const
{
    return { Metrics::scaled(120), Metrics::scaled(80) };
}

void FieldMap::resizeEvent(QResizeEvent*)
{
    arrange();
}

void FieldMap::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange)
        arrange();
    else if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationPaletteChange)
        m_base = {};
    QWidget::changeEvent(event);
}

// Cells and devices.

std::int32_t FieldMap::deviceAt(std::int64_t cell) const
{
    return m_field && cell >= 0 && cell < static_cast<std::int64_t>(m_field->devices.size())
        ? m_field->devices[static_cast<std::size_t>(cell)]
        : -1;
}

std::int64_t FieldMap::cellOf(std::int32_t device) const
{
    return m_field && device >= 0 && static_cast<std::size_t>(device) < m_field->cells.size()
        ? m_field->cells[static_cast<std::size_t>(device)]
        : -1;
}

std::int32_t FieldMap::hostOf(std::int32_t device) const
{
    return device >= 0 && static_cast<std::size_t>(device) < m_hosts.size() ? m_hosts[static_cast<std::size_t>(device)]
                                                                            : -1;
}

std::vector<std::int32_t> FieldMap::devicesAt(std::int64_t cell) const
{
    return m_field && cell >= 0 ? m_field->devicesOf(m_layout.blockOf(cell)) : std::vector<std::int32_t>();
}

QRgb FieldMap::fillOf(std::int32_t device) const
{
    return device >= 0 && static_cast<std::size_t>(device) < m_fills.size() ? m_fills[static_cast<std::size_t>(device)]
                                                                            : Theme::current().base.rgb();
}

int FieldMap::markOf(std::int32_t device) const
{
    return device >= 0 && static_cast<std::size_t>(device) < m_marked.size()
        ? m_marked[static_cast<std::size_t>(device)]
        : 0;
}

std::vector<QRgb> FieldMap::coloursIn(const FieldBlock& block, std::size_t most) const
{
    std::vector<QRgb> found;
    constexpr std::int64_t maxLooked = 1021;
    const std::int64_t columns = block.endColumn - block.firstColumn, count = block.count();
    const std::int64_t step = std::max<std::int64_t>(1, count / maxLooked);
    const FieldShape& shape = m_layout.shape();
    for (std::int64_t i = 0; i < count && found.size() <= most; i += step) {
        const std::int32_t device =
            deviceAt(shape.cell(block.plane, block.firstRow + i / columns, block.firstColumn + i % columns));
        if (const QRgb fill = fillOf(device); device >= 0 && std::find(found.begin(), found.end(), fill) == found.end())
            found.push_back(fill);
    }
    return found;
}

bool FieldMap::isSmall() const
{
    constexpr std::size_t maxCells = 4096;
    return m_layout.side() < 4 || m_layout.cellsPerTile() > 1
        || (m_level == 0 && m_field && m_field->devices.size() > maxCells);
}

bool FieldMap::hasNames() const
{
    if (!m_field || isSmall())
        return false;
    // All have their names, or none has: the largest id tells.
    const QFontMetrics metrics(Metrics::small());
    const int widest = metrics.horizontalAdvance(QString::number(std::max<std::size_t>(m_field->cells.size(), 1) - 1));
    const int gap = m_layout.side() >= 14 ? 3 : m_layout.side() >= 6 ? 1 : 0;
    return m_layout.side() - gap >= metrics.ascent() + 3 && m_layout.tileWidth() - gap >= widest + 4;
}

int FieldMap::gapAfter(std::int64_t cell) const
{
    const FieldShape& shape = m_layout.shape();
    if (m_layout.side() < 6)
        return 0;
    const bool touching = shape.together > 1 && (cell % shape.columns + 1) % shape.together != 0;
    return touching ? 0 : m_layout.side() >= 14 ? 3 : 1;
}

QRect FieldMap::cellRect(std::int64_t cell) const
{
    const QRect whole = m_layout.rectOf(cell);
    const int below = m_layout.side() >= 14 ? 3 : m_layout.side() >= 6 ? 1 : 0;
    return whole.adjusted(0, 0, -gapAfter(cell), -below);
}

std::optional<std::int32_t> FieldMap::currentDevice() const
{
    const std::int64_t cell = m_hovered ? *m_hovered : hasFocus() ? m_current : -1;
    const std::int32_t device = deviceAt(cell);
    return device < 0 ? std::nullopt : std::optional(device);
}

QString FieldMap::currentText() const
{
    return currentDevice() ? textAt(m_hovered ? *m_hovered : m_current) : QString();
}

QString FieldMap::textAt(std::int64_t cell) const
{
    const std::vector<std::int32_t> devices = devicesAt(cell);
    if (devices.size() < 2)
        return devices.empty() ? QString() : describe(devices.front());
    const QString where = m_field->place(m_layout.blockOf(cell));
    const QString count = words::counted(static_cast<qint64>(devices.size()), words::Noun::Device);
    const std::set<std::int32_t> hosts = [&] {
        std::set<std::int32_t> found;
        for (const std::int32_t device : devices)
            found.insert(hostOf(device));
        return found;
    }();
    return hosts.size() == 1 && *hosts.begin() >= 0
        ? tr("host %1, %2: %3", "host 37, 4 devices: where").arg(QString::number(*hosts.begin()), count, where)
        : tr("%1 of %2: %3", "64 devices of 16 hosts: where")
              .arg(count, words::counted(static_cast<qint64>(hosts.size()), words::Noun::Host), where);
}

QString FieldMap::describe(std::int32_t device) const
{
    return m_describe ? m_describe(device) : QString();
}

// Pointer and keys.

void FieldMap::followSelection()
{
    m_selected = m_selection->devices();
    m_lit = m_selection->hoveredDevices();
    update();
}

void FieldMap::hover(std::optional<std::int64_t> cell)
{
    if (cell && deviceAt(*cell) < 0)
        cell.reset();
    if (m_hovered == cell)
        return;
    m_hovered = cell;
    m_selection->setHoveredDevices(cell ? devicesAt(*cell) : std::vector<std::int32_t>{});
    Q_EMIT currentChanged();
}

void FieldMap::followPointer()
{
    if (m_pointer && !m_dragged)
        hover(cellAt(*m_pointer));
}

void FieldMap::mouseMoveEvent(QMouseEvent* event)
{
    const QPoint at = event->position().toPoint();
    m_pointer = at;
    constexpr int farEnough = 4;
    if (m_pressed && m_level > 0 && (m_dragged || (at - *m_pressed).manhattanLength() >= farEnough)) {
        if (!m_dragged) {
            m_dragged = offset();
            hover(std::nullopt);
            setCursor(Qt::ClosedHandCursor);
        }
        scrollTo(*m_dragged + *m_pressed - at);
        return;
    }
    hover(cellAt(at));
}

void FieldMap::leaveEvent(QEvent*)
{
    m_pointer.reset();
    hover(std::nullopt);
}

void FieldMap::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_field || m_layout.side() == 0) {
        QWidget::mousePressEvent(event);
        return;
    }
    m_pressed = event->position().toPoint();
}

void FieldMap::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_pressed) {
        QWidget::mouseReleaseEvent(event);
        return;
    }
    const bool dragged = m_dragged.has_value();
    const QPoint at = *m_pressed;
    m_pressed.reset();
    m_dragged.reset();
    if (dragged) {
        unsetCursor();
        followPointer();
    } else if (const auto cell = cellAt(at); cell && deviceAt(*cell) >= 0) {
        select(*cell, event->modifiers() & Qt::ControlModifier);
    }
}

void FieldMap::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const auto anchor = cellAt(event->position().toPoint()))
        zoomIn(anchor);
}

void FieldMap::select(std::int64_t cell, bool more)
{
    m_current = cell;
    std::vector<std::int32_t> devices = devicesAt(cell);
    if (more) {
        // What is selected already is taken out again.
        std::vector<std::int32_t> all = m_selection->devices();
        const std::set<std::int32_t> before(all.begin(), all.end()), given(devices.begin(), devices.end());
        if (std::includes(before.begin(), before.end(), given.begin(), given.end()))
            all.erase(
                std::remove_if(all.begin(), all.end(), [&](std::int32_t id) { return given.contains(id); }), all.end());
        else
            std::copy_if(devices.begin(), devices.end(), std::back_inserter(all),
                [&](std::int32_t id) { return !before.contains(id); });
        devices = std::move(all);
    }
    m_selection->setDevices(std::move(devices));
    tableCurrentChanged(this);
}

void FieldMap::walkTo(std::int64_t cell)
{
    if (deviceAt(cell) < 0)
        return;
    m_current = cell;
    ensureVisible(cell);
    m_selection->setHoveredDevices(devicesAt(cell));
    tableCurrentChanged(this);
    Q_EMIT currentChanged();
    update();
}

void FieldMap::keyPressEvent(QKeyEvent* event)
{
    const std::int64_t from = std::max<std::int64_t>(m_current, 0);
    const std::int64_t count = m_layout.shape().count();
    const auto step = [&](std::int64_t columns, std::int64_t rows) {
        walkTo(m_current < 0 ? 0 : m_layout.neighbour(from, columns, rows));
    };
    if (!m_field || m_layout.side() == 0)
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Left:
        return step(-1, 0);
    case Qt::Key_Right:
        return step(1, 0);
    case Qt::Key_Up:
        return step(0, -1);
    case Qt::Key_Down:
        return step(0, 1);
    case Qt::Key_Home:
        return walkTo(0);
    case Qt::Key_End:
        return walkTo(count - 1);
    case Qt::Key_Space:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (deviceAt(m_current) >= 0)
            select(m_current, false);
        return;
    case Qt::Key_Plus:
    case Qt::Key_Equal: // plus without Shift
        return zoomIn();
    case Qt::Key_Minus:
        return zoomOut();
    case Qt::Key_0:
        return setLevel(0, std::nullopt);
    default:
        QWidget::keyPressEvent(event);
    }
}

bool FieldMap::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto cell = cellAt(help->pos());
        const QString text = cell ? textAt(*cell) : QString();
        if (!text.isEmpty())
            QToolTip::showText(help->globalPos(), plainTip(text), this, shownRect(*cell));
        else
            QToolTip::hideText();
        return true;
    }
    if (const PinchZoom::Steps steps = m_pinch.take(event); steps.isGesture) {
        const auto anchor = m_pointer ? cellAt(*m_pointer) : std::nullopt;
        if (steps.count > 0)
            zoomIn(anchor);
        else if (steps.count < 0)
            zoomOut(anchor);
        return true;
    }
    if (event->type() == QEvent::FocusOut || event->type() == QEvent::FocusIn)
        update();
    return QWidget::event(event);
}

// As a table: one row per cell.

int FieldMap::tableRowCount() const
{
    return m_field ? static_cast<int>(m_field->devices.size()) : 0;
}

QString FieldMap::tableHeader(int) const
{
    return tr("Device and place");
}

QString FieldMap::tableText(int row, int) const
{
    const std::int32_t device = deviceAt(row);
    return device < 0 ? tr("no device") : describe(device);
}

QRect FieldMap::tableRect(int row) const
{
    return m_layout.side() == 0 ? QRect() : shownRect(row).intersected(viewport());
}

int FieldMap::tableRowAt(QPoint point) const
{
    const auto cell = cellAt(point);
    return cell ? static_cast<int>(*cell) : -1;
}

int FieldMap::tableCurrentRow() const
{
    return static_cast<int>(m_current);
}

void FieldMap::tableActivate(int row)
{
    if (const std::int32_t device = deviceAt(row); device >= 0)
        m_selection->setDevices({ device });
}

} // namespace shardscope
