// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that has a name is found by it, and the keyboard alone is enough.
#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QTest>
#include <QVBoxLayout>

#include "registered_test.h"
#include "views/command_palette/command_palette.h"
#include "views/main_window/main_window.h"
#include "views/panel_fixture.h"
#include "views/theme/appearance.h"
#include "views/widgets/search_field.h"

using namespace shardscope;

namespace {

struct Led {
    QStringList views, examples;
    int problems = 0;
    PaletteTargets targets{ [this](const QString& view) { views << view; },
        [this](const QString& example) { examples << example; }, [this](const Problem&) { ++problems; } };
};

/// The window of the palette, with a field that has the keyboard before.
struct Room {
    QWidget window;
    QLineEdit other{ &window };
    CommandPalette palette{ &window };

    Room()
    {
        window.resize(1000, 640);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        other.setFocus();
    }
    void type(const QString& text) { QTest::keyClicks(palette.field(), text); }
    [[nodiscard]] QString shown(int row, int column = PaletteModel::Name)
    {
        return palette.model()->index(row, column).data().toString();
    }
};

} // namespace

class TestCommandPalette : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void findsAndLeads()
    {
        test::Fixture fixture;
        Led led;
        Room room;
        const QAbstractItemModelTester tester(
            room.palette.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        room.palette.open(documentSources(fixture.document, &fixture.selection, led.targets));
        QCOMPARE(QApplication::focusWidget(), room.palette.field());

        room.type(QStringLiteral("tensor layers.2/W1"));
        QCOMPARE(room.shown(0, PaletteModel::Kind), QStringLiteral("Tensor"));
        const QString path = room.shown(0);
        QVERIFY(path.endsWith(QStringLiteral("layers.2/W1")));
        QTest::keyClick(room.palette.field(), Qt::Key_Return);
        QVERIFY(!room.palette.isVisible());
        QCOMPARE(fixture.selection.tensor(), path);
        QCOMPARE(led.views, QStringList(QStringLiteral("grid")));
        QCOMPARE(QApplication::focusWidget(), &room.other);

        room.palette.open(documentSources(fixture.document, &fixture.selection, led.targets));
        room.type(QStringLiteral("mesh axis model"));
        QTest::keyClick(room.palette.field(), Qt::Key_Return);
        QCOMPARE(fixture.selection.meshAxis(), QStringLiteral("model"));

        room.palette.open(documentSources(fixture.document, &fixture.selection, led.targets));
        room.type(QStringLiteral("rule hidden"));
        QTest::keyClick(room.palette.field(), Qt::Key_Return);
        QCOMPARE(fixture.selection.rule(), 1);
        QCOMPARE(led.views, (QStringList{ QStringLiteral("grid"), QStringLiteral("mesh"), QStringLiteral("rules") }));

        room.palette.open(documentSources(fixture.document, &fixture.selection, led.targets));
        room.type(QStringLiteral("W206"));
        QTest::keyClick(room.palette.field(), Qt::Key_Return);
        QCOMPARE(led.problems, 1);

        room.palette.open(documentSources(fixture.document, &fixture.selection, led.targets));
        room.type(QStringLiteral("operation layers.1/h"));
        QTest::keyClick(room.palette.field(), Qt::Key_Return);
        QVERIFY(fixture.selection.operation().endsWith(QStringLiteral("layers.1/h")));
        QCOMPARE(led.views.last(), QStringLiteral("program"));

        room.palette.open(documentSources(fixture.document, &fixture.selection, led.targets));
        room.type(QStringLiteral("example llama 3 8b"));
        QTest::keyClick(room.palette.field(), Qt::Key_Return);
        QCOMPARE(led.examples, QStringList(QStringLiteral("maxtext-llama3-8b")));
    }

    /// Views are found by the menu that leads there, too.
    void wordsOfMenusFindViews()
    {
        Appearance appearance(ThemeChoice::Light);
        MainWindow window(&appearance, { .remember = false, .tips = false });
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.document()->waitForAnalysis();
        window.findAnything();
        CommandPalette* palette = window.findChild<CommandPalette*>();
        QTest::keyClicks(palette->field(), QStringLiteral("go to pro"));
        QStringList found;
        for (int row = 0; row < palette->model()->rowCount(); ++row)
            if (palette->model()->index(row, PaletteModel::Kind).data().toString() == QStringLiteral("View"))
                found << palette->model()->index(row, PaletteModel::Name).data().toString();
        for (const char* name : { "Program", "Propagation", "Problems" })
            QVERIFY2(found.contains(QLatin1String(name)), qPrintable(found.join(u',')));
    }

    void arrowsAndEscape()
    {
        Room room;
        QList<int> chosen;
        const auto source = [&chosen] {
            return PaletteSource{ QStringLiteral("Thing"), 3, [](int i) { return QStringLiteral("thing %1").arg(i); },
                [](int) { return QString(); }, [&chosen](int i) { chosen << i; } };
        };
        room.palette.open({ source() });
        QCOMPARE(room.palette.model()->rowCount(), 3);
        QTest::keyClick(room.palette.field(), Qt::Key_Down);
        QTest::keyClick(room.palette.field(), Qt::Key_Down);
        QTest::keyClick(room.palette.field(), Qt::Key_Up);
        QTest::keyClick(room.palette.field(), Qt::Key_Return);
        QCOMPARE(chosen, QList<int>{ 1 });

        room.palette.open({ source() });
        room.type(QStringLiteral("nothing like that"));
        QCOMPARE(room.palette.model()->rowCount(), 0);
        QTest::keyClick(room.palette.field(), Qt::Key_Return); // there is nothing to be chosen
        QVERIFY(room.palette.isVisible());
        QTest::keyClick(room.palette.field(), Qt::Key_Escape);
        QVERIFY(!room.palette.isVisible());
        QCOMPARE(QApplication::focusWidget(), &room.other);
        QCOMPARE(chosen, QList<int>{ 1 });

        room.palette.open({ source() });
        room.other.setFocus(); // as by a click beside it
        QVERIFY(!room.palette.isVisible());
    }

    void commandsOfTheMenus()
    {
        QMenuBar menus;
        QMenu* file = menus.addMenu(QStringLiteral("&File"));
        int saved = 0;
        QAction* save = file->addAction(QStringLiteral("&Save && close"));
        save->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_S));
        connect(save, &QAction::triggered, this, [&saved] { ++saved; });
        file->addSeparator();
        file->addAction(QStringLiteral("Not now"))->setEnabled(false);
        QMenu* more = file->addMenu(QStringLiteral("&More"));
        more->addAction(save);
        QAction* except = more->addAction(QStringLiteral("Elsewhere"));
        more->addAction(QStringLiteral("Deep"));
        file->addAction(QStringLiteral("&Rename\tF2"));

        const PaletteSource source = commandSource(&menus, { except });
        QCOMPARE(source.count, 3);
        QCOMPARE(source.name(2), QStringLiteral("Rename"));
        QCOMPARE(source.beside(2), QStringLiteral("File · F2"));
        QCOMPARE(source.name(0), QStringLiteral("Save & close"));
        QCOMPARE(source.beside(0), QStringLiteral("File · Ctrl+S"));
        QCOMPARE(source.beside(1), QStringLiteral("File › More"));
        source.choose(0);
        QCOMPARE(saved, 1);
        // A menu that is filled anew while they are listed drops what it had.
        more->clear();
        QCOMPARE(source.name(1), QStringLiteral("Deep"));
        source.choose(1);
        source.choose(0);
        QCOMPARE(saved, 2);
    }
};

REGISTER_TEST(TestCommandPalette)
#include "test_command_palette.moc"
