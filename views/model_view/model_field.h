// SPDX-License-Identifier: GPL-3.0-or-later
// A control of the model's form with its name, and below it what was wrong with the last value.
#pragma once

#include <QLabel>
#include <QWidget>

#include "base/diagnostics.h"
#include "views/panel/panel.h"

namespace shardscope {

class SizeSlider;

class ModelField : public QWidget {
    Q_OBJECT
public:
    /// Takes the control.
    ModelField(const QString& title, QWidget* control, QWidget* parent);

    /// Below the control.
    void setSlider(SizeSlider* slider);

    [[nodiscard]] QWidget* control() const { return m_control; }
    [[nodiscard]] SizeSlider* slider() const { return m_slider; } ///< null where it has none
    [[nodiscard]] QString title() const { return m_title->text(); }
    void refuse(const Diagnostic& diagnostic);
    void accept(); ///< nothing is wrong
    [[nodiscard]] QString message() const { return m_message->text(); } ///< "" while nothing is wrong

Q_SIGNALS:
    void left(); ///< the control, or the slider, has lost the focus

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* m_control;
    SizeSlider* m_slider = nullptr;
    QLabel* m_title;
    RoleLabel* m_message;
};

} // namespace shardscope
