// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/step_bar.h"

#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <algorithm>

#include "views/panel/panel.h"
#include "views/theme/theme.h"
#include "views/values_view/sends_widget.h"
#include "views/widgets/boxes.h"
#include "views/widgets/flat_button.h"

namespace shardscope {

StepBar::StepBar(QWidget* parent)
    : QWidget(parent)
    , m_button(new QToolButton(this))
    , m_first(new QToolButton(this))
    , m_back(new QToolButton(this))
    , m_slider(new QSlider(Qt::Horizontal, this))
    , m_forward(new QToolButton(this))
    , m_last(new QToolButton(this))
    , m_warning(new QToolButton(this))
    , m_text(new RoleLabel(RoleLabel::Size::Normal, &Theme::text, this))
    , m_exchange(new SendsWidget(this))
{
    makeFlat(m_first, QStringLiteral("first"), tr("Before the first operation"));
    makeFlat(m_back, QStringLiteral("previous"), tr("One operation back"));
    makeFlat(m_forward, QStringLiteral("next"), tr("One operation on"));
    makeFlat(m_last, QStringLiteral("last"), tr("After the last operation"));
    m_button->setText(tr("Operations"));
    m_button->setAccessibleName(m_button->text());
    m_button->setToolTip(tr("Takes the step again, operation by operation, and shows what devices hold after each."));
    m_button->setCheckable(true);
    m_button->setAutoRaise(true);
    m_back->setAutoRepeat(true);
    m_forward->setAutoRepeat(true);
    m_slider->setAccessibleName(tr("Operations that the devices have executed"));
    m_slider->setMinimumWidth(Metrics::scaled(60));
    m_text->setElided(true);
    m_warning->setAutoRaise(true);
    m_warning->hide();

    auto* line =
        hbox({ 8, 4, 8, 0 }, 2, { m_button, m_first, m_back, { m_slider, 1 }, m_forward, m_last, boxStretch() });
    auto* words = hbox({ 8, 0, 8, 2 }, styleSpacing, { { m_text, 1 }, m_warning });
    vbox(this, {}, 2, { line, words, m_exchange });

    connect(m_button, &QToolButton::toggled, this, [this](bool on) {
        follow();
        Q_EMIT toggled(on);
    });
    connect(m_first, &QToolButton::clicked, this, [this] { m_slider->setValue(0); });
    connect(m_back, &QToolButton::clicked, this, [this] { m_slider->setValue(m_step - 1); });
    connect(m_forward, &QToolButton::clicked, this, [this] { m_slider->setValue(m_step + 1); });
    connect(m_last, &QToolButton::clicked, this, [this] { m_slider->setValue(m_count); });
    connect(m_warning, &QToolButton::clicked, this, [this] { m_slider->setValue(m_warningStep); });
    connect(m_slider, &QSlider::valueChanged, this, [this](int step) {
        m_step = step;
        follow();
        Q_EMIT stepChosen(step);
    });
    follow();
}

bool StepBar::isOn() const
{
    return m_button->isChecked();
}

void StepBar::setOn(bool on)
{
    m_button->setChecked(on);
}

void StepBar::setCount(int count)
{
    if (count == m_count)
        return;
    m_count = count;
    const QSignalBlocker blocker(m_slider);
    m_slider->setRange(0, count);
    setStep(count);
}

void StepBar::setStep(int step)
{
    m_step = std::clamp(step, 0, m_count);
    const QSignalBlocker blocker(m_slider);
    m_slider->setValue(m_step);
    follow();
}

void StepBar::follow()
{
    for (QWidget* each : std::initializer_list<QWidget*>{ m_first, m_back, m_slider, m_forward, m_last })
        each->setVisible(isOn() && m_count > 0);
    m_text->setVisible(isOn());
    m_exchange->setVisible(isOn() && m_count > 0);
    m_first->setEnabled(m_step > 0);
    m_back->setEnabled(m_step > 0);
    m_forward->setEnabled(m_step < m_count);
    m_last->setEnabled(m_step < m_count);
}

void StepBar::setText(const QString& text)
{
    m_text->setText(text);
    m_slider->setAccessibleDescription(text);
}

QString StepBar::text() const
{
    return m_slider->accessibleDescription();
}

void StepBar::setWarning(const QString& brief, const QString& sentence, int step)
{
    m_warning->setVisible(!brief.isEmpty());
    m_warning->setText(brief);
    m_warning->setToolTip(sentence);
    m_warning->setAccessibleDescription(sentence);
    m_warningStep = step;
}

} // namespace shardscope
