// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/plane_bar.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QSlider>
#include <QSpinBox>
#include <algorithm>
#include <limits>

#include "views/theme/theme.h"
#include "words/words.h"

namespace shardscope {

PlaneBar::PlaneBar(QWidget* parent)
    : QWidget(parent)
    , m_rows(new QComboBox(this))
    , m_columns(new QComboBox(this))
    , m_column(new QVBoxLayout(this))
    , m_line(new QHBoxLayout)
{
    m_column->setContentsMargins(8, 0, 8, 4);
    m_column->setSpacing(4);
    m_line->setSpacing(6);
    m_column->addLayout(m_line);
    auto* down = new QLabel(tr("Rows"), this);
    auto* across = new QLabel(tr("Columns"), this);
    down->setBuddy(m_rows);
    across->setBuddy(m_columns);
    m_rows->setAccessibleName(tr("Dimension that goes down"));
    m_columns->setAccessibleName(tr("Dimension that goes across"));
    for (QWidget* each : std::initializer_list<QWidget*>{ down, m_rows, across, m_columns })
        m_line->addWidget(each);
    m_line->addStretch(1);
    connect(m_rows, &QComboBox::activated, this, [this](int dimension) { choose(m_rows, dimension); });
    connect(m_columns, &QComboBox::activated, this, [this](int dimension) { choose(m_columns, dimension); });
    hide();
}

void PlaneBar::setShown(const ShownValues& shown)
{
    setVisible(shown.rank() > 2);
    if (shown.rank() <= 2)
        return;
    QStringList names;
    Shape sizes;
    for (int d = 0; d < static_cast<int>(shown.rank()); ++d) {
        names << shown.subject.titleOf(d);
        sizes.push_back(shown.size(d));
    }
    const bool same =
        names == m_names && sizes == m_sizes && shown.rows == m_rowDimension && shown.columns == m_columnDimension;
    m_index = shown.index;
    if (!same) {
        m_names = names;
        m_sizes = sizes;
        m_rowDimension = shown.rows;
        m_columnDimension = shown.columns;
        rebuild(shown);
    }
    m_setting = true;
    for (const Control& control : m_controls) {
        const auto at = static_cast<int>(m_index[static_cast<std::size_t>(control.dimension)]);
        control.slider->setValue(at);
        control.number->setValue(at);
    }
    m_setting = false;
}

void PlaneBar::rebuild(const ShownValues& shown)
{
    for (QComboBox* combo : { m_rows, m_columns }) {
        combo->clear();
        combo->addItems(m_names);
    }
    m_rows->setCurrentIndex(shown.rows);
    m_columns->setCurrentIndex(shown.columns);
    for (const Control& control : m_controls)
        for (QWidget* each : control.all()) {
            each->hide(); // at once: one of them may still be at work
            each->deleteLater();
        }
    m_controls.clear();
    while (m_column->count() > 1)
        delete m_column->takeAt(1);
    // The first one stands beside the lists, further ones two in a line.
    QHBoxLayout* line = m_line;
    int inLine = 1;
    for (int d = 0; d < static_cast<int>(shown.rank()); ++d) {
        if (d == shown.rows || d == shown.columns)
            continue;
        const std::int64_t size = m_sizes[static_cast<std::size_t>(d)];
        const int last = static_cast<int>(std::clamp<std::int64_t>(size - 1, 0, std::numeric_limits<int>::max()));
        Control control{ d, new QLabel(shown.subject.dimensionName(d), this), new QSlider(Qt::Horizontal, this),
            new QSpinBox(this), new QLabel(tr("of %1").arg(words::count(size)), this) };
        control.slider->setRange(0, last);
        control.slider->setMinimumWidth(Metrics::scaled(48));
        control.slider->setMaximumWidth(Metrics::scaled(120));
        control.number->setRange(0, last);
        for (QWidget* each : std::initializer_list<QWidget*>{ control.slider, control.number })
            each->setAccessibleName(tr("Index in %1").arg(shown.subject.dimensionName(d)));
        control.name->setBuddy(control.number);
        const auto follow = [this, d](int value) {
            if (m_setting)
                return;
            m_index[static_cast<std::size_t>(d)] = value;
            emitChosen();
        };
        connect(control.slider, &QSlider::valueChanged, this, follow);
        connect(control.number, &QSpinBox::valueChanged, this, follow);
        if (inLine == 2) {
            line = new QHBoxLayout;
            line->setSpacing(6);
            line->addStretch(1);
            m_column->addLayout(line);
            inLine = 0;
        }
        for (QWidget* each : control.all())
            line->insertWidget(line->count() - 1, each);
        inLine = line == m_line ? 2 : inLine + 1;
        m_controls.push_back(control);
    }
}

QList<QWidget*> PlaneBar::Control::all() const
{
    return { name, slider, number, size };
}

/// The two change places where one takes the other's dimension.
void PlaneBar::choose(QComboBox* which, int dimension)
{
    int rows = m_rowDimension, columns = m_columnDimension;
    int& mine = which == m_rows ? rows : columns;
    int& other = which == m_rows ? columns : rows;
    if (other == dimension)
        other = mine;
    mine = dimension;
    Q_EMIT planeChosen(rows, columns, m_index);
}

} // namespace shardscope
