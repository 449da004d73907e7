// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with a rule, an axis, a tensor, a shard, a node and a problem stands in a menu at its place, for the
// pointer and for the menu key.
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>
#include <QTreeView>

#include "experiment/edits.h"
#include "panel_fixture.h"
#include "registered_test.h"
#include "views/compare_view/compare_model.h"
#include "views/compare_view/compare_view.h"
#include "views/memory_view/memory_view.h"
#include "views/memory_view/memory_widgets.h"
#include "views/mesh_view/axis_row.h"
#include "views/mesh_view/mesh_view.h"
#include "views/problems_view/problem_row.h"
#include "views/problems_view/problems_view.h"
#include "views/program_view/program_view.h"
#include "views/rules_view/rule_entry.h"
#include "views/rules_view/rules_model.h"
#include "views/rules_view/rules_table.h"
#include "views/rules_view/rules_view.h"
#include "views/shard_grid_view/shard_grid_view.h"
#include "views/tensors_view/tensors_model.h"
#include "views/tensors_view/tensors_view.h"
#include "views/widgets/row_table.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

/// Asks for the menu at a place of a widget, or by key; chooses an entry unless `entry` is null. What stood in it.
QStringList askMenu(QWidget* widget, std::optional<QPoint> place, const char* entry = nullptr)
{
    const QPoint at = place.value_or(widget->rect().center());
    QContextMenuEvent asked(
        place ? QContextMenuEvent::Mouse : QContextMenuEvent::Keyboard, at, widget->mapToGlobal(at));
    QCoreApplication::sendEvent(widget, &asked);
    QStringList entries;
    for (QWidget* above = widget; above; above = above->parentWidget())
        if (auto* menu = above->findChild<QMenu*>(QStringLiteral("contextMenu"), Qt::FindDirectChildrenOnly)) {
            for (QAction* action : menu->actions())
                if (!action->isSeparator())
                    entries << action->objectName() + (action->isEnabled() ? QString() : QStringLiteral(" -"));
            menu->setObjectName({});
            if (auto* chosen = entry ? menu->findChild<QAction*>(QLatin1String(entry)) : nullptr)
                chosen->trigger();
            menu->close();
            widget->activateWindow(); // which the offscreen platform does not do
            break;
        }
    return entries;
}

} // namespace

