// SPDX-License-Identifier: GPL-3.0-or-later
// The controls over a shard grid: which dimensions span it, and what its colours tell.
#pragma once

#include <QWidget>

class QComboBox;
class QHBoxLayout;
class QLabel;

namespace shardscope {

class GridCanvas;

class GridTray : public QWidget {
    Q_OBJECT
public:
    explicit GridTray(GridCanvas* canvas, QWidget* parent = nullptr);

    /// A further control, behind the dimensions.
    void addControl(QWidget* control);
    /// Shows the dimensions of the array that the canvas has got, and which of them span it.
    void follow();
    /// A key from 1 on chooses what the colours tell; false for any other key.
    bool chooseByKey(int key, Qt::KeyboardModifiers modifiers);
    /// Without the labels, which give way where there is little room.
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showLabels();
    void choose();

    GridCanvas* m_canvas;
    QHBoxLayout* m_line;
    QLabel* m_rowsLabel;
    QLabel* m_columnsLabel;
    QLabel* m_colourLabel;
    QComboBox* m_rows;
    QComboBox* m_columns;
    QComboBox* m_colour;
    int m_controls = 0; ///< in m_line before the stretch
    int m_labelled = 0; ///< width that the labels need
    bool m_spans = false; ///< there are dimensions to choose
};

} // namespace shardscope
