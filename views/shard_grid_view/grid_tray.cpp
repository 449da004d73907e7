// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shard_grid_view/grid_tray.h"

#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <algorithm>
#include <limits>

#include "views/panel/panel.h"
#include "views/shard_grid_view/dimension_slots.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr int spacing = 6;

} // namespace

GridTray::GridTray(GridCanvas* canvas, QWidget* parent)
    : QWidget(parent)
    , m_canvas(canvas)
    , m_column(new QVBoxLayout(this))
    , m_line(new QHBoxLayout)
    , m_slots(new DimensionSlots(this))
    , m_colourLabel(new QLabel(tr("Colour"), this))
    , m_colour(new QComboBox(this))
{
    describe(m_colour, tr("What the colour of a cell tells"),
        tr("What the colour of a cell tells: which shard it is; whose devices or hosts hold it; where these stand "
           "along the selected mesh axis; how much of the array each of them holds; how long each of them was busy in "
           "the last step"));
    m_colour->setMinimumWidth(Metrics::scaled(72));
    m_colour->addItems({ tr("Shard"), tr("Device"), tr("Host"), tr("Coordinate"), tr("Bytes"), tr("Time") });
    m_colourLabel->setBuddy(m_colour);
    m_colourLabel->setMinimumHeight(m_colour->sizeHint().height());

    m_line->setSpacing(spacing);
    m_line->addWidget(m_slots, 1);
    m_controls = m_line->count();
    m_line->addStretch();
    m_line->addWidget(m_colourLabel, 0, Qt::AlignTop);
    m_line->addWidget(m_colour, 0, Qt::AlignTop);
    m_column->setContentsMargins(8, 4, 8, 4);
    m_column->setSpacing(4);
    m_column->addLayout(m_line);

    connect(m_slots, &DimensionSlots::moveRequested, m_canvas, &GridCanvas::moveDimension);
    connect(m_canvas, &GridCanvas::choiceChanged, this, &GridTray::follow);
    connect(m_colour, &QComboBox::currentIndexChanged, this,
        [this](int index) { m_canvas->chooseColour(static_cast<ColourBy>(index)); });
}

void GridTray::follow()
{
    setVisible(m_canvas->subject().has_value());
    followSlots();
    followSliders();
    showLabel();
}

void GridTray::followSlots()
{
    const auto& subject = m_canvas->subject();
    const int rank = subject ? static_cast<int>(subject->layout.shape().size()) : 0;
    std::vector<DimensionSlots::Chip> chips;
    for (int d = 0; rank > 1 && d < rank; ++d) {
        DimensionSlots::Chip chip{ d, subject->titleOf(d), subject->dimensionName(d), subject->firstAxis(d),
            GridLayout::placeOf(subject->layout, m_canvas->choice(), d), {} };
        for (int place = 0; place <= static_cast<int>(GridPlace::Fold); ++place)
            if (const auto other = static_cast<GridPlace>(place); other != chip.place && m_canvas->canMove(d, other))
                chip.others.push_back(other);
        chips.push_back(std::move(chip));
    }
    m_slots->setVisible(!chips.empty());
    m_slots->setChips(std::move(chips));
    placeSlots();
}

int GridTray::roomBeside() const
{
    int others = m_column->contentsMargins().left() + m_column->contentsMargins().right();
    for (int i = 0; i < m_line->count(); ++i) {
        const QWidget* control = m_line->itemAt(i)->widget();
        if (control && control != m_slots && control != m_colourLabel && !control->isHidden())
            others += control->sizeHint().width() + spacing;
    }
    return std::max(width() - others, 1);
}

void GridTray::placeSlots()
{
    // Beside the other controls, unless a line of their own makes the tray less high or gives names their room.
    const int all = width() - m_column->contentsMargins().left() - m_column->contentsMargins().right();
    const int line = m_colour->sizeHint().height() + m_column->spacing(), named = m_slots->widthForNames();
    const int beside = m_slots->heightAt(roomBeside());
    const bool ownLine = m_slots->heightAt(all) + line < beside || (roomBeside() < named && named <= all);
    if (ownLine == m_ownLine)
        return;
    m_ownLine = ownLine;
    m_controls += ownLine ? -1 : 1;
    if (ownLine) {
        m_line->removeWidget(m_slots);
        m_column->insertWidget(0, m_slots);
    } else {
        m_column->removeWidget(m_slots);
        m_line->insertWidget(0, m_slots, 1);
    }
}

