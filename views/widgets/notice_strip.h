// SPDX-License-Identifier: GPL-3.0-or-later
// A line that says what an action gave, why it did not work, or what an experiment asks. It goes when it is closed.
#pragma once

#include <QFrame>
#include <functional>
#include <vector>

#include "base/diagnostics.h"
#include "views/panel/panel.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace shardscope {

class NoticeStrip : public QFrame {
    Q_OBJECT
public:
    struct Button {
        QString text;
        std::function<void()> action;
        QString tip = {};
    };
    explicit NoticeStrip(QWidget* parent = nullptr);

    /// With a button if there is an action for it.
    void say(Severity severity, const QString& text, const QString& button = {}, std::function<void()> action = {});
    /// With a title in front, and any number of buttons.
    void say(Severity severity, const QString& title, const QString& text, std::vector<Button> buttons);
    /// Where room is short: what has a title says no more than that, and the rest in its tip.
    void setBrief(bool brief);
    /// Where it is less short: what stands below a title has one line, and all of it in its tip.
    void setOneLine(bool oneLine);
    /// Closed by whoever is not to be told any more.
    void dismiss();
    /// "" while there is nothing to be read
    [[nodiscard]] QString title() const { return isHidden() ? QString() : m_title->text(); }
    [[nodiscard]] QString text() const { return isHidden() ? QString() : m_text->text(); }
    [[nodiscard]] QPushButton* button(std::size_t index = 0) const { return m_buttons[index]; }
    [[nodiscard]] QToolButton* closeButton() const { return m_close; }

Q_SIGNALS:
    void closed(); ///< by its button

protected:
    void changeEvent(QEvent* event) override;

private:
    void showText();
    void applyColours();
    QPushButton* addButton();
    QHBoxLayout* m_row;
    QLabel* m_icon;
    RoleLabel* m_title;
    RoleLabel* m_text;
    std::vector<QPushButton*> m_buttons; ///< at least one
    std::vector<std::function<void()>> m_actions;
    QToolButton* m_close;
    Severity m_severity = Severity::Info;
    bool m_brief = false, m_oneLine = false;
};

} // namespace shardscope
