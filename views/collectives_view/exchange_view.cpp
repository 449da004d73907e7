// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/collectives_view/exchange_view.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>
#include <numeric>

#include "pipeline/exchange_subject.h"
#include "views/panel/panel.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/span_text/span_text.h"
#include "views/widgets/boxes.h"
#include "views/widgets/chip.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/span_line.h"
#include "words/collective_texts.h"
#include "words/collective_words.h"

namespace shardscope {

/// The plate in the colour of the first axis: among whom, and what is sent.
class ExchangeBand : public QWidget {
public:
    explicit ExchangeBand(QWidget* parent)
        : QWidget(parent)
        , m_groups(new SpanLabel(this))
        , m_sent(new SpanLabel(this))
    {
        m_sent->setColour(&Theme::secondary);
        vbox(this, { 10, 5, 10, 5 }, 1, { m_groups, m_sent });
    }
    void show(const CollectiveEntry& entry)
    {
        m_axis = entry.axes.empty() ? -1 : entry.axes.front().axis;
        m_full = words::exchangeSpans(entry, true);
        m_brief = words::exchangeSpans(entry, false);
        m_groups->setToolTip(plainTip(words::plain(m_full)));
        m_sent->setText(words::collectiveCost(entry));
        fit(width());
        update();
    }
    /// Who is in the groups is said where that takes no further line.
    void fit(int width)
    {
        const QMargins margins = layout()->contentsMargins();
        const int room = width - margins.left() - margins.right() - 4;
        m_groups->setText(spansWidth(m_full, font()) <= room ? m_full : m_brief);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Theme& theme = Theme::current();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(m_axis >= 0 ? theme.meshAxis(m_axis) : theme.strongLine, 1));
        painter.setBrush(m_axis >= 0 ? axisTint(theme, m_axis) : theme.alternateRow);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }

private:
    SpanLabel* m_groups;
    SpanLabel* m_sent;
    words::Text m_full, m_brief;
    int m_axis = -1;
};

ExchangeView::ExchangeView(Selection* selection, QWidget* parent)
    : QWidget(parent)
    , m_before(makeSide(tr("Before"), tr("Grid before the collective"), selection))
    , m_after(makeSide(tr("After"), tr("Grid after the collective"), selection))
    , m_band(new ExchangeBand(this))
{
    heightFollowsWidth(this, QSizePolicy::Expanding, QSizePolicy::Expanding);
}

ExchangeView::Side ExchangeView::makeSide(const QString& name, const QString& gridName, Selection* selection)
{
    Side side{ new RoleLabel(name, RoleLabel::Size::Semibold, &Theme::text, this), new SpanLine(this),
        new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::secondary, this),
        new GridCanvas(selection, this) };
    side.array->setBaseFont(Metrics::fixed());
    side.array->setAccessibleName(name);
    side.holding->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    side.grid->setAccessibleName(gridName);
    return side;
}

void ExchangeView::show(
    const CollectiveList& list, const CollectiveEntry& entry, ValueId named, const Snapshot& snapshot)
{
    const ExchangeSubject subject = exchangeSubject(list, entry);
    std::vector<std::string> names;
    const Shape own(subject.type.shape.begin() + (subject.arrayPerDevice ? 1 : 0), subject.type.shape.end());
    if (named.valid())
        if (const Value& value = list.program->value(named); value.type.shape == own)
            names = value.dimNames;
    if (subject.arrayPerDevice) {
        names.resize(own.size());
        names.insert(names.begin(), tr("device").toStdString());
    }
    const auto& devices = snapshot.experiment->hardware.devices;
    const auto places = std::make_shared<const DevicePlaces>(devices);
    const Layout before(subject.mesh, subject.before, subject.type.shape);
    const Layout after(subject.meshAfter ? subject.meshAfter : subject.mesh, subject.after, subject.type.shape);
    const GridLayout::Choice choice = ExchangeLayout::commonChoice(before, after);
    const auto fill = [&](const Side& side, const Layout& layout) {
        side.grid->setSubject(
            GridSubject{ layout, names, byteSize(subject.type.dtype), devices.devicesPerHost, places });
        side.grid->setCurrentCell(std::nullopt);
        side.grid->setChoice(choice);
        side.array->setText(words::arraySpans(subject.type, layout.sharding(), layout.mesh()));
        side.array->setAccessibleDescription(words::plain(side.array->text()));
        side.holding->setText(words::holdingText(subject, layout, entry));
    };
    const auto length = [&](int dimension) {
        return dimension < 0 ? 1.0 : static_cast<double>(subject.type.shape[static_cast<std::size_t>(dimension)]);
    };
    m_aspect = std::clamp(length(choice.columns) / std::max(length(choice.rows), 1.0), 0.25, 4.0);
    fill(m_before, before);
    fill(m_after, after);
    m_axis = entry.axes.empty() ? -1 : entry.axes.front().axis;
    m_band->show(entry);
    updateGeometry();
    arrange();
    update();
}

