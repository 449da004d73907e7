// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timing_view/time_legend.h"

#include <QPainter>

#include "views/theme/theme.h"

namespace shardscope {

using namespace Qt::StringLiterals;

namespace {

int swatch()
{
    return Metrics::scaled(9);
}

QFont figureFont()
{
    QFont font = Metrics::small();
    font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

TimeLegend::TimeLegend(QWidget* parent)
    : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void TimeLegend::setEntries(std::vector<Entry> entries)
{
    if (entries == m_entries)
        return;
    m_entries = std::move(entries);
    QStringList texts;
    for (const Entry& entry : m_entries)
        texts << entry.name + u' ' + entry.figure;
    setAccessibleName(texts.join(u", "_s));
    updateGeometry();
    update();
}

FlowLayout TimeLegend::flowFor(int width) const
{
    const QFontMetrics name(Metrics::small()), figure(figureFont());
    std::vector<int> widths;
    for (const Entry& entry : m_entries)
        widths.push_back((entry.fill.isValid() ? swatch() + Metrics::scaled(9) : Metrics::scaled(4))
            + name.horizontalAdvance(entry.name) + figure.horizontalAdvance(entry.figure) + 1);
    return FlowLayout::make(widths, width, Metrics::scaled(18), Metrics::scaled(10));
}

int TimeLegend::heightForWidth(int width) const
{
    return flowFor(width).height;
}
QSize TimeLegend::sizeHint() const
{
    return { Metrics::scaled(300), Metrics::scaled(18) };
}
QSize TimeLegend::minimumSizeHint() const
{
    return { Metrics::scaled(100), Metrics::scaled(18) };
}

void TimeLegend::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const FlowLayout flow = flowFor(width());
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        QRect place = flow.items[i];
        if (m_entries[i].fill.isValid()) {
            painter.fillRect(
                QRect(place.left(), place.center().y() - swatch() / 2, swatch(), swatch()), m_entries[i].fill);
            place.setLeft(place.left() + swatch() + Metrics::scaled(5));
        }
        painter.setFont(Metrics::small());
        painter.setPen(theme.secondary);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, m_entries[i].name);
        place.setLeft(place.left() + painter.fontMetrics().horizontalAdvance(m_entries[i].name) + Metrics::scaled(4));
        painter.setFont(figureFont());
        painter.setPen(theme.text);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, m_entries[i].figure);
    }
}

} // namespace shardscope
