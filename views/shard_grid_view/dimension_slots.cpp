// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shard_grid_view/dimension_slots.h"

#include <QApplication>
#include <QFocusEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <array>

#include "views/theme/theme.h"
#include "views/widgets/chip.h"
#include "views/widgets/plain_tip.h"

namespace shardscope {

namespace {

constexpr std::array allPlaces{ GridPlace::Rows, GridPlace::Columns, GridPlace::Nest, GridPlace::Multiples,
    GridPlace::Slider, GridPlace::Fold };

struct PlaceWords {
    QString name, tip;
};

PlaceWords wordsOf(GridPlace place)
{
    const PlaceWords all[] = { { DimensionSlots::tr("Rows"), DimensionSlots::tr("Down the grid") },
        { DimensionSlots::tr("Columns"), DimensionSlots::tr("Across the grid") },
        { DimensionSlots::tr("Nest"), DimensionSlots::tr("Within each cell: the first one across, the next one down") },
        { DimensionSlots::tr("Multiples"), DimensionSlots::tr("One grid per block, beside each other") },
        { DimensionSlots::tr("Slider"), DimensionSlots::tr("One block at a time, chosen by a slider") },
        { DimensionSlots::tr("Fold"), DimensionSlots::tr("Not drawn, since it is not sharded") } };
    return all[static_cast<std::size_t>(place)];
}

int chipHeight()
{
    return chipSize(QString()).height();
}

} // namespace

DimensionSlots::DimensionSlots(QWidget* parent)
    : Canvas(tr("Dimensions and where they are drawn"), parent)
{
    setAccessibleDescription(tr("Arrow keys choose a dimension, Alt with an arrow key takes it to the next slot, "
                                "Return lists the slots"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

QString DimensionSlots::placeName(GridPlace place)
{
    return wordsOf(place).name;
}

void DimensionSlots::setChips(std::vector<Chip> chips)
{
    if (m_chips == chips)
        return;
    const int dimension = currentDimension();
    m_chips = std::move(chips);
    m_pressed = -1;
    m_dragging = false;
    arrange();
    m_current = -1;
    for (std::size_t i = 0; i < m_layout.chips.size(); ++i)
        if (dimension >= 0 && chipOf(static_cast<int>(i)).dimension == dimension)
            m_current = static_cast<int>(i); // the keys stay at what they moved
    tableChanged(this);
    updateGeometry();
}

std::vector<SlotsLayout::Caption> DimensionSlots::captions() const
{
    std::vector<SlotsLayout::Caption> list;
    const QFontMetrics small(Metrics::small());
    for (const GridPlace place : allPlaces)
        if (m_chips.size() > 2 || place == GridPlace::Rows || place == GridPlace::Columns)
            list.push_back({ place, small.horizontalAdvance(placeName(place)) });
    return list;
}

std::vector<SlotsLayout::Item> DimensionSlots::items() const
{
    std::vector<SlotsLayout::Item> list;
    const int most = Metrics::scaled(160);
    for (const Chip& chip : m_chips)
        list.push_back({ chip.place, std::min(chipSize(chip.text).width(), most) });
    return list;
}

void DimensionSlots::arrange()
{
    m_layout = SlotsLayout::make(captions(), items(), std::max(width() - 2, 1), chipHeight());
    setFixedHeight(std::max(m_layout.height + 1, 1));
    update();
}

int DimensionSlots::heightAt(int width) const
{
    return SlotsLayout::make(captions(), items(), std::max(width - 2, 1), chipHeight()).height + 1;
}

int DimensionSlots::widthForNames() const
{
    return SlotsLayout::widthOfWidest(captions(), items(), chipHeight()) + 3;
}

QSize DimensionSlots::sizeHint() const
{
    return { SlotsLayout::widthInOneRow(captions(), items(), chipHeight()) + 3, std::max(m_layout.height + 1, 1) };
}

const DimensionSlots::Chip& DimensionSlots::chipOf(int chip) const
{
    return m_chips[static_cast<std::size_t>(m_layout.chips[static_cast<std::size_t>(chip)].item)];
}

int DimensionSlots::currentDimension() const
{
    return m_current >= 0 && m_current < tableRowCount() ? chipOf(m_current).dimension : -1;
}

QString DimensionSlots::tableText(int row, int column) const
{
    return column == 0 ? chipOf(row).text : placeName(chipOf(row).place);
}

void DimensionSlots::walkTo(int chip)
{
    if (m_layout.chips.empty())
        return;
    m_current = std::clamp(chip, 0, tableRowCount() - 1);
    update();
    tableCurrentChanged(this);
}

void DimensionSlots::moveBy(int steps)
{
    if (m_current < 0)
        return;
    const Chip chip = chipOf(m_current);
    int place = static_cast<int>(chip.place);
    for (;;) {
        place += steps;
        if (place < 0 || place >= static_cast<int>(allPlaces.size()))
            return;
        const auto wanted = static_cast<GridPlace>(place);
        if (takes(wanted, chip)) {
            Q_EMIT moveRequested(chip.dimension, wanted);
            return;
        }
    }
}

void DimensionSlots::listPlaces(int chip)
{
    const Chip asked = chipOf(chip);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAccessibleName(tr("Slots for %1").arg(asked.text));
    menu->setToolTipsVisible(true);
    for (const SlotsLayout::Caption& caption : captions()) {
        const GridPlace place = caption.place;
        QAction* action = menu->addAction(placeName(place));
        action->setToolTip(wordsOf(place).tip);
        action->setCheckable(true);
        action->setChecked(place == asked.place);
        action->setEnabled(takes(place, asked));
        connect(action, &QAction::triggered, this, [this, asked, place] {
            if (place != asked.place)
                Q_EMIT moveRequested(asked.dimension, place);
        });
    }
    const QRect rect = m_layout.chips[static_cast<std::size_t>(chip)].rect;
    menu->popup(mapToGlobal(rect.bottomLeft() + QPoint(0, 2)));
}

std::optional<GridPlace> DimensionSlots::target() const
{
    if (!m_dragging || m_pressed < 0)
        return std::nullopt;
    const std::optional<GridPlace> place = m_layout.placeAt(m_pointer);
    const Chip& chip = chipOf(m_pressed);
    return place && *place != chip.place && takes(*place, chip) ? place : std::nullopt;
}

void DimensionSlots::stopDragging()
{
    m_pressed = -1;
    m_dragging = false;
    update();
}

bool DimensionSlots::takes(GridPlace place, const Chip& chip) const
{
    return place == chip.place || std::find(chip.others.begin(), chip.others.end(), place) != chip.others.end();
}

QString DimensionSlots::refusal() const
{
    const std::optional<GridPlace> place = m_dragging && m_pressed >= 0 ? m_layout.placeAt(m_pointer) : std::nullopt;
    if (!place || takes(*place, chipOf(m_pressed)))
        return {};
    const Chip& chip = chipOf(m_pressed);
    return chip.axis < 0 ? tr("%1 is not sharded: it is one block, and there is nothing to separate").arg(chip.name)
        : *place == GridPlace::Fold ? tr("%1 is sharded: what is folded has one block").arg(chip.name)
                                    : tr("%1 has no place in %2 here").arg(chip.name, placeName(*place));
}

Canvas::Tip DimensionSlots::tipAt(QPoint point) const
{
    const int chip = m_layout.chipAt(point);
    const std::optional<GridPlace> place = m_layout.placeAt(point);
    if (!place)
        return {};
    const QString slot = QStringLiteral("%1: %2").arg(placeName(*place), wordsOf(*place).tip);
    return { plainTip(chip >= 0 ? tr("%1\n%2. Drag it to another slot, or click for the list.")
                                      .arg(chipOf(chip).text, wordsOf(*place).tip)
                                : slot),
        {} };
}

bool DimensionSlots::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* pressed = static_cast<const QKeyEvent*>(event);
        if (pressed->modifiers() & Qt::AltModifier && pressed->key() >= Qt::Key_Left
            && pressed->key() <= Qt::Key_Down) {
            event->accept();
            return true;
        }
    }
    return Canvas::event(event);
}

void DimensionSlots::keyPressEvent(QKeyEvent* event)
{
    const int key = event->key();
    const bool back = key == Qt::Key_Left || key == Qt::Key_Up;
    if (event->modifiers() & Qt::AltModifier && key >= Qt::Key_Left && key <= Qt::Key_Down) {
        moveBy(back ? -1 : 1);
    } else if (const auto chip = rowAfter(*event, m_current, tableRowCount(), Qt::Horizontal | Qt::Vertical)) {
        walkTo(*chip);
    } else if (isActivation(*event)) {
        if (m_current >= 0)
            listPlaces(m_current);
    } else if (key == Qt::Key_Escape && m_dragging) {
        stopDragging();
    } else {
        QWidget::keyPressEvent(event);
    }
}

void DimensionSlots::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_pressed = m_layout.chipAt(event->pos());
    m_pressedAt = m_pointer = event->pos();
    m_dragging = false;
    if (m_pressed >= 0)
        walkTo(m_pressed);
}

void DimensionSlots::mouseMoveEvent(QMouseEvent* event)
{
    m_pointer = event->pos();
    if (m_pressed >= 0 && (m_pointer - m_pressedAt).manhattanLength() >= QApplication::startDragDistance())
        m_dragging = true;
    const QString refused = refusal();
    if (!refused.isEmpty())
        QToolTip::showText(event->globalPosition().toPoint(), plainTip(refused), this);
    else if (m_dragging)
        QToolTip::hideText();
    setCursor(!refused.isEmpty()                 ? Qt::ForbiddenCursor
            : m_dragging                         ? Qt::ClosedHandCursor
            : m_layout.chipAt(event->pos()) >= 0 ? Qt::OpenHandCursor
                                                 : Qt::ArrowCursor);
    if (m_dragging)
        update();
}

void DimensionSlots::mouseReleaseEvent(QMouseEvent* event)
{
    m_pointer = event->pos();
    const int pressed = m_pressed;
    const bool dragged = m_dragging;
    const std::optional<GridPlace> place = target();
    stopDragging();
    if (pressed < 0)
        return;
    if (!dragged)
        listPlaces(pressed);
    else if (place)
        Q_EMIT moveRequested(chipOf(pressed).dimension, *place);
}

void DimensionSlots::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    if (event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason)
        walkTo(std::max(m_current, 0));
}

