// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/section_column.h"

#include <QEvent>
#include <QScrollBar>
#include <QTimer>
#include <algorithm>
#include <numeric>

#include "views/widgets/low_room.h"
#include "views/widgets/section.h"

namespace shardscope {

SectionColumn::SectionColumn(QWidget* parent)
    : QScrollArea(parent)
    , m_content(new QWidget)
{
    makePlain(this, m_content, true);
    setWidgetResizable(false);
    m_content->installEventFilter(this);
}

void SectionColumn::add(Section* section, std::function<Heights(int width)> heights)
{
    section->setParent(m_content);
    if (!section->isOnDemand())
        section->show();
    m_rows << Row{ section, std::move(heights) };
    connect(section, &Section::changed, this, [this] {
        updateGeometry();
        fit();
    });
}

QList<Section*> SectionColumn::sections() const
{
    QList<Section*> found;
    for (const Row& row : m_rows)
        found << row.section;
    return found;
}

void SectionColumn::reveal(Section* section)
{
    section->show();
    section->setUnfolded(true);
    fit();
    scrollTo(section);
    QTimer::singleShot(0, section, [this, section] { scrollTo(section); }); // once the column has its height
}

void SectionColumn::scrollTo(const Section* section)
{
    // The head first: of a section that is higher than the column, the rest is below.
    const int now = verticalScrollBar()->value(), bottom = section->geometry().bottom() + 1 - viewport()->height();
    verticalScrollBar()->setValue(std::min(std::max(now, bottom), section->y()));
}

SectionColumn::Heights SectionColumn::heightsOf(const Row& row, int width) const
{
    const int head = row.section->headHeight(width);
    if (!row.section->showsBody())
        return { head, head };
    Heights body;
    if (row.heights) {
        body = row.heights(width);
    } else {
        const QWidget* widget = row.section->body();
        body.least = std::max(widget->minimumSizeHint().height(), widget->minimumHeight());
        body.wanted = widget->hasHeightForWidth() ? widget->heightForWidth(width) : widget->sizeHint().height();
    }
    return { head + body.least, head + std::max(body.least, body.wanted) };
}

void SectionColumn::fit()
{
    if (m_fitting)
        return;
    m_fitting = true;
    // Widths are tried without a section being resized: one that is would ask for another try, without end.
    int width = maximumViewportSize().width();
    std::vector<Placed> placed = placedAt(width);
    const auto bottom = [&placed] { return placed.empty() ? 0 : placed.back().y + placed.back().height; };
    if (bottom() > maximumViewportSize().height()) {
        width -= verticalScrollBar()->sizeHint().width();
        placed = placedAt(width);
    }
    for (const Placed& each : placed)
        each.section->setGeometry(0, each.y, width, each.height);
    m_content->resize(width, std::max(bottom(), maximumViewportSize().height()));
    m_fitting = false;
}

std::vector<SectionColumn::Placed> SectionColumn::placedAt(int width) const
{
    std::vector<Placed> placed;
    const int room = maximumViewportSize().height();
    int missing = -room;
    std::vector<int> least;
    const Section* last = nullptr;
    for (const Row& row : m_rows) {
        if (row.section->isHidden())
            continue;
        const Heights wanted = heightsOf(row, width);
        placed.push_back({ row.section, 0, wanted.wanted });
        least.push_back(wanted.least);
        missing += wanted.wanted;
        if (row.section->showsBody()
            && (row.heights || (row.section->body()->sizePolicy().verticalPolicy() & QSizePolicy::ExpandFlag)))
            last = row.section;
    }
    // Where the column is scrolled anyway, no table within it has to be as well, unless it is higher than the column.
    const int needed = std::accumulate(least.begin(), least.end(), 0);
    if (needed > room)
        for (std::size_t i = 0; i < placed.size(); ++i)
            placed[i].height = std::max(least[i], std::min(placed[i].height, room));
    for (std::size_t i = placed.size(); i-- > 0 && missing > 0 && needed <= room;) {
        const int taken = std::min(missing, placed[i].height - least[i]);
        placed[i].height -= taken;
        missing -= taken;
    }
    // In the middle of the column, room below the last row would part a table from what belongs to it.
    if (last && last == placed.back().section)
        placed.back().height += std::max(-missing, 0);
    int y = 0;
    for (Placed& each : placed) {
        each.y = y;
        y += each.height;
    }
    return placed;
}

QSize SectionColumn::minimumSizeHint() const
{
    int width = Metrics::scaled(240);
    for (const Row& row : m_rows)
        if (!row.section->isHidden() && row.section->showsBody())
            width = std::max({ width, row.section->minimumSizeHint().width(), row.section->body()->minimumWidth() });
    return { width + verticalScrollBar()->sizeHint().width(), Metrics::scaled(120) };
}

void SectionColumn::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    fit();
}

bool SectionColumn::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_content && event->type() == QEvent::LayoutRequest) {
        updateGeometry();
        fit();
    }
    return QScrollArea::eventFilter(watched, event);
}

} // namespace shardscope
