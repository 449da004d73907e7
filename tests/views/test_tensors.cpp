// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

#include "experiment/edits.h"
#include "experiment_file/gallery.h"
#include "registered_test.h"
#include "views/panel/panel.h"
#include "views/panel_fixture.h"
#include "views/shard_grid_view/shard_grid_view.h"
#include "views/span_text/span_text.h"
#include "views/tensors_view/tensors_model.h"
#include "views/tensors_view/tensors_view.h"
#include "views/widgets/elided_name.h"

using namespace shardscope;
using namespace Qt::StringLiterals;
using test::Fixture;

namespace {

/// The model as text: a level of indentation per level, columns parted by "|", thin spaces as plain ones.
void dump(const QAbstractItemModel& model, const QModelIndex& parent, int level, QStringList& lines)
{
    for (int row = 0; row < model.rowCount(parent); ++row) {
        QStringList cells;
        for (int column = 0; column < model.columnCount(parent); ++column)
            cells << model.index(row, column, parent).data().toString().replace(QChar(0x2009), u' ');
        lines << QString(level * 2, u' ') + cells.join(u'|');
        dump(model, model.index(row, 0, parent), level + 1, lines);
    }
}

QStringList dump(const QAbstractItemModel& model)
{
    QStringList lines;
    dump(model, {}, 0, lines);
    return lines;
}

Experiment mlp(const std::function<void(MlpSettings&)>& change)
{
    Experiment experiment = test::example("flax-mlp-logical");
    change(std::get<MlpModel>(experiment.model).settings);
    return experiment;
}

/// Bytes of every row above the tensors are the sum of the rows below.
void checkSums(const TensorTree& tree, int id)
{
    const TensorNode& node = tree.nodes[static_cast<std::size_t>(id)];
    if (node.children.empty())
        return;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        const TensorNode& child = tree.nodes[static_cast<std::size_t>(node.children[i])];
        QCOMPARE(child.parent, id);
        QCOMPARE(child.position, static_cast<int>(i));
        sum += child.bytes;
        checkSums(tree, node.children[i]);
    }
    QCOMPARE(node.bytes, sum);
}

} // namespace

