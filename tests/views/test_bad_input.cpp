// SPDX-License-Identifier: GPL-3.0-or-later
// Bad input for every editor of the window: it is said in words, and nothing that was there is lost.
#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <QUndoStack>

#include "experiment/edits.h"
#include "experiment_file/experiment_file.h"
#include "mesh/device_presets.h"
#include "panel_fixture.h"
#include "registered_test.h"
#include "views/main_window/main_window.h"
#include "views/mesh_view/axis_row.h"
#include "views/mesh_view/mesh_view.h"
#include "views/named_arrays_view/named_arrays_view.h"
#include "views/named_arrays_view/named_tree_model.h"
#include "views/problems_view/problems_view.h"
#include "views/rules_view/rule_trace_view.h"
#include "views/rules_view/rules_model.h"
#include "views/rules_view/rules_table.h"
#include "views/rules_view/rules_view.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/sharding_lab/form_row.h"
#include "views/sharding_lab/forms_panel.h"
#include "views/sharding_lab/result_panel.h"
#include "views/sharding_lab/sharding_lab_view.h"
#include "views/theme/appearance.h"
#include "views/topology_view/device_controls.h"
#include "views/topology_view/topology_view.h"
#include "views/widgets/notice_strip.h"
#include "words/words.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

/// An experiment that no bad input may change.
struct Untouched : test::Fixture {
    Experiment before = *document.experiment();
    Appearance appearance{ ThemeChoice::Light };

    Untouched() = default;
    explicit Untouched(Experiment experiment)
        : Fixture(std::move(experiment))
    {
    }
    [[nodiscard]] bool stays() { return *document.experiment() == before && document.undoStack()->count() == 0; }
};

template <typename View>
bool shown(View& view)
{
    view.resize(900, 640);
    view.show();
    return QTest::qWaitForWindowActive(&view);
}

void typeInto(QLineEdit* edit, const QString& text)
{
    edit->setFocus();
    edit->selectAll();
    if (text.isEmpty())
        QTest::keyClick(edit, Qt::Key_Delete);
    else if (std::all_of(text.begin(), text.end(), [](QChar c) { return c.unicode() < 128; }))
        QTest::keyClicks(edit, text);
    else
        edit->insert(text); // as from the clipboard
}

/// Types over a cell with the editor that F2 opens.
void typeInto(QAbstractItemView* view, const QModelIndex& index, const QString& text)
{
    view->setFocus();
    view->setCurrentIndex(index);
    view->edit(index);
    auto* editor = view->viewport()->findChild<QLineEdit*>();
    QVERIFY(editor);
    typeInto(editor, text);
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_VERIFY(!view->viewport()->findChild<QLineEdit*>());
}

/// Words and not codes: a sentence of some length.
bool isStated(const QString& message)
{
    return message.size() > 12 && message.contains(QLatin1Char(' '));
}

const QString endless = QString(5000, QLatin1Char('x'));

} // namespace

