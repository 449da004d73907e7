// SPDX-License-Identifier: GPL-3.0-or-later
// The inner edge of a drawer, beside it: dragged, or moved by the arrow keys, it makes the drawer wider or narrower.
#pragma once

#include <QWidget>

namespace shardscope {

class DrawerGrip : public QWidget {
    Q_OBJECT
public:
    DrawerGrip(const QString& drawer, QWidget* parent);

Q_SIGNALS:
    void moved(int distance); ///< to the right
    void released();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent*) override { update(); }
    void focusOutEvent(QFocusEvent*) override { update(); }

private:
    int m_pressedAt = -1; ///< within it; -1 while nobody drags
};

} // namespace shardscope
