// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rules_view/rule_list_bar.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>

#include "views/panel/panel.h"
#include "views/widgets/boxes.h"
#include "views/widgets/flat_button.h"

namespace shardscope {
RuleListBar::RuleListBar(QWidget* parent)
    : QWidget(parent)
    , m_lists(new QComboBox(this))
    , m_path(new QComboBox(this))
    , m_add(new QToolButton(this))
    , m_rename(new QToolButton(this))
    , m_remove(new QToolButton(this))
{
    m_lists->setObjectName(QStringLiteral("ruleLists"));
    m_lists->setAccessibleName(tr("The rules that are edited"));
    m_path->setObjectName(QStringLiteral("rulesPart"));
    m_path->setAccessibleName(tr("Path of the part of the model"));
    m_path->setToolTip(
        tr("For the arrays whose path is this or begins with it and a slash. Return: take it; Esc: give up"));
    m_path->setEditable(true);
    m_path->setInsertPolicy(QComboBox::NoInsert);
    m_path->setCompleter(nullptr); // layers.1 would become layers.10
    m_path->lineEdit()->setPlaceholderText(tr("decoder/layer_1"));
    for (QComboBox* box : { m_lists, m_path })
        fitBox(box, 10);
    const auto button = [](QToolButton* made, const QString& icon, const QString& name, const QString& id) {
        makeFlat(made, icon, name, {}, 12)->setObjectName(id);
        made->setFocusPolicy(Qt::TabFocus);
    };
    button(m_add, QStringLiteral("add"), tr("Rules for another part of the model"), QStringLiteral("addRuleList"));
    button(m_rename, QStringLiteral("edit"), tr("Another part for these rules"), QStringLiteral("renameRuleList"));
    button(m_remove, QStringLiteral("remove"), tr("Remove these rules: those around the part hold again"),
        QStringLiteral("removeRuleList"));
    hbox(this, { 8, 0, 8, 4 }, 2, { { m_lists, 1 }, { m_path, 1 }, m_add, m_rename, m_remove });
    m_path->hide();
    tabOrder({ m_lists, m_path, m_add, m_rename, m_remove });

    connect(m_lists, &QComboBox::activated, this, [this](int index) { Q_EMIT chosen(index - 1); });
    connect(m_add, &QToolButton::clicked, this, &RuleListBar::askForNew);
    connect(m_rename, &QToolButton::clicked, this, &RuleListBar::askForName);
    connect(m_remove, &QToolButton::clicked, this, &RuleListBar::removeRequested);
    connect(m_path->lineEdit(), &QLineEdit::returnPressed, this, &RuleListBar::give);
    connect(m_path, &QComboBox::activated, this, &RuleListBar::give);
    m_path->lineEdit()->installEventFilter(this);
    setEntries({ { tr("Everywhere"), {}, {} } }, {});
}

void RuleListBar::setEntries(std::vector<Entry> entries, RuleList current)
{
    const QSignalBlocker quiet(m_lists);
    if (entries != m_entries) {
        m_entries = std::move(entries);
        m_lists->clear();
        for (const Entry& entry : m_entries)
            addEntry(m_lists, entry.text, entry.tip);
    }
    m_lists->setCurrentIndex(current.inner + 1);
    m_lists->setToolTip(m_lists->currentData(Qt::ToolTipRole).toString());
    m_rename->setEnabled(!current.isOuter());
    m_remove->setEnabled(!current.isOuter());
}

void RuleListBar::setParts(const QStringList& parts)
{
    const QSignalBlocker quiet(m_path);
    const QString typed = m_path->currentText();
    m_path->clear();
    m_path->addItems(parts);
    m_path->setEditText(typed);
}

void RuleListBar::askForName()
{
    const auto index = static_cast<std::size_t>(m_lists->currentIndex());
    if (index > 0 && index < m_entries.size())
        ask(Asking::Name, m_entries[index].within);
}

void RuleListBar::ask(Asking what, const QString& text)
{
    m_asking = what;
    m_lists->hide();
    m_path->show();
    for (QToolButton* button : { m_add, m_rename, m_remove })
        button->hide();
    Q_EMIT askingChanged();
    m_path->setEditText(text);
    m_path->lineEdit()->selectAll();
    m_path->setFocus(Qt::OtherFocusReason);
}

void RuleListBar::stopAsking()
{
    if (m_asking == Asking::Nothing)
        return;
    const bool focused = m_path->hasFocus() || m_path->lineEdit()->hasFocus();
    m_asking = Asking::Nothing;
    m_lists->show();
    for (QToolButton* button : { m_add, m_rename, m_remove })
        button->show();
    if (focused)
        m_lists->setFocus(Qt::OtherFocusReason);
    m_path->hide();
    m_path->setEditText({});
    Q_EMIT askingChanged();
}

void RuleListBar::give()
{
    const QString text = m_path->currentText().trimmed();
    if (m_asking == Asking::New)
        Q_EMIT partSpecified(text);
    else if (m_asking == Asking::Name)
        Q_EMIT nameSpecified(text);
}

bool RuleListBar::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress && isAsking() && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        stopAsking();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace shardscope
