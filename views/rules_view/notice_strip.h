// SPDX-License-Identifier: GPL-3.0-or-later
// A line in a dock that says what an action gave or why it did not work. It lies in the layout, covers nothing, asks
// nothing, and goes when it is closed.
#pragma once

#include <QFrame>
#include <functional>

#include "base/diagnostics.h"

class QLabel;
class QPushButton;
class QToolButton;

namespace shardscope {

class RoleLabel;

class NoticeStrip : public QFrame {
    Q_OBJECT
public:
    explicit NoticeStrip(QWidget* parent = nullptr);

    /// With a button if there is an action for it.
    void say(Severity severity, const QString& text, const QString& button = {}, std::function<void()> action = {});
    void dismiss();
    [[nodiscard]] QString text() const;
    [[nodiscard]] QPushButton* button() const { return m_button; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void applyColours();
    QLabel* m_icon;
    RoleLabel* m_text;
    QPushButton* m_button;
    QToolButton* m_close;
    Severity m_severity = Severity::Info;
    std::function<void()> m_action;
};

} // namespace shardscope
