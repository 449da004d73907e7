// SPDX-License-Identifier: GPL-3.0-or-later
// The place of the status bar for what has just happened: a file was saved, an edit changed so much. It goes after a
// few seconds; an edit can be undone from there meanwhile.
#pragma once

#include <QTimer>
#include <QWidget>

#include "views/preview/told_edit.h"

class QToolButton;

namespace shardscope {

class EditPlate;
class RoleLabel;

class StatusMessage : public QWidget {
    Q_OBJECT
public:
    /// While something is held, `plate` says what it changes; here stands what it has changed once it is dropped.
    StatusMessage(Document* document, const EditPlate* plate, QWidget* parent = nullptr);
    void say(const QString& text);
    [[nodiscard]] QString text() const;
    /// Takes back the edit that is told; hidden with other messages.
    [[nodiscard]] QToolButton* undoButton() const { return m_undo; }

private:
    void put(const QString& text, bool isEdit);
    void tell();

    ToldEdit m_told;
    const EditPlate* m_plate;
    RoleLabel* m_text;
    QToolButton* m_undo;
    QTimer m_time;
};

} // namespace shardscope
