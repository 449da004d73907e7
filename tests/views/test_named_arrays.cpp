// SPDX-License-Identifier: GPL-3.0-or-later
// Named arrays: the models and the dock, whose edits are the document's.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include "base/codes.h"
#include "experiment/edits.h"
#include "experiment_file/experiment_file.h"
#include "named_notebook.h"
#include "outer_rules.h"
#include "registered_test.h"
#include "sharding/text.h"
#include "views/named_arrays_view/named_arrays_view.h"
#include "views/named_arrays_view/named_tree_model.h"
#include "views/panel/panel.h"
#include "views/panel_fixture.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/theme/appearance.h"
#include "views/widgets/chips_delegate.h"
#include "views/widgets/notice_strip.h"
#include "words/named_words.h"
#include "words/words.h"

using namespace shardscope;

namespace {

/// A model as indented lines, cells divided by " | ".
QStringList indentedRows(const QAbstractItemModel& model, const QModelIndex& parent = {}, int depth = 0)
{
    QStringList lines;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        QStringList cells;
        for (int column = 0; column < model.columnCount(parent); ++column)
            cells << model.index(row, column, parent).data().toString();
        lines << QString(2 * depth, QLatin1Char(' ')) + cells.join(QStringLiteral(" | "));
        lines << indentedRows(model, model.index(row, 0, parent), depth + 1);
    }
    return lines;
}

const std::vector<NamedArraySetting>& listOf(const Document& document)
{
    return std::get<ArraysModel>(document.experiment()->model).arrays;
}

QString axesOf(const NamedArraySetting& each)
{
    return QString::fromStdString(axesText(each.names, each.shape));
}

QString mappingIn(const Document& document)
{
    return QString::fromStdString(toPython(document.experiment()->rules.rules));
}

} // namespace

