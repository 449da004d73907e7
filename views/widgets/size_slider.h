// SPDX-License-Identifier: GPL-3.0-or-later
// A slider over the sizes that something can have: it snaps to them, and each is a tick with its number.
#pragma once

#include <QAbstractSlider>
#include <vector>

#include "views/theme/theme.h"

namespace shardscope {

class SizeSlider : public QAbstractSlider {
    Q_OBJECT
public:
    explicit SizeSlider(QWidget* parent = nullptr);
    /// `current` need not be one of `sizes`; the handle then stands between its neighbours.
    void setSizes(std::vector<std::int64_t> sizes, std::int64_t current);
    [[nodiscard]] const std::vector<std::int64_t>& sizes() const { return m_sizes; }
    [[nodiscard]] std::int64_t current() const { return m_current; }
    /// As a key would: the possible size next to this one.
    void chooseNear(std::int64_t size);
    void setAxis(int axis); ///< a mesh axis, whose colour it has; -1: none
    /// Centre of the handle at the size with this index.
    [[nodiscard]] QPoint handleAt(int index) const;

    [[nodiscard]] QSize sizeHint() const override { return { Metrics::scaled(110), Metrics::scaled(32) }; }
    [[nodiscard]] QSize minimumSizeHint() const override { return { Metrics::scaled(56), Metrics::scaled(32) }; }

Q_SIGNALS:
    /// Moved by the user. While `dragging` more of the same is to come.
    void sizeChosen(qint64 size, bool dragging);
    /// Esc during a drag: what was chosen since its beginning is not wanted.
    void cancelled();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] int indexAt(int x) const;
    void choose(int index, bool dragging);
    void release();
    std::vector<std::int64_t> m_sizes{ 1 };
    std::int64_t m_current = 1;
    int m_axis = 0;
};

} // namespace shardscope
