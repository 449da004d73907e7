// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/collectives_view/sums_bars.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "views/widgets/chip.h"
#include "views/widgets/plain_tip.h"

namespace shardscope {

SumsBars::SumsBars(QWidget* parent)
    : Canvas(QString(), parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void SumsBars::setBars(std::vector<SumBar> bars, const std::optional<std::string>& chosen)
{
    if (bars == m_bars && chosen == m_chosen)
        return;
    m_bars = std::move(bars);
    m_chosen = chosen;
    m_current = std::min(m_current, static_cast<int>(m_bars.size()) - 1);
    m_hovered = -1;
    arrange();
    updateGeometry();
    update();
    tableChanged(this);
}

void SumsBars::arrange()
{
    std::vector<double> shares;
    int figure = 0;
    const QFontMetrics small{ Metrics::small() };
    for (const SumBar& bar : m_bars) {
        shares.push_back(bar.share);
        figure = std::max(figure, small.horizontalAdvance(bar.figure));
    }
    m_layout = SumsLayout::make(shares, width(), Metrics::scaled(22), figure);
}

QSize SumsBars::sizeHint() const
{
    return { Metrics::scaled(180), static_cast<int>(m_bars.size()) * Metrics::scaled(22) };
}

QString SumsBars::tableText(int row, int column) const
{
    const SumBar& bar = m_bars[static_cast<std::size_t>(row)];
    if (column == 0)
        return m_chosen == bar.key ? tr("%1, shown alone").arg(bar.name) : bar.name;
    return column == 1 ? bar.figure : bar.more;
}

void SumsBars::tableActivate(int row)
{
    setCurrent(row);
    const SumBar& bar = m_bars[static_cast<std::size_t>(row)];
    const std::string key = bar.key; // the bars may be made anew
    Q_EMIT toggled(key, m_chosen != key);
}

void SumsBars::setCurrent(int row)
{
    if (row == m_current)
        return;
    m_current = row;
    tableCurrentChanged(this);
    if (row >= 0)
        Q_EMIT currentMoved(tableRect(row));
    update();
}

void SumsBars::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const QFontMetrics metrics(font());
    for (std::size_t i = 0; i < m_bars.size(); ++i) {
        const SumBar& bar = m_bars[i];
        const SumsLayout::Row& at = m_layout.rows[i];
        const bool chosen = m_chosen == bar.key;
        if (chosen)
            painter.fillRect(at.row, theme.selectedRow);
        if (!at.bar.isEmpty()) {
            painter.fillRect(at.bar, bar.axis >= 0 ? axisTint(theme, bar.axis) : theme.dockTitle);
            // The end of the bar is seen on every ground, below the name.
            painter.fillRect(QRect(at.bar.right() - 1, at.bar.bottom() - 2, 2, 3),
                bar.axis >= 0 ? theme.meshAxis(bar.axis) : theme.strongLine);
        }
        if (chosen)
            painter.fillRect(QRect(at.row.topLeft(), QSize(2, at.row.height())), theme.accent);
        painter.setFont(chosen ? Metrics::semibold() : font());
        painter.setPen(m_chosen && !chosen ? theme.secondary : theme.text);
        painter.drawText(at.name, Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetrics(painter.font()).elidedText(bar.name, Qt::ElideMiddle, at.name.width()));
        painter.setFont(Metrics::small());
        painter.setPen(chosen ? theme.text : theme.secondary);
        painter.drawText(at.figure, Qt::AlignRight | Qt::AlignVCenter, bar.figure);
        if (static_cast<int>(i) == m_hovered || (hasFocus() && static_cast<int>(i) == m_current)) {
            painter.setPen(QPen(hasFocus() && static_cast<int>(i) == m_current ? theme.accent : theme.strongLine,
                hasFocus() && static_cast<int>(i) == m_current ? 2 : 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(at.row.adjusted(1, 1, -2, -2));
        }
    }
}

Canvas::Tip SumsBars::tipAt(QPoint point) const
{
    const int row = m_layout.rowAt(point);
    if (row < 0)
        return {};
    const SumBar& bar = m_bars[static_cast<std::size_t>(row)];
    return { plainTip(QStringLiteral("%1: %2\n%3")
                          .arg(bar.name, bar.more,
                              m_chosen == bar.key ? tr("Click to show all again") : tr("Click to show these alone"))),
        tableRect(row) };
}

void SumsBars::mousePressEvent(QMouseEvent* event)
{
    const int row = event->button() == Qt::LeftButton ? m_layout.rowAt(event->pos()) : -1;
    if (row >= 0)
        tableActivate(row);
}

void SumsBars::hoverAt(std::optional<QPoint> point)
{
    if (const int row = point ? m_layout.rowAt(*point) : -1; row != m_hovered) {
        m_hovered = row;
        update();
    }
}

void SumsBars::keyPressEvent(QKeyEvent* event)
{
    if (const auto row = rowAfter(*event, m_current, tableRowCount(), Qt::Vertical))
        setCurrent(*row);
    else if (!isActivation(*event))
        QWidget::keyPressEvent(event);
    else if (m_current >= 0)
        tableActivate(m_current);
}

void SumsBars::focusInEvent(QFocusEvent* event)
{
    if (m_current < 0 && !m_bars.empty())
        setCurrent(0);
    update();
    QWidget::focusInEvent(event);
}

} // namespace shardscope
