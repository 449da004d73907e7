// SPDX-License-Identifier: GPL-3.0-or-later
// Named arrays: what is written and what becomes of it, without a window; the models; the dock.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QCheckBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include "base/codes.h"
#include "experiment/edits.h"
#include "sharding/text.h"
#include "views/named_arrays_view/chips_delegate.h"
#include "views/named_arrays_view/mapping_model.h"
#include "views/named_arrays_view/named_arrays_view.h"
#include "views/named_arrays_view/named_tree_model.h"
#include "views/named_arrays_view/named_words.h"
#include "views/panel_fixture.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/theme/appearance.h"
#include "words/words.h"

using namespace shardscope;

namespace {

MeshPtr meshOf(const char* text)
{
    return std::make_shared<const Mesh>(*parseMesh(text));
}

/// A model as indented lines, cells divided by " | ".
QStringList dump(const QAbstractItemModel& model, const QModelIndex& parent = {}, int depth = 0)
{
    QStringList lines;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        QStringList cells;
        for (int column = 0; column < model.columnCount(parent); ++column)
            cells << model.index(row, column, parent).data().toString();
        lines << QString(2 * depth, QLatin1Char(' ')) + cells.join(QStringLiteral(" | "));
        lines << dump(model, model.index(row, 0, parent), depth + 1);
    }
    return lines;
}

