// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of one of the window's views, with a title bar of its own: icon, name, key figure right-aligned, maximise,
// float, close. The active one has an accent line on top. Among tabs the title bar disappears, since the tab names it.
//
// Its toggleViewAction() brings it to the front with the keyboard focus; it closes the frame only where that is in
// front already. The action is checked while the frame is in front. What is in a frame that stands behind another one,
// or is closed, is hidden: it works out nothing until somebody sees it.
#pragma once

#include <QDockWidget>
#include <QIcon>
#include <QKeySequence>
#include <QTimer>
#include <functional>

class QHBoxLayout;
class QLabel;
class QMenu;
class QToolButton;

namespace shardscope {

class DockTitleBar : public QWidget {
    Q_OBJECT
public:
    explicit DockTitleBar(QDockWidget* dock);
    void setIcon(const QIcon& icon);
    void setKeyFigure(const QString& text, bool isBad);
    [[nodiscard]] QString keyFigure() const { return m_keyFigure; }
    void setActive(bool active);
    /// In place of its name a tabbed dock's title bar takes no room at all.
    void setTabbed(bool tabbed);
    /// Without the buttons that maximise and float.
    void setClosesOnly(bool only);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent*) override { layOut(); }
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    void layOut();
    void showButtons();
    QDockWidget* m_dock;
    QIcon m_icon;
    QString m_keyFigure;
    bool m_isFigureBad = false;
    QToolButton* m_maximise;
    QToolButton* m_float;
    QToolButton* m_close;
    bool m_active = false;
    bool m_tabbed = false;
    bool m_closesOnly = false;
};

class DockFrame : public QDockWidget {
    Q_OBJECT
public:
    /// `id` names the dock in saved layouts; `icon` is a name of resources/icons. If the content has a property or
    /// signal for a key figure, connect it to setKeyFigure().
    DockFrame(
        const QString& id, const QString& icon, const QString& title, QWidget* content, QWidget* parent = nullptr);

    [[nodiscard]] const QString& iconName() const { return m_iconName; }
    /// The dock's name, without its badge.
    [[nodiscard]] const QString& name() const { return m_name; }
    /// A short figure that stands after the name in a tab, and an icon for the tab and the title: how many problems
    /// there are. "" for none.
    void setBadge(const QString& figure, const QIcon& icon);
    [[nodiscard]] const QIcon& badge() const { return m_badge; }
    /// `isBad`: in red, as what must not be.
    void setKeyFigure(const QString& text, bool isBad = false) { m_titleBar->setKeyFigure(text, isBad); }
    [[nodiscard]] QString keyFigure() const { return m_titleBar->keyFigure(); }
    void setActive(bool active) { m_titleBar->setActive(active); }
    void setTabbed(bool tabbed) { m_titleBar->setTabbed(tabbed); }
    /// What gets the keyboard focus is asked when it is needed; may be null. Without it that is the content.
    void setFocusTarget(std::function<QWidget*()> target) { m_focusTarget = std::move(target); }
    /// Shows the frame in front of those it shares its place with, and gives the focus to `target`, or to its own.
    /// By a key that is Qt::ShortcutFocusReason: then a ring shows where the focus went.
    void present(QWidget* target = nullptr, Qt::FocusReason reason = Qt::OtherFocusReason);
    /// The same, with a hint at where it appeared unless it was in front.
    void summon(QWidget* target = nullptr, Qt::FocusReason reason = Qt::OtherFocusReason);
    /// To be seen: open, and not behind another one in its place.
    [[nodiscard]] bool isInFront() const;
    /// A drawer over an edge of the window can be closed, and neither moved, floated nor maximised.
    void setOverEdge(bool over);
    [[nodiscard]] bool isOverEdge() const { return !(features() & DockWidgetFloatable); }
    /// Floats, or goes back to its place, and has the keyboard focus.
    void toggleFloating();
    /// What the menus of the window have for both.
    [[nodiscard]] static QKeySequence floatKeys() { return { Qt::CTRL | Qt::SHIFT | Qt::Key_W }; }
    [[nodiscard]] static QKeySequence closeKeys() { return { Qt::CTRL | Qt::Key_W }; }
    [[nodiscard]] static QKeySequence maximiseKeys() { return { Qt::CTRL | Qt::SHIFT | Qt::Key_M }; }
    /// Close, maximise, and float or dock; pictures of it, and its help.
    void fillMenu(QMenu& menu);
    /// Shows or hides the content at once; a moment after the frame was moved or covered this happens by itself.
    void followPlace();

Q_SIGNALS:
    void summoned(); ///< to the front
    void maximiseRequested(); ///< or the way back
    void copyRequested(); ///< as a picture
    void exportRequested(); ///< the same, to a file
    void helpRequested();
    void closed(); ///< by whoever uses the window

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    QString m_iconName, m_name;
    QIcon m_badge;
    std::function<QWidget*()> m_focusTarget;
    QTimer m_moved; ///< until the content follows
    DockTitleBar* m_titleBar;
};

} // namespace shardscope
