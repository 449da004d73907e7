// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology_view/field_map.h"

#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <utility>

#include "document/selection.h"
#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"

namespace shardscope {

FieldMap::FieldMap(Selection* selection, const QString& name, QWidget* parent)
    : QWidget(parent)
    , m_selection(selection)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(name);
    connect(selection, &Selection::hoverChanged, this, &FieldMap::followSelection);
    connect(selection, &Selection::changed, this, &FieldMap::followSelection);
    followSelection();
}

void FieldMap::setField(std::shared_ptr<const DeviceField> field, std::vector<std::int32_t> hosts)
{
    const bool same = m_field && field && *m_field == *field;
    m_field = std::move(field);
    m_hosts = std::move(hosts);
    m_base = {};
    if (!same) {
        hover(std::nullopt); // its device would stay lit everywhere
        m_current = -1;
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

void FieldMap::setFills(std::vector<QRgb> fills)
{
    if (fills == m_fills)
        return;
    m_fills = std::move(fills);
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

void FieldMap::arrange()
{
    const int margin = Metrics::scaled(8);
    const QFontMetrics small(Metrics::small());
    const FieldSizes sizes{ Metrics::scaled(38), small.height() + 2, Metrics::scaled(12),
        small.horizontalAdvance(QStringLiteral("000–000")), 1.6 };
    m_layout = m_field ? FieldLayout(m_field->shape, rect().adjusted(margin, margin / 2, -margin, -margin), sizes)
                       : FieldLayout();
    m_base = {};
    tableChanged(this);
    update();
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

bool FieldMap::isSmall() const
{
    constexpr std::size_t mostCells = 4096;
    return m_layout.side() < 4 || m_layout.cellsPerTile() > 1 || (m_field && m_field->devices.size() > mostCells);
}

bool FieldMap::hasNames() const
{
    if (!m_field || isSmall())
        return false;
    // All have their names, or none has: the largest id tells.
    const QFontMetrics metrics(Metrics::small());
    const int widest = metrics.horizontalAdvance(QString::number(std::max<std::size_t>(m_fills.size(), 1) - 1));
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
    m_selection->setHoveredDevices(cell ? std::vector<std::int32_t>{ deviceAt(*cell) } : std::vector<std::int32_t>{});
    Q_EMIT currentChanged();
}

void FieldMap::mouseMoveEvent(QMouseEvent* event)
{
    hover(m_layout.cellAt(event->position().toPoint()));
}

void FieldMap::leaveEvent(QEvent*)
{
    hover(std::nullopt);
}

void FieldMap::mousePressEvent(QMouseEvent* event)
{
    const auto cell = m_layout.cellAt(event->position().toPoint());
    if (event->button() != Qt::LeftButton || !cell || deviceAt(*cell) < 0) {
        QWidget::mousePressEvent(event);
        return;
    }
    m_current = *cell;
    std::vector<std::int32_t> devices{ deviceAt(*cell) };
    if (event->modifiers() & Qt::ControlModifier) {
        std::vector<std::int32_t> more = m_selection->devices();
        if (const auto there = std::find(more.begin(), more.end(), devices.front()); there != more.end())
            more.erase(there);
        else
            more.push_back(devices.front());
        devices = std::move(more);
    }
    m_selection->setDevices(std::move(devices));
    tableCurrentChanged(this);
}

void FieldMap::walkTo(std::int64_t cell)
{
    if (deviceAt(cell) < 0)
        return;
    m_current = cell;
    m_selection->setHoveredDevices({ deviceAt(cell) });
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
        if (const std::int32_t device = deviceAt(m_current); device >= 0)
            m_selection->setDevices({ device });
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

bool FieldMap::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto cell = m_layout.cellAt(help->pos());
        const std::int32_t device = cell ? deviceAt(*cell) : -1;
        if (device >= 0)
            QToolTip::showText(help->globalPos(), plainTip(describe(device)), this, m_layout.rectOf(*cell));
        else
            QToolTip::hideText();
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
    return m_layout.side() == 0 ? QRect() : m_layout.rectOf(row);
}

int FieldMap::tableRowAt(QPoint point) const
{
    const auto cell = m_layout.cellAt(point);
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
