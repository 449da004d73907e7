// SPDX-License-Identifier: GPL-3.0-or-later
// Somebody who does anything at all in a main window: keys, shortcuts, text, clicks, drags, the wheel, menus, other
// sizes, perspectives and examples. What is done follows from a seed, and every event has a name, so that a failure can
// be repeated.
//
//     Monkey monkey(window, seed);
//     while (monkey.count() < 1000 && monkey.complaint().isEmpty())
//         monkey.act();
#pragma once

#include <QAction>
#include <QApplication>
#include <QContextMenuEvent>
#include <QDialog>
#include <QDockWidget>
#include <QDrag>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QMenu>
#include <QPointer>
#include <QTest>
#include <QThread>
#include <QTimer>
#include <QWheelEvent>
#include <QWindow>
#include <algorithm>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "event_trail.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/gallery.h"
#include "schedule/plan.h"
#include "split_mix.h"
#include "views/main_window/main_window.h"
#include "words/utf8.h"

namespace shardscope::test {

using namespace Qt::StringLiterals;

class Monkey : public QObject {
public:
    Monkey(MainWindow& window, std::uint64_t seed)
        : m_window(window)
        , m_random(seed)
    {
        const auto begin = [this] { m_began = writeExperiment(*m_window.document()->experiment()); };
        begin();
        connect(window.document(), &Document::replaced, this, [this] { m_replaced = true; });
        connect(window.document(), &Document::experimentChanged, this, [this, begin] {
            if (std::exchange(m_replaced, false))
                begin();
        });
        // A step of much memory would take it from other tests, and long.
        connect(window.runController(), &RunController::stateChanged, this, [this] {
            const SnapshotPtr now = m_window.document()->lastGood();
            if (m_window.runController()->state() != RunController::State::Idle && now && now->plan
                && now->plan->memory.peakBytes * now->experiment->hardware.devices.count() > largestRun)
                QTimer::singleShot(0, this, [this] { m_window.runController()->reset(); });
        });
        connect(&m_guard, &QTimer::timeout, this, &Monkey::endNestedLoop);
        m_guard.start(20);
    }

    /// One event.
    void act()
    {
        ++m_count;
        if (QWidget* popup = QApplication::activePopupWidget())
            return inPopup(popup);
        if (QWidget* dialog = QApplication::activeModalWidget())
            return inDialog(dialog);
        if (!m_window.isVisible())
            timed(u"show the window again"_s, [this] { m_window.show(); });
        if (const QWidget* active = QApplication::activeWindow(); !active || !active->isVisible())
            timed(u"activate the window"_s, [this] { m_window.activateWindow(); });
        struct Kind {
            int weight;
            void (Monkey::*act)();
        };
        static constexpr Kind kinds[]{ { 20, &Monkey::click }, { 5, &Monkey::rightClick }, { 4, &Monkey::doubleClick },
            { 10, &Monkey::drag }, { 4, &Monkey::hover }, { 6, &Monkey::wheel }, { 17, &Monkey::key },
            { 8, &Monkey::shortcut }, { 6, &Monkey::typeText }, { 4, &Monkey::palette }, { 5, &Monkey::perspective },
            { 4, &Monkey::menuKey }, { 3, &Monkey::resizeWindow }, { 2, &Monkey::openExample }, { 1, &Monkey::settle },
            { 1, &Monkey::closeOthers } };
        std::size_t ticket = m_random.below(100);
        for (const Kind& kind : kinds) {
            if (ticket < static_cast<std::size_t>(kind.weight)) {
                (this->*kind.act)();
                break;
            }
            ticket -= static_cast<std::size_t>(kind.weight);
        }
        if (m_random.once(3)) // elsewhere results come in between later events
            timed(u"analysis"_s, [this] { m_window.document()->waitForAnalysis(); });
    }
    [[nodiscard]] int count() const { return m_count; }

    /// All edits are undone, made again, and undone: the file is what it was every time.
    void undoEverything()
    {
        release();
        for (int i = 0; i < 20 && (QApplication::activePopupWidget() || QApplication::activeModalWidget()); ++i)
            timed(u"Esc"_s, [this] { press(Qt::Key_Escape); });
        closeOthers();
        settle();
        QUndoStack* stack = m_window.document()->undoStack();
        const int made = stack->index();
        const std::string now = file();
        stack->setIndex(0);
        if (file() != m_began)
            complain(u"undoing %1 edits does not give back the file:\n%2"_s.arg(made).arg(difference(m_began, file())));
        stack->setIndex(made);
        if (file() != now)
            complain(u"making %1 edits again gives another file:\n%2"_s.arg(made).arg(difference(now, file())));
        stack->setIndex(0);
        m_window.document()->waitForAnalysis();
        m_undone += made;
    }
    /// So many edits were undone by undoEverything().
    [[nodiscard]] int undone() const { return m_undone; }