class TestNamedArrays : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void theTreeAsAModel()
    {
        test::Fixture fixture(
            penzaiNotebook({ array("block/w", "a 4, c 6"), array("block/b", "c 6"), array("x", "[3]") }));
        Document& document = fixture.document;
        NamedArrays arrays(&document);
        NamedTreeModel model(&arrays);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QStringList lines{ QStringLiteral("block |  |  |  |  | "),
            QStringLiteral("  w | a 4, c 6 | P(bar, -) |  | [2, 6] | 48 B"),
            QStringLiteral("    a | 4 | bar |  | 2 | "), QStringLiteral("    c | 6 | not sharded |  | 6 | "),
            QStringLiteral("  b | c 6 | P(-) |  | [6] | 24 B"), QStringLiteral("    c | 6 | not sharded |  | 6 | "),
            QStringLiteral("x | [3] | “x” is no named array |  |  | "),
            QStringLiteral("  dimension 0 | 3 | not sharded |  |  | ") };
        QCOMPARE(indentedRows(model), lines);
        const QModelIndex block = model.index(0, 0), w = model.index(0, 0, block);
        QVERIFY(!(model.flags(block) & Qt::ItemIsEditable));
        QVERIFY(model.flags(w) & Qt::ItemIsEditable);
        QCOMPARE(w.data(Qt::EditRole).toString(), QStringLiteral("block/w"));

        // A size, a name, a name's mesh axes, the axes of an array, its path: each one step.
        QVERIFY(model.setData(model.index(0, NamedTreeModel::Axes, w), QStringLiteral("10")));
        QCOMPARE(axesOf(listOf(document)[0]), QStringLiteral("a 10, c 6"));
        QVERIFY(model.setData(model.index(1, NamedTreeModel::Spec, w), QStringLiteral("foo")));
        QCOMPARE(mappingIn(document), QStringLiteral("{'a': 'bar', 'b': 'foo', 'c': 'foo'}"));
        QCOMPARE(model.index(1, NamedTreeModel::Spec, w).data(ChipsDelegate::AxesRole).toStringList(),
            QStringList{ QStringLiteral("foo") });
        QVERIFY(model.setData(model.index(0, NamedTreeModel::Name, w), QStringLiteral("b")));
        QCOMPARE(axesOf(listOf(document)[0]), QStringLiteral("b 10, c 6"));
        QVERIFY(!model.setData(model.index(0, NamedTreeModel::Name, w), QStringLiteral("b"))); // as it was
        QVERIFY(model.setData(w.siblingAtColumn(NamedTreeModel::Axes), QStringLiteral("a 8")));
        QCOMPARE(model.rowCount(model.indexOfArray(0)), 1);
        QVERIFY(model.setData(model.indexOfArray(0), QStringLiteral("moved/here/w")));
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("moved"));
        QCOMPARE(model.indexOfArray(0).parent().data().toString(), QStringLiteral("here"));
        QVERIFY(model.setData(model.index(0, NamedTreeModel::Name, model.indexOfArray(2)), QStringLiteral("e")));
        QCOMPARE(axesOf(listOf(document)[2]), QStringLiteral("e 3"));
        QCOMPARE(document.undoStack()->count(), 6);
        while (document.undoStack()->canUndo())
            document.undoStack()->undo();
        QCOMPARE(indentedRows(model), lines);

        // What cannot be is refused with the reason, and nothing changes.
        QSignalSpy refused(&arrays, &NamedArrays::refused);
        QVERIFY(!model.setData(model.indexOfArray(2).siblingAtColumn(NamedTreeModel::Axes), QStringLiteral("a :")));
        QVERIFY(!model.setData(model.indexOfArray(2), QStringLiteral("block/w")));
        QVERIFY(!model.setData(model.indexOfArray(2), QString()));
        QVERIFY(!model.setData(model.index(0, NamedTreeModel::Axes, model.indexOfArray(0)), QStringLiteral("many")));
        QVERIFY(!model.setData(model.index(0, NamedTreeModel::Name, model.indexOfArray(0)), QStringLiteral("c")));
        QCOMPARE(refused.count(), 5);
        QCOMPARE(indentedRows(model), lines);
    }

    void theMappingAsAModel()
    {
        test::Fixture fixture(penzaiNotebook());
        Document& document = fixture.document;
        NamedArrays arrays(&document);
        MappingModel model(&arrays);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(indentedRows(model),
            (QStringList{ QStringLiteral("a | bar | 2 arrays"), QStringLiteral("b | foo | 2 arrays"),
                QStringLiteral("c | not sharded | 1 array"), QStringLiteral("d | not sharded | 1 array") }));
        QVERIFY(model.setData(model.index(2, MappingModel::Axes), QStringLiteral("('foo', bar)")));
        QCOMPARE(mappingIn(document), QStringLiteral("{'a': 'bar', 'b': 'foo', 'c': ('foo', 'bar')}"));
        QVERIFY(model.setData(model.index(0, MappingModel::Axes), QStringLiteral("nowhere")));
        QCOMPARE(model.index(0, MappingModel::Axes).data(ChipsDelegate::AxisIndicesRole).toList(), QVariantList{ -1 });
        QVERIFY(
            model.index(0, MappingModel::Axes).data(Qt::ToolTipRole).toString().contains(QStringLiteral("nowhere")));
        QVERIFY(model.setData(model.index(0, MappingModel::Axes), QStringLiteral("None")));
        QCOMPARE(mappingIn(document), QStringLiteral("{'b': 'foo', 'c': ('foo', 'bar')}"));
        QCOMPARE(document.undoStack()->count(), 3);
        // Rules of one name that differ.
        document.undoStack()->setIndex(0);
        document.edit(withRuleInserted(*document.experiment(), 2, { LogicalName::of("a"), SpecEntry::axis("foo") }),
            QStringLiteral("rule"));
        QCOMPARE(model.index(0, MappingModel::Axes).data().toString(), QStringLiteral("2 rules that differ"));
        QVERIFY(
            model.index(0, MappingModel::Axes).data(Qt::ToolTipRole).toString().contains(QStringLiteral("1 and 3")));
        QCOMPARE(arrays.problemCount(), 2);
        QVERIFY(model.setData(model.index(0, MappingModel::Axes), QStringLiteral("foo")));
        QCOMPARE(mappingIn(document), QStringLiteral("{'a': 'foo', 'b': 'foo'}"));
    }

    void theDock()
    {
        test::Fixture fixture(penzaiNotebook());
        Document& document = fixture.document;
        const Experiment before = *document.experiment();
        Appearance appearance(ThemeChoice::Light);
        NamedArraysView view(&document, &fixture.selection);
        QAbstractItemModelTester tester(
            view.findChild<NamedTreeModel*>(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy figures(&view, &NamedArraysView::keyFigureChanged);
        view.resize(1000, 600);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QCOMPARE(view.keyFigure(), QStringLiteral("3 arrays"));
        QCOMPARE(view.currentArray(), 0);
        QCOMPARE(view.canvas()->subject()->names, (std::vector<std::string>{ "a", "b", "c" }));
        QVERIFY(view.canvas()->subject()->layout.shardShape() == Shape({ 2, 2, 6 }));
        QVERIFY(view.sourceNotice()->text().isEmpty() && view.dialectNotice()->text().isEmpty());
        QVERIFY(view.tree()->isColumnHidden(NamedTreeModel::Mapping));

        // By keyboard: to the second array's axes, and edit them.
        view.tree()->setCurrentIndex(
            view.findChild<NamedTreeModel*>()->indexOfArray(1).siblingAtColumn(NamedTreeModel::Axes));
        QCOMPARE(view.currentArray(), 1);
        QCOMPARE(fixture.selection.tensor(), QStringLiteral("two")); // the other docks follow
        view.tree()->setFocus();
        QTest::keyClick(view.tree(), Qt::Key_F2);
        QWidget* editor = QApplication::focusWidget();
        QVERIFY(qobject_cast<QLineEdit*>(editor));
        QTest::keyClicks(editor, QStringLiteral("a 9"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(view.keyFigure(), QStringLiteral("3 arrays, 1 with a problem")); // a delegate takes its time
        QCOMPARE(axesOf(listOf(document)[1]), QStringLiteral("a 9"));
        QVERIFY2(view.problemText().startsWith(QStringLiteral("a has 9 elements")), qPrintable(view.problemText()));
        QVERIFY(view.canvas()->subject()->layout.isUneven());
        QVERIFY(!view.grab().isNull());

        QTest::keyClick(view.tree(), Qt::Key_Insert);
        QCOMPARE(view.currentArray(), 3);
        QCOMPARE(view.findChild<NamedTreeModel*>()->rowCount(view.tree()->currentIndex()), 2);
        view.findChild<QToolButton*>(QStringLiteral("addAxis"))->click();
        QCOMPARE(axesOf(listOf(document)[3]), QStringLiteral("a 8, b 8, c 8"));
        QCOMPARE(view.currentArray(), 3);
        view.tree()->setCurrentIndex(
            view.findChild<NamedTreeModel*>()->index(1, 0, view.findChild<NamedTreeModel*>()->indexOfArray(3)));
        QTest::keyClick(view.tree(), Qt::Key_Delete);
        QCOMPARE(axesOf(listOf(document)[3]), QStringLiteral("a 8, c 8"));
        view.tree()->setCurrentIndex(view.findChild<NamedTreeModel*>()->indexOfArray(3));
        QTest::keyClick(view.tree(), Qt::Key_Delete);
        QCOMPARE(listOf(document).size(), std::size_t{ 3 });

        // Saved and read again it is the same; undone, it is what it was, byte for byte.
        const auto again = readExperiment(writeExperiment(*document.experiment()));
        QVERIFY(again && again->experiment == *document.experiment());
        QCOMPARE(document.undoStack()->count(), 5);
        document.undoStack()->setIndex(0);
        QVERIFY(*document.experiment() == before);
        QCOMPARE(QString::fromStdString(writeExperiment(*document.experiment())),
            QString::fromStdString(writeExperiment(before)));
        QCOMPARE(view.keyFigure(), QStringLiteral("3 arrays"));

        // The selection of another dock is followed.
        fixture.selection.setTensor(QStringLiteral("three"));
        QCOMPARE(view.currentArray(), 2);
        // A name whose mesh axis is gone is an error of the arrays that have it.
        document.edit(withRuleReplaced(*document.experiment(), 0, { LogicalName::of("a"), SpecEntry::axis("other") }),
            QStringLiteral("rule"));
        QCOMPARE(view.keyFigure(), QStringLiteral("3 arrays, 2 with a problem"));
        document.undoStack()->undo();

        // With an editor open it can be closed like any other time.
        {
            NamedArraysView other(&document, &fixture.selection);
            other.show();
            QVERIFY(QTest::qWaitForWindowActive(&other));
            other.tree()->setFocus();
            QTest::keyClick(other.tree(), Qt::Key_F2);
            QVERIFY(qobject_cast<QLineEdit*>(QApplication::focusWidget()));
            QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("half"));
        }
        view.tree()->setFocus();
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(view.tree(), Qt::Key_Delete);
        QCOMPARE(listOf(document).size(), std::size_t{ 0 });
        QCOMPARE(view.currentArray(), -1);
        QVERIFY(!view.grab().isNull());
        view.resize(320, 300);
        QVERIFY(!view.grab().isNull());
        QVERIFY(figures.count() > 0);
    }

    /// A network: its arrays are seen and mapped; as a list they can be edited.
    void aNetwork()
    {
        test::Fixture fixture;
        Document& document = fixture.document;
        const Experiment before = *document.experiment();
        Appearance appearance(ThemeChoice::Light);
        NamedArraysView view(&document, &fixture.selection);
        view.resize(1100, 600);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QCOMPARE(view.keyFigure(), QStringLiteral("9 arrays"));
        QVERIFY(!view.sourceNotice()->text().isEmpty());
        QVERIFY(view.dialectNotice()->text().contains(QStringLiteral("Flax")));
        QVERIFY(!view.tree()->isColumnHidden(NamedTreeModel::Mapping));
        QVERIFY(!view.findChild<QToolButton*>(QStringLiteral("addArray"))->isEnabled());
        const QModelIndex w1 = view.findChild<NamedTreeModel*>()->indexOfArray(0);
        QCOMPARE(w1.siblingAtColumn(NamedTreeModel::Spec).data().toString(), QStringLiteral("P(-, model)"));
        QCOMPARE(w1.siblingAtColumn(NamedTreeModel::Mapping).data().toString(), QStringLiteral("P(-, model)"));
        QVERIFY(!(view.findChild<NamedTreeModel*>()->flags(w1) & Qt::ItemIsEditable));
        // The size of a dimension is one of the network's.
        QVERIFY(view.findChild<NamedTreeModel*>()->setData(
            view.findChild<NamedTreeModel*>()->index(0, NamedTreeModel::Axes, w1), QStringLiteral("512")));
        document.waitForAnalysis();
        QCOMPARE(axesOf(view.arrays()->array(8)), QStringLiteral("batch 8, embed 512"));
        QVERIFY(view.findChild<MappingModel*>()->setData(
            view.findChild<MappingModel*>()->index(view.findChild<MappingModel*>()->rowOf("embed"), MappingModel::Axes),
            QStringLiteral("data")));
        QCOMPARE(w1.siblingAtColumn(NamedTreeModel::Spec).data().toString(), QStringLiteral("P(data, model)"));
        document.undoStack()->setIndex(0);
        document.waitForAnalysis();

        // As a mapping, then as a list: both one step, and back.
        view.dialectNotice()->button()->click();
        QVERIFY(view.arrays()->tree().isMapping());
        QVERIFY(view.dialectNotice()->text().isEmpty());
        view.sourceNotice()->button()->click();
        QCOMPARE(listOf(document).size(), std::size_t{ 9 });
        QVERIFY(view.sourceNotice()->text().isEmpty());
        QVERIFY(view.findChild<QToolButton*>(QStringLiteral("addArray"))->isEnabled());
        document.waitForAnalysis();
        QCOMPARE(document.snapshot()->tensors.size(), std::size_t{ 9 });
        QCOMPARE(document.undoStack()->count(), 2);
        document.undoStack()->setIndex(0);
        QVERIFY(*document.experiment() == before);
        document.waitForAnalysis();
        QCOMPARE(view.keyFigure(), QStringLiteral("9 arrays"));
    }

    /// Arrays have the logical names that rules are asked for, also where the network calls the dimension otherwise;
    /// its sizes go by what the network calls it.
    void namesOfANetworkAsRulesHaveThem()
    {
        Experiment experiment = test::example("transformer-t5x");
        std::get<TransformerModel>(experiment.model).settings.model.axisNames = AxisNames::MaxText;
        experiment.rules.rules = LogicalRules{};
        experiment.rules.rules.list = { { LogicalName::of("embed"), SpecEntry::axis("data") },
            { LogicalName::of("vocab"), SpecEntry::axis("model") } };
        test::Fixture fixture(experiment);
        Document& document = fixture.document;
        document.waitForAnalysis();
        NamedArrays arrays(&document);
        const int embedding = arrays.indexOf("params/token_embedder/embedding");
        QVERIFY(embedding >= 0);
        QCOMPARE(axesOf(arrays.array(embedding)), QStringLiteral("vocab 256, embed_vocab 64"));
        QCOMPARE(toColumn(arrays.outcomes()[static_cast<std::size_t>(embedding)].specified.spec),
            toColumn(document.snapshot()->row("params/token_embedder/embedding")->spec));
        QVERIFY(arrays.setAxisSize(embedding, 1, QStringLiteral("128")));
        document.waitForAnalysis();
        QCOMPARE(axesOf(arrays.array(embedding)), QStringLiteral("vocab 256, embed_vocab 128"));
        QVERIFY(arrays.makeList());
        QCOMPARE(axesOf(listOf(document)[static_cast<std::size_t>(embedding)]),
            QStringLiteral("vocab 256, embed_vocab 128"));
    }

    /// A program in a text has no names: the dock says so, and makes a list on demand.
    void aProgram()
    {
        ProgramModel program;
        program.text = std::make_shared<const std::string>(
            "func.func public @main(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>) -> tensor<8x4xf32> {\n"
            "  return %arg0 : tensor<8x4xf32>\n}\n");
        test::Fixture fixture(*experimentOf(program, "program"));
        Appearance appearance(ThemeChoice::Light);
        NamedArraysView view(&fixture.document, &fixture.selection);
        view.resize(900, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QVERIFY(view.emptyPage()->isVisible() && !view.tree()->isVisible());
        QVERIFY(view.keyFigure().isEmpty());
        auto* button = view.emptyPage()->findChild<QPushButton*>();
        QVERIFY(button && button->isVisible());
        button->click();
        QVERIFY(!view.emptyPage()->isVisible() && view.tree()->isVisible());
        QCOMPARE(view.keyFigure(), QStringLiteral("2 arrays"));
        QCOMPARE(axesOf(listOf(fixture.document)[0]), QStringLiteral("[8, 4]"));
        fixture.document.undoStack()->undo();
        QVERIFY(view.emptyPage()->isVisible());
    }

    /// Hidden, it works nothing out; shown again, it is up to date.
    void whileHidden()
    {
        test::Fixture fixture(penzaiNotebook());
        Appearance appearance(ThemeChoice::Light);
        NamedArraysView view(&fixture.document, &fixture.selection);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.hide();
        QSignalSpy changed(view.arrays(), &NamedArrays::changed);
        fixture.document.edit(withArrayRemoved(*fixture.document.experiment(), 0), QStringLiteral("remove"));
        QCOMPARE(changed.count(), 0);
        QCOMPARE(view.arrays()->outcomes().size(), std::size_t{ 3 });
        view.show();
        QCOMPARE(view.arrays()->outcomes().size(), std::size_t{ 2 });
        QCOMPARE(view.keyFigure(), QStringLiteral("2 arrays"));
    }
};

REGISTER_TEST(TestNamedArrays)
#include "test_named_arrays.moc"