void DimensionSlots::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    stopDragging();
}

void DimensionSlots::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const std::optional<GridPlace> drop = target();
    for (const SlotsLayout::Slot& slot : m_layout.frames) {
        const bool empty =
            std::none_of(m_chips.begin(), m_chips.end(), [&](const Chip& chip) { return chip.place == slot.place; });
        painter.setRenderHint(QPainter::Antialiasing);
        QPen pen(theme.border, 1);
        if (drop == slot.place)
            pen = QPen(theme.accent, 2);
        else if (empty)
            pen.setDashPattern({ 3, 2 });
        if (m_dragging && m_pressed >= 0 && !takes(slot.place, chipOf(m_pressed)))
            painter.setOpacity(0.35);
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(slot.frame).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setFont(Metrics::small());
        painter.setPen(empty ? theme.hint : theme.secondary);
        painter.drawText(slot.caption, Qt::AlignLeft | Qt::AlignVCenter, placeName(slot.place));
        painter.setOpacity(1);
    }
    for (std::size_t i = 0; i < m_layout.chips.size(); ++i) {
        const Chip& chip = chipOf(static_cast<int>(i));
        const bool current = hasFocus() && static_cast<int>(i) == m_current;
        painter.setOpacity(m_dragging && static_cast<int>(i) == m_pressed ? 0.35 : 1);
        const bool room = chipSize(chip.text).width() <= m_layout.chips[i].rect.width();
        paintChip(painter, m_layout.chips[i].rect, room ? chip.text : chip.name, chip.axis, theme,
            current ? ChipState::Target : ChipState::Plain);
    }
    painter.setOpacity(1);
    if (m_dragging && m_pressed >= 0) {
        QRect ghost = m_layout.chips[static_cast<std::size_t>(m_pressed)].rect;
        ghost.translate(m_pointer - m_pressedAt);
        painter.setOpacity(0.8);
        paintChip(painter, ghost, chipOf(m_pressed).text, chipOf(m_pressed).axis, theme);
    }
}

} // namespace shardscope
