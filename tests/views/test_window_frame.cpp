// SPDX-License-Identifier: GPL-3.0-or-later
// The frame around the views: where the window comes up, how views are arranged at every size and in every perspective,
// and how they are brought to the front, maximised, floated and closed.
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMouseEvent>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QScreen>
#include <QScrollBar>
#include <QSet>
#include <QSignalSpy>
#include <QSpinBox>
#include <QSplitter>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "experiment/edits.h"
#include "experiment_file/gallery.h"
#include "random_cases.h"
#include "registered_test.h"
#include "separator_drag.h"
#include "views/collectives_view/side_by_side.h"
#include "views/explain_view/explain_view.h"
#include "views/help_window/help_window.h"
#include "views/main_window/drawer_grip.h"
#include "views/main_window/main_window.h"
#include "views/main_window/settings.h"
#include "views/main_window/status_message.h"
#include "views/main_window/window_place.h"
#include "views/memory_view/memory_view.h"
#include "views/memory_view/memory_widgets.h"
#include "views/mesh_view/axis_row.h"
#include "views/mesh_view/mesh_view.h"
#include "views/panel/panel.h"
#include "views/program_view/program_view.h"
#include "views/propagation_view/propagation_view.h"
#include "views/rules_view/rules_model.h"
#include "views/rules_view/rules_table.h"
#include "views/rules_view/rules_view.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/shard_grid_view/shard_grid_view.h"
#include "views/sharding_lab/form_row.h"
#include "views/sharding_lab/forms_panel.h"
#include "views/sharding_lab/sharding_lab_view.h"
#include "views/theme/theme.h"
#include "views/widgets/dock_frame.h"
#include "views/widgets/drawer_box.h"
#include "views/widgets/notice_strip.h"
#include "views/widgets/section.h"

using namespace shardscope;

namespace {

/// A window with an example that is laid out and still.
struct FramedWindow {
    explicit FramedWindow(const char* example, QSize size = QSize(1600, 1000))
        : window(&appearance, { .remember = false, .tips = false })
    {
        window.document()->setExperiment(findExample(example)->experiment, {});
        window.resize(size);
        window.show();
        window.document()->waitForAnalysis();
    }
    [[nodiscard]] DockFrame* dock(const char* id) const { return window.dock(QLatin1String(id)); }
    [[nodiscard]] QWidget* part(const char* id) const { return window.part(QLatin1String(id)); }
    bool present(const char* id) { return window.present(QLatin1String(id)); }
    /// The tab bar that has the dock, and the dock's tab.
    [[nodiscard]] std::pair<QTabBar*, int> tabOf(const DockFrame* wanted) const
    {
        for (QTabBar* bar : window.findChildren<QTabBar*>())
            for (int tab = 0; tab < bar->count(); ++tab)
                if (bar->isVisible() && bar->tabText(tab) == wanted->windowTitle())
                    return { bar, tab };
        return { nullptr, -1 };
    }
    Appearance appearance{ ThemeChoice::Light };
    MainWindow window;
};

/// Layouts are worked out at once, and every few steps whatever is to be done a moment later.
class Resizer {
public:
    explicit Resizer(MainWindow& window)
        : m_window(window)
    {
        window.setUpdatesEnabled(false); // nothing is painted
    }
    ~Resizer() { QCoreApplication::processEvents(); }
    Q_DISABLE_COPY_MOVE(Resizer)
    void resize(const QSize& size)
    {
        m_window.resize(size);
        if (++m_steps % 8 == 0)
            QCoreApplication::processEvents();
        else
            QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    }

private:
    MainWindow& m_window;
    int m_steps = 0;
};

/// Which widgets are laid out or get another size.
class LaidOut : public QObject {
public:
    LaidOut() { qApp->installEventFilter(this); }
    /// The widgets since the last time, each once.
    [[nodiscard]] QStringList taken() { return std::exchange(m_names, {}); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (const QEvent::Type type = event->type(); type == QEvent::LayoutRequest || type == QEvent::Resize)
            if (const QString name = QLatin1String(watched->metaObject()->className()); !m_names.contains(name))
                m_names << name;
        return QObject::eventFilter(watched, event);
    }

private:
    QStringList m_names;
};

/// Rows of a table that are seen from their upper to their lower line.
int rowsInSight(const QTableView& table)
{
    int rows = 0;
    for (int row = 0; row < table.model()->rowCount(); ++row) {
        const int top = table.rowViewportPosition(row);
        rows += top >= 0 && top + table.rowHeight(row) <= table.viewport()->height() ? 1 : 0;
    }
    return rows;
}

int rowsInSight(const QTreeView& tree)
{
    int rows = 0;
    for (QModelIndex row = tree.model()->index(0, 0); row.isValid(); row = tree.indexBelow(row)) {
        const QRect rect = tree.visualRect(row);
        rows += rect.top() >= 0 && rect.bottom() < tree.viewport()->height() ? 1 : 0;
    }
    return rows;
}

/// Whether nothing lies over the middle of what a widget shows within its window. Its visibleRegion() is empty once its
/// own children cover it, as a scroll area does.
bool isSeen(const QWidget& widget)
{
    QRect seen = widget.rect();
    for (const QWidget* each = &widget; !each->isWindow(); each = each->parentWidget())
        seen = seen.translated(each->pos()) & each->parentWidget()->rect();
    const QWidget* at = seen.isEmpty() ? nullptr : widget.window()->childAt(seen.center());
    return at && (at == &widget || widget.isAncestorOf(at));
}

} // namespace

