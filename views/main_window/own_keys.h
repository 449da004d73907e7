// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of commands as somebody wants them: kept in the settings, and changed in a dialog that the sheet of keys opens.
#pragma once

#include <QHash>
#include <QKeySequence>
#include <QObject>

class QAction;
class QWidget;

namespace shardscope {

class Settings;

class OwnKeys : public QObject {
    Q_OBJECT
public:
    /// Of the window's own actions, by their names; those that were changed once get their keys again.
    OwnKeys(Settings* settings, QWidget* window);
    /// Those that are told in more places than their action stay.
    [[nodiscard]] static bool canChange(const QAction& command);
    /// Asks for the key of a command.
    void ask(QAction* command);
    /// An empty key: none. Nothing changes where the key belongs to another command.
    bool setKey(QAction* command, const QKeySequence& key);
    /// The keys that it had at first; nothing changes where one of them belongs to another command by now.
    bool putBack(QAction* command);
    /// Those whose keys can be changed.
    [[nodiscard]] QList<QAction*> commands() const;

Q_SIGNALS:
    void changed();

private:
    [[nodiscard]] QAction* ownerOf(const QKeySequence& key, const QAction* except) const;
    [[nodiscard]] QAction* ownerOfAny(const QList<QKeySequence>& keys, const QAction* except) const;
    void apply(QAction* command, const QList<QKeySequence>& keys);
    void store();
    Settings* m_settings;
    QWidget* m_window;
    QHash<QString, QList<QKeySequence>> m_first; ///< what the changed ones had, by name
};

} // namespace shardscope
