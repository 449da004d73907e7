// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/step_bar.h"

#include "views/panel/panel.h"
#include "views/theme/theme.h"
#include "views/values_view/sends_widget.h"
#include "views/widgets/boxes.h"

namespace shardscope {

StepBar::StepBar(QWidget* parent)
    : QWidget(parent)
    , m_button(new QToolButton(this))
    , m_player(new StepPlayer({ tr("Operations that the devices have executed"), tr("Before the first operation"),
                                  tr("One operation back"), tr("One operation on"), tr("After the last operation") },
          this))
    , m_warning(new QToolButton(this))
    , m_text(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Elided, &Theme::text, this))
    , m_exchange(new SendsWidget(this))
{
    m_button->setText(tr("Operations"));
    describe(m_button, m_button->text(),
        tr("Takes the step again, operation by operation, and shows what devices hold after each."));
    m_button->setCheckable(true);
    m_button->setAutoRaise(true);
    m_warning->setAutoRaise(true);
    m_warning->hide();

    auto* line = hbox({ 8, 4, 8, 0 }, 2, { m_button, { m_player, 1 }, boxStretch() });
    auto* words = hbox({ 8, 0, 8, 2 }, styleSpacing, { { m_text, 1 }, m_warning });
    vbox(this, {}, 2, { line, words, m_exchange });

    connect(m_button, &QToolButton::toggled, this, [this](bool on) {
        if (!on)
            m_player->setPlaying(false);
        follow();
        Q_EMIT toggled(on);
    });
    connect(m_warning, &QToolButton::clicked, this, [this] { m_player->go(m_warningStep); });
    connect(m_player, &StepPlayer::stepChosen, this, &StepBar::stepChosen);
    follow();
}

void StepBar::setCount(int count)
{
    if (count == this->count())
        return;
    m_player->setCount(count);
    setStep(count);
}

void StepBar::setStep(int step)
{
    m_player->setStep(step);
    follow();
}

void StepBar::follow()
{
    m_player->setVisible(isOn() && count() > 0);
    m_text->setVisible(isOn());
    m_exchange->setVisible(isOn() && count() > 0);
}

void StepBar::setText(const QString& text)
{
    m_text->setText(text);
    m_player->slider()->setAccessibleDescription(text);
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
