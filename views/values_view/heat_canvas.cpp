// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/heat_canvas.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>

#include "document/selection.h"
#include "views/widgets/plain_tip.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr int outer = 8;

} // namespace

HeatCanvas::HeatCanvas(Selection* selection, QWidget* parent)
    : Canvas(tr("Heat map"), parent)
    , m_selection(selection)
{
    connect(selection, &Selection::hoverChanged, this, qOverload<>(&QWidget::update));
}

void HeatCanvas::setContent(std::optional<ShownValues> shown, ReadSample read, HeatReduction reduction)
{
    highlight(std::nullopt); // what was pointed at has another number now, or is gone
    m_shown = std::move(shown);
    m_read = std::move(read);
    m_reduction = reduction;
    m_data = HeatData();
    arrange();
}

GridMargins HeatCanvas::margins() const
{
    const QFontMetrics names{ font() }, small{ Metrics::small() };
    GridMargins margins;
    margins.panelTitle = names.height() + 4;
    margins.gap = Metrics::scaled(m_shown->local ? 14 : 28);
    margins.left = outer;
    margins.top = names.height() + small.height() + Metrics::scaled(18);
    if (m_shown->rows >= 0) {
        const std::int64_t size = m_shown->rowCount();
        const int wanted = std::max({ names.horizontalAdvance(m_shown->subject.dimensionName(m_shown->rows)),
            QFontMetrics(Metrics::semibold()).horizontalAdvance(m_shown->subject.axesOf(m_shown->rows)),
            small.horizontalAdvance(words::range(std::max<std::int64_t>(size - 2, 0), size)) });
        margins.left += std::min(wanted, width() / 5) + Metrics::scaled(14);
    }
    if (m_shown->rank() == 0 && !m_shown->local)
        margins.top = Metrics::scaled(16);
    return margins;
}

void HeatCanvas::arrange()
{
    m_layout = HeatLayout();
    m_readDue = m_shown.has_value();
    if (m_shown && isVisible()) {
        m_readDue = false;
        m_layout = HeatLayout(*m_shown, size() - QSize(outer + 2, outer + 2), margins());
        if (auto data = readHeat(*m_shown, m_layout, m_read, m_reduction, devicePixelRatioF())) {
            m_data = std::move(*data);
            m_images.clear();
        }
        if (m_data.panels.size() != m_layout.panels().size())
            m_data = HeatData(); // of something else, and nothing can be read now
        if (m_current >= m_layout.partCount())
            m_current = -1;
        tableChanged(this);
        Q_EMIT dataChanged();
    } else if (!m_shown) {
        m_data = HeatData();
        m_images.clear();
        m_current = -1;
    }
    update();
}

std::int64_t HeatCanvas::shardOf(const HeatElement& element) const
{
    return m_shown->shardAt(m_layout.position(element.panel), element.row, element.column);
}

QString HeatCanvas::holdersText(const HeatElement& element) const
{
    const Layout& layout = m_shown->subject.layout;
    const std::int64_t position = m_layout.position(element.panel);
    if (position >= 0)
        return tr("d%1").arg(layout.mesh().deviceAt(position));
    return listDevices(DeviceGroup::holders(layout, shardOf(element)));
}

QString HeatCanvas::describe(const HeatElement& element) const
{
    const std::int64_t position = m_layout.position(element.panel);
    const Shape index = m_shown->indexAt(element.row, element.column);
    const std::optional<Shape> global =
        m_layout.isPadding(element) ? std::nullopt : m_shown->globalIndexAt(position, element.row, element.column);
    QString place = m_shown->indexText(m_shown->local ? index : global.value_or(index));
    if (!global)
        return tr("%1: padding, on %2").arg(place, holdersText(element));
    if (m_shown->local)
        place = tr("local %1, in the array %2").arg(place, m_shown->indexText(*global));
    std::vector<double> value;
    const QString text = readPlane(*m_shown, m_read, position, { element.row }, { element.column }, value)
        ? valueText(value[0], m_shown->dtype, m_shown->difference)
        : tr("running");
    const QString holders = m_shown->subject.layout.addends() > 1 && position < 0
        ? tr("sum of the partial values on %1").arg(holdersText(element))
        : tr("on %1").arg(holdersText(element));
    return place.isEmpty() ? tr("%1 %2", "value, on d1").arg(text, holders)
                           : tr("%1 = %2 %3", "place, value, on d1").arg(place, text, holders);
}