void ExchangeView::clear()
{
    m_before.grid->setSubject(std::nullopt);
    m_after.grid->setSubject(std::nullopt);
}

ExchangeSizes ExchangeView::sizes(int width) const
{
    ExchangeSizes sizes;
    const QFontMetrics names(Metrics::semibold()), fixed(Metrics::fixed());
    sizes.minimumGridWidth = Metrics::scaled(168);
    sizes.arrow = Metrics::scaled(24);
    sizes.gap = Metrics::scaled(6);
    const int column = ExchangeLayout::isBeside(width, sizes) ? (width - sizes.arrow) / 2 : width;
    sizes.holdingHeight = std::max({ m_before.holding->heightForWidth(column), m_after.holding->heightForWidth(column),
        QFontMetrics(Metrics::small()).height() });
    sizes.headHeight = std::max(names.height(), fixed.height()) + sizes.holdingHeight + 4;
    // As high as the array asks for at that width, within reason; names, ranges and the legend are around it.
    const int wanted = Metrics::scaled(104) + static_cast<int>((column - Metrics::scaled(80)) / m_aspect);
    sizes.minimumGridHeight = std::clamp(wanted, Metrics::scaled(128), Metrics::scaled(220));
    m_band->fit(width);
    sizes.bandHeight = std::max(m_band->heightForWidth(width), m_band->minimumSizeHint().height());
    return sizes;
}

int ExchangeView::heightForWidth(int width) const
{
    return ExchangeLayout::minimumHeight(width, sizes(width));
}

QSize ExchangeView::sizeHint() const
{
    const int width = Metrics::scaled(480);
    return { width, heightForWidth(width) };
}

void ExchangeView::arrange()
{
    const ExchangeSizes wanted = sizes(width());
    // Higher than that grids would not become: they keep the proportions of the array.
    ExchangeSizes most = wanted;
    const int column = ExchangeLayout::isBeside(width(), wanted) ? (width() - wanted.arrow) / 2 : width();
    most.minimumGridHeight = std::max(
        wanted.minimumGridHeight, Metrics::scaled(116) + static_cast<int>((column - Metrics::scaled(60)) / m_aspect));
    setMaximumHeight(ExchangeLayout::minimumHeight(width(), most));
    m_layout = ExchangeLayout::make(size(), wanted);
    const auto place = [holding = wanted.holdingHeight](const Side& side, const QRect& head, const QRect& grid) {
        const int name = side.name->sizeHint().width() + Metrics::scaled(8);
        const int line = head.height() - holding;
        side.name->setGeometry(head.left(), head.top(), name, line);
        side.array->setGeometry(head.left() + name, head.top(), std::max(head.width() - name, 0), line);
        side.holding->setGeometry(head.left(), head.top() + line, head.width(), head.height() - line);
        side.grid->setGeometry(grid);
    };
    place(m_before, m_layout.beforeHead, m_layout.beforeGrid);
    place(m_after, m_layout.afterHead, m_layout.afterGrid);
    m_band->setGeometry(m_layout.band);
}

void ExchangeView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) {
        m_before.array->setBaseFont(Metrics::fixed());
        m_after.array->setBaseFont(Metrics::fixed());
        updateGeometry();
        arrange();
    }
    QWidget::changeEvent(event);
}

void ExchangeView::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor colour = m_axis >= 0 ? theme.meshAxis(m_axis) : theme.strongLine;
    for (const ExchangeLayout::Arrow& arrow : m_layout.arrows) {
        painter.setPen(QPen(colour, 1.5));
        painter.drawLine(arrow.shaft);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawPolygon(arrow.head.data(), static_cast<int>(arrow.head.size()));
    }
}

} // namespace shardscope
