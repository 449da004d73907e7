// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh axes as chips to drop a logical name on.
#pragma once

#include <QWidget>
#include <vector>

#include "views/widgets/canvas.h"

namespace shardscope {

class AxisTray : public Canvas {
    Q_OBJECT
public:
    explicit AxisTray(QWidget* parent = nullptr);
    void setAxes(const QStringList& names);
    [[nodiscard]] const QString& name(int axis) const { return m_names[axis]; }
    /// Index of the axis under a global position, -1 for none.
    [[nodiscard]] int axisAt(const QPoint& global) const;
    [[nodiscard]] QRect chipRect(int axis) const;
    void setTarget(int axis);
    /// The logical name that the keyboard would drop, for screen readers.
    void setSubject(const QString& name);

    // One row per mesh axis.
    [[nodiscard]] int tableRowCount() const override { return static_cast<int>(m_names.size()); }
    [[nodiscard]] QStringList tableHeads() const override { return { tr("Mesh axis") }; }
    [[nodiscard]] QString tableText(int row, int) const override { return m_names[row]; }
    [[nodiscard]] QRect tableRect(int row) const override { return chipRect(row); }
    [[nodiscard]] int tableRowAt(QPoint point) const override { return axisAt(mapToGlobal(point)); }
    [[nodiscard]] int tableCurrentRow() const override { return m_current; }
    void tableActivate(int row) override { Q_EMIT chosen(row, false); }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return { 0, sizeHint().height() }; }

Q_SIGNALS:
    // The keyboard's way of dropping: an axis is pointed at with the arrow keys, Return drops the name of the marked
    // rule on it, Ctrl+Return adds it to what the rule has, Esc gives up.
    void pointedAt(int axis, bool append);
    void chosen(int axis, bool append);
    void abandoned();

protected:
    void arrange() override; ///< the chips in lines
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void pointAt(int axis, bool append);
    QStringList m_names;
    std::vector<QRect> m_chips; ///< by axis
    int m_lines = 1;
    int m_target = -1;
    int m_current = -1; ///< pointed at by keyboard
};

} // namespace shardscope