GridTray::SliderRow GridTray::makeSlider()
{
    auto* row = new QWidget(this);
    SliderRow made{ row, new RoleLabel(RoleLabel::Size::Semibold, &Theme::text, row), new QSlider(Qt::Horizontal, row),
        new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, row), -1 };
    hbox(row, {}, 8, { made.block, { made.slider, 1 }, made.place });
    made.slider->setMinimumWidth(Metrics::scaled(80));
    const std::size_t number = m_sliders.size();
    connect(made.slider, &QSlider::valueChanged, this,
        [this, number](int block) { m_canvas->setSlide(m_sliders[number].dimension, block); });
    m_column->addWidget(row);
    return made;
}

void GridTray::followSliders()
{
    const auto& subject = m_canvas->subject();
    const std::vector<int> dimensions = subject ? m_canvas->grid().sliders() : std::vector<int>();
    while (m_sliders.size() < dimensions.size())
        m_sliders.push_back(makeSlider());
    for (std::size_t i = 0; i < m_sliders.size(); ++i) {
        SliderRow& row = m_sliders[i];
        row.row->setVisible(i < dimensions.size());
        if (i >= dimensions.size())
            continue;
        const int d = row.dimension = dimensions[i];
        const std::int64_t blocks = subject->layout.shardGrid()[static_cast<std::size_t>(d)];
        const std::int64_t shown = m_canvas->grid().slideOf(d);
        const QSignalBlocker quiet(row.slider);
        row.slider->setRange(0, static_cast<int>(std::min<std::int64_t>(blocks - 1, std::numeric_limits<int>::max())));
        row.slider->setPageStep(std::max(row.slider->maximum() / 8, 1));
        row.slider->setValue(static_cast<int>(shown));
        const QString name = subject->dimensionName(d);
        describe(row.slider, tr("Block of %1 that is shown").arg(name),
            tr("Which block of %1 is shown; Page Up and Page Down do the same in the grid").arg(name));
        // As wide as it can become, so that the slider does not move under the pointer.
        const QString text = subject->blockText(d, shown);
        const QFontMetrics metrics(Metrics::semibold());
        row.block->setText(text);
        row.block->setMinimumWidth(std::max(
            metrics.horizontalAdvance(text), metrics.horizontalAdvance(subject->blockText(d, blocks - 1)) + 4));
        row.place->setText(tr("block %1 of %2").arg(words::count(shown + 1), words::count(blocks)));
        row.slider->setAccessibleDescription(text + QStringLiteral(", ") + row.place->text());
    }
}

std::vector<QSlider*> GridTray::sliders() const
{
    std::vector<QSlider*> list;
    for (const SliderRow& row : m_sliders)
        if (row.row->isVisibleTo(this))
            list.push_back(row.slider);
    return list;
}

void GridTray::showLabel()
{
    const int label = m_colourLabel->sizeHint().width() + spacing;
    const bool narrows = !m_ownLine && !m_slots->isHidden() && roomBeside() - label < m_slots->widthForNames();
    m_colourLabel->setVisible(!narrows && width() >= minimumSizeHint().width() + label + Metrics::scaled(60));
}

QSize GridTray::minimumSizeHint() const
{
    const QMargins margins = m_column->contentsMargins();
    int line = 0;
    for (int i = 0; i < m_line->count(); ++i) {
        const QWidget* control = m_line->itemAt(i)->widget();
        if (control && !control->isHidden() && control != m_colourLabel)
            line += std::max(control->minimumSizeHint().width(), control->minimumWidth()) + spacing;
    }
    return { margins.left() + margins.right() + line, m_column->minimumSize().height() };
}

void GridTray::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeSlots();
    showLabel();
}

bool GridTray::chooseByKey(int key, Qt::KeyboardModifiers modifiers)
{
    const int mode = key - Qt::Key_1;
    if (modifiers != Qt::NoModifier || mode < 0 || mode >= m_colour->count())
        return false;
    m_colour->setCurrentIndex(mode);
    return true;
}

} // namespace shardscope
