// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/context_menu.h"

#include <QAbstractItemView>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QMenu>
#include <algorithm>

namespace shardscope {

namespace {

struct ContextMenu {
    Q_DECLARE_TR_FUNCTIONS(ContextMenu)
};

class MenuGiver : public QObject {
public:
    MenuGiver(QWidget* widget, MenuFiller fill)
        : QObject(widget)
        , m_fill(std::move(fill))
    {
        widget->installEventFilter(this);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::ContextMenu)
            return QObject::eventFilter(watched, event);
        auto* widget = static_cast<QWidget*>(watched);
        const auto* request = static_cast<QContextMenuEvent*>(event);
        const bool byKey = request->reason() == QContextMenuEvent::Keyboard;
        auto* menu = new QMenu(widget);
        menu->setObjectName(QStringLiteral("contextMenu"));
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->setToolTipsVisible(true);
        const std::optional<QRect> place = m_fill(*menu, byKey ? std::nullopt : std::optional(request->pos()));
        if (!place || menu->isEmpty()) {
            delete menu;
            return true;
        }
        menu->popup(byKey ? widget->mapToGlobal(place->bottomLeft()) : request->globalPos());
        return true;
    }

private:
    MenuFiller m_fill;
};

} // namespace

void giveContextMenu(QWidget* widget, MenuFiller fill)
{
    new MenuGiver(widget, std::move(fill));
}

void giveRowMenu(QAbstractItemView* view, std::function<void(QMenu& menu, const QModelIndex& row)> fill)
{
    const auto fillRow = [view, fill = std::move(fill)](
                             QMenu& menu, std::optional<QPoint> place) -> std::optional<QRect> {
        const QModelIndex row = place ? view->indexAt(*place) : view->currentIndex();
        if (!row.isValid())
            return std::nullopt;
        // Several rows that are selected stay so.
        if (QItemSelectionModel* selection = view->selectionModel(); selection->isSelected(row))
            selection->setCurrentIndex(row, QItemSelectionModel::NoUpdate);
        else
            view->setCurrentIndex(row);
        view->scrollTo(row);
        fill(menu, row);
        return view->visualRect(row);
    };
    giveContextMenu(view->viewport(), fillRow);
    // By key the request comes to the view, and its places are those of the viewport.
    giveContextMenu(view, [view, fillRow](QMenu& menu, std::optional<QPoint> place) -> std::optional<QRect> {
        const std::optional<QRect> row = place ? std::nullopt : fillRow(menu, std::nullopt);
        return row ? std::optional(row->translated(view->viewport()->pos())) : std::nullopt;
    });
}

void giveCopyMenu(QAbstractItemView* view)
{
    giveRowMenu(view, [view](QMenu& menu, const QModelIndex& row) { addRowCopyActions(menu, view, row); });
}

void addRowCopyActions(QMenu& menu, const QAbstractItemView* view, const QModelIndex& row)
{
    const auto textOf = [view](const QModelIndex& at) {
        QStringList cells;
        for (int column = 0; column < view->model()->columnCount(at.parent()); ++column)
            cells << at.siblingAtColumn(column).data().toString();
        return cells.join(QLatin1Char('\t'));
    };
    addCopyAction(menu, "copyRow", ContextMenu::tr("Copy row"), textOf(row));
    const QPersistentModelIndex parent = row.parent();
    addMenuAction(
        menu, "copyTable", ContextMenu::tr("Copy all rows"), [view, textOf, parent, isTop = !row.parent().isValid()] {
            constexpr int most = 100'000; // more than anybody pastes
            if (!isTop && !parent.isValid())
                return; // other rows are shown by now
            QStringList lines, heads;
            for (int column = 0; column < view->model()->columnCount(parent); ++column)
                heads << view->model()->headerData(column, Qt::Horizontal).toString();
            lines << heads.join(QLatin1Char('\t'));
            for (int each = 0; each < std::min(view->model()->rowCount(parent), most); ++each)
                lines << textOf(view->model()->index(each, 0, parent));
            QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')) + QLatin1Char('\n'));
        });
}

QAction* addMenuAction(
    QMenu& menu, const char* name, const QString& text, const std::function<void()>& run, const QString& key)
{
    // The part after the tab stands where shortcuts stand.
    QAction* action = menu.addAction(key.isEmpty() ? text : text + QLatin1Char('\t') + key);
    action->setObjectName(QLatin1String(name));
    QObject::connect(action, &QAction::triggered, &menu, [run] { run(); });
    return action;
}

QAction* addCopyAction(QMenu& menu, const char* name, const QString& title, const QString& text)
{
    QAction* action = addMenuAction(menu, name, title, [text] { QGuiApplication::clipboard()->setText(text); });
    action->setEnabled(!text.isEmpty());
    return action;
}

} // namespace shardscope
