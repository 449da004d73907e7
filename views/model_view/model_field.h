// SPDX-License-Identifier: GPL-3.0-or-later
// A control of the model's form with its name, and below it what was wrong with the last value.
#pragma once

#include <QLabel>
#include <QWidget>

#include "base/diagnostics.h"
#include "views/panel/panel.h"

namespace shardscope {

class ModelField : public QWidget {
    Q_OBJECT
public:
    /// Takes the control.
    ModelField(const QString& title, QWidget* control, QWidget* parent);

    [[nodiscard]] QWidget* control() const { return m_control; }
    [[nodiscard]] QString title() const { return m_title->text(); }
    void refuse(const Diagnostic& diagnostic);
    void accept(); ///< nothing is wrong
    [[nodiscard]] QString message() const { return m_message->text(); } ///< "" while nothing is wrong

Q_SIGNALS:
    void left(); ///< the control has lost the focus

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* m_control;
    QLabel* m_title;
    RoleLabel* m_message;
};

} // namespace shardscope
