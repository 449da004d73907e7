// SPDX-License-Identifier: GPL-3.0-or-later
// What tabs of docks can do beside being clicked: the buttons of the dock in front stand at the right end of the bar, a
// middle click closes a dock, a double click maximises it, one that is dragged out of its bar floats, and each has a
// context menu.
#pragma once

#include <QHash>
#include <QObject>
#include <QPointer>

class QMainWindow;
class QTabBar;
class QWidget;

namespace shardscope {

class DockFrame;

class DockTabs : public QObject {
    Q_OBJECT
public:
    /// Of the docks of a window; they must outlive its tab bars.
    DockTabs(QMainWindow* window, const QList<DockFrame*>* docks);

    /// Bars come and go without a signal: to be called when docks may have been tabbed together or torn apart.
    void follow();
    [[nodiscard]] QList<QTabBar*> bars() const;
    [[nodiscard]] DockFrame* dockAt(const QTabBar* bar, int tab) const;
    /// Outlines the dock's tab, or its title where it has none, for a moment.
    void flash(DockFrame* dock);

Q_SIGNALS:
    void placed(); ///< a bar's buttons, over all else

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void letTabsBeDraggedOut(bool canBe);
    void adopt(QTabBar* bar);
    void place(QTabBar* bar);
    QMainWindow* m_window;
    const QList<DockFrame*>* m_docks;
    QHash<QTabBar*, QPointer<QWidget>> m_buttons;
    QPointer<DockFrame> m_pressed; ///< by the middle button
};

} // namespace shardscope