class TestContextMenus : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        // The offscreen platform gives warnings about sizes, and about menus.
        QTest::failOnWarning(QRegularExpression(
            QStringLiteral("^(?!This plugin does not support (propagateSizeHints|raise|grabbing))")));
    }

    void rules()
    {
        Fixture f;
        RulesView view(&f.document, &f.selection);
        view.resize(360, 260);
        view.show();
        RulesTable* table = view.table();
        const auto at = [&](int row) { return table->visualRect(view.model()->index(row, RulesModel::Name)).center(); };
        const auto count = [&] { return f.document.experiment()->rules.rules.list.size(); };
        const std::size_t before = count();
        QVERIFY(before >= 2);
        const QStringList entries = askMenu(table->viewport(), at(0));
        QVERIFY2(entries.contains(QStringLiteral("moveUp -")) && entries.contains(QStringLiteral("moveDown")),
            qPrintable(entries.join(QLatin1Char(' '))));
        QCOMPARE(table->currentIndex().row(), 0);
        const std::string first = f.document.experiment()->rules.rules.list.front().name.name;
        askMenu(table->viewport(), at(0), "moveDown");
        QCOMPARE(f.document.experiment()->rules.rules.list[1].name.name, first);
        // What is copied can be pasted.
        askMenu(table->viewport(), at(1), "copyRule");
        const QString copied = QGuiApplication::clipboard()->text();
        QVERIFY2(copied.contains(QString::fromStdString(first)), qPrintable(copied));
        const ReadRules read = readRules(copied.toStdString(), "pasted");
        QVERIFY(read && read->rules.list.size() == 1 && read->rules.list.front().name.name == first);
        // By key it is the menu of the current row, and stands below it.
        table->setCurrentIndex(view.model()->index(1, RulesModel::Name));
        {
            QContextMenuEvent asked(QContextMenuEvent::Keyboard, {}, {});
            QCoreApplication::sendEvent(table, &asked);
            auto* menu = table->findChild<QMenu*>(QStringLiteral("contextMenu"), Qt::FindDirectChildrenOnly);
            QVERIFY(menu);
            const QRect row = table->visualRect(table->currentIndex());
            QCOMPARE(menu->pos().y(), table->viewport()->mapToGlobal(row.bottomLeft()).y());
            menu->setObjectName({});
            menu->close();
        }
        askMenu(table, std::nullopt, "deleteRule");
        QCOMPARE(count(), before - 1);
        QVERIFY(f.document.experiment()->rules.rules.list.front().name.name != first);
        f.document.waitForAnalysis();
        // A name that no rule has is given one.
        const int unruled = view.model()->ruleCount();
        QTRY_VERIFY(view.model()->rowCount() > unruled);
        const QString name = view.model()->nameAt(unruled);
        QCOMPARE(askMenu(table->viewport(), at(unruled), "addRule"), QStringList{ QStringLiteral("addRule") });
        QVERIFY(view.entry()->isVisible());
        QCOMPARE(view.entry()->names()->currentText(), name);
        view.entry()->close();
        QSignalSpy traced(&view, &RulesView::traceRequested);
        askMenu(table->viewport(), at(0), "trace");
        QCOMPARE(traced.size(), 1);
        // Below the rows there is nothing to act on.
        QVERIFY(askMenu(table->viewport(), QPoint(10, table->viewport()->height() - 2)).isEmpty());
    }

    void aRuleIsRemovedAtTheEndOfItsRow()
    {
        Fixture f;
        RulesView view(&f.document, &f.selection);
        view.resize(360, 260);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        RulesTable* table = view.table();
        QWidget* viewport = table->viewport();
        const std::size_t before = f.document.experiment()->rules.rules.list.size();
        const QRect place = table->removeRect(1);
        QVERIFY(viewport->rect().contains(place));
        const QImage calm = viewport->grab(place).toImage();
        QCOMPARE(table->hoveredRow(), -1);
        QTest::mouseMove(viewport, place.center() - QPoint(60, 0));
        QTRY_COMPARE(table->hoveredRow(), 1);
        QVERIFY(viewport->grab(place).toImage() != calm); // the picture of it
        // Said in the tip, and not done by a press that ends elsewhere.
        QTest::mousePress(viewport, Qt::LeftButton, Qt::NoModifier, place.center());
        QTest::mouseRelease(viewport, Qt::LeftButton, Qt::NoModifier, place.center() - QPoint(60, 0));
        QCOMPARE(f.document.experiment()->rules.rules.list.size(), before);
        QTest::mouseClick(viewport, Qt::LeftButton, Qt::NoModifier, place.center());
        QCOMPARE(f.document.experiment()->rules.rules.list.size(), before - 1);
        f.document.undoStack()->undo();
        QCOMPARE(f.document.experiment()->rules.rules.list.size(), before);
        for (const int column : { RulesModel::Number, RulesModel::Name })
            QVERIFY(view.model()->index(0, column).data(Qt::ToolTipRole).toString().contains(QStringLiteral("Delete")));
        QVERIFY(table->removeRect(view.model()->ruleCount()).isEmpty());
    }

    void axes()
    {
        Fixture f;
        MeshView view(&f.document, &f.selection);
        view.resize(360, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        const auto names = [&] {
            QStringList all;
            for (const MeshAxis& axis : f.document.experiment()->mesh.axes)
                all << QString::fromStdString(axis.name);
            return all;
        };
        const QStringList before = names();
        const auto chip = [&](std::size_t axis) { return view.row(axis)->chip(); };
        const auto ask = [&](std::size_t axis, const char* entry) {
            return askMenu(view.row(axis), chip(axis)->geometry().center(), entry);
        };
        QVERIFY(ask(0, nullptr).contains(QStringLiteral("moveUp -")));
        ask(0, "selectAxis");
        QCOMPARE(f.selection.meshAxis(), before.front());
        ask(0, "selectAxis");
        QCOMPARE(f.selection.meshAxis(), QString());
        ask(0, "moveDown");
        QCOMPARE(names().back(), before.front());
        f.document.undoStack()->undo();
        ask(1, "renameAxis");
        QTRY_VERIFY(view.findChild<QLineEdit*>(QString(), Qt::FindChildrenRecursively));
        auto* editor = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        QTRY_VERIFY((editor = qobject_cast<QLineEdit*>(QApplication::focusWidget())) != nullptr);
        QTest::keyClicks(editor, QStringLiteral("tensor"));
        QTest::keyClick(editor, Qt::Key_Return);
        QCOMPARE(names().at(1), QStringLiteral("tensor"));
        // By key: the chip that has the focus.
        askMenu(view.row(1), std::nullopt, "deleteAxis");
        QCOMPARE(names(), before.mid(0, 1));
    }

    void tensors()
    {
        Fixture f;
        TensorsView view(&f.document, &f.selection);
        view.resize(360, 400);
        view.show();
        const QString path = QStringLiteral("params/layers.0/W1");
        const QModelIndex row = view.model()->find(path);
        const QPoint at = view.tree()->visualRect(row).center();
        QSignalSpy led(&view, &TensorsView::dockRequested);
        for (const char* id : { "explain", "grid", "program", "trace", "whatif" }) {
            askMenu(view.tree()->viewport(), at, id);
            QCOMPARE(led.takeLast().first().toString(), QLatin1String(id));
            QCOMPARE(f.selection.tensor(), path);
        }
        askMenu(view.tree()->viewport(), at, "copyPath");
        QCOMPARE(QGuiApplication::clipboard()->text(), path);
        askMenu(view.tree()->viewport(), at, "copySpec");
        QVERIFY2(QGuiApplication::clipboard()->text().contains(QStringLiteral("model")),
            qPrintable(QGuiApplication::clipboard()->text()));
        // A group has nothing but its rows.
        const QModelIndex group = view.model()->index(0, 0);
        QVERIFY(view.tree()->isExpanded(group));
        QCOMPARE(askMenu(view.tree()->viewport(), view.tree()->visualRect(group).center(), "fold"),
            QStringList{ QStringLiteral("fold") });
        QVERIFY(!view.tree()->isExpanded(group));
    }

    void shards()
    {
        Fixture f;
        f.selection.setTensor(QStringLiteral("params/layers.0/W1"));
        ShardGridView view(&f.document, &f.selection);
        view.resize(600, 500);
        view.show();
        GridCanvas* canvas = view.canvas();
        const QPoint at = canvas->tableCellRect(0, 1).center();
        QVERIFY(canvas->grid().cellAt(at));
        askMenu(canvas, at, "selectDevices");
        QVERIFY(!f.selection.devices().empty());
        QCOMPARE(canvas->currentCell(), canvas->grid().cellAt(at));
        askMenu(canvas, at, "copyCell");
        QVERIFY(QGuiApplication::clipboard()->text().contains(canvas->tableText(0, 1)));
        askMenu(canvas, QPoint(1, 1), "copyGrid");
        const QStringList lines = QGuiApplication::clipboard()->text().split(QLatin1Char('\n'));
        QVERIFY(lines.size() > 2 && lines.first().startsWith(QChar(0x250c))); // the corner of a box
        QVERIFY(lines.join(QString()).contains(QStringLiteral("CPU 1,5")));
        QSignalSpy led(&view, &ShardGridView::dockRequested);
        askMenu(canvas, std::nullopt, "explain");
        QCOMPARE(led.size(), 1);
        // Beside the grid only what is about all of it.
        QVERIFY(!askMenu(canvas, QPoint(1, 1)).contains(QStringLiteral("selectDevices")));
    }

    void nodes()
    {
        Fixture f;
        ProgramView view(&f.document, &f.selection);
        view.resize(900, 600);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        GraphCanvas* canvas = view.canvas();
        QVERIFY(canvas->layoutOfGraph());
        // A part that can be folded, and an operation.
        GraphPlace part, operation;
        for (const GraphPlace place : canvas->layoutOfGraph()->places()) {
            const GraphItem& item = canvas->layoutOfGraph()->item(place);
            if (item.part < 0)
                continue;
            (canvas->layoutOfGraph()->outline().isContainer(item.part) ? part : operation) = place;
        }
        QVERIFY(part.valid() && operation.valid());
        const int number = canvas->layoutOfGraph()->item(part).part;
        const bool open = canvas->layoutOfGraph()->isOpen(number);
        canvas->setCurrent(part);
        askMenu(canvas, std::nullopt, "fold");
        QCOMPARE(canvas->layoutOfGraph()->isOpen(number), !open);
        canvas->unfold();
        QSignalSpy led(&view, &ProgramView::dockRequested);
        for (const GraphPlace place : canvas->layoutOfGraph()->places()) {
            const GraphItem& item = canvas->layoutOfGraph()->item(place);
            if (item.part < 0 || canvas->layoutOfGraph()->outline().isContainer(item.part))
                continue;
            canvas->setCurrent(place);
            canvas->fitCurrent();
            askMenu(canvas, canvas->toWidget(canvas->layoutOfGraph()->rect(place)).center().toPoint(), "explain");
            QCOMPARE(led.size(), 1);
            QCOMPARE(canvas->current(), place);
            askMenu(canvas, canvas->toWidget(canvas->layoutOfGraph()->rect(place)).center().toPoint(), "copyNode");
            QCOMPARE(QGuiApplication::clipboard()->text(), canvas->tipOf(place));
            break;
        }
        QCOMPARE(led.size(), 1);
    }

    /// A row says what it differs from where there is something; without A there is no sentence to copy.
    void comparedRows()
    {
        Fixture f;
        RunController run(&f.document);
        CompareView view(&f.document, &f.selection, &run);
        view.resize(1000, 700);
        view.show();
        const auto ask = [&view](const char* entry) {
            return askMenu(view.tree()->viewport(), view.tree()->visualRect(view.model()->index(0, 0)).center(), entry);
        };
        QCOMPARE(ask("copyRow"), QStringList{ QStringLiteral("copyRow") });
        QCOMPARE(QGuiApplication::clipboard()->text().count(QLatin1Char('\t')), 1);
        view.pin();
        QVERIFY(f.document.edit(withAxisSize(*f.document.experiment(), 0, 4, true), QStringLiteral("data")));
        f.document.waitForAnalysis();
        QCoreApplication::processEvents();
        QCOMPARE(ask("copyRow"), (QStringList{ QStringLiteral("copyRow"), QStringLiteral("copySentence") }));
        QCOMPARE(QGuiApplication::clipboard()->text().count(QLatin1Char('\t')), 3);
    }

    /// Rows of any table, and what is painted as one.
    void anyRow()
    {
        QStandardItemModel model(2, 2);
        model.setHorizontalHeaderLabels({ QStringLiteral("name"), QStringLiteral("bytes") });
        for (int row = 0; row < 2; ++row)
            for (int column = 0; column < 2; ++column)
                model.setItem(row, column, new QStandardItem(QStringLiteral("%1%2").arg(row).arg(column)));
        QTableView table;
        makeRowTable(&table, &model, QStringLiteral("table"));
        table.resize(300, 200);
        table.show();
        askMenu(table.viewport(), table.visualRect(model.index(1, 0)).center(), "copyRow");
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("10\t11"));
        QCOMPARE(table.currentIndex().row(), 1);
        askMenu(&table, std::nullopt, "copyTable");
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("name\tbytes\n00\t01\n10\t11\n"));

        Fixture f;
        MemoryView view(&f.document, &f.selection);
        view.resize(500, 300);
        view.show();
        const QRect segment = view.bar()->tableRect(0);
        const QStringList entries = askMenu(view.bar(), segment.center(), "copyRow");
        QCOMPARE(entries, (QStringList{ QStringLiteral("choose"), QStringLiteral("copyRow") }));
        QVERIFY2(
            QGuiApplication::clipboard()->text().startsWith(QStringLiteral("Owner: parameters\nBytes per device: ")),
            qPrintable(QGuiApplication::clipboard()->text()));
        f.selection.setTensor({});
        askMenu(view.bar(), segment.center(), "choose");
        QVERIFY(!f.selection.tensor().isEmpty()); // as a click does
    }

    void problems()
    {
        Fixture f;
        ProblemsView view(&f.document, &f.selection);
        view.resize(900, 200);
        view.show();
        f.document.edit(withDimension(*f.document.experiment(), "batch", 7), QStringLiteral("batch"));
        f.document.waitForAnalysis();
        QTRY_VERIFY(!view.rows().empty());
        ProblemRow* row = view.rows().front();
        QVERIFY(row->showButton());
        QSignalSpy shown(row, &ProblemRow::showRequested);
        const QStringList entries = askMenu(row, row->rect().center(), "show");
        QCOMPARE(shown.size(), 1);
        QCOMPARE(entries.size(), 2 + static_cast<qsizetype>(row->fixButtons().size()));
        askMenu(row, std::nullopt, "copyProblem");
        QVERIFY(QGuiApplication::clipboard()->text().contains(row->cause()));
    }
};

REGISTER_TEST(TestContextMenus)
#include "test_context_menus.moc"