class TestBadInput : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        // The offscreen platform says that it has no keyboard to grab for the list of known devices.
        QTest::failOnWarning(QRegularExpression(
            QStringLiteral("^(?!This plugin does not support (propagateSizeHints|raise|grabbing the keyboard))")));
    }

    void namesOfMeshAxes_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("stated"); ///< or nothing happens
        QTest::newRow("empty") << QString() << false;
        QTest::newRow("blank") << QStringLiteral("   ") << false;
        QTest::newRow("that of another axis") << QStringLiteral("model") << true;
        QTest::newRow("a reserved word") << QStringLiteral("P.UNCONSTRAINED") << true;
    }
    void namesOfMeshAxes()
    {
        QFETCH(QString, name);
        QFETCH(bool, stated);
        Untouched fixture;
        MeshView view(&fixture.document, &fixture.selection);
        QVERIFY(shown(view));
        view.row(0)->chip()->setFocus();
        QTest::keyClick(view.row(0)->chip(), Qt::Key_F2);
        auto* editor = view.row(0)->findChild<QLineEdit*>();
        QVERIFY(editor);
        typeInto(editor, name);
        QTest::keyClick(editor, Qt::Key_Return);
        QVERIFY(fixture.stays());
        QCOMPARE(isStated(view.message()), stated);
        if (stated)
            QVERIFY2(view.message().contains(name), qPrintable(view.message()));
        QCOMPARE(view.row(0)->chip()->accessibleName(), QStringLiteral("Mesh axis data"));
    }

    void sizesOfMeshAxes_data()
    {
        QTest::addColumn<QString>("size");
        for (const char* size : { "0", "-4", "eight", "3.5", "", "99999999999999999999" })
            QTest::newRow(*size ? size : "empty") << QString::fromUtf8(size);
    }
    void sizesOfMeshAxes()
    {
        QFETCH(QString, size);
        Untouched fixture;
        MeshView view(&fixture.document, &fixture.selection);
        QVERIFY(shown(view));
        QSpinBox* spin = view.row(0)->spinBox();
        auto* edit = spin->findChild<QLineEdit*>();
        typeInto(edit, size);
        QTest::keyClick(edit, Qt::Key_Return);
        view.row(1)->chip()->setFocus();
        // What is no size at all cannot be typed; what can be is one that the mesh can have, or is refused in words.
        const Experiment& now = *fixture.document.experiment();
        QVERIFY(now.mesh.axes[0].size >= 1);
        QVERIFY2(fixture.stays() || size == QStringLiteral("3.5") || size == QStringLiteral("-4"), qPrintable(size));
        QCOMPARE(spin->value(), static_cast<int>(now.mesh.axes[0].size));
        while (fixture.document.undoStack()->canUndo())
            fixture.document.undoStack()->undo();
        QVERIFY(*fixture.document.experiment() == fixture.before);
    }

    /// A size that the other axes cannot make up for.
    void impossibleSizes()
    {
        Untouched fixture;
        MeshView view(&fixture.document, &fixture.selection);
        QVERIFY(shown(view));
        typeInto(view.row(0)->spinBox()->findChild<QLineEdit*>(), QStringLiteral("3"));
        QTest::keyClick(view.row(0)->spinBox(), Qt::Key_Return);
        QVERIFY(fixture.stays());
        QVERIFY2(isStated(view.message()), qPrintable(view.message()));
        QCOMPARE(view.row(0)->spinBox()->value(), 2);
    }

    void axesOfRules_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<bool>("refused"); ///< or taken, with a problem of the experiment
        QTest::newRow("unknown") << QStringLiteral("modle") << false;
        QTest::newRow("a number") << QStringLiteral("-1") << false;
        QTest::newRow("twice") << QStringLiteral("model, model") << true;
        QTest::newRow("brackets") << QStringLiteral("(((") << true;
        QTest::newRow("list") << QStringLiteral("['model']") << true;
        QTest::newRow("half a tuple") << QStringLiteral("('data', 'model'") << true;
        QTest::newRow("a hole") << QStringLiteral("data, , model") << true;
        QTest::newRow("quotes") << QStringLiteral("'model") << true;
    }
    void axesOfRules()
    {
        QFETCH(QString, typed);
        QFETCH(bool, refused);
        Untouched fixture;
        RulesView view(&fixture.document, &fixture.selection);
        QVERIFY(shown(view));
        typeInto(view.table(), view.model()->index(1, RulesModel::Axes), typed);
        if (refused) {
            QVERIFY(fixture.stays());
            QVERIFY2(isStated(view.notice()->text()), qPrintable(view.notice()->text()));
            return;
        }
        fixture.document.waitForAnalysis();
        QVERIFY(fixture.document.snapshot()->laidOut());
        bool stated = false;
        for (const Problem& problem : fixture.document.snapshot()->problems)
            stated = stated || problem.diagnostic.text("axis") == typed.toStdString();
        QVERIFY(stated);
        fixture.document.undoStack()->undo();
        QVERIFY(*fixture.document.experiment() == fixture.before);
    }

    void namesOfRules()
    {
        Untouched fixture;
        RulesView view(&fixture.document, &fixture.selection);
        QVERIFY(shown(view));
        typeInto(view.table(), view.model()->index(0, RulesModel::Name), QString());
        QVERIFY(fixture.stays());
        // Names without a rule: an empty target makes none.
        typeInto(view.table(), view.model()->index(2, RulesModel::Axes), QString());
        QVERIFY(fixture.stays());
        typeInto(view.table(), view.model()->index(2, RulesModel::Axes), QStringLiteral("{data}"));
        QVERIFY(fixture.stays());
        QVERIFY(isStated(view.notice()->text()));
    }

    void rulesFromElsewhere_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : { "", "(((", "[['batch']]", "42", "rules = None", "(('batch', 'data', 'model'),)",
                 "[['batch', ['data', ['model']]]]", "{\"format\": \"other\"}", "(('batch', 3),)", "\x01\x02" })
            QTest::newRow(*text ? text : "empty") << QString::fromUtf8(text);
        QTest::newRow("endless") << endless;
    }
    void rulesFromElsewhere()
    {
        QFETCH(QString, text);
        Untouched fixture;
        RulesView view(&fixture.document, &fixture.selection);
        QVERIFY(!view.importText(text, QStringLiteral("pasted text")));
        QVERIFY(fixture.stays());
        QVERIFY2(isStated(view.notice()->text()), qPrintable(view.notice()->text()));
    }

    void namesToTrace_data()
    {
        QTest::addColumn<QString>("names");
        for (const char* names : { "batch, batch", "(((", "batch embed", "'batch", "batch,,embed" })
            QTest::newRow(names) << QString::fromUtf8(names);
    }
    void namesToTrace()
    {
        QFETCH(QString, names);
        Untouched fixture;
        RuleTraceView view(&fixture.document, &fixture.selection);
        QVERIFY(shown(view));
        auto* edit = view.findChild<QLineEdit*>();
        typeInto(edit, names);
        QTest::keyClick(edit, Qt::Key_Return);
        QVERIFY(fixture.stays());
        QCOMPARE(edit->text(), names); // to be mended
        QVERIFY(!view.grab().isNull());
        typeInto(edit, QStringLiteral("batch, embed"));
        QTest::keyClick(edit, Qt::Key_Return);
        QVERIFY(!view.keyFigure().isEmpty());
    }

    void setsOfDevices_data()
    {
        QTest::addColumn<QString>("typed");
        for (const char* typed : { "", "tpu-v9:4x4", "cpu:0", "cpu:-8", "cpu:99999999999999999999", "cpu:8x",
                 "gpu:", "tpu-v4:4x4x4x4", "tpu-v4:0x4x4", "0*tpu-v5e:4x4", "-2*tpu-v5e:4x4", "many", "\xE2\x98\x83" })
            QTest::newRow(*typed ? typed : "empty") << QString::fromUtf8(typed);
        QTest::newRow("endless") << endless;
    }
    void setsOfDevices()
    {
        QFETCH(QString, typed);
        Untouched fixture;
        TopologyView view(&fixture.document, &fixture.selection);
        QVERIFY(shown(view));
        typeInto(view.controls()->presets()->lineEdit(), typed.left(200));
        QTest::keyClick(view.controls()->presets()->lineEdit(), Qt::Key_Return);
        QVERIFY(fixture.stays());
        QVERIFY2(isStated(view.controls()->message()), qPrintable(view.controls()->message()));
        QCOMPARE(view.controls()->presets()->lineEdit()->text(), typed.left(200)); // to be mended
        QVERIFY(view.controls()->chooseDevices(QStringLiteral("cpu:2x8")));
        QVERIFY2(view.controls()->message().isEmpty(), qPrintable(view.controls()->message()));
    }

    void optionsOfTheOrder_data()
    {
        QTest::addColumn<int>("method");
        QTest::addColumn<QString>("typed");
        for (const char* typed : { "a, b", "2=2", "-1, 1, 1, 1", "1, 1", "99999999999, 1, 1, 1", "0, 1, 1, 1", "((" })
            QTest::addRow("submesh %s", typed) << static_cast<int>(OrderMethod::T5x) << QString::fromUtf8(typed);
        for (const char* typed : { "data", "data=x", "data=-1", "nobody=2", "data=3", "=2", "data=99999999999", "((" })
            QTest::addRow("slices %s", typed) << static_cast<int>(OrderMethod::Hybrid) << QString::fromUtf8(typed);
    }
    void optionsOfTheOrder()
    {
        QFETCH(int, method);
        QFETCH(QString, typed);
        Experiment experiment = test::example("flax-mlp-logical");
        experiment = *withDevices(experiment,
            *parseDevices(method == static_cast<int>(OrderMethod::T5x) ? "tpu-v4:4x4x2" : "2*tpu-v4:2x2x2"));
        OrderSetting order;
        order.method = static_cast<OrderMethod>(method);
        Untouched fixture(*withOrder(experiment, order));
        TopologyView view(&fixture.document, &fixture.selection);
        QVERIFY(shown(view));
        QLineEdit* option = nullptr;
        for (auto* edit : view.findChildren<QLineEdit*>())
            if (edit != view.controls()->presets()->lineEdit() && edit->isVisible())
                option = edit;
        QVERIFY(option);
        typeInto(option, typed);
        QTest::keyClick(option, Qt::Key_Return);
        fixture.document.waitForAnalysis();
        QVERIFY2(isStated(view.controls()->message()), qPrintable(view.controls()->message()));
        QVERIFY(fixture.document.snapshot());
        while (fixture.document.undoStack()->canUndo())
            fixture.document.undoStack()->undo();
        QVERIFY(*fixture.document.experiment() == fixture.before);
    }

    void shapesOfTheLaboratory_data()
    {
        QTest::addColumn<QString>("typed");
        for (const char* typed : { "-8, 16", "8, sixteen", "99999999999999999999, 2", "8,, 16", "(8, 16", "8; 16",
                 "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "8.5", "4611686018427387904, 4611686018427387904" })
            QTest::newRow(typed) << QString::fromUtf8(typed);
    }
    void shapesOfTheLaboratory()
    {
        QFETCH(QString, typed);
        Untouched fixture;
        ShardingLabView view(&fixture.document, &fixture.selection);
        QVERIFY(shown(view));
        const QString spec = view.forms()->row(ShardingForm::Spec)->edit()->text();
        auto* edit = test::named<QLineEdit>(view.forms(), u"Shape"_s);
        typeInto(edit, typed);
        const QString problem = qobject_cast<FormRow*>(edit->parentWidget())->problem();
        QVERIFY2(isStated(problem), qPrintable(problem));
        QCOMPARE(edit->text(), typed);
        QCOMPARE(view.forms()->row(ShardingForm::Spec)->edit()->text(), spec);
        QVERIFY(view.state().isStale());
        QVERIFY(view.results()->canvas()->subject().has_value()); // the last one that could be used
        QVERIFY(fixture.stays());
        QVERIFY(!view.grab().isNull());
        QTest::keyClick(edit, Qt::Key_Escape);
        QVERIFY(!view.state().isStale());
    }

    void formsOfTheLaboratory_data()
    {
        QTest::addColumn<int>("form");
        QTest::addColumn<QString>("typed");
        const auto row = [](ShardingForm form, const char* typed) {
            QTest::addRow("%d %s", static_cast<int>(form), typed) << static_cast<int>(form) << QString::fromUtf8(typed);
        };
        for (const ShardingForm form : shardingForms())
            for (const char* typed : { "{[ (", "0", "nonsense here" })
                row(form, typed);
        row(ShardingForm::Spec, "P('nobody')");
        row(ShardingForm::Spec, "P('data', 'data')");
        row(ShardingForm::Spec, "P(None, None, None, 'data')");
        row(ShardingForm::Named, "NamedSharding(mesh=mesh, spec=P('data'), memory_kind=tape)");
        row(ShardingForm::Named, "NamedSharding(mesh=Mesh('data': 0), spec=P('data'))");
        row(ShardingForm::Positional, "PositionalSharding([{CPU 0} {CPU 0}], shape=(2,))");
        row(ShardingForm::PositionalCode, "PositionalSharding(devices).reshape(3, 3)");
        row(ShardingForm::PositionalCode, "PositionalSharding(devices).replicate(7)");
        row(ShardingForm::HloV1, "{devices=[2,1]0,1}");
        row(ShardingForm::HloV1, "{devices=[-2,4]0,1,2,3,4,5,6,7}");
        row(ShardingForm::HloV2, "{devices=[0,8]<=[8]}");
        row(ShardingForm::HloV2, "{devices=[2,4]<=[99999999999999999999]}");
        row(ShardingForm::Gspmd, "GSPMDSharding({manual})");
        row(ShardingForm::Shardy, "<@mesh, [{\"nobody\"}, {}]>");
        row(ShardingForm::Shardy, "<@mesh, [{\"data\"}, {\"data\"}]>");
    }
    void formsOfTheLaboratory()
    {
        QFETCH(int, form);
        QFETCH(QString, typed);
        Untouched fixture;
        ShardingLabView view(&fixture.document, &fixture.selection);
        QVERIFY(shown(view));
        FormRow* edited = view.forms()->row(static_cast<ShardingForm>(form));
        QStringList before;
        for (const ShardingForm other : shardingForms())
            before << view.forms()->row(other)->edit()->text();
        typeInto(edited->edit(), typed);
        QVERIFY2(isStated(edited->problem()), qPrintable(edited->problem()));
        QCOMPARE(edited->edit()->text(), typed);
        QVERIFY(view.results()->canvas()->subject().has_value());
        QVERIFY(fixture.stays());
        QTest::keyClick(edited->edit(), Qt::Key_Escape);
        QStringList after;
        for (const ShardingForm other : shardingForms())
            after << view.forms()->row(other)->edit()->text();
        QCOMPARE(after, before);
    }

    void axesOfNamedArrays_data()
    {
        QTest::addColumn<QString>("typed");
        for (const char* typed : { "a -4", "a x", "a 99999999999999999999", "a 4, a 3", "a 4 b 3", "a", "((" })
            QTest::newRow(typed) << QString::fromUtf8(typed);
    }
    void axesOfNamedArrays()
    {
        QFETCH(QString, typed);
        Untouched fixture(test::example("rule-lab"));
        NamedArraysView view(&fixture.document, &fixture.selection);
        QVERIFY(shown(view));
        const QModelIndex index =
            view.findChild<NamedTreeModel*>()->indexOfArray(0).siblingAtColumn(NamedTreeModel::Axes);
        const QString before = index.data().toString();
        typeInto(view.tree(), index, typed);
        QTRY_VERIFY2(isStated(view.refusal()->text()), qPrintable(view.refusal()->text()));
        QVERIFY2(view.refusal()->text().contains(typed), qPrintable(view.refusal()->text())); // it can be typed again
        QCOMPARE(index.data().toString(), before);
        QVERIFY(!view.grab().isNull());
        QVERIFY(fixture.stays());
    }

    void mappingOfNamedArrays_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<bool>("refused"); ///< else it is an edit that is said to have no effect, and can be undone
        QTest::newRow("nobody") << QStringLiteral("nobody") << false;
        QTest::newRow("-1") << QStringLiteral("-1") << false;
        QTest::newRow("twice") << QStringLiteral("X, X") << true;
    }
    void mappingOfNamedArrays()
    {
        QFETCH(QString, typed);
        QFETCH(bool, refused);
        Untouched fixture(test::example("rule-lab"));
        NamedArraysView view(&fixture.document, &fixture.selection);
        QVERIFY(shown(view));
        typeInto(view.mapping(), view.findChild<MappingModel*>()->index(1, MappingModel::Axes), typed);
        if (refused) {
            QTRY_VERIFY2(isStated(view.refusal()->text()), qPrintable(view.refusal()->text()));
            QVERIFY(fixture.stays());
            return;
        }
        const QModelIndex cell = view.findChild<MappingModel*>()->index(1, MappingModel::Axes);
        QTRY_COMPARE(cell.data().toString(), typed);
        QVERIFY2(isStated(cell.data(Qt::ToolTipRole).toString()), qPrintable(cell.data(Qt::ToolTipRole).toString()));
        fixture.document.undoStack()->undo();
        QVERIFY(*fixture.document.experiment() == fixture.before);
    }

    void filesThatAreOpened_data();
    void filesThatAreOpened();
};

