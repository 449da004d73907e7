// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/collectives_view/exchange_view.h"

#include <QEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "views/collectives_view/collective_texts.h"
#include "views/panel/panel.h"
#include "views/shard_grid_view/grid_accessible.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/span_text/span_text.h"
#include "views/theme/theme.h"
#include "views/widgets/chip.h"
#include "views/widgets/span_line.h"

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
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(10, 5, 10, 5);
        column->setSpacing(1);
        column->addWidget(m_groups);
        column->addWidget(m_sent);
    }
    void show(const CollectiveEntry& entry)
    {
        using Style = words::Span::Style;
        m_axis = entry.axes.empty() ? -1 : entry.axes.front().axis;
        words::Text text{ { words::collective(entry.kind), Style::Strong, -1 } };
        if (!entry.axes.empty()) {
            text.push_back({ ExchangeView::tr(" over ", "all-reduce over model"), Style::Plain, -1 });
            for (const words::Span& axis : axesSpans(*entry.mesh, entry.axes))
                text.push_back(axis);
        }
        text.push_back({ QStringLiteral(", ") + groupsSentence(entry), Style::Plain, -1 });
        m_groups->setText(std::move(text));
        m_sent->setText({ { sentSentence(entry), Style::Plain, -1 } });
        update();
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
    int m_axis = -1;
};

ExchangeView::ExchangeView(Selection* selection, QWidget* parent)
    : QWidget(parent)
    , m_before(makeSide(tr("Before"), tr("Grid before the collective"), selection))
    , m_after(makeSide(tr("After"), tr("Grid after the collective"), selection))
    , m_band(new ExchangeBand(this))
{
    installGridAccessibility();
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

ExchangeView::Side ExchangeView::makeSide(const QString& name, const QString& gridName, Selection* selection)
{
    Side side{ new RoleLabel(name, RoleLabel::Size::Semibold, &Theme::text, this), new SpanLine(this),
        new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, this), new GridCanvas(selection, this) };
    side.array->setBaseFont(Metrics::fixed());
    side.array->setAccessibleName(name);
    side.holding->setElided(true);
    side.grid->setAccessibleName(gridName);
    return side;
}

void ExchangeView::show(const CollectiveList&, const CollectiveEntry& entry, const Snapshot& snapshot)
{
    const TensorRow* row =
        entry.value.valid() && entry.value.index < snapshot.rowOfValue.size() ? snapshot.row(entry.value) : nullptr;
    std::vector<std::string> names;
    if (row && row->type.shape == entry.type.shape)
        names = row->dimNames;
    const auto& devices = snapshot.experiment->hardware.devices;
    const auto places = std::make_shared<const DevicePlaces>(devices);
    const Layout before(entry.mesh, entry.before, entry.type.shape), after(entry.mesh, entry.after, entry.type.shape);
    const GridLayout::Choice choice = ExchangeLayout::commonChoice(before, after);
    const auto fill = [&](const Side& side, const Layout& layout) {
        side.grid->setSubject(GridSubject{ layout, names, byteSize(entry.type.dtype), devices.devicesPerHost, places });
        side.grid->setCurrentCell(std::nullopt);
        side.grid->setChoice(choice);
        side.array->setText(arraySpans(entry.type, layout.sharding(), layout.mesh()));
        side.array->setAccessibleDescription(words::plain(side.array->text()));
        side.holding->setText(holdingText(entry.type, layout));
    };
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
    const QFontMetrics names(Metrics::semibold()), fixed(Metrics::fixed()), small{ Metrics::small() };
    sizes.headHeight = std::max(names.height(), fixed.height()) + small.height() + 4;
    sizes.leastGridWidth = m_before.grid->minimumSizeHint().width();
    sizes.leastGridHeight = m_before.grid->minimumSizeHint().height();
    sizes.arrow = Metrics::scaled(24);
    sizes.gap = Metrics::scaled(6);
    sizes.bandHeight = std::max(m_band->heightForWidth(width), m_band->minimumSizeHint().height());
    return sizes;
}

int ExchangeView::heightForWidth(int width) const
{
    return ExchangeLayout::leastHeight(width, sizes(width));
}

QSize ExchangeView::sizeHint() const
{
    const int width = Metrics::scaled(480);
    return { width, heightForWidth(width) };
}

QSize ExchangeView::minimumSizeHint() const
{
    return { m_before.grid->minimumSizeHint().width(), 0 };
}

void ExchangeView::arrange()
{
    m_layout = ExchangeLayout::make(size(), sizes(width()));
    const auto place = [](const Side& side, const QRect& head, const QRect& grid) {
        const int name = side.name->sizeHint().width() + Metrics::scaled(8);
        const int line = head.height() - side.holding->sizeHint().height();
        side.name->setGeometry(head.left(), head.top(), name, line);
        side.array->setGeometry(head.left() + name, head.top(), std::max(head.width() - name, 0), line);
        side.holding->setGeometry(head.left(), head.top() + line, head.width(), head.height() - line);
        side.grid->setGeometry(grid);
    };
    place(m_before, m_layout.beforeHead, m_layout.beforeGrid);
    place(m_after, m_layout.afterHead, m_layout.afterGrid);
    m_band->setGeometry(m_layout.band);
}

void ExchangeView::resizeEvent(QResizeEvent*)
{
    arrange();
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
        painter.drawLine(arrow.stem);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawPolygon(arrow.head.data(), static_cast<int>(arrow.head.size()));
    }
}

} // namespace shardscope
