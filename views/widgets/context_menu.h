// SPDX-License-Identifier: GPL-3.0-or-later
// Menus of what can be done with one thing: the one under the pointer, or by the menu key the current one.
#pragma once

#include <QPoint>
#include <QRect>
#include <functional>
#include <optional>

class QAbstractItemView;
class QAction;
class QMenu;
class QModelIndex;
class QWidget;

namespace shardscope {

/// Fills the menu for what is at a place of the widget, or without a place for what is current, and tells where that
/// stands in the widget. Nothing to act on: nothing.
using MenuFiller = std::function<std::optional<QRect>(QMenu& menu, std::optional<QPoint> place)>;

/// From now on the widget has a context menu. Its object name is "contextMenu" while it is open.
void giveContextMenu(QWidget* widget, MenuFiller fill);
/// The same for the rows of a table or a tree. The row becomes the current one first.
void giveRowMenu(QAbstractItemView* view, std::function<void(QMenu& menu, const QModelIndex& row)> fill);

/// What every table of rows has until it is given a menu of its own: its rows can be copied, as text with tabs.
void giveCopyMenu(QAbstractItemView* view);

/// The same for a menu of its own: the row that it is of, and all rows.
void addRowCopyActions(QMenu& menu, const QAbstractItemView* view, const QModelIndex& row);

/// One entry. The key that does the same is shown and does nothing here, since the widget itself listens to it.
QAction* addMenuAction(
    QMenu& menu, const char* name, const QString& text, const std::function<void()>& run, const QString& key = {});
/// "Copy ..." of a text.
QAction* addCopyAction(QMenu& menu, const char* name, const QString& title, const QString& text);

} // namespace shardscope
