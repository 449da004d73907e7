// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses an operation of the step that the devices took: to stop after it and look at what they hold. Such a step is
// taken again for that, if somebody asks for it by the button "Operations".
#pragma once

#include <QSlider>
#include <QToolButton>
#include <QWidget>

#include "views/widgets/step_player.h"

namespace shardscope {

class SendsWidget;
class RoleLabel;

class StepBar : public QWidget {
    Q_OBJECT
public:
    explicit StepBar(QWidget* parent = nullptr);

    /// Single operations are asked for.
    [[nodiscard]] bool isOn() const { return m_button->isChecked(); }
    void setOn(bool on) { m_button->setChecked(on); }
    /// After the last of `count` operations; 0: they are not known. Does nothing where there are as many already.
    void setCount(int count);
    [[nodiscard]] int count() const { return m_player->count(); }
    /// Operations that have been executed: 0 = none, count() = all.
    [[nodiscard]] int step() const { return m_player->step(); }
    void setStep(int step);
    void setText(const QString& text);
    /// What is wrong with the numbers, with the step at which it began; empty = nothing.
    void setWarning(const QString& brief, const QString& sentence, int step);
    [[nodiscard]] QString text() const { return m_player->slider()->accessibleDescription(); }
    [[nodiscard]] StepPlayer* player() const { return m_player; }
    [[nodiscard]] QToolButton* button() const { return m_button; } ///< Operations
    [[nodiscard]] QToolButton* warning() const { return m_warning; }
    [[nodiscard]] SendsWidget* exchange() const { return m_exchange; }

Q_SIGNALS:
    void stepChosen(int step);
    void toggled(bool on);

private:
    void follow();
    QToolButton* m_button;
    StepPlayer* m_player;
    QToolButton* m_warning;
    RoleLabel* m_text;
    SendsWidget* m_exchange;
    int m_warningStep = 0;
};

} // namespace shardscope
