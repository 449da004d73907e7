// SPDX-License-Identifier: GPL-3.0-or-later
// A dock with the window's own title bar: icon, name, key figure right-aligned, float, close. The active dock has an
// accent line on top. Among tabs the title bar disappears, since the tab names the dock.
//
// Its toggleViewAction() brings it to the front with the keyboard focus; it closes the dock only where that is in front
// already. The action is checked while the dock is in front.
#pragma once

#include <QDockWidget>
#include <QIcon>
#include <QKeySequence>

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
    void setKeyFigure(const QString& text);
    [[nodiscard]] QString keyFigure() const;
    void setActive(bool active);
    /// In place of its name a tabbed dock's title bar takes no room at all.
    void setTabbed(bool tabbed);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void layOut();
    QDockWidget* m_dock;
    QIcon m_icon;
    QString m_keyFigure;
    QToolButton* m_float;
    QToolButton* m_close;
    bool m_active = false;
    bool m_tabbed = false;
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
    void setKeyFigure(const QString& text) { m_titleBar->setKeyFigure(text); }
    [[nodiscard]] QString keyFigure() const { return m_titleBar->keyFigure(); }
    void setActive(bool active) { m_titleBar->setActive(active); }
    void setTabbed(bool tabbed) { m_titleBar->setTabbed(tabbed); }
    /// Shows the dock in front of those it shares its place with, and gives its content the focus: the part of it that
    /// was its focus proxy when the dock was made.
    void present();
    /// The same, with a hint at where it appeared unless it was in front.
    void summon();
    /// To be seen: open, and not behind another one in its place.
    [[nodiscard]] bool isInFront() const;
    /// Floats, or goes back to its place, and has the keyboard focus.
    void toggleFloating();
    /// What the menus of the window have for both.
    [[nodiscard]] static QKeySequence floatKeys() { return { Qt::CTRL | Qt::SHIFT | Qt::Key_W }; }
    [[nodiscard]] static QKeySequence closeKeys() { return { Qt::CTRL | Qt::Key_W }; }
    /// Close, and float or dock.
    void fillMenu(QMenu& menu);

Q_SIGNALS:
    void summoned(); ///< to the front

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    QString m_iconName, m_name;
    QIcon m_badge;
    QWidget* m_focusTarget = nullptr;
    DockTitleBar* m_titleBar;
};

} // namespace shardscope