class TestTensors : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    /// A program that XLA has compiled may say of none of its arguments what it is a part of.
    void compiledProgramWithoutShardings()
    {
        Fixture fixture(*experimentOf(
            ProgramModel{
                {}, std::make_shared<const std::string>(R"(HloModule jit_f, is_scheduled=true, num_partitions=4

ENTRY %main_spmd (p: f32[2,8]) -> f32[2,8] {
  %p = f32[2,8]{1,0} parameter(0)
  ROOT %y = f32[2,8]{1,0} add(%p, %p)
}
)") },
            "compiled"));
        QVERIFY(fixture.snapshot().isPartitioned() && fixture.snapshot().tensors.empty());
        const QString sentence = u"This program has been partitioned already, and its text does not say of what arrays "
                                 "its values are parts."_s;
        TensorsView tensors(&fixture.document, &fixture.selection);
        QCOMPARE(tensors.findChild<EmptyPage*>()->sentence(), sentence);
        ShardGridView grid(&fixture.document, &fixture.selection);
        QCOMPARE(grid.findChild<EmptyPage*>()->sentence(), sentence);
    }

    /// However little room there is, the last part of a path is what stays.
    void namesKeepTheirLastPart()
    {
        const QFontMetrics metrics(QApplication::font());
        const auto width = [&](const char* text) { return metrics.horizontalAdvance(QString::fromUtf8(text)); };
        const QString name = QStringLiteral("decoder/layers.0/mlp/embedding");
        QCOMPARE(elidedName(name, metrics, metrics.horizontalAdvance(name)), name);
        const QString some = elidedName(name, metrics, width("decoder/la…/embedding"));
        QVERIFY2(some.startsWith(QStringLiteral("la")) && some.endsWith(QStringLiteral("…/mlp/embedding")),
            qPrintable(some));
        QCOMPARE(elidedName(name, metrics, width("…/layers.0/mlp/embedding") + 2),
            QStringLiteral("…/layers.0/mlp/embedding"));
        QCOMPARE(elidedName(name, metrics, width("…/embedding")), QStringLiteral("…/embedding"));
        QCOMPARE(elidedName(name, metrics, width("embedding")), QStringLiteral("embedding"));
        for (int room = width("emb…g"); room < metrics.horizontalAdvance(name); room += 7) {
            const QString shown = elidedName(name, metrics, room);
            QVERIFY2(metrics.horizontalAdvance(shown) <= room && shown.endsWith(QLatin1Char('g')), qPrintable(shown));
        }
        QVERIFY(elidedName(QStringLiteral("token_embedder"), metrics, width("token…der")).contains(QChar(0x2026)));
        // Of two the first one tells them apart, where the second one is a common word.
        QCOMPARE(elidedName(QStringLiteral("query / kernel"), metrics, width("query / ker…") + 1),
            QStringLiteral("query / ker…"));
        QCOMPARE(elidedName(QStringLiteral("query / kernel"), metrics, width("…y / kernel") - 1).right(6),
            QStringLiteral("kernel"));
        QVERIFY(
            elidedName(QStringLiteral("Layer 0 / W1"), metrics, width("Layer 0 / W")).endsWith(QLatin1String("W1")));
    }

    /// More than a few of a kind are nested by path, as a model's modules are.
    void manyNamesAreNestedByPath()
    {
        Experiment experiment = test::example("flax-mlp-logical");
        ArraysModel arrays;
        const auto add = [&](const char* path) {
            arrays.arrays.push_back({ path, { LogicalName::none() }, { 8 }, DType::F32 });
        };
        add("params/embedder/embedding");
        for (const char* part : { "query", "key", "value", "out" })
            add(("params/decoder/layers/attention/" + std::string(part) + "/kernel").c_str());
        add("params/decoder/layers/norm/scale");
        for (const char* part : { "wi_0", "wi_1", "wo" })
            add(("params/decoder/layers/mlp/" + std::string(part) + "/kernel").c_str());
        experiment.model = arrays;
        Fixture fixture(experiment);
        const auto names = [&] {
            TensorsView view(&fixture.document, &fixture.selection);
            QStringList lines = dump(*view.model());
            for (QString& line : lines)
                line = line.section(u'|', 0, 0);
            return lines;
        };
        QCOMPARE(names(),
            (QStringList{ u"Parameters"_s, u"  embedder/embedding"_s, u"  decoder / layers"_s,
                u"    attention/query/kernel"_s, u"    attention/key/kernel"_s, u"    attention/value/kernel"_s,
                u"    attention/out/kernel"_s, u"    norm/scale"_s, u"    mlp/wi_0/kernel"_s, u"    mlp/wi_1/kernel"_s,
                u"    mlp/wo/kernel"_s }));
        checkSums(TensorTree::build(fixture.snapshot()), 0);
        // One more of the layers, and they have parts of their own.
        add("params/decoder/layers/last_norm/scale");
        experiment.model = arrays;
        fixture.document.setExperiment(experiment, {});
        fixture.document.waitForAnalysis();
        QCOMPARE(names(),
            (QStringList{ u"Parameters"_s, u"  embedder/embedding"_s, u"  decoder / layers"_s, u"    attention"_s,
                u"      query/kernel"_s, u"      key/kernel"_s, u"      value/kernel"_s, u"      out/kernel"_s,
                u"    norm/scale"_s, u"    mlp"_s, u"      wi_0/kernel"_s, u"      wi_1/kernel"_s, u"      wo/kernel"_s,
                u"    last_norm/scale"_s }));
        checkSums(TensorTree::build(fixture.snapshot()), 0);
    }

    /// Values that a text numbers have one spelling everywhere.
    void numberedValues()
    {
        Fixture fixture(findExample("flax-mlp-program")->experiment);
        TensorsView view(&fixture.document, &fixture.selection);
        const QModelIndex argument = view.model()->find(u"arg1"_s);
        QVERIFY(argument.isValid());
        QCOMPARE(argument.siblingAtColumn(0).data().toString(), u"%arg1"_s);
    }

    /// What lies on the host has its plate, and is summed apart.
    void whatLiesOnTheHost()
    {
        Experiment experiment = test::example("flax-mlp-logical");
        experiment.placement.paramsOnDevices = false;
        Fixture fixture(experiment);
        TensorsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setSnapshot(fixture.document.snapshot());
        checkSums(TensorTree::build(fixture.snapshot()), 0);
        const auto spec = [&](const QString& path) {
            return model.find(path).siblingAtColumn(static_cast<int>(TensorColumn::Spec));
        };
        const QModelIndex w1 = spec(u"params/layers.0/W1"_s);
        QCOMPARE(w1.data(TensorsModel::MarkRole).toString(), u"HOST"_s);
        QCOMPARE(w1.data(Qt::AccessibleTextRole).toString(), u"P(-, model), in host memory"_s);
        QVERIFY(w1.data(Qt::ToolTipRole).toString().contains(u"pinned_host"_s));
        QCOMPARE(w1.siblingAtColumn(static_cast<int>(TensorColumn::Bytes)).data().toString(), u"1 MiB"_s);
        QVERIFY(spec(u"opt/mu/layers.0/W1"_s).data(TensorsModel::MarkRole).toString() != u"HOST"_s);
        const QModelIndex all = model.findKey(u"Parameters"_s);
        QCOMPARE(all.siblingAtColumn(static_cast<int>(TensorColumn::Bytes)).data().toString(), u"8 MiB"_s);
        QCOMPARE(all.data(TensorsModel::MarkRole).toString(), u"HOST"_s);
        TensorFilter filter;
        filter.text = u"pinned"_s;
        const TensorTree found = TensorTree::build(fixture.snapshot(), filter);
        QCOMPARE(found.nodes[0].children.size(), std::size_t{ 1 });
        QCOMPARE(found.nodes[0].bytes, 0);
        QCOMPARE(found.nodes[0].hostBytes, std::int64_t{ 8 } << 20);
        // Some here, some there.
        Fixture arrays(findExample("jax-memory-kinds")->experiment);
        model.setSnapshot(arrays.document.snapshot());
        QCOMPARE(
            model.findKey(u"Parameters"_s).siblingAtColumn(static_cast<int>(TensorColumn::Bytes)).data().toString(),
            u"16 B + 16 B host"_s);
        QVERIFY(spec(u"arr_dev"_s).data(TensorsModel::MarkRole).toString().isEmpty());
    }

    void treeOfTheNotebook()
    {
        Fixture fixture;
        TensorsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setSnapshot(fixture.document.snapshot());
        TensorFilter filter;
        filter.group = TensorGroup::Parameters;
        model.setFilter(filter);
        QCOMPARE(dump(model).join(u'\n'),
            u"Parameters|||8 MiB|× 2\n"
            "  Layer 0|||2 MiB|× 2\n"
            "    W1|[1024, 1024] → [1024, 256]|P(-, model)|1 MiB|× 2\n"
            "    W2|[1024, 1024] → [256, 1024]|P(model, -)|1 MiB|× 2\n"
            "  Layers 1–3||same, folded|6 MiB|× 2\n"
            "    Layer 1|||2 MiB|× 2\n"
            "      W1|[1024, 1024] → [1024, 256]|P(-, model)|1 MiB|× 2\n"
            "      W2|[1024, 1024] → [256, 1024]|P(model, -)|1 MiB|× 2\n"
            "    Layer 2|||2 MiB|× 2\n"
            "      W1|[1024, 1024] → [1024, 256]|P(-, model)|1 MiB|× 2\n"
            "      W2|[1024, 1024] → [256, 1024]|P(model, -)|1 MiB|× 2\n"
            "    Layer 3|||2 MiB|× 2\n"
            "      W1|[1024, 1024] → [1024, 256]|P(-, model)|1 MiB|× 2\n"
            "      W2|[1024, 1024] → [256, 1024]|P(model, -)|1 MiB|× 2"_s);

        model.setFilter({});
        QStringList groups;
        for (int i = 0; i < model.rowCount(); ++i)
            groups << model.index(i, 0).data().toString() + u' '
                    + model.index(i, static_cast<int>(TensorColumn::Bytes)).data().toString();
        QCOMPARE(groups,
            QStringList({ u"Parameters 8 MiB"_s, u"Gradients 8 MiB"_s, u"Adam mu, nu 16 MiB"_s,
                u"Activations 112 KiB"_s, u"Step, count 8 B"_s }));
        checkSums(TensorTree::build(fixture.snapshot()), 0);
    }

    void toolTipsSayWhatAValueIs()
    {
        Fixture fixture;
        TensorsModel model;
        model.setSnapshot(fixture.document.snapshot());
        const auto tip = [&](const QString& path) { return model.find(path).data(Qt::ToolTipRole).toString(); };
        QVERIFY2(tip(u"layers.0/h"_s).contains(u"the matrix product of x and Layer 0 / W1"_s),
            qPrintable(tip(u"layers.0/h"_s)));
        QVERIFY(tip(u"layers.0/y"_s).contains(u"the larger of Layer 0 / h and 0"_s));
        QVERIFY(!tip(u"x"_s).contains(u"product"_s));
    }

    void rowsThatDoNotDivideAreMarked()
    {
        Fixture fixture(mlp([](MlpSettings& settings) { settings.batch = 7; }));
        QVERIFY(!fixture.snapshot().ok());
        TensorsView view(&fixture.document, &fixture.selection);
        view.resize(500, 600);
        view.show();
        const TensorsModel& model = *view.model();
        const auto cell = [&](const QString& path, TensorColumn column) {
            return model.find(path).siblingAtColumn(static_cast<int>(column));
        };
        const auto marked = [&](const QModelIndex& index) { return !index.data(Qt::DecorationRole).isNull(); };
        QCOMPARE(cell(u"x"_s, TensorColumn::Extent).data().toString(), u"[7, 1024] → [4, 1024]"_s);
        QCOMPARE(cell(u"x"_s, TensorColumn::Bytes).data().toString(), u"16 KiB"_s);
        QVERIFY(marked(cell(u"x"_s, TensorColumn::Name)));
        QCOMPARE(cell(u"x"_s, TensorColumn::Spec).data(TensorsModel::MarkRole).toString(), u"PAD"_s);
        QVERIFY(cell(u"x"_s, TensorColumn::Name).data(Qt::AccessibleTextRole).toString().contains(u"divide"_s));
        const QString tip = cell(u"x"_s, TensorColumn::Name).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(u"1 of 8"_s), qPrintable(tip));
        // z has come to it by propagation: padded, and nothing to mend there.
        QVERIFY(!marked(cell(u"layers.0/z"_s, TensorColumn::Name)));
        QCOMPARE(cell(u"layers.0/z"_s, TensorColumn::Spec).data(TensorsModel::MarkRole).toString(), u"PAD"_s);
        QVERIFY(!marked(cell(u"params/layers.0/W1"_s, TensorColumn::Name)));
        QVERIFY(cell(u"params/layers.0/W1"_s, TensorColumn::Spec).data(TensorsModel::MarkRole).toString().isEmpty());
        // Whoever has the rows folded still finds them.
        const auto plate = [&](const QString& key) {
            const QModelIndex index = model.findKey(key);
            return index.siblingAtColumn(static_cast<int>(TensorColumn::Spec)).data(TensorsModel::MarkRole).toString();
        };
        QCOMPARE(plate(u"Activations"_s), u"PAD"_s);
        QCOMPARE(plate(u"Parameters"_s), QString());
        QCOMPARE(view.keyFigure(), u"13 padded"_s);
    }

    /// Gradients are padded as their parameters are, though nothing is to be mended at them.
    void groupsOfPaddedTensorsSaySo()
    {
        Experiment experiment = test::example("flax-mlp-logical");
        experiment.mesh.axes[1].size = 3;
        experiment.hardware.devices.hosts = 1;
        experiment.hardware.devices.devicesPerHost = 6;
        Fixture fixture(experiment);
        QVERIFY(!fixture.snapshot().ok() && fixture.snapshot().laidOut());
        TensorsModel model;
        model.setSnapshot(fixture.document.snapshot());
        for (const QString& key : { u"Parameters"_s, u"Gradients"_s, u"Moments"_s })
            QCOMPARE(model.findKey(key)
                         .siblingAtColumn(static_cast<int>(TensorColumn::Spec))
                         .data(TensorsModel::MarkRole)
                         .toString(),
                u"PAD"_s);
        QVERIFY(model.findKey(u"Parameters"_s).data(TensorsModel::WrongRole).toBool());
        QVERIFY(!model.findKey(u"Gradients"_s).data(TensorsModel::WrongRole).toBool());
    }

    void foldsOnlyEqualLayers_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<QStringList>("names");
        QTest::newRow("1") << 1 << QStringList{ u"Layer 0"_s };
        QTest::newRow("2") << 2 << QStringList{ u"Layer 0"_s, u"Layer 1"_s };
        QTest::newRow("3") << 3 << QStringList{ u"Layer 0"_s, u"Layers 1–2"_s };
        QTest::newRow("12") << 12 << QStringList{ u"Layer 0"_s, u"Layers 1–11"_s };
    }
    void foldsOnlyEqualLayers()
    {
        QFETCH(int, layers);
        Fixture fixture(mlp([&](MlpSettings& settings) { settings.layers = layers; }));
        TensorsModel model;
        model.setSnapshot(fixture.document.snapshot());
        QStringList names;
        const QModelIndex parameters = model.findKey(u"Parameters"_s);
        for (int i = 0; i < model.rowCount(parameters); ++i)
            names << model.index(i, 0, parameters).data().toString();
        QTEST(names, "names");

        // A row that differs stands alone.
        if (layers == 12) {
            Snapshot changed = fixture.snapshot();
            for (TensorRow& row : changed.tensors)
                if (row.path == "params/layers.5/W1")
                    row.copies = 8;
            const TensorTree tree = TensorTree::build(changed);
            QStringList found;
            for (const int child : tree.nodes[static_cast<std::size_t>(tree.nodes[0].children[0])].children)
                found << tree.nodes[static_cast<std::size_t>(child)].name;
            QCOMPARE(
                found, QStringList({ u"Layer 0"_s, u"Layers 1–4"_s, u"Layer 5"_s, u"Layer 6"_s, u"Layers 7–11"_s }));
        }
    }

    void filters_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("tensors");
        QTest::newRow("nothing") << QString() << -1;
        QTest::newRow("name") << u"W1"_s << 16;
        QTest::newRow("name and kind") << u"grad w2"_s << 4;
        QTest::newRow("layer") << u"layer 2 W1"_s << 4;
        QTest::newRow("path") << u"params/layers.3/"_s << 4;
        QTest::newRow("spec") << u"P(model, -)"_s << 16;
        QTest::newRow("no match") << u"quux"_s << 0;
    }
    void filters()
    {
        QFETCH(QString, text);
        Fixture fixture;
        TensorFilter filter;
        filter.text = text;
        const TensorTree tree = TensorTree::build(fixture.snapshot(), filter);
        const auto count =
            std::count_if(tree.nodes.begin(), tree.nodes.end(), [](const TensorNode& node) { return node.row >= 0; });
        if (text.isEmpty())
            QCOMPARE(static_cast<std::size_t>(count), fixture.snapshot().tensors.size());
        else
            QTEST(static_cast<int>(count), "tensors");
        checkSums(tree, 0);
    }

    void sorts()
    {
        Fixture fixture;
        TensorsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setSnapshot(fixture.document.snapshot());
        const auto names = [&] {
            QStringList list;
            for (int i = 0; i < model.rowCount(); ++i)
                list << model.index(i, 0).data(TensorsModel::KeyRole).toString();
            return list;
        };
        const QStringList natural = names();
        model.sort(static_cast<int>(TensorColumn::Bytes), Qt::DescendingOrder);
        QCOMPARE(names().first(), u"Moments"_s);
        QCOMPARE(names().last(), u"Counters"_s);
        model.sort(static_cast<int>(TensorColumn::Name), Qt::AscendingOrder);
        QCOMPARE(names().first(), u"Activations"_s);
        model.sort(-1);
        QCOMPARE(names(), natural);
    }

    void staysWhereItIsWhenOnlyValuesChange()
    {
        Fixture fixture;
        TensorsModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setSnapshot(fixture.document.snapshot());
        const QPersistentModelIndex w1 = model.find(u"params/layers.0/W1"_s);
        QVERIFY(w1.isValid());
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        QVERIFY(fixture.document.edit(withAxisSize(*fixture.document.experiment(), 0, 4, true), u"data 2 → 4"_s));
        fixture.document.waitForAnalysis();
        model.setSnapshot(fixture.document.snapshot());
        QCOMPARE(reset.count(), 0);
        QCOMPARE(QModelIndex(w1).siblingAtColumn(static_cast<int>(TensorColumn::Bytes)).data().toString(), u"2 MiB"_s);
        QVERIFY(fixture.document.edit(withDimension(*fixture.document.experiment(), "layers", 6), u"layers"_s));
        fixture.document.waitForAnalysis();
        model.setSnapshot(fixture.document.snapshot());
        QCOMPARE(reset.count(), 1);
    }

    void marksAxesInSpecs()
    {
        const std::vector<std::string> axes{ "data", "P" };
        const words::Text spans = axisSpans(u"P((data, P), -)"_s, axes);
        QString joined;
        QStringList marked;
        for (const words::Span& span : spans) {
            joined += span.text;
            if (span.style == words::Span::Style::Axis)
                marked << span.text + QString::number(span.axis);
        }
        QCOMPARE(joined, u"P((data, P), -)"_s);
        QCOMPARE(marked, QStringList({ u"data0"_s, u"P1"_s }));
    }

    void columns_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("extent");
        QTest::addColumn<int>("sum");
        QTest::newRow("wide") << 700 << true << 700;
        QTest::newRow("just enough") << 580 << true << 580;
        QTest::newRow("dock") << 352 << false << 352;
        QTest::newRow("narrow") << 260 << false << 260;
        QTest::newRow("copies stay") << 300 << false << 300;
        QTest::newRow("copies go") << 299 << false << 299;
        QTest::newRow("a spec lacks little") << 252 << false << 252;
        QTest::newRow("too narrow: it scrolls") << 100 << false << 48 + 56 + 70;
    }
    void columns()
    {
        QFETCH(int, width);
        const TensorColumnWidths wanted{ 140, 220, 110, 70, 40 };
        const TensorColumnWidths fitted = TensorColumnWidths::fit(width, wanted, 80);
        QTEST(fitted.shape > 0, "extent");
        QTEST(fitted.name + fitted.shape + fitted.spec + fitted.bytes + fitted.copies, "sum");
        QCOMPARE(fitted.bytes, wanted.bytes);
        // Copies make room for names and specs.
        QCOMPARE(fitted.copies, width < 300 ? 0 : wanted.copies);
        QVERIFY(fitted.name >= 48);
        // Specs give way before names.
        QVERIFY(fitted.name >= 80 || fitted.spec == 56);
    }

    /// Where there is not room for everything, names come first, those of groups too, and copies go.
    void namesHaveRoomInANarrowView()
    {
        Fixture fixture;
        TensorsView view(&fixture.document, &fixture.selection);
        view.resize(340, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const auto* delegate = qobject_cast<const NameDelegate*>(view.tree()->itemDelegate());
        QVERIFY(delegate);
        const auto shown = [&](const QModelIndex& row) {
            QStyleOptionViewItem option;
            option.initFrom(view.tree());
            option.widget = view.tree();
            option.rect = view.tree()->visualRect(row);
            delegate->initStyleOption(&option, row);
            return option.text;
        };
        const auto names = [&] {
            QStringList all;
            for (QModelIndex row = view.model()->index(0, 0); row.isValid(); row = view.tree()->indexBelow(row))
                all << shown(row);
            return all;
        };
        QTRY_VERIFY2(names().contains(u"Adam mu, nu"_s), qPrintable(names().join(u"; "_s)));
        QVERIFY2(names().filter(QChar(0x2026)).isEmpty(), qPrintable(names().join(u"; "_s)));
        const QHeaderView& head = *view.tree()->header();
        QVERIFY(head.sectionSize(static_cast<int>(TensorColumn::Name))
                + head.sectionSize(static_cast<int>(TensorColumn::Spec))
            <= view.tree()->viewport()->width());
    }

    void viewFollowsAndSetsTheSelection()
    {
        Fixture fixture;
        TensorsView view(&fixture.document, &fixture.selection);
        view.resize(400, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QVERIFY(view.keyFigure().contains(u"per device"_s));

        fixture.selection.setTensor(u"opt/mu/layers.2/W2"_s);
        QCOMPARE(view.model()->path(view.tree()->currentIndex()), u"opt/mu/layers.2/W2"_s);
        fixture.selection.setTensor({});
        QVERIFY(!view.tree()->selectionModel()->hasSelection());

        const QModelIndex w2 = view.model()->find(u"params/layers.0/W2"_s);
        view.tree()->scrollTo(w2);
        QTest::mouseClick(view.tree()->viewport(), Qt::LeftButton, {}, view.tree()->visualRect(w2).center());
        QCOMPARE(fixture.selection.tensor(), u"params/layers.0/W2"_s);
        QTest::keyClick(view.tree(), Qt::Key_Up);
        QCOMPARE(fixture.selection.tensor(), u"params/layers.0/W1"_s);

        // The filter keeps the selection while the tensor is there, and its words are typed.
        auto* filter = view.findChild<QLineEdit*>();
        QTest::keyClicks(filter, u"w1 grad"_s);
        QCOMPARE(view.model()->rowCount(), 1);
        QCOMPARE(fixture.selection.tensor(), u"params/layers.0/W1"_s);
        QTest::keyClick(filter, Qt::Key_Escape);
        QCOMPARE(view.model()->rowCount(), 5);
        QCOMPARE(view.model()->path(view.tree()->currentIndex()), u"params/layers.0/W1"_s);
        auto* kinds = view.findChild<QComboBox*>();
        kinds->setCurrentIndex(kinds->findText(u"Gradients"_s));
        QCOMPARE(view.model()->index(0, 0).data().toString(), u"Gradients"_s);
    }
};

REGISTER_TEST(TestTensors)
#include "test_tensors.moc"
