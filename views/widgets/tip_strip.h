// SPDX-License-Identifier: GPL-3.0-or-later
// What to try next, beside the control that it is about: a frame in the accent's colour with a point towards it. It
// lies in the layout, covers nothing, and goes when it is closed.
#pragma once

#include <QWidget>

#include "views/panel/panel.h"

class QToolButton;

namespace shardscope {

class TipStrip : public QWidget {
    Q_OBJECT
public:
    /// `pointsDown`: the control is below, else above.
    explicit TipStrip(bool pointsDown, QWidget* parent = nullptr);
    void say(const QString& title, const QString& text, const QString& number);
    [[nodiscard]] QString title() const { return isHidden() ? QString() : m_title->text(); } ///< "" while it is hidden
    [[nodiscard]] QToolButton* closeButton() const { return m_close; }

Q_SIGNALS:
    void closed();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    bool m_pointsDown;
    RoleLabel* m_title;
    RoleLabel* m_number;
    RoleLabel* m_text;
    QToolButton* m_close;
};

} // namespace shardscope