QString outcomeOf(const NamedTree& tree, const MeshPtr& mesh, std::size_t array = 0)
{
    return named::outcomeText(resolve(tree, mesh)[array]);
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
        QTest::newRow("positional") << QByteArray("3, 4, a 2") << QStringLiteral("3, 4, a 2");
        QTest::newRow("scalar") << QByteArray("  ") << QString();
        QTest::newRow("plain") << QByteArray("[3, 4]") << QStringLiteral("[3, 4]");
        QTest::newRow("letters") << QByteArray("größe 4") << QStringLiteral("größe 4");
        QTest::newRow("no size") << QByteArray("a 4, b") << QStringLiteral("syntax 7");
        QTest::newRow("no size behind letters") << QByteArray("größe, b 3") << QStringLiteral("syntax 6");
        QTest::newRow("no name") << QByteArray("a 4, , b 3") << QStringLiteral("syntax 6");
        QTest::newRow("no comma") << QByteArray("a 4 b 3") << QStringLiteral("syntax 5");
        QTest::newRow("position behind a name") << QByteArray("a 4, 3") << QStringLiteral("syntax 6");
        QTest::newRow("negative") << QByteArray("a -4") << QStringLiteral("syntax 3");
        QTest::newRow("too large") << QByteArray("a 99999999999999999999") << QStringLiteral("out_of_range 3");
        QTest::newRow("twice") << QByteArray("a 4, a 3") << QStringLiteral("duplicate_dimension 6");
        QTest::newRow("too many") << QByteArray("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17")
                                  << QStringLiteral("too_large 40");
    }
    void axesAsTheyAreWritten()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, read);
        const auto array = parseArrayAxes(text.toStdString());
        QString found;
        if (!array)
            found = QStringLiteral("%1 %2")
                        .arg(QString::fromLatin1(array.error().kind().data()))
                        .arg(array.error().where.column);
        else if (const auto* names = std::get_if<NamedArray>(&*array))
            found = QString::fromStdString(axesText(*names));
        else
            found = words::shape(std::get<PlainArray>(*array).shape);
        QCOMPARE(found, read);
        // What was read is written in a way that is read as the same.
        if (array)
            if (const auto* names = std::get_if<NamedArray>(&*array))
                QCOMPARE(axesText(std::get<NamedArray>(*parseArrayAxes(axesText(*names)))), axesText(*names));
    }

    /// The notebook: foo 4 x bar 2, a to bar, b to foo.
    void theNotebook()
    {
        const MeshPtr mesh = meshOf("foo=4,bar=2");
        const NamedTree tree = notebookTree(*mesh);
        const std::vector<ArrayOutcome> outcomes = resolve(tree, mesh);
        QCOMPARE(outcomes.size(), std::size_t{ 3 });
        QCOMPARE(QString::fromStdString(toJax(outcomes[0].spec)), QStringLiteral("P('bar', 'foo', None)"));
        QVERIFY(outcomes[0].layout->shardShape() == Shape({ 2, 2, 6 }));
        QCOMPARE(outcomes[0].layout->distinctShards(), 8);
        QCOMPARE(QString::fromStdString(toJax(outcomes[1].spec)), QStringLiteral("P('bar')"));
        QVERIFY(outcomes[1].layout->shardShape() == Shape({ 4 }));
        QCOMPARE(QString::fromStdString(toJax(outcomes[2].spec)), QStringLiteral("P('foo', None)"));
        QVERIFY(outcomes[2].layout->shardShape() == Shape({ 1, 12 }));
        QCOMPARE(outcomes[2].bytesPerDevice, 48);
        // A mesh whose axes have the arrays' own names needs no mapping.
        NamedTree same = tree;
        same.mapping.clear();
        same.sameNames = true;
        const std::vector<ArrayOutcome> matching = resolve(same, meshOf("b=4,a=2"));
        QCOMPARE(QString::fromStdString(toJax(matching[0].spec)), QStringLiteral("P('a', 'b', None)"));
        // On any mesh the example begins without an error.
        for (const char* other : { "data=2,model=4", "x=8", "a=1", "x=2,y=2,z=2" })
            for (const ArrayOutcome& outcome : resolve(notebookTree(*meshOf(other)), meshOf(other)))
                QVERIFY(!outcome.problem || outcome.problem->code == Code::Indivisible);
    }

    void errorsBelongToTheirArray()
    {
        const MeshPtr mesh = meshOf("foo=4,bar=2");
        NamedTree tree = notebookTree(*mesh);
        tree.arrays = { { "good", "a 4, b 8" }, { "plain", "[4, 8]" }, { "odd", "a 5" }, { "both", "a 4, e 8" },
            { "bad", "a x" } };
        tree.mapping.push_back({ "e", { "bar" } });
        std::vector<ArrayOutcome> outcomes = resolve(tree, mesh);
        QVERIFY(!outcomes[0].problem);
        QVERIFY(outcomes[1].problem->code == Code::NonNamedLeaf);
        QVERIFY(outcomes[2].problem->code == Code::Indivisible && outcomes[2].layout);
        QVERIFY(outcomes[3].problem->code == Code::AxisUsedTwice);
        QVERIFY(outcomes[4].problem->code == Code::Syntax);
        for (std::size_t i = 1; i < outcomes.size(); ++i) {
            QCOMPARE(outcomes[i].problem->where.path, tree.arrays[i].path);
            QVERIFY(!named::outcomeText(outcomes[i]).isEmpty());
        }
        QCOMPARE(outcomeOf(tree, mesh, 2),
            QStringLiteral(
                "a has 5 elements, which cannot be cut into 2 equal parts. Use 6, or map a to other mesh axes; "
                "drawn padded here."));
        QVERIFY2(outcomeOf(tree, mesh, 1).contains(QStringLiteral("let arrays without names be ignored")),
            qPrintable(outcomeOf(tree, mesh, 1)));
        QVERIFY2(outcomeOf(tree, mesh, 3).contains(QStringLiteral("bar")), qPrintable(outcomeOf(tree, mesh, 3)));
        QVERIFY2(outcomeOf(tree, mesh, 4).contains(QStringLiteral("column 3")), qPrintable(outcomeOf(tree, mesh, 4)));
        // Without names, but ignored.
        tree.ignoreUnnamed = true;
        outcomes = resolve(tree, mesh);
        QVERIFY(!outcomes[1].problem && outcomes[1].ignored);
        // Another mesh: the mapping stays, and says what is missing.
        QVERIFY(resolve(tree, meshOf("x=8"))[0].problem->code == Code::UnknownAxis);
    }

    /// Penzai's specs leave the positional dimensions out; here they stand where they are meant.
    void positionalDimensions()
    {
        const MeshPtr mesh = meshOf("foo=4,bar=2");
        NamedTree tree = notebookTree(*mesh);
        tree.arrays = { { "w", "3, a 4, b 8" } };
        const ArrayOutcome outcome = resolve(tree, mesh).front();
        QCOMPARE(QString::fromStdString(toJax(outcome.spec)), QStringLiteral("P(None, 'bar', 'foo')"));
        QVERIFY(outcome.layout->shardShape() == Shape({ 3, 2, 2 }));
        QCOMPARE(QString::fromStdString(toJax(*outcome.penzaiSpec)), QStringLiteral("P('bar', 'foo')"));
        QVERIFY(named::outcomeText(outcome).contains(QStringLiteral("P(bar, foo)")));
    }

    void theTreeAsAModel()
    {
        NamedArrays arrays;
        arrays.setMesh(meshOf("foo=4,bar=2"));
        NamedTreeModel model(&arrays);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        NamedTree tree = notebookTree(*arrays.mesh());
        tree.arrays = { { "block/w", "a 4, c 6" }, { "block/b", "c 6" }, { "x", "[3]" } };
        arrays.setTree(tree);
        QCOMPARE(dump(model),
            (QStringList{ QStringLiteral("block |  |  |  | "),
                QStringLiteral("  w | a 4, c 6 | P(bar, -) | [2, 6] | 48 B"), QStringLiteral("    a | 4 | bar | 2 | "),
                QStringLiteral("    c | 6 | not cut | 6 | "), QStringLiteral("  b | c 6 | P(-) | [6] | 24 B"),
                QStringLiteral("    c | 6 | not cut | 6 | "),
                QStringLiteral("x | [3] | “x” is no named array |  | ") }));
        const QModelIndex block = model.index(0, 0), w = model.index(0, 0, block);
        QVERIFY(!(model.flags(block) & Qt::ItemIsEditable));
        QVERIFY(model.flags(w) & Qt::ItemIsEditable);
        QCOMPARE(w.data(Qt::EditRole).toString(), QStringLiteral("block/w"));

        // A size, a name, an axis' mesh axes, the axes of an array, its path.
        QVERIFY(model.setData(model.index(0, NamedTreeModel::Axes, w), QStringLiteral("10")));
        QCOMPARE(QString::fromStdString(arrays.tree().arrays[0].axes), QStringLiteral("a 10, c 6"));
        QVERIFY(model.setData(model.index(1, NamedTreeModel::Spec, w), QStringLiteral("foo")));
        QVERIFY(*mappedAxes(arrays.tree(), "c") == std::vector<std::string>{ "foo" });
        QCOMPARE(model.index(1, NamedTreeModel::Spec, w).data(ChipsDelegate::AxesRole).toStringList(),
            QStringList{ QStringLiteral("foo") });
        QVERIFY(model.setData(model.index(0, NamedTreeModel::Name, w), QStringLiteral("b")));
        QCOMPARE(QString::fromStdString(arrays.tree().arrays[0].axes), QStringLiteral("b 10, c 6"));
        QVERIFY(!model.setData(model.index(0, NamedTreeModel::Name, w), QStringLiteral("b"))); // as it was
        QVERIFY(model.setData(w.siblingAtColumn(NamedTreeModel::Axes), QStringLiteral("a 8")));
        QCOMPARE(model.rowCount(model.indexOfArray(0)), 1);
        QVERIFY(model.setData(model.indexOfArray(0), QStringLiteral("moved/here/w")));
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("moved"));
        QCOMPARE(model.indexOfArray(0).parent().data().toString(), QStringLiteral("here"));
        // What cannot be read is kept, as an error of its array.
        QVERIFY(model.setData(model.indexOfArray(2).siblingAtColumn(NamedTreeModel::Axes), QStringLiteral("a :")));
        QCOMPARE(model.indexOfArray(2).siblingAtColumn(NamedTreeModel::Axes).data().toString(), QStringLiteral("a :"));
        QCOMPARE(model.rowCount(model.indexOfArray(2)), 0);
        arrays.setTree({});
        QCOMPARE(model.rowCount(), 0);
    }

    void theMappingAsAModel()
    {
        NamedArrays arrays;
        arrays.setMesh(meshOf("foo=4,bar=2"));
        MappingModel model(&arrays);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        arrays.setTree(notebookTree(*arrays.mesh()));
        QCOMPARE(dump(model),
            (QStringList{ QStringLiteral("a | bar | 2 arrays"), QStringLiteral("b | foo | 2 arrays"),
                QStringLiteral("c | not cut | 1 array"), QStringLiteral("d | not cut | 1 array") }));
        QVERIFY(model.setData(model.index(2, MappingModel::Axes), QStringLiteral("('foo', bar)")));
        QVERIFY(*mappedAxes(arrays.tree(), "c") == (std::vector<std::string>{ "foo", "bar" }));
        QVERIFY(model.setData(model.index(0, MappingModel::Axes), QStringLiteral("nowhere")));
        QCOMPARE(model.index(0, MappingModel::Axes).data(ChipsDelegate::AxisIndicesRole).toList(), QVariantList{ -1 });
        QVERIFY(
            model.index(0, MappingModel::Axes).data(Qt::ToolTipRole).toString().contains(QStringLiteral("nowhere")));
        QVERIFY(model.setData(model.index(0, MappingModel::Axes), QStringLiteral("None")));
        QVERIFY(!mappedAxes(arrays.tree(), "a"));
        NamedTree same = arrays.tree();
        same.sameNames = true;
        arrays.setTree(same);
        QVERIFY(!(model.flags(model.index(0, MappingModel::Axes)) & Qt::ItemIsEditable));
    }

    void theDock()
    {
        test::Fixture fixture;
        Appearance appearance(ThemeChoice::Light);
        NamedArraysView view(&fixture.document, &fixture.selection);
        QAbstractItemModelTester tester(view.treeModel(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy figures(&view, &NamedArraysView::keyFigureChanged);
        view.resize(1000, 600);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QCOMPARE(view.keyFigure(), QStringLiteral("3 arrays"));
        QCOMPARE(view.currentArray(), 0);
        QCOMPARE(view.canvas()->subject()->names, (std::vector<std::string>{ "a", "b", "c" }));
        QVERIFY(view.canvas()->subject()->layout.shardShape() == Shape({ 1, 4, 6 }));

        // By keyboard: to the second array's size, and edit it.
        const QModelIndex two = view.treeModel()->indexOfArray(1);
        view.tree()->setCurrentIndex(two.siblingAtColumn(NamedTreeModel::Axes));
        QCOMPARE(view.currentArray(), 1);
        QTest::keyClick(view.tree(), Qt::Key_F2);
        QWidget* editor = QApplication::focusWidget();
        QVERIFY(qobject_cast<QLineEdit*>(editor));
        QTest::keyClicks(editor, QStringLiteral("a 9"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(view.keyFigure(), QStringLiteral("3 arrays, 1 with a problem")); // a delegate takes its time
        QVERIFY2(view.problemText().startsWith(QStringLiteral("a has 9 elements")), qPrintable(view.problemText()));
        QVERIFY(view.canvas()->subject()->layout.isUneven());
        QVERIFY(!view.grab().isNull());

        view.findChild<QToolButton*>(QStringLiteral("addArray"))->click();
        QCOMPARE(view.currentArray(), 3);
        QCOMPARE(view.treeModel()->rowCount(view.tree()->currentIndex()), 2);
        view.findChild<QToolButton*>(QStringLiteral("addAxis"))->click();
        QCOMPARE(QString::fromStdString(view.arrays()->tree().arrays[3].axes), QStringLiteral("a 8, b 8, c 8"));
        QCOMPARE(view.currentArray(), 3);
        view.tree()->setCurrentIndex(view.treeModel()->index(1, 0, view.treeModel()->indexOfArray(3)));
        QTest::keyClick(view.tree(), Qt::Key_Delete);
        QCOMPARE(QString::fromStdString(view.arrays()->tree().arrays[3].axes), QStringLiteral("a 8, c 8"));
        view.tree()->setCurrentIndex(view.treeModel()->indexOfArray(3));
        QTest::keyClick(view.tree(), Qt::Key_Delete);
        QCOMPARE(view.arrays()->tree().arrays.size(), std::size_t{ 3 });

        // The mesh changes: what was written stays.
        fixture.document.edit(withAxisRenamed(*fixture.document.experiment(), 1, "other"), QStringLiteral("rename"));
        QCOMPARE(QString::fromStdString(view.arrays()->tree().arrays[1].axes), QStringLiteral("a 9"));
        QCOMPARE(view.keyFigure(), QStringLiteral("3 arrays, 2 with a problem"));
        fixture.document.undoStack()->undo();
        QCOMPARE(view.keyFigure(), QStringLiteral("3 arrays, 1 with a problem"));

        // With an editor open it can be closed like any other time.
        {
            NamedArraysView other(&fixture.document, &fixture.selection);
            other.show();
            QVERIFY(QTest::qWaitForWindowActive(&other));
            other.tree()->setFocus();
            QTest::keyClick(other.tree(), Qt::Key_F2);
            QVERIFY(qobject_cast<QLineEdit*>(QApplication::focusWidget()));
            QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("half"));
        }
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(view.tree(), Qt::Key_Delete);
        QCOMPARE(view.arrays()->tree().arrays.size(), std::size_t{ 0 });
        QCOMPARE(view.currentArray(), -1);
        QVERIFY(!view.grab().isNull());
        view.resize(320, 300);
        QVERIFY(!view.grab().isNull());
        QVERIFY(figures.count() > 0);
    }
};

QTEST_MAIN(TestNamedArrays)
#include "test_named_arrays.moc"
