// SPDX-License-Identifier: GPL-3.0-or-later
// Named arrays: what the rules make of them as they are read and as a mapping, without a window; the models and the
// dock, whose edits are the document's.
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
#include "outer_rules.h"
#include "registered_test.h"
#include "sharding/text.h"
#include "views/named_arrays_view/named_arrays_view.h"
#include "views/named_arrays_view/named_tree_model.h"
#include "views/named_arrays_view/named_words.h"
#include "views/panel/panel.h"
#include "views/panel_fixture.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/theme/appearance.h"
#include "views/widgets/chips_delegate.h"
#include "views/widgets/notice_strip.h"
#include "words/words.h"

using namespace shardscope;

namespace {

MeshPtr namedMesh(const char* text)
{
    return std::make_shared<const Mesh>(*parseMesh(text));
}

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

NamedArraySetting array(const char* path, const char* axes)
{
    ArrayAxes read = *parseArrayAxes(axes);
    NamedArraySetting made;
    made.path = path;
    made.names = std::move(read.names);
    made.shape = std::move(read.shape);
    return made;
}

RulesSetting rulesOf(const char* text, bool mapping)
{
    RulesSetting rules;
    rules.rules = *parseRules(text);
    rules.rules.isSequence = !mapping;
    return rules;
}

/// The notebook: foo 4 x bar 2, a to bar, b to foo.
Experiment notebook(std::vector<NamedArraySetting> arrays = {
                        array("one", "a 4, b 8, c 6"), array("two", "a 8"), array("three", "b 4, d 12") })
{
    Experiment experiment;
    experiment.title = "notebook";
    experiment.hardware.devices = DeviceSet{ "generic-cpu", "cpu", 1, 8 };
    experiment.mesh.axes = { { "foo", 4 }, { "bar", 2 } };
    experiment.rules = rulesOf("[('a', 'bar'), ('b', 'foo')]", true);
    experiment.model = ArraysModel{ std::move(arrays) };
    return experiment;
}

ArrayOutcome outcomeIn(const RulesSetting& rules, const char* axes, const MeshPtr& mesh, bool ignore = false)
{
    NamedTree tree;
    tree.rules = rules;
    tree.ignoreUnnamed = ignore;
    return outcomeOf({ array("w", axes), {} }, tree, mesh);
}

QString specified(const ArrayOutcome& outcome)
{
    return named::specText(outcome.specified);
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

    void axesAsTheyAreWritten_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("read"); ///< or the kind of the error and its column
        QTest::newRow("names") << QByteArray("a 4, b: 8,c=6") << QStringLiteral("a 4, b 8, c 6");
        QTest::newRow("without a name in front") << QByteArray("3, 4, a 2") << QStringLiteral("3, 4, a 2");
        QTest::newRow("without a name behind") << QByteArray("a 4, 3, b 2") << QStringLiteral("a 4, 3, b 2");
        QTest::newRow("scalar") << QByteArray("  ") << QString();
        QTest::newRow("plain") << QByteArray("[3, 4]") << QStringLiteral("[3, 4]");
        QTest::newRow("plain without brackets") << QByteArray("3, 4") << QStringLiteral("[3, 4]");
        QTest::newRow("letters") << QByteArray("größe 4") << QStringLiteral("größe 4");
        QTest::newRow("no size") << QByteArray("a 4, b") << QStringLiteral("syntax 7");
        QTest::newRow("no size behind letters") << QByteArray("größe, b 3") << QStringLiteral("syntax 6");
        QTest::newRow("no name") << QByteArray("a 4, , b 3") << QStringLiteral("syntax 6");
        QTest::newRow("no comma") << QByteArray("a 4 b 3") << QStringLiteral("syntax 5");
        QTest::newRow("negative") << QByteArray("a -4") << QStringLiteral("syntax 3");
        QTest::newRow("none") << QByteArray("a 0") << QStringLiteral("out_of_range 3");
        QTest::newRow("too large") << QByteArray("a 99999999999999999999") << QStringLiteral("out_of_range 3");
        QTest::newRow("twice") << QByteArray("a 4, a 3") << QStringLiteral("duplicate_dimension 6");
        QTest::newRow("too many") << QByteArray("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17")
                                  << QStringLiteral("too_large 40");
    }
    void axesAsTheyAreWritten()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, read);
        const Result<ArrayAxes> axes = parseArrayAxes(text.toStdString());
        QString found;
        if (!axes)
            found = QStringLiteral("%1 %2")
                        .arg(QString::fromLatin1(axes.error().kind().data()))
                        .arg(axes.error().where.column);
        else
            found = QString::fromStdString(axesText(axes->names, axes->shape));
        QCOMPARE(found, read);
        if (!axes)
            return;
        // What was read is written in a way that is read as the same.
        const ArrayAxes again = *parseArrayAxes(axesText(axes->names, axes->shape));
        QVERIFY(again.names == axes->names && again.shape == axes->shape);
    }

    void theNotebook()
    {
        const MeshPtr mesh = namedMesh("foo=4,bar=2");
        const std::vector<ArrayOutcome> outcomes = outcomesOf(namedTree(notebook(), nullptr), mesh);
        QCOMPARE(outcomes.size(), std::size_t{ 3 });
        QCOMPARE(specified(outcomes[0]), QStringLiteral("P(bar, foo, -)"));
        QVERIFY(outcomes[0].specified.layout->shardShape() == Shape({ 2, 2, 6 }));
        QCOMPARE(outcomes[0].specified.layout->distinctShards(), 8);
        QCOMPARE(specified(outcomes[1]), QStringLiteral("P(bar)"));
        QVERIFY(outcomes[1].specified.layout->shardShape() == Shape({ 4 }));
        QCOMPARE(specified(outcomes[2]), QStringLiteral("P(foo, -)"));
        QVERIFY(outcomes[2].specified.layout->shardShape() == Shape({ 1, 12 }));
        QCOMPARE(outcomes[2].specified.bytesPerDevice, 48);
        for (const ArrayOutcome& outcome : outcomes)
            QVERIFY(!outcome.mapping && !outcome.meant && !outcome.specified.problem);
    }

    /// The docstring's rules: in order they leave features whole, as a mapping they contradict each other.
    void besideAnotherDialect()
    {
        const MeshPtr mesh = namedMesh("X=2,Y=2,Z=2");
        RulesSetting rules = rulesOf("[('batch', 'X'), ('features', 'X'), ('heads', 'Y'), ('batch', 'Z')]", false);
        const char* axes = "batch 8, length 128, heads 4, features 64";
        ArrayOutcome outcome = outcomeIn(rules, axes, mesh);
        QCOMPARE(specified(outcome), QStringLiteral("P(X, -, Y, -)"));
        QVERIFY(outcome.mapping && outcome.mapping->problem->code == Code::RuleConflict);
        rules.rules.list.pop_back();
        outcome = outcomeIn(rules, axes, mesh);
        QVERIFY(outcome.mapping->problem->code == Code::AxisUsedTwice);
        QVERIFY(named::outcomeText(array("w", axes), outcome).contains(QStringLiteral("As a mapping: an error")));
        rules.rules.list.erase(rules.rules.list.begin() + 1);
        outcome = outcomeIn(rules, axes, mesh);
        QCOMPARE(named::specText(*outcome.mapping), specified(outcome));
        QVERIFY(named::outcomeText(array("w", axes), outcome).endsWith(QStringLiteral("As a mapping: the same.")));
        // MaxText drops what does not divide, a mapping does not.
        rules.dialect = Dialect::MaxText;
        outcome = outcomeIn(rules, "batch 7", mesh);
        QCOMPARE(specified(outcome), QStringLiteral("P(-)"));
        QVERIFY(!outcome.specified.problem && outcome.mapping->problem->code == Code::Indivisible);
        // The mesh axes written at an array count, whatever rules say.
        NamedTree tree;
        tree.rules = rules;
        const ProgramArray declared{ array("w", "batch 8, b 8"), PartitionSpec{ { SpecEntry::axis("Z") } } };
        QCOMPARE(specified(outcomeOf(declared, tree, mesh)), QStringLiteral("P(Z)"));
        QCOMPARE(named::specText(*outcomeOf(declared, tree, mesh).mapping), QStringLiteral("P(X, -)"));
    }

    void errorsBelongToTheirArray()
    {
        const MeshPtr mesh = namedMesh("foo=4,bar=2");
        const RulesSetting rules = rulesOf("[('a', 'bar'), ('b', 'foo'), ('e', 'bar')]", true);
        QVERIFY(!outcomeIn(rules, "a 4, b 8", mesh).specified.problem);
        const auto code = [&](const char* axes) { return outcomeIn(rules, axes, mesh).specified.problem->code; };
        QVERIFY(code("[4, 8]") == Code::NonNamedLeaf);
        QVERIFY(code("a 5") == Code::Indivisible);
        QVERIFY(code("a 4, e 8") == Code::AxisUsedTwice);
        const auto stated = [&](const char* axes) {
            return named::outcomeText(array("w", axes), outcomeIn(rules, axes, mesh));
        };
        QCOMPARE(stated("a 5"),
            QStringLiteral(
                "a has 5 elements, which cannot be split into 2 equal shards. Use 6, or map a to other mesh axes; "
                "drawn padded here."));
        QVERIFY2(stated("[4, 8]").contains(QStringLiteral("let arrays without names be ignored")),
            qPrintable(stated("[4]")));
        QVERIFY2(stated("a 4, e 8").contains(QStringLiteral("bar")), qPrintable(stated("a 4, e 8")));
        const ArrayOutcome ignored = outcomeIn(rules, "[4, 8]", mesh, true);
        QVERIFY(!ignored.specified.problem && ignored.ignored && !ignored.specified.layout);
        QVERIFY(outcomeIn(rules, "a 4", namedMesh("x=8")).specified.problem->code == Code::UnknownAxis);
    }

    /// Penzai's specs leave the dimensions without a name in front out; where they are meant is said beside.
    void positionalDimensions()
    {
        const MeshPtr mesh = namedMesh("foo=4,bar=2");
        const RulesSetting rules = rulesOf("[('a', 'bar'), ('b', 'foo')]", true);
        const ArrayOutcome outcome = outcomeIn(rules, "4, a 4, b 8", mesh);
        QCOMPARE(specified(outcome), QStringLiteral("P(bar, foo, -)"));
        QVERIFY(outcome.specified.layout->shardShape() == Shape({ 2, 1, 8 }));
        QCOMPARE(QString::fromStdString(toColumn(*outcome.meant)), QStringLiteral("P(-, bar, foo)"));
        QVERIFY(named::outcomeText(array("w", "4, a 4, b 8"), outcome)
                    .endsWith(QStringLiteral("meant is P(-, bar, foo).")));
        // A view, whose names stand where they like, has none of that.
        QVERIFY(!outcomeIn(rules, "a 4, 4, b 8", mesh).meant);
        QCOMPARE(specified(outcomeIn(rules, "a 4, 4, b 8", mesh)), QStringLiteral("P(bar, -, foo)"));
    }

    void theTreeAsAModel()
    {
        test::Fixture fixture(notebook({ array("block/w", "a 4, c 6"), array("block/b", "c 6"), array("x", "[3]") }));
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
        test::Fixture fixture(notebook());
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
        test::Fixture fixture(notebook());
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
        test::Fixture fixture(notebook());
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
