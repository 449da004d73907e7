// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shard_grid_view/grid_tray.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <algorithm>

#include "views/shard_grid_view/grid_canvas.h"
#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"

namespace shardscope {

GridTray::GridTray(GridCanvas* canvas, QWidget* parent)
    : QWidget(parent)
    , m_canvas(canvas)
    , m_line(new QHBoxLayout(this))
    , m_rowsLabel(new QLabel(tr("Rows"), this))
    , m_columnsLabel(new QLabel(tr("Columns"), this))
    , m_colourLabel(new QLabel(tr("Colour"), this))
    , m_rows(new QComboBox(this))
    , m_columns(new QComboBox(this))
    , m_colour(new QComboBox(this))
{
    m_rows->setAccessibleName(tr("Dimension drawn as rows"));
    m_columns->setAccessibleName(tr("Dimension drawn as columns"));
    m_colour->setAccessibleName(tr("What the colour of a cell tells"));
    for (QComboBox* box : { m_rows, m_columns }) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(8);
        box->setMinimumWidth(Metrics::scaled(56)); // shortened rather than cut off where there is little room
    }
    m_colour->setMinimumWidth(Metrics::scaled(72));
    for (const QLabel* label : { m_rowsLabel, m_columnsLabel, m_colourLabel })
        m_labelled += label->sizeHint().width() + 6;
    m_colour->addItems({ tr("Shard"), tr("Device"), tr("Host") });
    m_rowsLabel->setBuddy(m_rows);
    m_columnsLabel->setBuddy(m_columns);
    m_colourLabel->setBuddy(m_colour);

    m_line->setContentsMargins(8, 4, 8, 4);
    m_line->setSpacing(6);
    m_line->addWidget(m_rowsLabel);
    m_line->addWidget(m_rows);
    m_line->addSpacing(6);
    m_line->addWidget(m_columnsLabel);
    m_line->addWidget(m_columns);
    m_controls = m_line->count();
    m_line->addStretch();
    m_line->addWidget(m_colourLabel);
    m_line->addWidget(m_colour);

    connect(m_rows, &QComboBox::activated, this, &GridTray::choose);
    connect(m_columns, &QComboBox::activated, this, &GridTray::choose);
    connect(m_colour, &QComboBox::currentIndexChanged, this,
        [this](int index) { m_canvas->setColour(static_cast<GridColour>(index)); });
}

void GridTray::addControl(QWidget* control)
{
    m_line->insertSpacing(m_controls++, 6);
    m_line->insertWidget(m_controls++, control);
}

void GridTray::follow()
{
    const auto& subject = m_canvas->subject();
    const int rank = subject ? static_cast<int>(subject->layout.shape().size()) : 0;
    setVisible(subject.has_value());
    m_spans = rank > 1;
    m_rows->setVisible(m_spans);
    m_columns->setVisible(m_spans);
    showLabels();
    const QSignalBlocker noRows(m_rows), noColumns(m_columns);
    m_rows->clear();
    m_columns->clear();
    for (int d = 0; d < rank; ++d) {
        m_rows->addItem(subject->dimensionName(d), d);
        m_columns->addItem(subject->dimensionName(d), d);
    }
    m_rows->setCurrentIndex(m_canvas->grid().rows().dimension);
    m_columns->setCurrentIndex(m_canvas->grid().columns().dimension);
    for (QComboBox* box : { m_rows, m_columns })
        box->setToolTip(plainTip(box->currentText()));
}

void GridTray::choose()
{
    GridLayout::Choice choice{ m_rows->currentIndex(), m_columns->currentIndex() };
    if (choice.rows == choice.columns) {
        // The other side takes what this one gives up.
        const GridLayout& grid = m_canvas->grid();
        if (sender() == m_rows)
            choice.columns = grid.rows().dimension;
        else
            choice.rows = grid.columns().dimension;
    }
    m_canvas->setChoice(choice);
    follow();
}

void GridTray::showLabels()
{
    const bool room = width() >= minimumSizeHint().width() + m_labelled;
    m_rowsLabel->setVisible(m_spans && room);
    m_columnsLabel->setVisible(m_spans && room);
    m_colourLabel->setVisible(room);
}

QSize GridTray::minimumSizeHint() const
{
    int width = m_line->contentsMargins().left() + m_line->contentsMargins().right();
    for (int i = 0; i < m_line->count(); ++i) {
        const QLayoutItem* item = m_line->itemAt(i);
        const QWidget* control = item->widget();
        if (!control)
            width += item->sizeHint().width() + m_line->spacing();
        else if (!control->isHidden() && !qobject_cast<const QLabel*>(control))
            width += std::max(control->minimumWidth(), control->minimumWidth() > 0 ? 0 : control->sizeHint().width())
                + m_line->spacing();
    }
    return { width, m_line->minimumSize().height() };
}

void GridTray::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    showLabels();
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
