// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare_view/row_actions.h"

#include <QKeyEvent>
#include <QTableView>
#include <QToolButton>

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

QToolButton* makeRowButton(QTableView* table, const QString& picture, const QString& name, const QKeySequence& key,
    const std::function<void()>& run)
{
    const QString tip =
        key.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, key.toString(QKeySequence::NativeText));
    QToolButton* button = makeFlat(new QToolButton, picture, name, tip);
    QObject::connect(button, &QToolButton::clicked, table, run);
    if (!key.isEmpty())
        new RowKey(table, key, run);
    return button;
}

} // namespace shardscope
