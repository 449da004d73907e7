// SPDX-License-Identifier: GPL-3.0-or-later
// What the program remembers from one start to the next: layouts of the window, recent files, the theme. One file in
// the configuration folder of the desktop (QStandardPaths::AppConfigLocation); nothing of it is in experiment files.
#pragma once

#include <QByteArray>
#include <QHash>
#include <QStringList>
#include <memory>

#include "views/theme/appearance.h"

class QSettings;

namespace shardscope {

class Settings {
public:
    /// `persistent` false: nothing is read or written, every value keeps its default.
    explicit Settings(bool persistent = true);
    ~Settings();

    [[nodiscard]] ThemeChoice theme() const;
    void setTheme(ThemeChoice choice);
    /// Absolute paths, newest first, at most ten.
    [[nodiscard]] QStringList recentFiles() const;
    void addRecentFile(const QString& path);
    void clearRecentFiles();
    [[nodiscard]] QByteArray state(const QString& name) const;
    void setState(const QString& name, const QByteArray& state);
    /// The perspective in which a file was left, by its id; "" of one that was never left in any.
    [[nodiscard]] QString perspective(const QString& file) const;
    void setPerspective(const QString& file, const QString& id);
    /// What was closed once and is not to come again: a tip, the question of the first example.
    [[nodiscard]] bool isDismissed(const QString& id) const;
    void dismiss(const QString& id);
    void takeBack(const QString& id); ///< what was dismissed comes again
    /// Ids of tasks, in the order in which they were solved.
    [[nodiscard]] QStringList solvedTasks() const;
    void addSolvedTask(const QString& id);
    /// Folder of the last file dialog; one that is there.
    [[nodiscard]] QString folder() const;
    void setFolder(const QString& path);

private:
    [[nodiscard]] QStringList list(const QString& key) const;
    void setList(const QString& key, const QStringList& list);
    std::unique_ptr<QSettings> m_store;
    QHash<QString, QStringList> m_lists; ///< where nothing is stored
};

} // namespace shardscope