class TestWindowFrame : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void theFirstPlaceIsWithinTheScreen_data()
    {
        QTest::addColumn<QRect>("available");
        QTest::addColumn<bool>("maximized");
        QTest::newRow("4K") << QRect(0, 0, 3840, 2130) << false;
        QTest::newRow("full HD with a panel") << QRect(0, 30, 1920, 1050) << false;
        QTest::newRow("full HD with two panels") << QRect(0, 30, 1920, 1000) << true;
        QTest::newRow("1600 x 1000") << QRect(0, 0, 1600, 1000) << true;
        QTest::newRow("1366 x 768") << QRect(0, 0, 1366, 768) << true;
        QTest::newRow("1280 x 800, panel at the left") << QRect(64, 28, 1216, 772) << true;
        QTest::newRow("1280 x 800 at a factor of 2") << QRect(0, 0, 640, 400) << true;
        QTest::newRow("1366 x 768 at a factor of 3") << QRect(0, 0, 455, 256) << true;
        QTest::newRow("second screen at the left") << QRect(-2560, 0, 2560, 1440) << false;
    }
    void theFirstPlaceIsWithinTheScreen()
    {
        QFETCH(QRect, available);
        QFETCH(bool, maximized);
        const QMargins frame(4, 38, 4, 4);
        const WindowPlace place = firstPlace(available, frame);
        QVERIFY(available.contains(place.geometry.marginsAdded(frame)));
        QCOMPARE(place.maximized, maximized);
        QVERIFY(maximized || place.geometry.size() == QSize(1600, 1000));
    }

    void anEarlierPlaceFollowsTheScreens_data()
    {
        QTest::addColumn<QList<QRect>>("screens");
        QTest::addColumn<QRect>("earlier");
        QTest::addColumn<QRect>("expected");
        const QRect left(0, 0, 1920, 1080), right(1920, 0, 2560, 1440);
        const QRect usual(100, 80, 1600, 900);
        QTest::newRow("nothing changed") << QList<QRect>{ left } << usual << usual;
        QTest::newRow("on the right screen")
            << QList<QRect>{ left, right } << usual.translated(2000, 0) << usual.translated(2000, 0);
        QTest::newRow("that screen is gone")
            << QList<QRect>{ left } << QRect(2100, 80, 1600, 900) << QRect(316, 80, 1600, 900);
        QTest::newRow("far away") << QList<QRect>{ left } << QRect(9000, 9000, 800, 600) << QRect(1116, 476, 800, 600);
        QTest::newRow("above the upper edge")
            << QList<QRect>{ left } << QRect(100, 0, 800, 600) << QRect(100, 38, 800, 600);
        QTest::newRow("larger than the screen")
            << QList<QRect>{ QRect(0, 0, 1366, 768) } << QRect(0, 38, 2000, 1200) << QRect(4, 38, 1358, 726);
        QTest::newRow("more of it on the second one")
            << QList<QRect>{ left, right } << QRect(1800, 100, 800, 600) << QRect(1924, 100, 800, 600);
    }
    void anEarlierPlaceFollowsTheScreens()
    {
        QFETCH(QList<QRect>, screens);
        QFETCH(QRect, earlier);
        QFETCH(QRect, expected);
        QCOMPARE(placeOn(screens, earlier, QMargins(4, 38, 4, 4)), expected);
        QVERIFY(std::any_of(screens.begin(), screens.end(),
            [&](const QRect& screen) { return screen.contains(placeOn(screens, earlier, QMargins(4, 38, 4, 4))); }));
    }

    /// The screen of the tests has 800 x 800 pixels.
    void theWindowComesUpOnItsScreen()
    {
        Appearance appearance(ThemeChoice::Light);
        const QRect room = QGuiApplication::primaryScreen()->availableGeometry();
        QByteArray saved;
        {
            QWidget large;
            large.setMinimumSize(900, 700);
            placeWindow(large, {});
            large.show();
            QVERIFY(QTest::qWaitForWindowExposed(&large));
            QVERIFY2(room.contains(large.geometry()), "first");
            large.showNormal();
            large.setMinimumSize(0, 0);
            large.setGeometry(room.x() + 500, room.y() + 600, 700, 700); // half of it outside
            saved = large.saveGeometry();
        }
        QWidget again;
        placeWindow(again, saved);
        again.show();
        QVERIFY(QTest::qWaitForWindowExposed(&again));
        QVERIFY2(room.contains(again.geometry()), "restored");
    }

    /// Heights at which a row came and went while its dock was resized made the program end. Every part of a view is
    /// tried at some heights of every example, which are other ones for each; those whose rows come and go at more of
    /// them. With SHARDSCOPE_RANDOM_CASES=50100 every part has every height.
    void everyPartStandsEveryHeight_data()
    {
        QTest::addColumn<int>("number");
        int number = 0;
        for (const GalleryExample& example : gallery())
            QTest::newRow(std::string(example.id).c_str()) << number++;
    }
    void everyPartStandsEveryHeight()
    {
        QFETCH(int, number);
        constexpr int lowest = 600, heights = 501;
        const QStringList followsHeight{ QStringLiteral("memory"), QStringLiteral("timing"), QStringLiteral("values"),
            QStringLiteral("explain") };
        FramedWindow framed(std::string(gallery()[static_cast<std::size_t>(number)].id).c_str());
        MainWindow& window = framed.window;
        Resizer resizer(window);
        for (const MainWindow::Part& part : window.parts()) {
            const int tried = part.id == QLatin1String("lab") ? 12 : followsHeight.contains(part.id) ? 3 : 1;
            const int step = std::max(heights / test::randomCases(tried), 1);
            for (int height = lowest + number * 7 % step; height < lowest + heights; height += step) {
                resizer.resize(QSize(1600, height));
                if (!window.shows(part.id)) // each form has its own views in front
                    QVERIFY2(window.present(part.id), qPrintable(part.id));
                QCOMPARE(window.height(), height);
            }
        }
        // Where it happened, and widths, by which other views choose to have two sides.
        framed.present("lab");
        for (int height = 980 + number % 3; height <= 1000; height += 3)
            resizer.resize(QSize(1600, height));
        for (const char* id : { "values", "collectives" }) {
            framed.present(id);
            for (int width = 1180 + number; width < 1700; width += 80)
                resizer.resize(QSize(width, 800));
        }
    }

    /// What a line has no room for is said below it: at any width there is one answer, whatever was shown before.
    void textsThatDoNotFitAreShownBelow()
    {
        FramedWindow framed("penzai-positional");
        framed.present("lab");
        DockFrame* lab = framed.dock("layout");
        lab->setFloating(true);
        FormRow* row = framed.window.findChild<ShardingLabView*>()->forms()->row(ShardingForm::PositionalCode);
        const OverflowLabel* below = row->overflow();
        QVERIFY(row->edit()->text().size() > 20);
        std::vector<int> heights;
        for (int width = 150; width <= 900; width += 10)
            heights.push_back(below->heightForWidth(width));
        QVERIFY(heights.front() > 0);
        QCOMPARE(heights.back(), 0);
        QVERIFY(std::is_sorted(heights.rbegin(), heights.rend())); // a wider line never needs more
        for (const int width : { 700, 1100, 700 }) {
            lab->resize(width, 900);
            QCoreApplication::processEvents();
            const int room = row->edit()->width() - Metrics::scaled(12);
            const bool fits = row->edit()->fontMetrics().horizontalAdvance(row->edit()->text()) <= room;
            QTRY_COMPARE(below->height() == 0, fits);
        }
    }

    void aViewIsBroughtToTheFront()
    {
        FramedWindow framed("flax-mlp-logical");
        MainWindow& window = framed.window;
        QVERIFY(QTest::qWaitForWindowActive(&window));
        DockFrame* program = framed.dock("program");
        DockFrame* values = framed.dock("values");
        QVERIFY(!program->toggleViewAction()->isChecked());
        for (DockFrame* dock : { program, values }) {
            QSignalSpy summoned(dock, &DockFrame::summoned);
            dock->toggleViewAction()->trigger();
            QCOMPARE(summoned.size(), 1);
            QTRY_VERIFY(window.findChild<QWidget*>(QStringLiteral("flash"))); // where it appeared
            QTRY_VERIFY2(dock->isInFront(), qPrintable(dock->objectName()));
            QTRY_VERIFY(dock->isAncestorOf(QApplication::focusWidget()));
            QTRY_VERIFY(dock->toggleViewAction()->isChecked());
            QTRY_VERIFY(!window.findChild<QWidget*>(QStringLiteral("flash"))); // once
        }
        // Chosen while it is covered, it comes to the front instead of being closed.
        QVERIFY(!program->isInFront());
        QTRY_VERIFY(!program->toggleViewAction()->isChecked());
        program->toggleViewAction()->trigger();
        QTRY_VERIFY(program->isInFront());
        QVERIFY(!values->isHidden());
        QTRY_VERIFY(!values->toggleViewAction()->isChecked());
        // What nobody can see works out nothing: it is hidden within its frame.
        QTRY_VERIFY(!values->widget()->isVisible());
        QVERIFY(program->widget()->isVisible());
        // In front it is closed, and the keyboard goes on where it was.
        program->toggleViewAction()->trigger();
        QVERIFY(program->isHidden());
        QVERIFY(!program->toggleViewAction()->isChecked());
        const DockFrame* next = nullptr;
        QTRY_VERIFY([&] {
            for (const DockFrame* dock : window.docks())
                if (dock->isInFront() && dock->isAncestorOf(QApplication::focusWidget()))
                    next = dock;
            return next == values || next == framed.dock("layout"); // once the keyboard has moved on
        }());
    }

    void tabbedDocksAreClosedAndFloated()
    {
        FramedWindow framed("flax-mlp-logical");
        MainWindow& window = framed.window;
        QVERIFY(QTest::qWaitForWindowActive(&window));
        DockFrame* grid = framed.dock("layout");
        DockFrame* program = framed.dock("program");
        program->present();
        QTRY_VERIFY(framed.tabOf(program).first);
        const auto middleOf = [&](const DockFrame* dock) {
            const auto [bar, tab] = framed.tabOf(dock);
            return bar->tabRect(tab).center();
        };
        QTabBar* bar = framed.tabOf(program).first;
        // The buttons stand at the right end of the bar, and cover no tab.
        QPointer<QWidget> buttons;
        QTRY_VERIFY([&] {
            for (QWidget* each : window.findChildren<QWidget*>(QStringLiteral("dockTabButtons")))
                if (each->isVisible() && each->y() < bar->geometry().bottom() && each->y() >= bar->y())
                    buttons = each;
            return buttons != nullptr;
        }());
        QVERIFY(!buttons->geometry().intersects(bar->geometry()));
        QTRY_VERIFY(std::abs(buttons->geometry().right() - program->geometry().right()) <= 4);
        auto* toClose = buttons->findChild<QToolButton*>(QStringLiteral("closeTab"));
        auto* toFloat = buttons->findChild<QToolButton*>(QStringLiteral("floatTab"));
        QTRY_COMPARE(toClose->accessibleName(), QStringLiteral("Close Program"));
        QVERIFY(toFloat->toolTip().contains(QStringLiteral("Float Program")));
        QVERIFY(!bar->tabToolTip(framed.tabOf(program).second).isEmpty());

        framed.dock("values")->close();
        QTest::mouseClick(toClose, Qt::LeftButton);
        QVERIFY(program->isHidden());
        QTRY_VERIFY(grid->isInFront());
        // Alone there, Layout has its own title again.
        QTRY_VERIFY(grid->titleBarWidget()->height() > 0);
        QTRY_VERIFY(!buttons || !buttons->isVisible());

        program->present();
        QTRY_VERIFY(framed.tabOf(program).first);
        QCoreApplication::processEvents();
        bar = framed.tabOf(program).first;
        QTest::mouseClick(bar, Qt::MiddleButton, Qt::NoModifier, middleOf(grid));
        QTRY_VERIFY(grid->isHidden());
        QTRY_VERIFY(program->isInFront());
        grid->present();
        QTRY_VERIFY(framed.tabOf(program).first);
        QCoreApplication::processEvents();
        bar = framed.tabOf(program).first;
        // A double click maximises: nothing else is left, and Esc puts all of it back.
        QTest::mouseDClick(bar, Qt::LeftButton, Qt::NoModifier, middleOf(program));
        QTRY_COMPARE(window.maximised(), program);
        QTRY_VERIFY(program->isInFront());
        for (const DockFrame* other : window.docks())
            QVERIFY2(other == program || !other->isVisible(), qPrintable(other->objectName()));
        QVERIFY(program->isAncestorOf(window.focusWidget()));
        QTest::keyClick(&window, Qt::Key_Escape);
        QVERIFY(!window.maximised());
        QTRY_VERIFY(framed.dock("inputs")->isInFront() && framed.dock("inspector")->isInFront());
        QVERIFY(program->isAncestorOf(window.focusWidget())); // the view keeps the keyboard
        program->present();
        QCoreApplication::processEvents();
        window.action(QStringLiteral("floatDock"))->trigger();
        QTRY_VERIFY(program->isFloating());
        QVERIFY(program->isVisible());
        QTRY_VERIFY(grid->titleBarWidget()->height() > 0); // its place is its own again
        // Back by keyboard, then closed by keyboard.
        QTRY_VERIFY(program->isAncestorOf(QApplication::focusWidget()));
        window.action(QStringLiteral("floatDock"))->trigger();
        QTRY_VERIFY(!program->isFloating());
        QTRY_VERIFY(program->isAncestorOf(QApplication::focusWidget()));
        QVERIFY(!window.action(QStringLiteral("closeDock"))->shortcut().isEmpty());
        window.action(QStringLiteral("closeDock"))->trigger();
        QVERIFY(program->isHidden());

        // The tab's menu does the same.
        program->present();
        QTRY_VERIFY(framed.tabOf(program).first);
        QCoreApplication::processEvents();
        bar = framed.tabOf(program).first;
        QContextMenuEvent asked(QContextMenuEvent::Mouse, middleOf(program), bar->mapToGlobal(middleOf(program)));
        QCoreApplication::sendEvent(bar, &asked);
        auto* menu = bar->findChild<QMenu*>(QStringLiteral("contextMenu"));
        QVERIFY(menu);
        QVERIFY(menu->findChild<QAction*>(QStringLiteral("floatDock")));
        QVERIFY(menu->findChild<QAction*>(QStringLiteral("exportDock")));
        menu->findChild<QAction*>(QStringLiteral("copyDock"))->trigger();
        QCOMPARE(QGuiApplication::clipboard()->image().size(), program->widget()->grab().toImage().size());
        menu->findChild<QAction*>(QStringLiteral("closeDock"))->trigger();
        menu->close();
        QVERIFY(program->isHidden());

        QMenu titleMenu;
        program->fillMenu(titleMenu);
        titleMenu.findChild<QAction*>(QStringLiteral("helpDock"))->trigger();
        QTRY_VERIFY(window.helpWindow()->isVisible());
        QVERIFY2(
            window.helpWindow()->place().contains(QStringLiteral("Program")), qPrintable(window.helpWindow()->place()));
        window.helpWindow()->close();
    }

    /// Each view that floats has a window of its own: in Qt 6.4 windows of several views crash.
    void viewsFloatAlone()
    {
        FramedWindow framed("flax-mlp-logical");
        MainWindow& window = framed.window;
        DockFrame *program = framed.dock("program"), *values = framed.dock("values");
        values->present();
        values->setFloating(true);
        values->resize(600, 500);
        values->move(2000, 500); // beside the window, which would take what is dropped
        program->present();
        QTRY_VERIFY(framed.tabOf(program).first);
        const auto send = [](QWidget* to, QEvent::Type type, QPoint at, Qt::MouseButton button, Qt::MouseButtons held) {
            QMouseEvent event(type, to->mapFromGlobal(at), at, button, held, Qt::NoModifier);
            QCoreApplication::sendEvent(to, &event);
            QTest::qWait(20);
        };
        const auto drag = [&](QPointer<QWidget> held, QPoint from, QPoint to) {
            send(held, QEvent::MouseButtonPress, from, Qt::LeftButton, Qt::LeftButton);
            for (int step = 1; step <= 8 && held; ++step)
                send(held, QEvent::MouseMove, from + (to - from) * step / 8, Qt::NoButton, Qt::LeftButton);
            if (held)
                send(held, QEvent::MouseButtonRelease, to, Qt::LeftButton, Qt::NoButton);
        };
        const auto floatsAlone = [](const DockFrame* dock) {
            return dock->isFloating() && dock->isVisible() && dock->window() == dock;
        };
        const QPoint title(60, 8);

        // Out of its bar, onto the other.
        const auto [bar, tab] = framed.tabOf(program);
        drag(bar, bar->mapToGlobal(bar->tabRect(tab).center()), values->geometry().center());
        QTRY_VERIFY(floatsAlone(program));
        QVERIFY(floatsAlone(values));
        QVERIFY(!window.dockOptions().testFlag(QMainWindow::GroupedDragging));

        // By its title, onto the other, though a release on a tab was lost before.
        DockFrame* layout = framed.dock("layout");
        layout->present();
        QTRY_VERIFY(framed.tabOf(layout).first);
        const auto [left, front] = framed.tabOf(layout);
        const QPoint onTab = left->mapToGlobal(left->tabRect(front).center());
        send(left, QEvent::MouseButtonPress, onTab, Qt::LeftButton, Qt::LeftButton);
        program->move(100, 100);
        program->resize(600, 500);
        QTRY_VERIFY(program->titleBarWidget()->height() > 0);
        drag(program, program->mapToGlobal(title), values->geometry().center());
        QTRY_COMPARE(program->geometry().topLeft(), values->geometry().center() - title);
        QVERIFY(floatsAlone(program));
        QVERIFY(floatsAlone(values));

        // A press on a tab leaves nothing for the next drag.
        QTest::mouseClick(left, Qt::LeftButton, Qt::NoModifier, left->tabRect(front).center());
        QVERIFY(!window.dockOptions().testFlag(QMainWindow::GroupedDragging));

        window.action(QStringLiteral("resetLayout"))->trigger();
        QTRY_VERIFY(program->window() == &window);
    }

    /// What watches the keyboard focus goes before the docks that it looks at.
    void aWindowGoesWhileADockHasTheFocus()
    {
        Appearance appearance(ThemeChoice::Light);
        for (const char* id : { "values", "lab", "explain" }) {
            MainWindow window(&appearance, { .remember = false, .tips = true });
            window.show();
            QVERIFY(QTest::qWaitForWindowActive(&window));
            window.document()->waitForAnalysis();
            window.present(QLatin1String(id));
            QTRY_VERIFY(window.part(QLatin1String(id))->isAncestorOf(QApplication::focusWidget()));
        }
    }

    /// What was opened begins with its headings where there is room, at any height.
    void tensorsBeginWithTheirHeadings()
    {
        FramedWindow framed("rule-lab");
        framed.window.openExample(QStringLiteral("flax-mlp-logical"));
        framed.window.document()->waitForAnalysis();
        for (const QSize size : { QSize(1600, 1000), QSize(1280, 800), QSize(1366, 768) }) {
            framed.window.resize(size);
            const auto* tree = framed.part("tensors")->findChild<QTreeView*>();
            QTRY_COMPARE(tree->visualRect(tree->model()->index(0, 0)).top(), 0);
            QTRY_VERIFY(tree->viewport()->rect().contains(tree->visualRect(tree->currentIndex()).center()));
        }
    }

    /// What one layout leaves is what the next one finds: a window that nobody uses takes no time.
    void aWindowAtRestIsNotLaidOut_data()
    {
        QTest::addColumn<QSize>("size");
        for (const QSize size :
            { QSize(1024, 640), QSize(1280, 800), QSize(1366, 768), QSize(1600, 1000), QSize(2560, 1440) })
            QTest::addRow("%d x %d", size.width(), size.height()) << size;
    }
    void aWindowAtRestIsNotLaidOut()
    {
        QFETCH(QSize, size);
        for (const char* example : { "flax-mlp-logical", "rule-lab" }) {
            FramedWindow framed(example, size);
            for (const Perspective perspective : shardscope::perspectives) {
                framed.window.setPerspective(perspective);
                LaidOut laidOut;
                QStringList names;
                QTRY_VERIFY2(
                    [&] {
                        QTest::qWait(150);
                        names = laidOut.taken();
                        return names.isEmpty() && framed.window.isSettled();
                    }(),
                    qPrintable(QStringLiteral("%1: %2").arg(idOf(perspective), names.join(u','))));
            }
        }
    }

    /// Every rule is seen where the column of inputs is scrolled: no table within it has to be scrolled as well.
    void rulesAreSeenInAScrolledColumn()
    {
        for (const QSize size : { QSize(1024, 640), QSize(1280, 800) }) {
            FramedWindow framed("flax-mlp-logical", size);
            const auto* table = framed.part("rules")->findChild<QTableView*>();
            QTRY_COMPARE(rowsInSight(*table), table->model()->rowCount());
        }
    }

    /// In a low window problems stand in front of the timeline, and the line of Memory is seen as a whole.
    void problemsLeaveTheLayoutItsRoom()
    {
        FramedWindow framed("rule-lab-fallback", QSize(1024, 640));
        framed.window.setPerspective(Perspective::Plan);
        QVERIFY(framed.present("problems"));
        QTRY_VERIFY(framed.dock("problems")->isInFront());
        const DockFrame* layout = framed.dock("layout");
        QTRY_VERIFY(layout->height() >= layout->minimumSizeHint().height());
        QTRY_VERIFY(framed.dock("problems")->y() > layout->geometry().bottom());
    }

    /// On a laptop the legends of Memory and Timing are whole.
    void memoryHasItsLegendOnALaptop_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("1280 x 800") << QSize(1280, 800);
        QTest::newRow("1366 x 768") << QSize(1366, 768);
    }
    void memoryHasItsLegendOnALaptop()
    {
        QFETCH(QSize, size);
        FramedWindow framed("flax-mlp-logical", size);
        QVERIFY(framed.present("memory"));
        QTRY_VERIFY(framed.window.shows(QStringLiteral("memory")));
        const auto* bar = framed.part("memory")->findChild<MemoryBarWidget*>();
        QTRY_VERIFY2(bar->height() >= bar->heightForWidth(bar->width()),
            qPrintable(QStringLiteral("%1 of %2").arg(bar->height()).arg(bar->heightForWidth(bar->width()))));
    }

    void everySizeHasAnArrangement_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("compact");
        QTest::newRow("wide") << QSize(1600, 1000) << false;
        QTest::newRow("maximized on full HD") << QSize(1920, 1010) << false;
        QTest::newRow("2560 x 1440") << QSize(2560, 1400) << false;
        QTest::newRow("a laptop") << QSize(1280, 800) << true;
        QTest::newRow("a larger laptop") << QSize(1440, 840) << true;
        QTest::newRow("1440 x 900") << QSize(1440, 900) << true;
        QTest::newRow("1600 x 900") << QSize(1600, 900) << false;
        QTest::newRow("a low one") << QSize(1366, 690) << true;
        QTest::newRow("small") << QSize(1024, 640) << true;
        QTest::newRow("the smallest with columns") << QSize(900, 600) << true;
        QTest::newRow("1280 x 800 at a factor of 2") << QSize(640, 400) << true;
    }
    void everySizeHasAnArrangement()
    {
        QFETCH(QSize, size);
        QFETCH(bool, compact);
        FramedWindow framed("maxtext-llama3-8b", size);
        QTRY_VERIFY(!framed.window.document()->isStale());
        QCOMPARE(framed.window.isCompact(), compact);
        const DockFrame* layout = framed.dock("layout");
        QTRY_VERIFY(layout->isInFront());
        // The picture is the largest, on a laptop as well.
        const auto area = [](const QSize& of) { return of.width() * of.height(); };
        const int percent = size.width() > 2200 ? 18 : 25; // there the program has as much beside it
        QTRY_VERIFY2(area(layout->size()) * 100 > area(size) * percent,
            qPrintable(QStringLiteral("%1 x %2").arg(layout->width()).arg(layout->height())));
        if (size.width() < 800) { // the pictures alone, with drawers at both sides
            for (const DockFrame* dock : framed.window.docks())
                QCOMPARE(dock->isInFront(), dock == layout);
            return;
        }
        // Nothing lies on anything else, and all of it within the window.
        const auto faults = [&] {
            QStringList wrong;
            const QRect inside = framed.window.rect().adjusted(0, 0, 0, -framed.window.statusBar()->height());
            for (const DockFrame* one : framed.window.docks())
                for (const DockFrame* other : framed.window.docks())
                    if (one->isInFront()
                        && (!inside.contains(one->geometry())
                            || (one < other && other->isInFront() && one->geometry().intersects(other->geometry()))))
                        wrong << one->objectName() + QLatin1Char('/') + other->objectName();
            return wrong.join(QLatin1Char(' '));
        };
        QTRY_VERIFY2(faults().isEmpty(), qPrintable(faults()));
        // Rules and tensors are there, at their column's own scroll bar where that is low.
        QVERIFY(framed.present("tensors"));
        QTRY_VERIFY(framed.window.shows(QStringLiteral("tensors")));
        const auto* tree = framed.part("tensors")->findChild<QTreeView*>();
        QTRY_VERIFY2(rowsInSight(*tree) >= 2, qPrintable(QString::number(rowsInSight(*tree))));
        QVERIFY(framed.present("rules"));
        QTRY_VERIFY(rowsInSight(*framed.window.findChild<RulesView*>()->table())
            >= std::min(3, framed.window.findChild<RulesView*>()->model()->rowCount()));
        const QRect column(framed.dock("inputs")->mapToGlobal(QPoint()), framed.dock("inputs")->size());
        const QWidget* table = framed.window.findChild<RulesView*>()->table();
        QVERIFY(column.contains(table->mapToGlobal(QPoint(1, 1))));
    }

    /// Every perspective shows what it is for, at every size, and nothing lies on anything else.
    void perspectives_data()
    {
        QTest::addColumn<QSize>("size");
        for (const QSize size : { QSize(1024, 640), QSize(1280, 800), QSize(1366, 768), QSize(1600, 1000) })
            QTest::addRow("%d x %d", size.width(), size.height()) << size;
    }
    void perspectives()
    {
        QFETCH(QSize, size);
        FramedWindow framed("flax-mlp-logical", size);
        MainWindow& window = framed.window;
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QCOMPARE(window.perspective(), Perspective::Plan);
        const auto overlaps = [&] {
            QStringList wrong;
            for (const DockFrame* one : window.docks())
                for (const DockFrame* other : window.docks())
                    if (one < other && one->isInFront() && other->isInFront()
                        && one->geometry().intersects(other->geometry()))
                        wrong << one->objectName() + QLatin1Char('/') + other->objectName();
            return wrong.join(QLatin1Char(' '));
        };
        for (const auto& [key, perspective, part] :
            { std::tuple(Qt::Key_1, Perspective::Learn, "grid"), std::tuple(Qt::Key_3, Perspective::Program, "program"),
                std::tuple(Qt::Key_4, Perspective::Debug, "collectives"),
                std::tuple(Qt::Key_5, Perspective::Compare, "compare"),
                std::tuple(Qt::Key_2, Perspective::Plan, "grid") }) {
            QTest::keyClick(&window, key, Qt::AltModifier);
            QCOMPARE(window.perspective(), perspective);
            QTRY_VERIFY2(window.shows(QLatin1String(part)), part);
            QTRY_VERIFY2(overlaps().isEmpty(), qPrintable(overlaps()));
            QCOMPARE(window.size(), size);
            for (const DockFrame* dock : window.docks())
                QTRY_COMPARE(dock->widget()->isVisible(), dock->isInFront());
        }
        if (size.height() < 740) // a drawer, which no perspective opens
            return;
        // A view that was closed comes back with the layout of the perspective, in that perspective alone.
        framed.dock("inspector")->close();
        window.setPerspective(Perspective::Learn);
        QTRY_VERIFY(!framed.dock("inspector")->isHidden());
        window.setPerspective(Perspective::Plan);
        QTRY_VERIFY(framed.dock("inspector")->isHidden());
        window.action(QStringLiteral("resetLayout"))->trigger();
        QTRY_VERIFY(!framed.dock("inspector")->isHidden());
    }

    /// What an experiment opens with is in front from the first picture on.
    void theFirstViewIsInFront()
    {
        for (const QSize size : { QSize(1024, 640), QSize(1280, 800), QSize(1600, 1000) }) {
            FramedWindow framed("transformer-experts", size);
            QCOMPARE(framed.window.perspective(), Perspective::Debug);
            QTRY_VERIFY2(framed.window.shows(QStringLiteral("collectives")), qPrintable(QString::number(size.width())));
            QTest::qWait(50);
            QVERIFY(framed.window.shows(QStringLiteral("collectives")));
        }
    }

    /// Plan is for memory and time: both are to be seen below the picture, which is lower for that, at every size.
    void planShowsMemoryAndTime()
    {
        for (const QSize size : { QSize(1024, 640), QSize(1366, 768), QSize(1280, 800), QSize(1600, 1000) }) {
            FramedWindow framed("flax-mlp-logical", size);
            const auto at = QString::number(size.width()).toLatin1();
            QCOMPARE(framed.window.perspective(), Perspective::Plan);
            QTRY_VERIFY2(framed.dock("layout")->isInFront() && framed.dock("timeline")->isInFront(), at.constData());
            QTRY_VERIFY2(framed.dock("timeline")->y() > framed.dock("layout")->geometry().bottom(), at.constData());
            QTRY_VERIFY2(framed.part("memory")->parentWidget()->isVisible(), at.constData());
            QTRY_VERIFY2(framed.part("memory")->isVisible() == (size.height() >= 780), at.constData());
            QTRY_VERIFY2(framed.window.findChild<ShardGridView*>()->canvas()->isVisible()
                    && framed.window.findChild<ShardGridView*>()->canvas()->height() >= 120,
                qPrintable(QStringLiteral("%1: %2")
                               .arg(size.width())
                               .arg(framed.window.findChild<ShardGridView*>()->canvas()->height())));
        }
        // What was folded there stays so, in that perspective alone.
        FramedWindow framed("flax-mlp-logical", QSize(1280, 800));
        auto* memory = qobject_cast<Section*>(framed.part("memory")->parentWidget());
        QTRY_VERIFY(memory && memory->isUnfolded());
        // It is as high as what it tells: the cells of the picture have room for their names.
        QTRY_COMPARE(framed.part("memory")->height(),
            qobject_cast<MemoryView*>(framed.part("memory"))->contentHeight(framed.part("memory")->width()));
        QTRY_VERIFY(framed.window.findChild<ShardGridView*>()->canvas()->grid().detail() >= GridDetail::Name);
        framed.window.setPerspective(Perspective::Learn);
        QVERIFY(!memory->isUnfolded());
        framed.window.setPerspective(Perspective::Plan);
        QVERIFY(memory->isUnfolded());
        memory->setUnfolded(false);
        framed.window.setPerspective(Perspective::Learn);
        framed.window.setPerspective(Perspective::Plan);
        QVERIFY(!memory->isUnfolded());
    }

    /// The list of steps and the graph that they are played on are read together: in a low view they stand beside each
    /// other, each with room for what it shows.
    void lowDrawersStandBesideTheGraph()
    {
        for (const QSize size : { QSize(1024, 640), QSize(1366, 768), QSize(1280, 800) }) {
            FramedWindow framed("transformer-t5x", size);
            const auto at = QString::number(size.width()).toLatin1();
            framed.window.setPerspective(size.height() == 800 ? Perspective::Plan : Perspective::Program);
            QVERIFY(framed.present("propagation"));
            const auto* const list = qobject_cast<PropagationView*>(framed.part("propagation"));
            const GraphCanvas* const graph = framed.window.findChild<ProgramView*>()->canvas();
            QTRY_VERIFY2(list->isVisible() && graph->isVisible(), at.constData());
            QTRY_VERIFY2(graph->height() >= Metrics::scaled(150),
                qPrintable(QStringLiteral("%1: %2").arg(size.width()).arg(graph->height())));
            const auto tables = list->findChildren<QTableView*>();
            const QTableView* const steps = *std::find_if(tables.begin(), tables.end(),
                [list](const QTableView* table) { return table->model() == list->model(); });
            QTRY_VERIFY2(steps->viewport()->height() >= 5 * steps->rowHeight(0),
                qPrintable(QStringLiteral("%1: %2").arg(size.width()).arg(steps->viewport()->height())));
            QVERIFY2(steps->horizontalScrollBar()->maximum() == 0, at.constData());
            QVERIFY(list->mapTo(&framed.window, QPoint()).x() > graph->mapTo(&framed.window, QPoint()).x());
            // Folded, it is a line below the graph again.
            auto* section = qobject_cast<Section*>(list->parentWidget());
            section->setUnfolded(false);
            QTRY_VERIFY2(section->height() == section->headHeight()
                    && section->y() > graph->mapTo(section->parentWidget(), QPoint()).y(),
                at.constData());
        }
    }

    void drawersHaveRoomBelowOrBesideOrInstead()
    {
        struct Needy : QWidget {
            explicit Needy(QSize wanted)
                : least(wanted)
            {
            }
            [[nodiscard]] QSize minimumSizeHint() const override { return least; }
            QSize least;
        };
        auto* main = new Needy({ 300, 100 });
        auto* drawer = new Section(QStringLiteral("drawer"), QStringLiteral("Drawer"), new Needy({ 200, 80 }));
        DrawerBox box(main, drawer);
        box.setBesideBelow(400);
        box.resize(800, 600);
        box.show();
        QVERIFY(QTest::qWaitForWindowExposed(&box));
        int wanted = 150;
        box.setDrawerHeight([&wanted](int) { return wanted; });
        QTRY_COMPARE(drawer->height(), 150 + drawer->headHeight());
        wanted = 180;
        QCoreApplication::postEvent(drawer->body(), new QEvent(QEvent::LayoutRequest)); // its contents have changed
        QTRY_COMPARE(drawer->height(), 180 + drawer->headHeight());
        QCOMPARE(drawer->width(), 800);
        box.resize(800, 300);
        QTRY_VERIFY(drawer->height() == 300 && drawer->x() > main->geometry().right() && main->isVisible());
        box.resize(450, 300);
        QTRY_VERIFY(main->isVisible() && drawer->y() > main->geometry().bottom());
        box.resize(450, 150);
        QTRY_VERIFY(!main->isVisible() && drawer->height() == 150);
        box.revealMain();
        QTRY_VERIFY(main->isVisible() && !drawer->isUnfolded());
        QTRY_COMPARE(drawer->height(), drawer->headHeight());
        // One line of an empty drawer leaves no gap when it is folded.
        box.resize(450, 300);
        drawer->setNothing(QStringLiteral("There is nothing to show."));
        for (const bool unfolded : { true, false }) {
            drawer->setUnfolded(unfolded);
            QTRY_COMPARE(drawer->height(), drawer->headHeight());
            QTRY_COMPARE(drawer->geometry().bottom() + 1, box.height());
            QTRY_COMPARE(main->geometry().bottom() + 1, drawer->y() - box.findChild<QSplitter*>()->handleWidth());
        }
        // A main part that had no room comes back when it needs less of it.
        auto *paged = new QWidget, *page = new QWidget, *more = new QWidget;
        more->setFixedHeight(200);
        (new QVBoxLayout(page))->addWidget(more);
        (new QVBoxLayout(paged))->addWidget(page);
        auto* below = new Section(QStringLiteral("below"), QStringLiteral("Below"), new Needy({ 200, 80 }));
        DrawerBox low(paged, below);
        low.resize(450, 250);
        low.show();
        QTRY_VERIFY(!paged->isVisible() && below->height() == 250);
        more->hide();
        QCoreApplication::postEvent(below->body(), new QEvent(QEvent::LayoutRequest));
        QTRY_VERIFY(paged->isVisible() && below->height() < 250);
    }

    /// What closes as the window becomes smaller leaves the keyboard to the picture; of two drawers the one in use
    /// stays.
    void theKeyboardIsNotLostInASmallerWindow()
    {
        FramedWindow framed("flax-mlp-logical", QSize(1280, 800));
        MainWindow& window = framed.window;
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.setPerspective(Perspective::Learn);
        DockFrame *inspector = framed.dock("inspector"), *inputs = framed.dock("inputs");
        QVERIFY(framed.present("explain"));
        QTRY_VERIFY(inspector->isAncestorOf(QApplication::focusWidget()));
        window.resize(1024, 640);
        QTRY_VERIFY(inspector->isHidden());
        QTRY_VERIFY(framed.dock("layout")->isAncestorOf(QApplication::focusWidget()));

        window.resize(1800, 690);
        window.setPerspective(Perspective::Program);
        QVERIFY(framed.present("explain"));
        QVERIFY(framed.present("mesh"));
        QTRY_VERIFY(inputs->isVisible() && inspector->isVisible());
        QTRY_VERIFY(inputs->isAncestorOf(QApplication::focusWidget()));
        window.resize(1400, 690);
        QTRY_VERIFY(inspector->isHidden());
        QVERIFY(inputs->isVisible() && inputs->isAncestorOf(QApplication::focusWidget()));
    }

    /// In a small window the picture keeps its room: what stands beside it comes as a drawer over the edge.
    void aSmallWindowHasDrawers()
    {
        FramedWindow framed("flax-mlp-logical", QSize(1024, 640));
        MainWindow& window = framed.window;
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.setPerspective(Perspective::Learn);
        const DockFrame *layout = framed.dock("layout"), *inspector = framed.dock("inspector"),
                        *inputs = framed.dock("inputs");
        QTRY_VERIFY(layout->isInFront() && inputs->isInFront());
        QVERIFY(inspector->isHidden());
        QTRY_VERIFY2(window.findChild<ShardGridView*>()->canvas()->height() >= 300,
            qPrintable(QString::number(window.findChild<ShardGridView*>()->canvas()->height())));
        // Its button says what it is; it lies over the picture, which stays as it is.
        QTRY_VERIFY(!window.document()->isStale());
        const QRect before = layout->geometry();
        inspector->toggleViewAction()->trigger();
        QTRY_VERIFY(inspector->isInFront());
        QTRY_VERIFY(isSeen(*window.findChild<ExplainView*>()));
        QCOMPARE(layout->geometry(), before);
        QVERIFY(inspector->geometry().right() >= window.width() - 8);
        QVERIFY(inspector->geometry().bottom() < window.statusBar()->y());
        QVERIFY(inspector->width() * 5 <= window.width() * 2);
        // Its keys say why it stays; its inner edge is dragged, and its width kept.
        QTRY_VERIFY(inspector->isAncestorOf(QApplication::focusWidget()));
        for (const char* key : { "maximiseDock", "floatDock" }) {
            auto* message = window.statusBar()->findChild<StatusMessage*>();
            message->say({});
            window.action(QLatin1String(key))->trigger();
            QVERIFY2(
                message->text().contains(QStringLiteral("Inspector is a drawer: it closes, and its inner edge can")),
                key);
            QVERIFY(!window.maximised() && !inspector->isFloating());
        }
        const auto drag = [&window](const DockFrame* drawer, int distance, Qt::MouseButton button = Qt::LeftButton) {
            for (DrawerGrip* grip : window.findChildren<DrawerGrip*>()) {
                if (!grip->isVisible() || grip->geometry().left() > drawer->geometry().right() + 1
                    || grip->geometry().right() < drawer->geometry().left() - 1)
                    continue;
                QTest::mousePress(grip, button, {}, QPoint(3, 100));
                QTest::mouseMove(grip, QPoint(3 + distance, 100));
                QTest::mouseRelease(grip, button, {}, QPoint(3, 100));
                return grip;
            }
            return static_cast<DrawerGrip*>(nullptr);
        };
        const int wide = inspector->width();
        DrawerGrip* grip = drag(inspector, -42);
        QVERIFY(grip && !grip->geometry().intersects(inspector->geometry())); // what is at its edge stays in reach
        QCOMPARE(inspector->width(), wide + 42); // not where the grip was pressed, but as far as it went
        drag(inspector, -42, Qt::RightButton);
        QCOMPARE(inspector->width(), wide + 42);
        inspector->toggleViewAction()->trigger();
        QTRY_VERIFY(inspector->isHidden());
        QVERIFY(framed.present("explain"));
        QTRY_COMPARE(inspector->width(), wide + 42);
        // By keyboard as well; and Esc is there what it is in the drawer.
        QVERIFY(grip->focusPolicy() & Qt::TabFocus);
        grip->setFocus();
        QTest::keyClick(grip, Qt::Key_Left);
        QVERIFY(inspector->width() > wide + 42);
        QTest::keyClick(grip, Qt::Key_Right);
        QCOMPARE(inspector->width(), wide + 42);
        QTest::keyClick(grip, Qt::Key_Escape);
        QTRY_VERIFY(inspector->isHidden());
        QTRY_VERIFY(layout->isAncestorOf(QApplication::focusWidget()));
        // Reset layout forgets the width.
        window.action(QStringLiteral("resetLayout"))->trigger();
        QVERIFY(framed.present("explain"));
        QTRY_COMPARE(inspector->width(), wide);
        // Esc closes it, and the keyboard is in the picture again.
        QTRY_VERIFY(inspector->isAncestorOf(QApplication::focusWidget()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QTRY_VERIFY(inspector->isHidden());
        QTRY_VERIFY(layout->isAncestorOf(QApplication::focusWidget()));
        // Whichever picture is in front stays there.
        QVERIFY(framed.present("program"));
        QTRY_VERIFY(framed.dock("program")->isInFront());
        QVERIFY(framed.present("explain"));
        QTRY_VERIFY(inspector->isAncestorOf(QApplication::focusWidget()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QTRY_VERIFY(inspector->isHidden());
        QVERIFY(framed.dock("program")->isInFront());
        QTRY_VERIFY(framed.dock("program")->isAncestorOf(QApplication::focusWidget()));
        QVERIFY(framed.present("grid"));
        QTRY_VERIFY(layout->isInFront());
        // In a narrow one the inputs are a drawer as well, and never both are open.
        window.resize(700, 560);
        QTRY_VERIFY(inputs->isHidden());
        QVERIFY(framed.present("mesh"));
        QTRY_VERIFY(inputs->isInFront());
        QVERIFY(inputs->geometry().left() <= 8);
        QVERIFY(framed.present("explain"));
        QTRY_VERIFY(inspector->isInFront());
        QVERIFY(inputs->isHidden());
        // So it is when the window is as it was, in another perspective and after a view had the window for itself.
        window.resize(1024, 640);
        QTRY_VERIFY(inputs->isInFront() && inspector->isHidden());
        for (const Perspective perspective : { Perspective::Learn, Perspective::Plan }) {
            window.setPerspective(perspective);
            window.maximise(framed.dock("layout"));
            window.maximise(nullptr);
            QTRY_VERIFY(layout->isInFront() && inspector->isHidden());
            QVERIFY(framed.present("explain"));
            QTRY_VERIFY(inspector->isInFront());
            QCOMPARE(window.dockWidgetArea(framed.dock("inspector")), Qt::NoDockWidgetArea);
            framed.dock("inspector")->close();
        }
        // Where both have room, the one that takes it from the other closes that.
        window.setPerspective(Perspective::Program);
        window.resize(2400, 650);
        QVERIFY(framed.present("mesh"));
        QVERIFY(framed.present("explain"));
        QTRY_VERIFY(inputs->isVisible() && inspector->isVisible() && inputs->isOverEdge() && inspector->isOverEdge());
        window.resize(1100, 650);
        QTRY_VERIFY(inputs->isHidden() && inspector->isVisible());
        window.resize(2400, 650);
        QVERIFY(framed.present("mesh"));
        QTRY_VERIFY(inputs->isVisible() && inspector->isVisible());
        drag(inspector, -900);
        QVERIFY(inputs->isHidden() && inspector->isVisible());
        window.setPerspective(Perspective::Plan);
        // With more room they stand beside the picture, as before.
        window.resize(1600, 1000);
        QTRY_VERIFY(inputs->isInFront() && inspector->isInFront());
        QTRY_VERIFY(!inspector->geometry().intersects(layout->geometry()));
        QTRY_VERIFY(!inputs->geometry().intersects(layout->geometry()));
    }

    void aViewGetsTheWindowForItself()
    {
        FramedWindow framed("flax-mlp-logical");
        MainWindow& window = framed.window;
        QVERIFY(QTest::qWaitForWindowActive(&window));
        DockFrame* inspector = framed.dock("inspector");
        QTest::qWait(30); // widths come to rest
        // Without a view in use the keys say so.
        if (QWidget* focus = QApplication::focusWidget())
            focus->clearFocus();
        for (const char* key : { "maximiseDock", "floatDock", "closeDock" }) {
            auto* message = window.statusBar()->findChild<StatusMessage*>();
            message->say({});
            window.action(QLatin1String(key))->trigger();
            QVERIFY2(message->text().contains(QStringLiteral("No view is in use: click into one, or press F6.")), key);
            QVERIFY(!window.maximised() && inspector->isVisible());
        }
        const int before = inspector->width();
        const QWidget* title = inspector->titleBarWidget();
        QTest::mouseDClick(inspector->titleBarWidget(), Qt::LeftButton, Qt::NoModifier,
            QPoint(title->width() / 3, title->height() / 2));
        QCOMPARE(window.maximised(), inspector);
        QTRY_VERIFY(inspector->width() > window.width() - 40);
        QVERIFY(framed.dock("layout")->isHidden());
        // Who calls another view goes back.
        QVERIFY(framed.present("grid"));
        QVERIFY(!window.maximised());
        QTRY_VERIFY(std::abs(inspector->width() - before) <= 2);
        inspector->present();
        QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(window.maximised(), inspector);
        // So does who closes the one that is there.
        inspector->close();
        QTRY_VERIFY(!window.maximised());
        QTRY_VERIFY(framed.dock("layout")->isInFront());
        QVERIFY(inspector->isHidden());
        // And who asks for the perspective that is there.
        window.maximise(framed.dock("inputs"));
        QVERIFY(framed.dock("layout")->isHidden());
        QTest::keyClick(&window, Qt::Key_2, Qt::AltModifier);
        QVERIFY(!window.maximised());
        QTRY_VERIFY(framed.dock("layout")->isInFront());
        QTRY_VERIFY(framed.dock("timeline")->isVisible());
        // Esc goes back from the picture as well, once nothing is taken back there.
        window.maximise(framed.dock("layout"));
        window.findChild<ShardGridView*>()->canvas()->setFocus();
        window.selection()->setDevices({});
        for (int i = 0; i < 2; ++i)
            QTest::keyClick(window.findChild<ShardGridView*>()->canvas(), Qt::Key_Escape);
        QVERIFY(!window.maximised());
    }

    /// By what is opened, unless the file was left in another one.
    void perspectivesAreChosen()
    {
        FramedWindow framed("flax-mlp-logical");
        MainWindow& window = framed.window;
        for (const auto& [example, expected] : { std::pair("jax-layer-program", Perspective::Program),
                 std::pair("rule-lab", Perspective::Learn), std::pair("transformer-experts", Perspective::Debug),
                 std::pair("flax-mlp-logical", Perspective::Plan) }) {
            window.document()->setExperiment(findExample(example)->experiment, {});
            QCOMPARE(window.perspective(), expected);
        }
    }

    /// What was a dock of its own once is where docs/window.md says: shown in front, unfolded, with the focus.
    void everyPartIsWhereTheDocumentSays()
    {
        QFile file(QStringLiteral(SHARDSCOPE_SOURCE_DIR "/docs/window.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        // | Rule trace | `trace` | section of Inputs | ...
        const QRegularExpression line(
            QStringLiteral("^\\| ([^|]+) \\| `(\\w+)` \\| ([^|]+) \\|"), QRegularExpression::MultilineOption);
        FramedWindow framed("flax-mlp-logical");
        MainWindow& window = framed.window;
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QSet<QString> told;
        for (auto found = line.globalMatch(text); found.hasNext();) {
            const QRegularExpressionMatch match = found.next();
            const QString id = match.captured(2);
            told << id;
            const auto part = std::find_if(window.parts().begin(), window.parts().end(),
                [&id](const MainWindow::Part& each) { return each.id == id; });
            QVERIFY2(part != window.parts().end(), qPrintable(id));
            QCOMPARE(part->name, match.captured(1));
            QVERIFY2(match.captured(3).contains(part->frame->name()), qPrintable(match.captured(3)));
            QVERIFY2(window.present(id), qPrintable(id));
            QTRY_VERIFY2(window.shows(id), qPrintable(id));
            QTRY_VERIFY2(
                part->widget->isAncestorOf(QApplication::focusWidget()) || part->widget == QApplication::focusWidget(),
                qPrintable(id));
            // It is seen: some of it is within the window and all that it is scrolled in, and nothing lies over that.
            QTRY_VERIFY2(isSeen(*part->widget), qPrintable(id));
            QVERIFY(window.action(QStringLiteral("go-") + id));
        }
        for (const MainWindow::Part& part : window.parts())
            QVERIFY2(told.contains(part.id), qPrintable(part.id));
        QVERIFY(!window.present(QStringLiteral("nothing")));
    }

    /// Mesh has the height of what is in it; a long table of rules beside few tensors is shown whole.
    void rowsGetTheRoom()
    {
        FramedWindow framed("t5x-a2p2");
        MainWindow& window = framed.window;
        window.resize(1600, 1000);
        QTRY_VERIFY(!window.document()->isStale());
        const RulesTable* table = window.findChild<RulesView*>()->table();
        QVERIFY(table->model()->rowCount() >= 8);
        const auto inSight = [&] { return rowsInSight(*table); };
        QTRY_VERIFY2(inSight() >= 7, qPrintable(QString::number(inSight())));
        const QWidget* mesh = framed.part("mesh");
        QVERIFY(mesh->height() <= window.findChild<MeshView*>()->sizeHint().height() + Metrics::scaled(60));
        // The same after the window was small for a while, and after another experiment was open.
        const int before = inSight();
        window.resize(1024, 640);
        QTRY_VERIFY(window.isCompact());
        window.resize(1600, 1000);
        QTRY_VERIFY(!window.isCompact());
        QTRY_VERIFY(std::abs(inSight() - before) <= 1); // a row that is nearly whole counts or not
        QTRY_VERIFY(mesh->height() <= window.findChild<MeshView*>()->sizeHint().height() + Metrics::scaled(60));
        // A message lies over the head, and takes no row away.
        QRect place;
        for (int still = 0, rounds = 0; still < 5 && rounds < 250; ++rounds, QTest::qWait(20)) // all comes to rest
            still = std::exchange(place, table->geometry()) == table->geometry() ? still + 1 : 0;
        const int full = inSight();
        window.findChild<RulesView*>()->notice()->say(
            Severity::Warning, QStringLiteral("Something that is said. ").repeated(6));
        QCoreApplication::processEvents();
        QVERIFY(window.findChild<RulesView*>()->notice()->isVisible());
        QCOMPARE(table->geometry(), place);
        QCOMPARE(inSight(), full);
        const NoticeStrip* notice = window.findChild<RulesView*>()->notice();
        QVERIFY(notice->y() + notice->height() <= table->y() + table->viewport()->y());
    }

    /// Heights follow what comes into the sections by an edit, in whatever way the experiment was opened.
    void anotherAxisGetsItsRoom()
    {
        FramedWindow framed("flax-mlp-logical");
        MainWindow& window = framed.window;
        const QWidget* mesh = framed.part("mesh");
        QTest::qWait(50); // heights come to rest
        const int before = mesh->height();
        QVERIFY(window.document()->edit(
            withAxisAdded(*window.document()->experiment(), "third", 1), QStringLiteral("add axis third")));
        window.document()->waitForAnalysis();
        QTRY_VERIFY(mesh->height() > before + Metrics::scaled(16));
        window.document()->undoStack()->undo();
        window.document()->waitForAnalysis();
        QTRY_VERIFY(std::abs(mesh->height() - before) <= 2);
    }

    /// A height that was chosen by hand is that of one form and one perspective: the others keep theirs.
    /// What is wrong with a size is said over the map: no axis, no section moves, now or afterwards.
    void messagesOfTheMeshMoveNothing()
    {
        FramedWindow framed("flax-mlp-logical");
        MeshView* mesh = framed.window.findChild<MeshView*>();
        const auto places = [&] {
            QList<QRect> all;
            for (const char* id : { "mesh", "rules", "tensors" })
                all << QRect(framed.part(id)->mapTo(&framed.window, QPoint()), framed.part(id)->size());
            for (std::size_t axis = 0; axis < mesh->rowCount(); ++axis)
                all << QRect(mesh->row(axis)->mapTo(&framed.window, QPoint()), mesh->row(axis)->size());
            return all;
        };
        QList<QRect> before;
        for (int still = 0, rounds = 0; still < 5 && rounds < 250; ++rounds, QTest::qWait(20)) // all comes to rest
            still = std::exchange(before, places()) == before ? still + 1 : 0;
        mesh->row(0)->spinBox()->setValue(3);
        QVERIFY2(mesh->message().startsWith(QStringLiteral("E115 ")), qPrintable(mesh->message()));
        QTest::qWait(60);
        QCOMPARE(places(), before);
        const auto* label = [mesh]() -> const QLabel* {
            for (const QLabel* each : mesh->findChildren<QLabel*>())
                if (each->isVisible() && each->text() == mesh->message())
                    return each;
            return nullptr;
        }();
        QVERIFY(label);
        const QRect box(label->parentWidget()->mapTo(&framed.window, QPoint()), label->parentWidget()->size());
        QVERIFY(before.front().contains(box));
        QVERIFY(label->height() >= label->heightForWidth(label->width())); // all of it is read
        for (std::size_t axis = 0; axis < mesh->rowCount(); ++axis)
            QVERIFY(!box.intersects(before[static_cast<qsizetype>(3 + axis)]));
        mesh->row(0)->spinBox()->setValue(4);
        QVERIFY(mesh->message().isEmpty() && !label->isVisible());
        framed.window.document()->undoStack()->undo();
        framed.window.document()->waitForAnalysis();
        QTRY_COMPARE(places(), before);
    }

    void heightsByHandAreThoseOfOneArrangement()
    {
        FramedWindow framed("flax-mlp-logical");
        MainWindow& window = framed.window;
        const DockFrame* layout = framed.dock("layout");
        QTest::qWait(30);
        const int before = layout->height();
        test::dragLineBelow(window, *layout, 50);
        QTRY_VERIFY(layout->height() >= before + 40);
        const int chosen = layout->height();
        window.resize(1280, 800);
        QTRY_VERIFY(window.isCompact());
        QTRY_VERIFY(layout->height() < before);
        window.resize(1600, 1000);
        QTRY_VERIFY(!window.isCompact());
        QTRY_VERIFY2(std::abs(layout->height() - chosen) <= 2,
            qPrintable(QStringLiteral("%1 in place of %2, before %3").arg(layout->height()).arg(chosen).arg(before)));
    }

    /// Links in the head of a section come before what is in it, and no tab bar that is out of sight gets the keyboard.
    void tabGoesThroughWhatIsSeen()
    {
        FramedWindow framed("flax-mlp-logical");
        const auto* section = qobject_cast<Section*>(framed.part("rules")->parentWidget());
        QTRY_VERIFY(section && section->isVisible());
        const QWidget* next = section->fold();
        do
            next = next->nextInFocusChain();
        while (!(next->focusPolicy() & Qt::TabFocus) || !next->isVisible());
        QCOMPARE(next->objectName(), QStringLiteral("trace"));
        const auto hiddenBars = [&framed] {
            int found = 0;
            for (const QTabBar* bar : framed.window.findChildren<QTabBar*>())
                found += bar->isVisible() && (bar->focusPolicy() & Qt::TabFocus)
                    && !framed.window.rect().intersects(QRect(bar->mapTo(&framed.window, QPoint()), bar->size()));
            return found;
        };
        for (const Perspective each : { Perspective::Learn, Perspective::Program, Perspective::Debug,
                 Perspective::Compare, Perspective::Debug }) {
            framed.window.setPerspective(each);
            QTest::qWait(50);
            QTRY_COMPARE(hiddenBars(), 0);
        }
    }

    /// A section without contents is one line that says why.
    void whatHasNothingToShowIsOneLine()
    {
        FramedWindow framed("jax-layer-program");
        framed.window.setPerspective(Perspective::Plan);
        const auto* section = qobject_cast<Section*>(framed.part("rules")->parentWidget());
        QVERIFY(section);
        QTRY_VERIFY(!section->nothing().isEmpty());
        QVERIFY(!framed.part("rules")->isVisible());
        QTRY_COMPARE(section->height(), section->headHeight());
        for (const QLabel* why : section->findChildren<QLabel*>()) // all of it can be read
            if (why->isVisible() && why->text() == section->nothing())
                QTRY_VERIFY(why->height() >= why->heightForWidth(why->width()));
        framed.window.openExample(QStringLiteral("flax-mlp-logical"));
        framed.window.document()->waitForAnalysis();
        QTRY_VERIFY(section->nothing().isEmpty());
        QTRY_VERIFY(framed.part("rules")->isVisible());
    }

    void messagesCoverNoFigure()
    {
        FramedWindow framed("flax-mlp-logical");
        MainWindow& window = framed.window;
        const auto* message = window.statusBar()->findChild<QLabel*>(QStringLiteral("statusMessage"));
        QVERIFY(message->text().isEmpty());
        // An edit shows its figures, and says what it changed; what is said then takes its place.
        QVERIFY(window.document()->edit(
            withAxisSize(*window.document()->experiment(), 0, 4, true), QStringLiteral("data 2 → 4")));
        window.document()->waitForAnalysis();
        QCoreApplication::processEvents();
        QVERIFY2(message->text().startsWith(QStringLiteral("data 2 → 4: ")), qPrintable(message->text()));
        window.say(QStringLiteral("Saved something.json"));
        QCoreApplication::processEvents();
        QCOMPARE(message->text(), QStringLiteral("Saved something.json"));
        QVERIFY(message->isVisible() && message->width() >= message->fontMetrics().horizontalAdvance(message->text()));
        QVERIFY(window.statusBar()->currentMessage().isEmpty());
        int figures = 0;
        for (const QWidget* figure : window.statusBar()->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
            if (figure != message->parentWidget() && figure->isVisible()) {
                ++figures;
                QVERIFY2(!figure->geometry().intersects(message->parentWidget()->geometry()),
                    qPrintable(figure->objectName()));
            }
        QVERIFY(figures >= 5);
    }

    void aChoiceThatIsFilledAnewKeepsItsRoom()
    {
        FramedWindow framed("flax-mlp-logical");
        MainWindow& window = framed.window;
        // An example with arrays in several memories, another one, and back.
        int seen = 0;
        for (const char* example : { "jax-memory-kinds", "jax-memory-transfer", "jax-memory-kinds" }) {
            window.document()->setExperiment(findExample(example)->experiment, {});
            window.document()->waitForAnalysis();
            QCoreApplication::processEvents();
            for (const QComboBox* box : window.findChild<ExplainView*>()->findChildren<QComboBox*>())
                if (box->isVisible()) {
                    ++seen;
                    const int text = box->fontMetrics().horizontalAdvance(box->currentText());
                    QVERIFY2(box->width() > text + Metrics::scaled(20), qPrintable(box->currentText()));
                    QVERIFY(box->width() >= box->minimumSizeHint().width());
                }
        }
        QVERIFY(seen >= 2);
    }
};

REGISTER_TEST(TestWindowFrame)
#include "test_window_frame.moc"
