// SPDX-License-Identifier: GPL-3.0-or-later
// The player of whatever goes step by step: operations of a program, steps of propagation, what devices hold after each
// operation of a step. Back to the beginning, one back, play, one on, to the end; a slider; "step 12 / 55". Space
// plays, [ and ] go one step, Home and End to the ends.
#pragma once

#include <QTimer>
#include <QWidget>

class QKeyEvent;
class QSlider;
class QToolButton;

namespace shardscope {

class RoleLabel;

class StepPlayer : public QWidget {
    Q_OBJECT
public:
    /// What it plays, for the slider and the buttons.
    struct Names {
        QString slider; ///< "Step of propagation"
        QString first, back, on, last; ///< "Before the first operation", "One operation back"
    };
    explicit StepPlayer(const Names& names, QWidget* parent = nullptr);

    void setNames(const Names& names);
    /// Steps from 0 to `count`. It stays where it is, as far as there are so many; nobody is told.
    void setCount(int count);
    [[nodiscard]] int count() const { return m_count; }
    [[nodiscard]] int step() const { return m_step; }
    /// Stands there without telling anybody.
    void setStep(int step);
    /// Goes there, as if somebody had dragged the slider.
    void go(int step);
    [[nodiscard]] bool isPlaying() const { return m_timer.isActive(); }
    /// From the beginning where it stands at the end.
    void setPlaying(bool plays);
    [[nodiscard]] QString position() const; ///< "step 12 / 55"

    [[nodiscard]] QSlider* slider() const { return m_slider; }
    /// First, back, play, on, last.
    [[nodiscard]] QList<QToolButton*> buttons() const { return { m_first, m_back, m_play, m_on, m_last }; }

    /// Takes the keys of a view, too: [ and ] anywhere within it, Space, Home and End where nothing in it has a use for
    /// them.
    void serve(QWidget* view);

Q_SIGNALS:
    /// By the user, or while it plays. `onwards`: one step, forwards.
    void stepChosen(int step, bool onwards);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    /// Space, [, ], Home and End, where there is something to play; false for other keys.
    bool takeKey(const QKeyEvent& event);
    void follow();
    void goOn();

    QToolButton *m_first, *m_back, *m_play, *m_on, *m_last;
    QSlider* m_slider;
    RoleLabel* m_position;
    QTimer m_timer;
    int m_count = 0, m_step = 0;
};

} // namespace shardscope