/// Files that cannot be opened, of every kind that the window opens and of some that it does not.
void TestBadInput::filesThatAreOpened_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("content");
    const QByteArray good = QByteArray::fromStdString(writeExperiment(test::example("flax-mlp-logical")));
    const auto row = [](const char* name, const char* file, const QByteArray& content) {
        QTest::newRow(name) << QString::fromUtf8(file) << content;
    };
    const auto changed = [&](const char* from, const char* to) {
        const qsizetype at = good.indexOf(from);
        if (at < 0)
            qFatal("the example has no %s", from);
        QByteArray made = good;
        return made.replace(at, static_cast<qsizetype>(qstrlen(from)), to);
    };
    const QByteArray head = R"({ "format": "sharding-experiment", "version": "1.0", )";
    row("empty", "a.json", "");
    row("blank", "a.json", " \n\t\n");
    row("one bracket", "a.json", "{");
    row("half an experiment", "a.json", good.left(good.size() / 2));
    row("all but the last bracket", "a.json", good.left(good.lastIndexOf('}')));
    row("two experiments", "a.json", good + good);
    row("nothing but zeros", "a.json", QByteArray(4096, '\0'));
    row("a picture", "a.json", QByteArray::fromHex("89504e470d0a1a0a0000000d4948445200000010000000100806"));
    row("bytes that are no text", "a.json", head + "\"notes\": \"\xff\xfe\xc3\" }");
    row("sixteen bits for a letter", "a.json", QByteArray::fromHex("fffe7b00220066002200"));
    row("brackets without end", "a.json", QByteArray(200'000, '['));
    row("a string without end", "a.json", head + "\"notes\": \"" + QByteArray(1'000'000, 'x'));
    row("a web page", "a.json", "<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n");
    row("a sentence", "notes.txt", "Buy milk, then shard the batch.\n");
    row("Python", "model.py", "import jax\nmesh = jax.make_mesh((2, 4), ('x', 'y'))\n");
    row("another format", "a.json", R"({ "format": "notebook", "version": "1.0" })");
    row("a later version", "a.json", R"({ "format": "sharding-experiment", "version": "99.0" })");
    row("a misspelt dialect", "a.json", head + R"("rules": { "dialect": "flaks", "list": [] } })");
    row("a size in words", "a.json", changed("[\"data\", 2]", "[\"data\", \"two\"]"));
    row("no devices", "a.json", changed("[\"data\", 2]", "[\"data\", 0]"));
    row("billions of devices", "a.json", changed("[\"data\", 2]", "[\"data\", 4000000000]"));
    row("an axis twice", "a.json", changed("[\"data\", 2]", "[\"model\", 2]"));
    row("a comma too few", "a.json", changed("[\"data\", 2],", "[\"data\", 2]"));
    row("a rule of three", "a.json", head + R"("rules": { "list": [["a", "b", "c"]] } })");
    row("a table without paths", "t.csv", "shape,dtype\n8x4,float32\n");
    row("a table with a shape in words", "t.csv", "path,shape\nw,eight\n");
    row("a table that ends in a string", "t.csv", "path,shape,names\nw,8,\"a");
    row("a table that is a number", "t.json", R"([{ "path": 7, "shape": "8" }])");
    row("an empty program", "p.mlir", "");
    row("half a program", "p.mlir",
        "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n  %0 = stablehlo.tanh %a :");
    row("a program of unknown values", "p.mlir", "func.func @main() {\n  %0 = stablehlo.tanh %b : tensor<8xf32>\n}\n");
    row("a program without sizes", "p.mlir",
        "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n  return %a : tensor<?xf32>\n}\n");
    row("a program of bytes", "p.mlir", QByteArray::fromHex("4d4cef520d4d4c49520000ff00"));
    row("a file that is not there", "", "");
    row("a folder", ".", "");
    row("too large to read", "large.json", "");
}

void TestBadInput::filesThatAreOpened()
{
    QFETCH(QString, file);
    QFETCH(QByteArray, content);
    QTemporaryDir folder;
    const QString path = folder.filePath(file.isEmpty() ? QStringLiteral("missing.json") : file);
    if (!file.isEmpty() && file != QLatin1String(".")) {
        QFile made(path);
        QVERIFY(made.open(QIODevice::WriteOnly) && made.write(content) == content.size());
        if (file == QLatin1String("large.json"))
            QVERIFY(made.resize(std::int64_t{ 1 } << 33)); // holds nothing, so takes no space
    }

    // Work that has not been saved: an edit, and a tensor that was looked at.
    Appearance appearance(ThemeChoice::Light);
    MainWindow window(&appearance, { .remember = false });
    window.document()->setExperiment(test::example("flax-mlp-logical"), {});
    window.document()->waitForAnalysis();
    window.document()->edit(withAxisSize(*window.document()->experiment(), 0, 4, true), QStringLiteral("size"));
    window.document()->waitForAnalysis();
    const Experiment before = *window.document()->experiment();
    const QString title = window.windowTitle();
    const QString tensor = window.selection()->tensor();
    QCOMPARE(window.document()->undoStack()->count(), 1);

    QVERIFY(!window.openFile(path));
    const std::vector<Diagnostic>& messages = window.findChild<ProblemsView*>()->messages();
    QVERIFY(!messages.empty() && messages.size() <= 50);
    for (const Diagnostic& message : messages) {
        const QString sentence = words::oneLine(message);
        QVERIFY2(isStated(sentence) && sentence.size() < 2000, qPrintable(sentence));
        qInfo("%s", qPrintable(sentence));
    }
    QCOMPARE(*window.document()->experiment(), before);
    QCOMPARE(window.document()->undoStack()->count(), 1);
    QCOMPARE(window.windowTitle(), title);
    QCOMPARE(window.selection()->tensor(), tensor);
    QVERIFY(window.isWindowModified());
    window.document()->undoStack()->undo();
    QVERIFY(!(*window.document()->experiment() == before));
}

REGISTER_TEST(TestBadInput)
#include "test_bad_input.moc"
