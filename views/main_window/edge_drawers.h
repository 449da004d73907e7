// SPDX-License-Identifier: GPL-3.0-or-later
// Views as drawers over the edges of a window that has no room for them beside the pictures. A drawer lies over what is
// there, which keeps its size, and is as wide as its inner edge is moved to; what opens and closes any view opens and
// closes it, and so does Esc within it. Two of them that would leave less than three fifths of the width in sight are
// never open together.
#pragma once

#include <QHash>
#include <QList>
#include <QObject>
#include <QRect>

class QMainWindow;

namespace shardscope {

class DockFrame;
class DrawerGrip;

class EdgeDrawers : public QObject {
    Q_OBJECT
public:
    /// They reach from the lowest of the bars `above` that is to be seen to the bar `below`.
    EdgeDrawers(QMainWindow* window, const QList<QWidget*>& above, QWidget* below);

    /// A view that the window's layout does not have; it is closed.
    void hold(DockFrame* frame, Qt::Edge edge);
    /// Closed as well, they are views as others again.
    void release();
    [[nodiscard]] bool holds(const DockFrame* frame) const;
    /// Closes the one that has the widget; false if none has.
    bool closeAround(const QWidget* widget);
    /// As wide as it was dragged to, 0 for what the window makes of it.
    [[nodiscard]] int widthAt(Qt::Edge edge) const { return m_widths.value(edge); }
    void setWidthAt(Qt::Edge edge, int width);
    /// Over whatever has come to the window since.
    void raise();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Drawer {
        DockFrame* frame;
        Qt::Edge edge;
        DrawerGrip* grip;
    };
    [[nodiscard]] QRect place() const; ///< of the views
    [[nodiscard]] QRect placeOf(const Drawer& drawer) const;
    void put(const Drawer& drawer);
    void follow();
    void followWindow(); ///< which has too little room for two of them now
    void makeRoomFor(const DockFrame* wanted);
    QMainWindow* m_window;
    QList<QWidget*> m_above;
    QWidget* m_below;
    QList<Drawer> m_drawers;
    QHash<Qt::Edge, int> m_widths;
};

} // namespace shardscope
