// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/two_sides.h"

#include <QResizeEvent>
#include <QSplitter>
#include <algorithm>

#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/segmented_bar.h"

namespace shardscope {
TwoSides::TwoSides(
    QWidget* first, const QString& firstName, QWidget* second, const QString& secondName, QWidget* parent)
    : QWidget(parent)
    , m_first(first)
    , m_second(second)
    , m_bar(new SegmentedBar({ firstName, secondName }, this))
    , m_splitter(new QSplitter(this))
{
    m_bar->setAccessibleName(tr("What is shown"));
    m_bar->hide();
    m_splitter->addWidget(first);
    m_splitter->addWidget(second);
    m_splitter->setChildrenCollapsible(false);
    setShares(3, 2); // what is written needs the width more than what is drawn
    auto* line = hbox({ 8, 4, 8, 0 }, styleSpacing, { m_bar, boxStretch() });
    vbox(this, {}, 0, { line, { m_splitter, 1 } });
    connect(m_bar, &SegmentedBar::currentChanged, this, &TwoSides::arrange);
}

void TwoSides::setShares(int first, int second)
{
    if (std::exchange(m_shares, { first, second }) == std::pair(first, second))
        return;
    m_splitter->setStretchFactor(0, first);
    m_splitter->setStretchFactor(1, second);
    const int part = std::max(m_splitter->width(), Metrics::scaled(900)) / (first + second);
    m_splitter->setSizes({ part * first, part * second });
}

void TwoSides::setRoomForBoth(int width, int height)
{
    m_widthForBoth = width;
    m_heightForBoth = height;
    arrange();
}

QSize TwoSides::minimumSizeHint() const
{
    const auto width = [](const QWidget* side) {
        return std::max(side->minimumSizeHint().width(), side->minimumWidth());
    };
    return { std::max(width(m_first), width(m_second)), Metrics::scaled(180) };
}

void TwoSides::arrange()
{
    const auto room = [](const QWidget* side) {
        return std::max(side->minimumSizeHint().width(), side->minimumWidth());
    };
    const bool beside = height() >= m_heightForBoth
        && width() >= std::max(room(m_first) + room(m_second) + m_splitter->handleWidth(), m_widthForBoth);
    const bool both = beside || height() >= Metrics::scaled(640);
    m_splitter->setOrientation(beside ? Qt::Horizontal : Qt::Vertical);
    m_bar->setVisible(!both);
    m_first->setVisible(both || m_bar->current() == 0);
    m_second->setVisible(both || m_bar->current() == 1);
}

} // namespace shardscope
