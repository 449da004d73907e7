// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start_page/task_watch.h"

#include <vector>

#include "document/document.h"
#include "tasks/tasks.h"
#include "views/widgets/notice_strip.h"
#include "words/task_words.h"
#include "words/utf8.h"

namespace shardscope {

TaskWatch::TaskWatch(Document* document, NoticeStrip* strip, QObject* parent)
    : QObject(parent)
    , m_document(document)
    , m_strip(strip)
{
    connect(document, &Document::replaced, this, [this] { choose(QString()); });
    connect(document, &Document::snapshotChanged, this, &TaskWatch::follow);
    connect(strip, &NoticeStrip::closed, this, [this] { choose(QString()); });
}

void TaskWatch::choose(const QString& id)
{
    m_task = findTask(id.toStdString());
    m_hint = false;
    m_solved = false;
    if (m_task)
        follow();
    else
        m_strip->dismiss();
}

QString TaskWatch::current() const
{
    return m_task ? words::fromStd(m_task->id) : QString();
}

void TaskWatch::showHint()
{
    m_hint = true;
    follow();
}

void TaskWatch::follow()
{
    const SnapshotPtr snapshot = m_document->snapshot();
    if (!m_task)
        return;
    QString title = tr("Task: %1").arg(words::fromStd(m_task->question)), text;
    bool solvedNow = m_solved;
    if (!snapshot) {
        text = tr("The experiment is being analysed.");
    } else if (!m_document->isStale()) {
        const TaskState state = checkTask(*m_task, *snapshot);
        solvedNow = state.isSolved();
        text = words::progress(state);
    } else {
        return; // what is analysed next tells
    }
    if (solvedNow)
        title = tr("Task solved: %1").arg(words::fromStd(m_task->question));
    else if (m_hint)
        text += QLatin1Char(' ') + words::fromStd(m_task->hint);
    const bool becomesSolved = solvedNow && !m_solved;
    m_solved = solvedNow;
    if (m_strip->isHidden() || m_strip->title() != title || m_strip->text() != text) {
        std::vector<NoticeStrip::Button> buttons;
        if (!solvedNow && !m_hint)
            buttons.push_back({ tr("Hint"), [this] { showHint(); } });
        buttons.push_back({ tr("Tasks…"), [this] { Q_EMIT othersRequested(); } });
        m_strip->say(Severity::Info, title, text, std::move(buttons));
    }
    if (becomesSolved)
        Q_EMIT solved(current());
}

} // namespace shardscope
