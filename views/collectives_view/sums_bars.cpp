// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/collectives_view/sums_bars.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "views/theme/theme.h"
#include "views/widgets/chip.h"
#include "views/widgets/plain_tip.h"

namespace shardscope {

SumsBars::SumsBars(QWidget* parent)
    : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
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
    layOut();
    updateGeometry();
    update();
    tableChanged(this);
}

void SumsBars::layOut()
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

QSize SumsBars::minimumSizeHint() const
{
    return { Metrics::scaled(96), sizeHint().height() };
}

QString SumsBars::tableHeader(int column) const
{
    return column == 0 ? accessibleName() : column == 1 ? tr("Share of the bytes") : tr("Sum");
}

QString SumsBars::tableText(int row, int column) const
{
    const SumBar& bar = m_bars[static_cast<std::size_t>(row)];
    if (column == 0)
        return m_chosen == bar.key ? tr("%1, shown alone").arg(bar.name) : bar.name;
    return column == 1 ? bar.figure : bar.more;
}

QRect SumsBars::tableRect(int row) const
{
    return m_layout.rows[static_cast<std::size_t>(row)].row;
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
            // The end of the bar is seen on every ground.
            painter.fillRect(QRect(at.bar.right() - 1, at.bar.top(), 2, at.bar.height()),
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

bool SumsBars::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int row = m_layout.rowAt(help->pos());
        if (row < 0) {
            QToolTip::hideText();
        } else {
            const SumBar& bar = m_bars[static_cast<std::size_t>(row)];
            QToolTip::showText(help->globalPos(),
                plainTip(
                    QStringLiteral("%1: %2\n%3")
                        .arg(bar.name, bar.more,
                            m_chosen == bar.key ? tr("Click to show all again") : tr("Click to show these alone"))),
                this, tableRect(row));
        }
        return true;
    }
    return QWidget::event(event);
}

void SumsBars::resizeEvent(QResizeEvent*)
{
    layOut();
}

void SumsBars::mousePressEvent(QMouseEvent* event)
{
    const int row = event->button() == Qt::LeftButton ? m_layout.rowAt(event->pos()) : -1;
    if (row >= 0)
        tableActivate(row);
}

void SumsBars::mouseMoveEvent(QMouseEvent* event)
{
    if (const int row = m_layout.rowAt(event->pos()); row != m_hovered) {
        m_hovered = row;
        update();
    }
}

void SumsBars::leaveEvent(QEvent*)
{
    m_hovered = -1;
    update();
}

void SumsBars::keyPressEvent(QKeyEvent* event)
{
    const int last = static_cast<int>(m_bars.size()) - 1;
    switch (event->key()) {
    case Qt::Key_Up:
        setCurrent(std::max(m_current - 1, std::min(0, last)));
        return;
    case Qt::Key_Down:
        setCurrent(std::min(m_current + 1, last));
        return;
    case Qt::Key_Home:
        setCurrent(std::min(0, last));
        return;
    case Qt::Key_End:
        setCurrent(last);
        return;
    case Qt::Key_Space:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current >= 0)
            tableActivate(m_current);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

void SumsBars::focusInEvent(QFocusEvent* event)
{
    if (m_current < 0 && !m_bars.empty())
        setCurrent(0);
    update();
    QWidget::focusInEvent(event);
}

void SumsBars::focusOutEvent(QFocusEvent* event)
{
    update();
    QWidget::focusOutEvent(event);
}

void SumsBars::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) {
        layOut();
        updateGeometry();
    }
    QWidget::changeEvent(event);
}

} // namespace shardscope
