// SPDX-License-Identifier: GPL-3.0-or-later
// A mesh axis that shards a dimension or not: a chip that is switched by a click or by Space.
#pragma once

#include <QAbstractButton>

namespace shardscope {

class AxisToggle : public QAbstractButton {
    Q_OBJECT
public:
    /// `axis` is the number of the mesh axis, for its colour; -1 for a switch that is none.
    AxisToggle(const QString& name, int axis, QWidget* parent = nullptr);
    /// Where it stands among several that shard the dimension, from 1; 0 = alone or not at all.
    void setPlace(int place);
    [[nodiscard]] int place() const { return m_place; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    [[nodiscard]] QString shown() const;
    int m_axis;
    int m_place = 0;
};

} // namespace shardscope
