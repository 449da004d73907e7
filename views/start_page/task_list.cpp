// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start_page/task_list.h"

#include <QEvent>
#include <QHeaderView>
#include <QTreeWidgetItemIterator>
#include <algorithm>

#include "experiment_file/gallery.h"
#include "tasks/tasks.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"
#include "words/task_words.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

constexpr int taskRole = Qt::UserRole;

QString taskOf(const QTreeWidgetItem* item)
{
    return item ? item->data(0, taskRole).toString() : QString();
}

QString goalText(const Task& task)
{
    QStringList goal;
    for (const Condition& condition : task.goal)
        goal << words::goal(condition);
    return goal.join(QStringLiteral("; "));
}

} // namespace

TaskList::TaskList(QWidget* parent)
    : QTreeWidget(parent)
{
    setColumnCount(2);
    setHeaderLabels({ tr("Task"), tr("Goal") });
    setAccessibleName(tr("Tasks"));
    setFrameShape(QFrame::NoFrame);
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setExpandsOnDoubleClick(false);
    setItemsExpandable(false);
    setTextElideMode(Qt::ElideRight);
    header()->setStretchLastSection(true);
    header()->resizeSection(0, Metrics::scaled(430));
    for (const ExampleGroup& group : exampleGroups()) {
        QTreeWidgetItem* top = nullptr;
        for (const Task& task : tasks()) {
            if (task.group != group.id)
                continue;
            if (!top) {
                top = new QTreeWidgetItem(this, { words::fromStd(group.title) });
                top->setFlags(Qt::ItemIsEnabled);
                top->setFont(0, Metrics::semibold());
                top->setFirstColumnSpanned(true);
            }
            const QString question = words::fromStd(task.question), goal = goalText(task);
            auto* item = new QTreeWidgetItem(top, { question, goal });
            item->setData(0, taskRole, words::fromStd(task.id));
            item->setToolTip(0, plainTip(question));
            item->setToolTip(1, plainTip(goal));
        }
    }
    expandAll();
    connect(this, &QTreeWidget::itemActivated, this, &TaskList::open);
    connect(this, &QTreeWidget::itemClicked, this, &TaskList::open);
    showMarks();
    select(QString());
}

void TaskList::setFilter(const QString& text)
{
    const QStringList wanted = text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (int i = 0; i < topLevelItemCount(); ++i) {
        QTreeWidgetItem* group = topLevelItem(i);
        bool any = false;
        for (int j = 0; j < group->childCount(); ++j) {
            QTreeWidgetItem* item = group->child(j);
            const QString all =
                QStringList{ item->text(0), item->text(1), group->text(0), taskOf(item) }.join(QLatin1Char('\n'));
            const bool found = std::all_of(wanted.begin(), wanted.end(),
                [&all](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
            item->setHidden(!found);
            any = any || found;
        }
        group->setHidden(!any);
    }
    select(current());
}

void TaskList::setSolved(const QStringList& ids)
{
    m_solved = ids;
    showMarks();
}

void TaskList::showMarks()
{
    for (QTreeWidgetItemIterator item(this); *item; ++item) {
        const QString id = taskOf(*item);
        if (id.isEmpty())
            continue;
        const bool solved = m_solved.contains(id);
        (*item)->setIcon(
            0, solved ? icon(QStringLiteral("ok"), IconColor::Ok) : icon(QStringLiteral("task"), IconColor::Secondary));
        (*item)->setData(0, Qt::AccessibleTextRole,
            solved ? tr("%1 Solved.", "a question").arg((*item)->text(0)) : (*item)->text(0));
    }
}

void TaskList::select(const QString& id)
{
    QTreeWidgetItem* first = nullptr;
    for (QTreeWidgetItemIterator item(this, QTreeWidgetItemIterator::NotHidden); *item; ++item) {
        if (taskOf(*item).isEmpty())
            continue;
        first = first ? first : *item;
        if (taskOf(*item) != id)
            continue;
        first = *item;
        break;
    }
    setCurrentItem(first);
    if (first)
        scrollToItem(first);
}

QString TaskList::current() const
{
    const QTreeWidgetItem* item = currentItem();
    return item && !item->isHidden() ? taskOf(item) : QString();
}

void TaskList::open()
{
    const QString id = current();
    if (!id.isEmpty() && isVisible())
        Q_EMIT openRequested(id);
}

void TaskList::changeEvent(QEvent* event)
{
    QTreeWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        header()->resizeSection(0, Metrics::scaled(430));
}

} // namespace shardscope
