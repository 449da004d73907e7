// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh axes as chips to drop a logical name on, and the plate that follows the pointer meanwhile.
#pragma once

#include <QWidget>

namespace shardscope {

class AxisTray : public QWidget {
    Q_OBJECT
public:
    explicit AxisTray(QWidget* parent = nullptr);
    void setAxes(const QStringList& names);
    [[nodiscard]] const QString& name(int axis) const { return m_names[axis]; }
    /// Index of the axis under a global position, -1 for none.
    [[nodiscard]] int axisAt(const QPoint& global) const;
    [[nodiscard]] QRect chipRect(int axis) const;
    void setTarget(int axis);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return { 0, sizeHint().height() }; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QStringList m_names;
    int m_target = -1;
};

/// Ghost of what is dragged, and what dropping it would do.
class DragPlate : public QWidget {
    Q_OBJECT
public:
    explicit DragPlate(QWidget* window);
    void showAt(const QPoint& global, const QString& ghost, const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_ghost, m_text;
};

} // namespace shardscope