void HeatCanvas::highlight(std::optional<HeatElement> element)
{
    if (!m_shown || m_layout.panels().empty())
        element.reset();
    if (element == m_highlighted)
        return;
    m_highlighted = element;
    if (m_highlighted) {
        const std::int64_t position = m_layout.position(m_highlighted->panel);
        const Layout& layout = m_shown->subject.layout;
        m_selection->setHoveredDevices(position >= 0 ? DeviceGroup{ layout.mesh().deviceAt(position) }
                : m_layout.isPadding(*m_highlighted) ? DeviceGroup()
                                                     : DeviceGroup::holders(layout, shardOf(*m_highlighted)));
        Q_EMIT pointed(describe(*m_highlighted));
    } else {
        m_selection->setHoveredDevices({});
        Q_EMIT pointed({});
    }
    update();
}

void HeatCanvas::walkTo(std::int64_t part)
{
    m_current = std::clamp<std::int64_t>(part, -1, m_layout.partCount() - 1);
    if (m_current >= 0)
        highlight(m_layout.firstOf(m_current));
    tableCurrentChanged(this);
    update();
}

Canvas::Tip HeatCanvas::tipAt(QPoint point) const
{
    const auto element = m_shown ? m_layout.elementAt(point) : std::nullopt;
    return element ? Tip{ plainTip(describe(*element)), m_layout.rectOf(*element) } : Tip();
}

void HeatCanvas::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_readDue)
        arrange();
}

void HeatCanvas::hoverAt(std::optional<QPoint> point)
{
    highlight(m_shown && point ? m_layout.elementAt(*point) : std::nullopt);
}

void HeatCanvas::mousePressEvent(QMouseEvent* event)
{
    if (!m_shown || event->button() != Qt::LeftButton)
        return;
    if (const auto element = m_layout.elementAt(event->pos())) {
        walkTo(m_layout.partOf(*element));
        highlight(element);
    }
}

void HeatCanvas::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    highlight(std::nullopt);
}

void HeatCanvas::keyPressEvent(QKeyEvent* event)
{
    const std::int64_t parts = m_shown ? m_layout.partCount() : 0, across = parts > 0 ? m_layout.partsAcross() : 1;
    const auto walk = [&](std::int64_t next) {
        if (parts > 0 && next >= 0 && next < parts)
            walkTo(next);
        else if (parts > 0 && m_current < 0)
            walkTo(0);
    };
    switch (event->key()) {
    case Qt::Key_Left:
        return walk(m_current - 1);
    case Qt::Key_Right:
        return walk(m_current + 1);
    case Qt::Key_Up:
        return walk(m_current - across);
    case Qt::Key_Down:
        return walk(m_current < 0 ? 0 : m_current + across);
    case Qt::Key_Home:
        return walk(0);
    case Qt::Key_End:
        return walk(parts - 1);
    case Qt::Key_Escape:
        if (m_current < 0) // the window may have something to take back
            return QWidget::keyPressEvent(event);
        m_current = -1;
        highlight(std::nullopt);
        return update();
    default:
        return QWidget::keyPressEvent(event);
    }
}

QStringList HeatCanvas::tableHeads() const
{
    return { m_shown && m_shown->local ? tr("Device") : tr("Shard"), tr("Held by"), tr("Smallest"), tr("Largest"),
        tr("Not finite") };
}

QString HeatCanvas::tableText(int row, int column) const
{
    if (!m_shown || row >= m_layout.partCount())
        return {};
    const HeatSummary& summary = m_data.parts[static_cast<std::size_t>(row)];
    const HeatElement first = m_layout.firstOf(row);
    const auto number = [&](double value) {
        return summary.anyFinite() ? valueText(value, m_shown->dtype, m_shown->difference) : QString();
    };
    switch (column) {
    case 0:
        return m_shown->local           ? panelTitle(row)
            : m_layout.isPadding(first) ? tr("padding")
                                        : describeCell(m_shown->subject, shardOf(first)).ranges;
    case 1:
        return m_layout.isPadding(first) && !m_shown->local ? QString() : holdersText(first);
    case 2:
        return number(summary.smallest);
    case 3:
        return number(summary.largest);
    default:
        return words::count(summary.notNumbers + summary.infinite + summary.minusInfinite);
    }
}

QRect HeatCanvas::tableRect(int row) const
{
    return row < m_layout.partCount() ? m_layout.partRect(row) : QRect();
}

int HeatCanvas::tableRowAt(QPoint point) const
{
    const auto element = m_layout.elementAt(point);
    return element ? static_cast<int>(m_layout.partOf(*element)) : -1;
}

} // namespace shardscope
