// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shard_grid_view/grid_tray.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>

#include "views/shard_grid_view/grid_canvas.h"
#include "views/widgets/plain_tip.h"

namespace shardscope {

GridTray::GridTray(GridCanvas* canvas, QWidget* parent)
    : QWidget(parent)
    , m_canvas(canvas)
    , m_line(new QHBoxLayout(this))
    , m_rowsLabel(new QLabel(tr("Rows"), this))
    , m_columnsLabel(new QLabel(tr("Columns"), this))
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
    }
    m_colour->addItems({ tr("Shard"), tr("Device"), tr("Host") });
    auto* colourLabel = new QLabel(tr("Colour"), this);
    m_rowsLabel->setBuddy(m_rows);
    m_columnsLabel->setBuddy(m_columns);
    colourLabel->setBuddy(m_colour);

    m_line->setContentsMargins(8, 4, 8, 4);
    m_line->setSpacing(6);
    m_line->addWidget(m_rowsLabel);
    m_line->addWidget(m_rows);
    m_line->addSpacing(6);
    m_line->addWidget(m_columnsLabel);
    m_line->addWidget(m_columns);
    m_controls = m_line->count();
    m_line->addStretch();
    m_line->addWidget(colourLabel);
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
    for (QWidget* control : std::initializer_list<QWidget*>{ m_rows, m_columns, m_rowsLabel, m_columnsLabel })
        control->setVisible(rank > 1);
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

bool GridTray::chooseByKey(int key, Qt::KeyboardModifiers modifiers)
{
    const int mode = key - Qt::Key_1;
    if (modifiers != Qt::NoModifier || mode < 0 || mode >= m_colour->count())
        return false;
    m_colour->setCurrentIndex(mode);
    return true;
}

} // namespace shardscope
