// SPDX-License-Identifier: GPL-3.0-or-later
// Which plane of an array is shown: the dimensions that go down and across, and an index in each of the others.
#pragma once

#include <QWidget>

#include "report/shown_values.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QSlider;
class QSpinBox;
class QVBoxLayout;

namespace shardscope {

class PlaneBar : public QWidget {
    Q_OBJECT
public:
    explicit PlaneBar(QWidget* parent = nullptr);
    /// Shows the plane; hidden for two dimensions and less.
    void setShown(const ShownValues& shown);

Q_SIGNALS:
    void planeChosen(int rows, int columns, const shardscope::Shape& index);

private:
    struct Control {
        int dimension = 0;
        QLabel* name;
        QSlider* slider;
        QSpinBox* number;
        QLabel* size;
        [[nodiscard]] QList<QWidget*> all() const;
    };
    void rebuild(const ShownValues& shown);
    void choose(QComboBox* which, int dimension);
    void emitChosen() { Q_EMIT planeChosen(m_rowDimension, m_columnDimension, m_index); }

    QComboBox* m_rows;
    QComboBox* m_columns;
    QVBoxLayout* m_column;
    QHBoxLayout* m_line;
    std::vector<Control> m_controls;
    QStringList m_names; ///< of the dimensions, as listed
    Shape m_sizes;
    Shape m_index;
    int m_rowDimension = -1, m_columnDimension = -1;
    bool m_setting = false;
};

} // namespace shardscope