    /// What went wrong; "" as long as nothing did.
    [[nodiscard]] const QString& complaint() const { return m_complaint; }
    struct Event {
        QString name;
        double milliseconds = 0; ///< of this thread's processor time, without what was in between
    };
    [[nodiscard]] const Event& slowest() const { return m_slowest; }

private:
    static constexpr std::int64_t largestRun = std::int64_t{ 128 } << 20; ///< bytes on all devices

    [[nodiscard]] std::string file() const { return writeExperiment(*m_window.document()->experiment()); }
    void complain(const QString& what)
    {
        if (m_complaint.isEmpty())
            m_complaint = what;
    }
    /// The first line that differs.
    [[nodiscard]] static QString difference(const std::string& wanted, const std::string& got)
    {
        const QStringList a = words::fromStd(wanted).split(u'\n'), b = words::fromStd(got).split(u'\n');
        for (qsizetype i = 0; i < std::max(a.size(), b.size()); ++i)
            if (a.value(i) != b.value(i))
                return u"line %1: \"%2\" became \"%3\""_s.arg(i + 1).arg(a.value(i), b.value(i));
        return u"no line differs"_s;
    }

    // Time.

    [[nodiscard]] static double processorTime()
    {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
    }
    template <typename Run>
    void timed(const QString& name, Run&& run)
    {
        EventTrail::add(QByteArray::number(m_count) + ' ' + name.toUtf8());
        const double nestedBefore = std::exchange(m_nested, 0);
        const double before = processorTime();
        run();
        QCoreApplication::processEvents();
        const double all = processorTime() - before;
        if (const double own = all - m_nested; own > m_slowest.milliseconds)
            m_slowest = { u"event %1, %2"_s.arg(m_count).arg(name), own };
        m_nested = nestedBefore + all;
    }
    /// Dialogs that ask, menus that wait for a choice, and drags of text hold the event that opened them.
    void endNestedLoop()
    {
        if (QThread::currentThread()->loopLevel() == 0) {
            m_rounds = 0;
            return;
        }
        ++m_rounds;
        QDrag::cancel();
        if (QWidget* popup = QApplication::activePopupWidget())
            timed(u"Esc in a menu that waits"_s, [&] { m_rounds < 20 ? press(Qt::Key_Escape) : void(popup->close()); });
        else if (auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget()))
            timed(u"Esc in \"%1\""_s.arg(dialog->windowTitle()),
                [&] { m_rounds < 20 ? press(Qt::Key_Escape) : dialog->reject(); });
    }
    /// Nothing is at work any more.
    void settle()
    {
        m_window.runController()->stop();
        QElapsedTimer time;
        time.start();
        while (!m_window.isSettled()) {
            timed(u"wait"_s, [] {});
            QThread::msleep(2);
            if (time.elapsed() > 120'000)
                return complain(u"the window has been at work for two minutes"_s);
        }
    }

    // Keys.

    /// Of what takes them now.
    [[nodiscard]] QWindow* windowForKeys() const
    {
        for (const QWidget* widget : { QApplication::activePopupWidget(), QApplication::activeModalWidget(),
                 QApplication::activeWindow(), static_cast<QWidget*>(&m_window) })
            if (widget && widget->window()->windowHandle())
                return widget->window()->windowHandle();
        return nullptr;
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        if (QWindow* window = windowForKeys())
            QTest::keyClick(window, key, modifiers);
    }
    /// Each letter is an event of its own.
    void write(const QString& text, const QString& where)
    {
        for (const QChar letter : text)
            timed(u"\"%1\" of \"%2\" %3"_s.arg(letter).arg(text.left(30), where), [&] {
                if (QWindow* window = windowForKeys())
                    QTest::sendKeyEvent(QTest::Click, window, Qt::Key_unknown, QString(letter), Qt::NoModifier);
            });
    }
    [[nodiscard]] static QString focusName() { return nameOf(QApplication::focusWidget()); }
    /// "RulesTable "Logical axis rules"".
    [[nodiscard]] static QString nameOf(const QWidget* widget)
    {
        if (!widget)
            return u"nothing"_s;
        QString name = QLatin1String(widget->metaObject()->className());
        if (const QString said = widget->accessibleName(); !said.isEmpty())
            name += u" \"%1\""_s.arg(said);
        else if (widget->parentWidget())
            name += u" of "_s + QLatin1String(widget->parentWidget()->metaObject()->className());
        return name;
    }
    [[nodiscard]] Qt::KeyboardModifiers anyModifiers()
    {
        static constexpr Qt::KeyboardModifier all[]{ Qt::NoModifier, Qt::NoModifier, Qt::NoModifier, Qt::NoModifier,
            Qt::ShiftModifier, Qt::ControlModifier, Qt::AltModifier };
        return all[m_random.below(std::size(all))];
    }
    void key()
    {
        static constexpr Qt::Key keys[]{ Qt::Key_Tab, Qt::Key_Tab, Qt::Key_Backtab, Qt::Key_Up, Qt::Key_Down,
            Qt::Key_Left, Qt::Key_Right, Qt::Key_Down, Qt::Key_Right, Qt::Key_Return, Qt::Key_Return, Qt::Key_Escape,
            Qt::Key_Space, Qt::Key_Space, Qt::Key_Delete, Qt::Key_Backspace, Qt::Key_Insert, Qt::Key_F2, Qt::Key_F6,
            Qt::Key_Home, Qt::Key_End, Qt::Key_PageUp, Qt::Key_PageDown, Qt::Key_Plus, Qt::Key_Minus,
            Qt::Key_BracketLeft, Qt::Key_BracketRight, Qt::Key_0, Qt::Key_2, Qt::Key_4, Qt::Key_8, Qt::Key_A };
        const Qt::Key pressed = keys[m_random.below(std::size(keys))];
        const Qt::KeyboardModifiers modifiers = anyModifiers();
        timed(u"%1 in %2"_s.arg(QKeySequence(pressed | modifiers).toString(), focusName()),
            [&] { press(pressed, modifiers); });
    }
    void shortcut()
    {
        std::vector<QKeySequence> all;
        for (const QAction* action : m_window.actions())
            if (!action->shortcut().isEmpty())
                all.push_back(action->shortcut());
        for (int undos = 0; undos < 6; ++undos) // more often than others
            all.push_back(undos % 3 == 2 ? QKeySequence(Qt::CTRL | Qt::Key_Y) : QKeySequence(Qt::CTRL | Qt::Key_Z));
        const QKeyCombination keys = m_random.of(all)[0];
        timed(u"%1 in %2"_s.arg(QKeySequence(keys).toString(), focusName()),
            [&] { press(keys.key(), keys.keyboardModifiers()); });
    }
    [[nodiscard]] QString anyText()
    {
        std::vector<QString> all{ u"2"_s, u"4"_s, u"8"_s, u"16"_s, u"3"_s, u"1"_s, u"0"_s, u"-1"_s, u"1e3"_s, u"data"_s,
            u"model"_s, u"batch"_s, u"embed"_s, u"None"_s, u"P(data, -)"_s, u"P(('data', 'model'))"_s, u"layers.*"_s,
            u"**/kernel"_s, u"W1"_s, u"normal 0.02"_s, u"\"[{"_s, u"%1 %n &x <b>"_s, u"äß 漢字"_s, QString(300, u'x') };
        return m_random.of(all);
    }
    void typeText()
    {
        const QString text = anyText();
        static constexpr Qt::Key ends[]{ Qt::Key_Return, Qt::Key_Return, Qt::Key_Tab, Qt::Key_Escape };
        const Qt::Key end = ends[m_random.below(std::size(ends))];
        write(text, u"into "_s + focusName());
        timed(u"%1 in %2"_s.arg(QKeySequence(end).toString(), focusName()), [&] { press(end); });
    }
    void palette()
    {
        timed(u"Ctrl+K"_s, [this] { press(Qt::Key_K, Qt::ControlModifier); });
        std::vector<QString> all{ u"w1"_s, u"model"_s, u"rule"_s, u"show"_s, u"fit"_s, u"mesh"_s, u"a"_s, u"theme"_s };
        const QString text = m_random.of(all);
        write(text, u"in the palette"_s);
        for (std::size_t i = m_random.below(4); i > 0; --i)
            timed(u"Down in the palette"_s, [this] { press(Qt::Key_Down); });
        const Qt::Key end = m_random.once(4) ? Qt::Key_Escape : Qt::Key_Return;
        timed(u"%1 in the palette"_s.arg(QKeySequence(end).toString()), [&] { press(end); });
    }
    void perspective()
    {
        const auto number = static_cast<int>(m_random.below(perspectives.size()));
        timed(u"Alt+%1"_s.arg(number + 1), [&] { press(static_cast<Qt::Key>(Qt::Key_1 + number), Qt::AltModifier); });
    }
    void menuKey()
    {
        QWidget* focus = QApplication::focusWidget();
        if (!focus)
            return;
        timed(u"menu of %1"_s.arg(nameOf(focus)), [&] {
            const QPoint place = focus->rect().center();
            QContextMenuEvent asked(QContextMenuEvent::Keyboard, place, focus->mapToGlobal(place));
            QCoreApplication::sendEvent(focus, &asked);
        });
    }

    // The pointer.

    /// A control that can be seen, of the window or of one beside it, and a place on it.
    struct Target {
        QPointer<QWidget> control;
        QPoint place;
        [[nodiscard]] QString name() const
        {
            return u"%1 at %2, %3"_s.arg(nameOf(control)).arg(place.x()).arg(place.y());
        }
        [[nodiscard]] QWindow* window() const { return control ? control->window()->windowHandle() : nullptr; }
        /// Within the window, which may have another size by now.
        [[nodiscard]] QPoint inWindow(QPoint away = {}) const
        {
            const QPoint at = control->mapTo(control->window(), place) + away;
            const QSize size = control->window()->size();
            return { std::clamp(at.x(), 1, std::max(1, size.width() - 2)),
                std::clamp(at.y(), 1, std::max(1, size.height() - 2)) };
        }
    };
    [[nodiscard]] Target anyTarget(QWidget* within = nullptr)
    {
        QWidget* window = within ? within : &m_window;
        if (!within && m_random.once(8)) { // views that float, help, the history
            std::vector<QWidget*> others;
            for (QWidget* other : QApplication::topLevelWidgets())
                if (other->isVisible() && other->windowHandle() && other->windowType() != Qt::ToolTip)
                    others.push_back(other);
            if (!others.empty())
                window = m_random.of(others);
        }
        std::vector<QWidget*> controls;
        for (QWidget* control : window->findChildren<QWidget*>())
            if (control->isVisible() && control->window() == window->window() && !control->visibleRegion().isEmpty()
                && (control->focusPolicy() != Qt::NoFocus || control->children().isEmpty()))
                controls.push_back(control);
        QWidget* control = controls.empty() ? window : m_random.of(controls);
        const QRect seen = control->visibleRegion().boundingRect();
        if (seen.isEmpty())
            return { control, control->rect().center() };
        return { control,
            seen.topLeft()
                + QPoint(static_cast<int>(m_random.below(static_cast<std::size_t>(seen.width()))),
                    static_cast<int>(m_random.below(static_cast<std::size_t>(seen.height())))) };
    }
    void click() { clickAt(anyTarget(), Qt::LeftButton); }
    void rightClick() { clickAt(anyTarget(), Qt::RightButton); }
    void clickAt(const Target& target, Qt::MouseButton button)
    {
        const Qt::KeyboardModifiers modifiers = m_random.once(6) ? anyModifiers() : Qt::NoModifier;
        timed((button == Qt::LeftButton ? u"click %1"_s : u"right click %1"_s).arg(target.name()), [&] {
            if (QWindow* window = target.window())
                QTest::mouseClick(window, button, modifiers, target.inWindow());
        });
    }
    void doubleClick()
    {
        const Target target = anyTarget();
        timed(u"double click %1"_s.arg(target.name()), [&] {
            if (QWindow* window = target.window())
                QTest::mouseDClick(window, Qt::LeftButton, Qt::NoModifier, target.inWindow());
        });
    }
    void hover()
    {
        const Target target = anyTarget();
        timed(u"point at %1"_s.arg(target.name()), [&] {
            if (QWindow* window = target.window())
                QTest::mouseMove(window, target.inWindow());
        });
    }
    void drag()
    {
        const Target target = anyTarget();
        QPointer<QWindow> window = target.window();
        if (!window)
            return;
        m_held = window;
        m_heldAt = target.inWindow();
        timed(u"press %1"_s.arg(target.name()),
            [&] { QTest::mousePress(window, Qt::LeftButton, Qt::NoModifier, m_heldAt); });
        QPoint away;
        for (std::size_t i = m_random.below(5); i > 0; --i) {
            const int reach = m_random.once(3) ? 400 : 60;
            away += QPoint(static_cast<int>(m_random.below(static_cast<std::size_t>(2 * reach + 1))) - reach,
                static_cast<int>(m_random.below(static_cast<std::size_t>(reach + 1))) - reach / 2);
            if (!window || !target.control)
                break;
            m_heldAt = target.inWindow(away);
            timed(u"drag to %1, %2"_s.arg(m_heldAt.x()).arg(m_heldAt.y()), [&] { QTest::mouseMove(window, m_heldAt); });
        }
        if (m_random.once(6))
            timed(u"Esc while dragging"_s, [this] { press(Qt::Key_Escape); });
        release();
    }
    void release()
    {
        if (!m_held)
            return;
        const QSize size = m_held->size();
        m_heldAt = { std::min(m_heldAt.x(), size.width() - 1), std::min(m_heldAt.y(), size.height() - 1) };
        timed(u"release"_s, [&] { QTest::mouseRelease(m_held, Qt::LeftButton, Qt::NoModifier, m_heldAt); });
        m_held = nullptr;
    }
    void wheel()
    {
        const Target target = anyTarget();
        const int turned = m_random.once(2) ? 120 : -120;
        const Qt::KeyboardModifiers modifiers = anyModifiers();
        timed(u"wheel %1 over %2"_s.arg(turned).arg(target.name()), [&] {
            const QPoint global = target.control->mapToGlobal(target.place);
            QWheelEvent event(
                target.place, global, {}, { 0, turned }, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(target.control, &event);
        });
    }

    // Menus and windows.

    void inPopup(QWidget* popup)
    {
        if (m_random.once(4)) {
            timed(u"Esc in %1"_s.arg(nameOf(popup)), [this] { press(Qt::Key_Escape); });
            return;
        }
        static constexpr Qt::Key keys[]{ Qt::Key_Down, Qt::Key_Down, Qt::Key_Up, Qt::Key_Right, Qt::Key_Left,
            Qt::Key_Return };
        const Qt::Key pressed = keys[m_random.below(std::size(keys))];
        const auto* menu = qobject_cast<const QMenu*>(popup);
        const QString entry = menu && menu->activeAction() ? menu->activeAction()->text() : QString();
        timed(u"%1 in %2, at \"%3\""_s.arg(QKeySequence(pressed).toString(), nameOf(popup), entry),
            [&] { press(pressed); });
    }
    void inDialog(QWidget* dialog)
    {
        if (m_random.once(3) || qobject_cast<QFileDialog*>(dialog)) // no file is written
            timed(u"Esc in %1"_s.arg(nameOf(dialog)), [this] { press(Qt::Key_Escape); });
        else if (m_random.once(2))
            clickAt(anyTarget(dialog), Qt::LeftButton);
        else
            key();
    }
    void closeOthers()
    {
        QList<QPointer<QWidget>> others; // one may take another one with it
        for (QWidget* window : QApplication::topLevelWidgets())
            others << window;
        for (const QPointer<QWidget>& window : others)
            if (window && window != &m_window && window->isVisible() && window->isWindow()
                && !qobject_cast<QDockWidget*>(window))
                timed(u"close %1"_s.arg(nameOf(window)), [&] { window->close(); });
    }
    void resizeWindow()
    {
        const QSize size(640 + static_cast<int>(m_random.below(1400)), 400 + static_cast<int>(m_random.below(800)));
        timed(u"resize to %1 x %2"_s.arg(size.width()).arg(size.height()), [&] { m_window.resize(size); });
    }
    void openExample()
    {
        undoEverything();
        const GalleryExample& example = gallery()[m_random.below(gallery().size())];
        const QString id = words::fromStd(example.id);
        timed(u"open the example %1"_s.arg(id), [&] { m_window.openExample(id); });
        timed(u"analysis of the example %1"_s.arg(id), [&] { m_window.document()->waitForAnalysis(); });
    }

    MainWindow& m_window;
    SplitMix m_random;
    QTimer m_guard;
    std::string m_began; ///< the experiment's file as it was opened
    bool m_replaced = false;
    int m_count = 0, m_rounds = 0, m_undone = 0;
    double m_nested = 0; ///< milliseconds within the present event that belong to others
    QPointer<QWindow> m_held; ///< in which a button is held
    QPoint m_heldAt;
    Event m_slowest;
    QString m_complaint;
};

} // namespace shardscope::test
