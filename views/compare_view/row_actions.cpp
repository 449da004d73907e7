// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare_view/row_actions.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QTableView>
#include <QToolButton>

#include "views/widgets/context_menu.h"
#include "views/widgets/flat_button.h"

namespace shardscope {

namespace {

/// One key of a widget.
class RowKey : public QObject {
public:
    RowKey(QWidget* widget, const QKeySequence& key, std::function<void()> run)
        : QObject(widget)
        , m_key(key)
        , m_run(std::move(run))
    {
        widget->installEventFilter(this);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
            return QObject::eventFilter(watched, event);
        const auto* pressed = static_cast<QKeyEvent*>(event);
        if (QKeySequence(pressed->keyCombination()) != m_key)
            return QObject::eventFilter(watched, event);
        if (event->type() == QEvent::KeyPress)
            m_run();
        event->accept(); // a shortcut of the window that is the same is not meant
        return true;
    }

private:
    QKeySequence m_key;
    std::function<void()> m_run;
};

} // namespace

void giveRowActions(QTableView* table, QHBoxLayout* buttons, const std::vector<RowAction>& actions)
{
    QList<QToolButton*> made;
    for (const RowAction& action : actions) {
        const QString key = action.key.toString(QKeySequence::NativeText);
        const QString tip = key.isEmpty() ? action.name : QStringLiteral("%1 (%2)").arg(action.name, key);
        made << makeFlat(new QToolButton, QLatin1String(action.picture), action.name, tip);
        buttons->addWidget(made.back());
        QObject::connect(made.back(), &QToolButton::clicked, table, action.run);
        if (!action.key.isEmpty())
            new RowKey(table, action.key, action.run);
    }
    giveRowMenu(table, [table, actions](QMenu& menu, const QModelIndex& row) {
        for (const RowAction& action : actions)
            if (*action.id)
                addMenuAction(menu, action.id, action.name, action.run,
                    action.key.isEmpty() ? action.shownKey : action.key.toString(QKeySequence::NativeText));
        menu.addSeparator();
        addRowCopyActions(menu, table, row);
    });
    const auto enable = [table, made] {
        for (QToolButton* button : made)
            button->setEnabled(table->currentIndex().isValid());
    };
    QObject::connect(table->selectionModel(), &QItemSelectionModel::currentChanged, table, enable);
    QObject::connect(table->model(), &QAbstractItemModel::modelReset, table, enable); // tells of no current row
    enable();
}

} // namespace shardscope
