// SPDX-License-Identifier: GPL-3.0-or-later
// A part of MemoryBarWidget, which is declared in memory_widgets.h.
#include "views/memory_view/memory_widgets.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/panel/panel.h"
#include "views/theme/text_width.h"
#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"
#include "words/words.h"

namespace shardscope {

using namespace Qt::StringLiterals;

namespace {

int barHeight()
{
    return Metrics::scaled(28);
}
int lineHeight()
{
    return Metrics::scaled(18);
}

QFont ownerFont()
{
    return Metrics::semibold();
}

QColor ownerColour(const Theme& theme, Owner owner)
{
    return theme.owners[static_cast<std::size_t>(owner)];
}

/// Sizes of the segments: those that share the unit of their sum are rounded so that they add up as printed; smaller
/// ones are printed as they are, in their own unit.
std::vector<QString> sizeTexts(const MemoryBar& bar)
{
    std::vector<double> parts;
    double sum = 0;
    for (const MemoryBar::Segment& segment : bar.segments) {
        parts.push_back(static_cast<double>(segment.bytes));
        sum += parts.back();
    }
    double unit = 1;
    while (sum / unit >= 1024)
        unit *= 1024;
    for (double& part : parts)
        part /= unit;
    const double inUnits = sum / unit;
    const int decimals = unit == 1 || inUnits >= 99.95 ? 0 : inUnits >= 9.995 ? 1 : 2;
    const std::vector<double> rounded = words::roundedParts(parts, decimals);
    std::vector<QString> texts;
    for (std::size_t i = 0; i < parts.size(); ++i)
        texts.push_back(words::bytes((parts[i] >= 1 && rounded[i] > 0 ? rounded[i] : parts[i]) * unit));
    return texts;
}

} // namespace

MemoryBarWidget::MemoryBarWidget(QWidget* parent)
    : Canvas(tr("Memory of one device by owner"), parent)
{
    heightFollowsWidth(this);
}

void MemoryBarWidget::setMemory(words::ShownMemory shown, std::int64_t before)
{
    m_before = before;
    m_shown = std::move(shown);
    m_hovered = -1;
    describe();
    tableChanged(this);
    updateGeometry();
    update();
}

void MemoryBarWidget::setSlice(const words::MemorySlice& slice)
{
    m_slice = slice;
    update();
}

MemoryBar MemoryBarWidget::layoutFor(int width) const
{
    const QRect area(2, 2, width - 4, barHeight());
    if (!m_shown.memory())
        return MemoryBar::make({}, 0, area);
    return MemoryBar::make(m_shown.atPeak(), m_shown.snapshot->experiment->hardware.memoryPerDevice, area, m_before);
}

bool MemoryBarWidget::isLabelled(const MemoryBar& bar, const MemoryBar::Segment& segment) const
{
    const int room = bar.labelRect(segment, Metrics::scaled(8)).width();
    return room >= Metrics::scaled(48) && textWidth(ownerFont(), m_shown.ownerName(segment.owner)) <= room;
}

QString MemoryBarWidget::segmentText(const MemoryBar::Segment& segment) const
{
    return tr("%1 %2", "owner and size")
        .arg(m_shown.ownerName(segment.owner), words::bytes(static_cast<double>(segment.bytes)));
}

std::vector<MemoryBarWidget::Entry> MemoryBarWidget::entriesFor(const MemoryBar& bar) const
{
    std::vector<Entry> entries;
    if (!m_shown.memory() || !m_shown.snapshot->mesh)
        return entries;
    const auto devices = static_cast<int>(m_shown.snapshot->mesh->deviceCount());
    entries.push_back({ devices == 1
            ? tr("One device")
            : tr("One bar for all %1: 1 behaviour", "devices").arg(words::counted(devices, words::Noun::Device)) });
    if (bar.beforeX >= 0)
        entries.push_back({ tr("before: %1").arg(words::bytes(static_cast<double>(m_before))) });
    const std::vector<QString> sizes = sizeTexts(bar);
    for (std::size_t i = 0; i < bar.segments.size(); ++i)
        if (!isLabelled(bar, bar.segments[i])
            || textWidth(ownerFont(), m_shown.ownerName(bar.segments[i].owner)) + textWidth(font(), sizes[i])
                    + Metrics::scaled(8)
                > bar.labelRect(bar.segments[i], Metrics::scaled(8)).width())
            entries.push_back({ m_shown.ownerName(bar.segments[i].owner) + u' ' + sizes[i],
                static_cast<int>(bar.segments[i].owner) });
    return entries;
}

QString MemoryBarWidget::legend() const
{
    return words::texts(entries(), [](const Entry& entry) { return entry.text; }).join(u'\n');
}

FlowLayout MemoryBarWidget::flowFor(const std::vector<Entry>& list, int width, bool overLimit) const
{
    const QFont small = Metrics::small();
    std::vector<int> widths;
    for (const Entry& entry : list)
        widths.push_back(textWidth(small, entry.text) + (entry.owner >= 0 ? Metrics::scaled(14) : 0) + 1);
    // The limit's own label stands at the right end of the first line, or on a line of its own.
    const int limit = m_shown.snapshot && !overLimit
        ? textWidth(small, words::bytes(static_cast<double>(m_shown.snapshot->experiment->hardware.memoryPerDevice)))
        : 0;
    return FlowLayout::make(widths, width - 4 - limit - Metrics::scaled(12), lineHeight(), Metrics::scaled(14));
}

int MemoryBarWidget::heightForWidth(int width) const
{
    const MemoryBar bar = layoutFor(width);
    return 4 + barHeight() + Metrics::scaled(4) + (bar.overLimit ? lineHeight() : 0)
        + std::max(lineHeight(), flowFor(entriesFor(bar), width, bar.overLimit).height);
}

QSize MemoryBarWidget::sizeHint() const
{
    return { Metrics::scaled(420), heightForWidth(Metrics::scaled(420)) };
}
QSize MemoryBarWidget::minimumSizeHint() const
{
    return { Metrics::scaled(160), 4 + barHeight() + lineHeight() };
}

void MemoryBarWidget::describe()
{
    QStringList parts;
    if (m_shown.memory())
        for (const MemoryBar::Segment& segment : barLayout().segments)
            parts << segmentText(segment);
    if (m_shown.memory() && barLayout().beforeX >= 0)
        parts << tr("before: %1").arg(words::bytes(static_cast<double>(m_before)));
    setAccessibleDescription(parts.join(u", "_s));
}

void MemoryBarWidget::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    const MemoryBar bar = barLayout();
    QPainter painter(this);
    if (bar.segments.empty())
        return;
    const std::vector<QString> sizes = sizeTexts(bar);
    for (std::size_t i = 0; i < bar.segments.size(); ++i) {
        const MemoryBar::Segment& segment = bar.segments[i];
        const QColor fill = ownerColour(theme, segment.owner);
        // 1 px of base parts neighbours.
        const bool last = i + 1 == bar.segments.size();
        const QRect inner = segment.rect.adjusted(0, 0, last ? 0 : -1, 0);
        painter.fillRect(inner, fill);
        if (isLabelled(bar, segment)) {
            const QRect text = bar.labelRect(segment, Metrics::scaled(8));
            painter.setPen(theme.textOn(fill));
            painter.setFont(ownerFont());
            painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, m_shown.ownerName(segment.owner));
            const int used = painter.fontMetrics().horizontalAdvance(m_shown.ownerName(segment.owner));
            painter.setFont(font());
            if (used + Metrics::scaled(8) + painter.fontMetrics().horizontalAdvance(sizes[i]) <= text.width())
                painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter, sizes[i]);
        }
        if (m_slice.end > m_slice.begin && m_slice.owner == segment.owner) {
            const int from = inner.left() + static_cast<int>(m_slice.begin * inner.width());
            const int to =
                std::max(from + 3, inner.left() + static_cast<int>(std::lround(m_slice.end * inner.width())));
            painter.fillRect(QRect(from, inner.bottom() - 2, to - from, 3), theme.accent);
        }
        if (static_cast<int>(i) == m_hovered) {
            painter.setPen(QPen(theme.text, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(inner.adjusted(1, 1, -1, -1));
        }
        if (hasFocus() && static_cast<int>(i) == m_current) {
            painter.setPen(QPen(theme.accent, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(inner.adjusted(-1, -1, 1, 1));
        }
    }

    const int used = bar.segments.back().rect.right() + 1;
    if (bar.broken) {
        painter.setPen(QPen(theme.strongLine, 1, Qt::DotLine));
        const int middle = bar.area.center().y();
        painter.drawLine(used + 3, middle, bar.breakX - 8, middle);
        painter.drawLine(bar.breakX + 8, middle, bar.limitX - 3, middle);
        painter.setPen(theme.secondary);
        painter.setFont(font());
        painter.drawText(QRect(bar.breakX - 8, bar.area.top(), 16, bar.area.height()), Qt::AlignCenter, u"//"_s);
    } else if (bar.limitX > used) {
        painter.fillRect(QRect(used, bar.area.top(), bar.limitX - used, bar.area.height()), theme.alternateRow);
        painter.setPen(theme.border);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRect(used, bar.area.top(), bar.limitX - used, bar.area.height() - 1));
    }

    if (bar.beforeX >= 0) { // an outline of what was there
        painter.setPen(QPen(theme.text, 1, Qt::DashLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(
            QRect(bar.area.left(), bar.area.top() - 1, bar.beforeX - bar.area.left(), bar.area.height() + 1));
    }
    const int top = bar.area.bottom() + 1 + Metrics::scaled(4);
    painter.setFont(Metrics::small());
    if (bar.limitX >= 0) {
        // Inside the bar the line stands between two of base, and its label right under it.
        if (bar.overLimit)
            painter.fillRect(QRect(bar.limitX - 1, bar.area.top(), 4, bar.area.height()), theme.base);
        painter.fillRect(QRect(bar.limitX, bar.area.top(), 2, bar.area.height()), theme.error);
        const QString limit = words::bytes(static_cast<double>(m_shown.snapshot->experiment->hardware.memoryPerDevice));
        const int otherAttributes = painter.fontMetrics().horizontalAdvance(limit) + 1;
        const int x = bar.overLimit
            ? std::clamp(bar.limitX + 1 - otherAttributes / 2, 2, std::max(2, width() - 2 - otherAttributes))
            : width() - 2 - otherAttributes;
        painter.setPen(theme.error);
        painter.drawText(QRect(x, top, otherAttributes, lineHeight()), Qt::AlignLeft | Qt::AlignVCenter, limit);
    }
    const std::vector<Entry> list = entriesFor(bar);
    const FlowLayout flow = flowFor(list, width(), bar.overLimit);
    for (std::size_t i = 0; i < list.size(); ++i) {
        QRect place = flow.items[i].translated(2, top + (bar.overLimit ? lineHeight() : 0));
        if (list[i].owner >= 0) {
            const int side = Metrics::scaled(9);
            const QRect swatch(place.left(), place.center().y() - side / 2, side, side);
            painter.fillRect(swatch, ownerColour(theme, static_cast<Owner>(list[i].owner)));
            place.setLeft(place.left() + Metrics::scaled(14));
        }
        painter.setPen(theme.secondary);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
            painter.fontMetrics().elidedText(list[i].text, Qt::ElideRight, place.width()));
    }
}

Canvas::Tip MemoryBarWidget::tipAt(QPoint point) const
{
    const MemoryBar bar = barLayout();
    const int at = bar.segmentAt(point);
    if (at < 0)
        return {};
    const MemoryBar::Segment& segment = bar.segments[static_cast<std::size_t>(at)];
    QString text = segmentText(segment);
    if (const std::int64_t made = m_shown.newValues(segment.owner); made > 0)
        text += u'\n'
            + tr("%1 of it are new values, held beside the old ones at the peak")
                  .arg(words::bytes(static_cast<double>(made)));
    if (const words::ShownMemory::Largest largest = m_shown.largest(segment.owner); !largest.name.isEmpty())
        text += u'\n' + tr("Biggest: %1, %2").arg(largest.name, words::bytes(static_cast<double>(largest.bytes)));
    return { plainTip(text), segment.rect };
}

void MemoryBarWidget::hoverAt(std::optional<QPoint> point)
{
    const int at = point ? barLayout().segmentAt(*point) : -1;
    if (at == m_hovered)
        return;
    m_hovered = at;
    setCursor(at >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void MemoryBarWidget::mousePressEvent(QMouseEvent* event)
{
    const MemoryBar bar = barLayout();
    const int at = bar.segmentAt(event->position().toPoint());
    if (at < 0 || event->button() != Qt::LeftButton)
        return;
    m_current = at;
    Q_EMIT picked(bar.segments[static_cast<std::size_t>(at)].owner);
    update();
}

void MemoryBarWidget::keyPressEvent(QKeyEvent* event)
{
    const int count = tableRowCount();
    if (const auto row = count > 0 ? rowAfter(*event, m_current, count, Qt::Horizontal) : std::nullopt) {
        m_current = *row;
        tableCurrentChanged(this);
        update();
    } else if (count > 0 && isActivation(*event)) {
        tableActivate(std::min(m_current, count - 1));
    } else {
        QWidget::keyPressEvent(event);
    }
}

// The table.

QString MemoryBarWidget::tableText(int row, int column) const
{
    const MemoryBar::Segment segment = barLayout().segments[static_cast<std::size_t>(row)];
    if (column == 0)
        return m_shown.ownerName(segment.owner);
    if (column == 1)
        return words::bytes(static_cast<double>(segment.bytes));
    return m_shown.largest(segment.owner).name;
}

QRect MemoryBarWidget::tableRect(int row) const
{
    return barLayout().segments[static_cast<std::size_t>(row)].rect;
}

int MemoryBarWidget::tableCurrentRow() const
{
    return hasFocus() ? std::min(m_current, tableRowCount() - 1) : -1;
}

void MemoryBarWidget::tableActivate(int row)
{
    m_current = row;
    Q_EMIT picked(barLayout().segments[static_cast<std::size_t>(row)].owner);
    update();
}

} // namespace shardscope
