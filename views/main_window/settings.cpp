// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/main_window/settings.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

namespace shardscope {

namespace {

constexpr int maxRecentFiles = 10;
constexpr int maxPerspectives = 100; // of files, the newest ones
const QString perspectivesKey = QStringLiteral("perspectives"), dismissedKey = QStringLiteral("dismissed"),
              solvedKey = QStringLiteral("solvedTasks");

} // namespace

Settings::Settings(bool persistent)
{
    if (!persistent)
        return;
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation);
    m_store = std::make_unique<QSettings>(QDir(folder).filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
}

Settings::~Settings() = default;

ThemeChoice Settings::theme() const
{
    const QString name = m_store ? m_store->value(QStringLiteral("theme")).toString() : QString();
    if (name == QLatin1String("light"))
        return ThemeChoice::Light;
    return name == QLatin1String("dark") ? ThemeChoice::Dark : ThemeChoice::System;
}

void Settings::setTheme(ThemeChoice choice)
{
    if (!m_store)
        return;
    const QString name = choice == ThemeChoice::Light ? QStringLiteral("light")
        : choice == ThemeChoice::Dark                 ? QStringLiteral("dark")
                                                      : QStringLiteral("system");
    m_store->setValue(QStringLiteral("theme"), name);
}

QStringList Settings::recentFiles() const
{
    return m_store ? m_store->value(QStringLiteral("recentFiles")).toStringList() : QStringList();
}

void Settings::addRecentFile(const QString& path)
{
    if (!m_store)
        return;
    QStringList files = recentFiles();
    files.removeAll(path);
    files.prepend(path);
    m_store->setValue(QStringLiteral("recentFiles"), QStringList(files.mid(0, maxRecentFiles)));
}

void Settings::clearRecentFiles()
{
    if (m_store)
        m_store->remove(QStringLiteral("recentFiles"));
}

QByteArray Settings::state(const QString& name) const
{
    return m_store ? m_store->value(QStringLiteral("window/") + name).toByteArray() : QByteArray();
}

void Settings::setState(const QString& name, const QByteArray& state)
{
    if (m_store)
        m_store->setValue(QStringLiteral("window/") + name, state);
}

QString Settings::perspective(const QString& file) const
{
    // "plan /home/me/a.json", newest first
    const QStringList all = m_store ? m_store->value(perspectivesKey).toStringList() : QStringList();
    for (const QString& entry : all)
        if (entry.section(u' ', 1) == file)
            return entry.section(u' ', 0, 0);
    return {};
}

void Settings::setPerspective(const QString& file, const QString& id)
{
    if (!m_store || file.isEmpty())
        return;
    QStringList all = m_store->value(perspectivesKey).toStringList();
    all.removeIf([&file](const QString& entry) { return entry.section(u' ', 1) == file; });
    all.prepend(id + u' ' + file);
    m_store->setValue(perspectivesKey, QStringList(all.mid(0, maxPerspectives)));
}

QString Settings::folder() const
{
    const QString kept = m_store ? m_store->value(QStringLiteral("folder")).toString() : QString();
    // A file dialog takes the last part of a folder that is not there for a name to open.
    for (const QString& folder : { kept, QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation) })
        if (!folder.isEmpty() && QFileInfo(folder).isDir())
            return folder;
    return QDir::homePath();
}

QStringList Settings::list(const QString& key) const
{
    return m_store ? m_store->value(key).toStringList() : m_lists.value(key);
}

void Settings::setList(const QString& key, const QStringList& list)
{
    if (m_store)
        m_store->setValue(key, list);
    else
        m_lists[key] = list;
}

bool Settings::isDismissed(const QString& id) const
{
    return list(dismissedKey).contains(id);
}

QStringList Settings::solvedTasks() const
{
    return list(solvedKey);
}

void Settings::dismiss(const QString& id)
{
    if (!isDismissed(id))
        setList(dismissedKey, list(dismissedKey) << id);
}

void Settings::takeBack(const QString& id)
{
    QStringList all = list(dismissedKey);
    all.removeAll(id);
    setList(dismissedKey, all);
}

void Settings::addSolvedTask(const QString& id)
{
    if (const QStringList all = solvedTasks(); !all.contains(id))
        setList(solvedKey, all + QStringList(id));
}

void Settings::setFolder(const QString& path)
{
    if (m_store)
        m_store->setValue(QStringLiteral("folder"), path);
}

} // namespace shardscope
