// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks by documents, ticked where they are solved. A search goes over them; a click or Return begins one.
#pragma once

#include <QStringList>
#include <QTreeWidget>

namespace shardscope {

class TaskList : public QTreeWidget {
    Q_OBJECT
public:
    explicit TaskList(QWidget* parent = nullptr);

    /// Those that have all of these words.
    void setFilter(const QString& text);
    void setSolved(const QStringList& ids);
    /// Makes that one current; one that there is not: the first.
    void select(const QString& id);
    [[nodiscard]] QString current() const; ///< id; "" where nothing is found
    void open(); ///< begins the current one

Q_SIGNALS:
    void openRequested(const QString& id);

protected:
    void changeEvent(QEvent* event) override;

private:
    void showMarks();
    QStringList m_solved;
};

} // namespace shardscope
