// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses an operation of the step that the devices took: to stop after it and look at what they hold. Such a step is
// taken again for that, if somebody asks for it by the button "Operations".
#pragma once

#include <QWidget>

class QSlider;
class QToolButton;

namespace shardscope {

class SendsWidget;
class RoleLabel;

class StepBar : public QWidget {
    Q_OBJECT
public:
    explicit StepBar(QWidget* parent = nullptr);

    /// Single operations are asked for.
    [[nodiscard]] bool isOn() const;
    void setOn(bool on);
    /// After the last of `count` operations; 0: they are not known. Does nothing where there are as many already.
    void setCount(int count);
    [[nodiscard]] int count() const { return m_count; }
    /// Operations that have been executed: 0 = none, count() = all.
    [[nodiscard]] int step() const { return m_step; }
    void setStep(int step);
    void setText(const QString& text);
    /// What is wrong with the numbers, with the step at which it began; empty = nothing.
    void setWarning(const QString& brief, const QString& sentence, int step);
    [[nodiscard]] QString text() const;
    [[nodiscard]] QSlider* slider() const { return m_slider; }
    [[nodiscard]] QToolButton* button() const { return m_button; } ///< Operations
    [[nodiscard]] QToolButton* warning() const { return m_warning; }
    [[nodiscard]] SendsWidget* exchange() const { return m_exchange; }

Q_SIGNALS:
    void stepChosen(int step);
    void toggled(bool on);

private:
    void follow();
    QToolButton *m_button, *m_first, *m_back;
    QSlider* m_slider;
    QToolButton *m_forward, *m_last, *m_warning;
    RoleLabel* m_text;
    SendsWidget* m_exchange;
    int m_count = 0, m_step = 0, m_warningStep = 0;
};

} // namespace shardscope
