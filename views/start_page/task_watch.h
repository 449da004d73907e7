// SPDX-License-Identifier: GPL-3.0-or-later
// The chosen task, on top of the window, with how far the experiment meets its goal after every analysis.
#pragma once

#include <QObject>
#include <QString>

namespace shardscope {

class Document;
class NoticeStrip;
struct Task;

class TaskWatch : public QObject {
    Q_OBJECT
public:
    TaskWatch(Document* document, NoticeStrip* strip, QObject* parent = nullptr);

    /// Begins to watch it; "" for none. Another document ends it.
    void choose(const QString& id);
    [[nodiscard]] QString current() const; ///< id, "" for none
    [[nodiscard]] bool isSolved() const { return m_solved; } ///< by what is analysed
    [[nodiscard]] NoticeStrip* strip() const { return m_strip; }

Q_SIGNALS:
    void solved(const QString& id); ///< each time that it becomes so
    void othersRequested(); ///< the list of tasks

private:
    void follow();
    void showHint();
    Document* m_document;
    NoticeStrip* m_strip;
    const Task* m_task = nullptr;
    bool m_hint = false; ///< somebody asked for it
    bool m_solved = false;
};

} // namespace shardscope
