// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/step_player.h"

#include <QKeyEvent>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <algorithm>

#include "views/panel/panel.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/flat_button.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr int millisecondsPerStep = 900; ///< what moves within a step takes half of it

} // namespace

StepPlayer::StepPlayer(const Names& names, QWidget* parent)
    : QWidget(parent)
    , m_first(makeFlat(new QToolButton(this), QStringLiteral("first"), {}))
    , m_back(makeFlat(new QToolButton(this), QStringLiteral("previous"), {}))
    , m_play(makeFlat(new QToolButton(this), QStringLiteral("run"), {}))
    , m_on(makeFlat(new QToolButton(this), QStringLiteral("next"), {}))
    , m_last(makeFlat(new QToolButton(this), QStringLiteral("last"), {}))
    , m_slider(new QSlider(Qt::Horizontal, this))
    , m_position(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, this))
{
    m_back->setAutoRepeat(true);
    m_on->setAutoRepeat(true);
    m_slider->setMinimumWidth(Metrics::scaled(40));
    m_slider->setPageStep(10);
    m_timer.setInterval(millisecondsPerStep);
    hbox(this, {}, 2, { m_first, m_back, m_play, m_on, m_last, boxSpace(6), { m_slider, 1 }, boxSpace(6), m_position });
    setNames(names);

    connect(m_first, &QToolButton::clicked, this, [this] { go(0); });
    connect(m_back, &QToolButton::clicked, this, [this] { go(m_step - 1); });
    connect(m_play, &QToolButton::clicked, this, [this] { setPlaying(!isPlaying()); });
    connect(m_on, &QToolButton::clicked, this, &StepPlayer::goOn);
    connect(m_last, &QToolButton::clicked, this, [this] { go(m_count); });
    connect(m_slider, &QSlider::valueChanged, this, &StepPlayer::go);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        goOn();
        if (m_step == m_count)
            setPlaying(false);
    });
    follow();
}

void StepPlayer::setNames(const Names& names)
{
    const auto name = [](QToolButton* button, const QString& text, const QString& key) {
        describe(button, text, tr("%1 (%2)", "what a button does, its key").arg(text, key));
    };
    name(m_first, names.first, tr("Home"));
    name(m_back, names.back, QStringLiteral("["));
    name(m_on, names.on, QStringLiteral("]"));
    name(m_last, names.last, tr("End"));
    describe(m_slider, names.slider, tr("%1: drag, or Left and Right", "what a slider moves").arg(names.slider));
}

void StepPlayer::setCount(int count)
{
    if (count == m_count)
        return;
    setPlaying(false);
    m_count = count;
    const QSignalBlocker quiet(m_slider);
    m_slider->setRange(0, count);
    setStep(m_step);
}

void StepPlayer::setStep(int step)
{
    m_step = std::clamp(step, 0, m_count);
    const QSignalBlocker quiet(m_slider);
    m_slider->setValue(m_step);
    follow();
}

void StepPlayer::go(int step)
{
    step = std::clamp(step, 0, m_count);
    if (step == m_step)
        return;
    setStep(step);
    Q_EMIT stepChosen(step, false);
}

void StepPlayer::goOn()
{
    if (m_step == m_count)
        return;
    setStep(m_step + 1);
    Q_EMIT stepChosen(m_step, true);
}

void StepPlayer::setPlaying(bool plays)
{
    if (plays == isPlaying() || (plays && m_count == 0))
        return;
    if (plays) {
        if (m_step == m_count)
            go(0);
        m_timer.start();
    } else {
        m_timer.stop();
    }
    follow();
}

QString StepPlayer::position() const
{
    return tr("step %1 / %2").arg(words::count(m_step), words::count(m_count));
}

void StepPlayer::follow()
{
    m_first->setEnabled(m_step > 0);
    m_back->setEnabled(m_step > 0);
    m_on->setEnabled(m_step < m_count);
    m_last->setEnabled(m_step < m_count);
    m_play->setEnabled(m_count > 0);
    m_slider->setEnabled(m_count > 0);
    const bool plays = isPlaying();
    const QString name = plays ? tr("Stop") : tr("Play");
    m_play->setIcon(icon(plays ? QStringLiteral("stop") : QStringLiteral("run")));
    describe(m_play, name, tr("%1 (%2)", "what a button does, its key").arg(name, tr("Space")));
    m_position->setText(position());
    // As wide as at the end: the slider does not move under the hand.
    const QString widest = tr("step %1 / %2").arg(words::count(m_count), words::count(m_count));
    m_position->setMinimumWidth(m_position->fontMetrics().horizontalAdvance(widest) + 4);
}

bool StepPlayer::takeKey(const QKeyEvent& event)
{
    if (m_count == 0 || isHidden() || (event.modifiers() & (Qt::ControlModifier | Qt::MetaModifier)))
        return false;
    switch (event.key()) {
    case Qt::Key_Space:
        setPlaying(!isPlaying());
        return true;
    case Qt::Key_BracketLeft:
        go(m_step - 1);
        return true;
    case Qt::Key_BracketRight:
        goOn();
        return true;
    case Qt::Key_Home:
        go(0);
        return true;
    case Qt::Key_End:
        go(m_count);
        return true;
    default:
        return false;
    }
}

void StepPlayer::serve(QWidget* view)
{
    const auto key = [this, view](Qt::Key of, auto run) {
        auto* made = new QShortcut(QKeySequence(of), view, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
        connect(made, &QShortcut::activated, this, run);
    };
    key(Qt::Key_BracketLeft, [this] { go(m_step - 1); });
    key(Qt::Key_BracketRight, [this] { goOn(); });
    view->installEventFilter(this);
}

bool StepPlayer::eventFilter(QObject* watched, QEvent* event)
{
    return (isVisible() && event->type() == QEvent::KeyPress && takeKey(*static_cast<QKeyEvent*>(event)))
        || QWidget::eventFilter(watched, event);
}

void StepPlayer::hideEvent(QHideEvent* event)
{
    setPlaying(false); // nobody sees it
    QWidget::hideEvent(event);
}

void StepPlayer::keyPressEvent(QKeyEvent* event)
{
    if (!takeKey(*event))
        QWidget::keyPressEvent(event);
}

} // namespace shardscope
