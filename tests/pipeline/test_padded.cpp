// SPDX-License-Identifier: GPL-3.0-or-later
// Experiments with a dimension that its mesh axes do not divide: no step can run, who holds what is known all the same.
#include <QTest>

#include <algorithm>

#include "analysis/analyse.h"
#include "analysis/analysed.h"
#include "analysis/explain.h"
#include "analysis/fixes.h"
#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "registered_test.h"
#include "sharding/text.h"

using namespace shardscope;
using test::analysed;
using test::example;

namespace {

Experiment mlp(const char* id, std::int64_t data, std::int64_t model, const char* dimension, std::int64_t size)
{
    Experiment experiment = example(id);
    experiment.mesh.axes = { { "data", data }, { "model", model } };
    return *withDimension(experiment, dimension, size);
}

std::vector<const Problem*> indivisible(const Snapshot& snapshot)
{
    std::vector<const Problem*> found;
    for (const Problem& problem : snapshot.problems)
        if (problem.diagnostic.code == Code::Indivisible)
            found.push_back(&problem);
    return found;
}

/// One array, cut as the rules say.
Experiment array(Shape shape, std::vector<std::pair<const char*, SpecEntry>> rules, std::vector<MeshAxis> axes)
{
    Experiment experiment = example("rule-lab");
    NamedArraySetting& setting = std::get<ArraysModel>(experiment.model).arrays.front();
    setting.shape = std::move(shape);
    setting.names.clear();
    experiment.rules.rules.list.clear();
    std::int64_t devices = 1;
    for (const auto& [name, target] : rules) {
        setting.names.push_back(LogicalName::of(name));
        experiment.rules.rules.list.push_back({ LogicalName::of(name), target, false, 2 });
    }
    for (const MeshAxis& axis : axes)
        devices *= axis.size;
    experiment.mesh.axes = std::move(axes);
    experiment.hardware.devices.hosts = 1;
    experiment.hardware.devices.devicesPerHost = static_cast<std::int32_t>(devices);
    return experiment;
}

} // namespace

class TestPadded : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyArrayHasItsPaddedShape_data()
    {
        QTest::addColumn<QString>("example");
        QTest::addColumn<int>("data");
        QTest::addColumn<int>("model");
        QTest::addColumn<QString>("dimension");
        QTest::addColumn<int>("size");
        for (const char* id : { "flax-mlp-logical", "flax-mlp-device" }) {
            QTest::addRow("%s, batch 10 on 4", id) << QString::fromLatin1(id) << 4 << 2 << "batch" << 10;
            QTest::addRow("%s, batch 1 on 8", id) << QString::fromLatin1(id) << 8 << 1 << "batch" << 1;
            QTest::addRow("%s, batch 5 on 4", id) << QString::fromLatin1(id) << 4 << 2 << "batch" << 5;
            QTest::addRow("%s, hidden 1022 on 4", id) << QString::fromLatin1(id) << 2 << 4 << "hidden" << 1022;
            QTest::addRow("%s, hidden 3 on 8", id) << QString::fromLatin1(id) << 1 << 8 << "hidden" << 3;
        }
    }
    void everyArrayHasItsPaddedShape()
    {
        QFETCH(QString, example);
        QFETCH(int, data);
        QFETCH(int, model);
        QFETCH(QString, dimension);
        QFETCH(int, size);
        const SnapshotPtr snapshot = analysed(mlp(qPrintable(example), data, model, qPrintable(dimension), size));
        QVERIFY(!snapshot->ok());
        QVERIFY(snapshot->laidOut());
        QVERIFY(!snapshot->plan);
        QVERIFY(!snapshot->collectives);
        // The same arrays, cut along the same axes, as when the dimension divides.
        const SnapshotPtr even = analysed(mlp(qPrintable(example), data, model, qPrintable(dimension), 64));
        QVERIFY(even->ok());
        QCOMPARE(snapshot->tensors.size(), even->tensors.size());
        bool some = false;
        for (std::size_t i = 0; i < snapshot->tensors.size(); ++i) {
            const TensorRow& row = snapshot->tensors[i];
            QCOMPARE(row.path, even->tensors[i].path);
            QVERIFY2(canonical(row.spec) == canonical(even->tensors[i].spec), row.path.c_str());
            QCOMPARE(row.copies, even->tensors[i].copies);
            std::int64_t elements = 1;
            bool uneven = false;
            for (std::size_t d = 0; d < row.type.rank(); ++d) {
                std::int64_t pieces = 1;
                for (const std::string& axis : row.spec.axesOf(d))
                    pieces *= axis == "data" ? data : model;
                const std::int64_t local = (row.type.shape[d] + pieces - 1) / pieces;
                QCOMPARE(row.layout.shardShape()[d], local);
                elements *= local;
                uneven = uneven || local * pieces != row.type.shape[d];
            }
            QCOMPARE(row.bytesPerDevice, elements * static_cast<std::int64_t>(byteSize(row.type.dtype)));
            QCOMPARE(row.layout.isUneven(), uneven);
            QVERIFY(uneven || !row.indivisible);
            some = some || row.indivisible;
        }
        QVERIFY(some);
    }

    void whatIsWrittenIsTold()
    {
        const SnapshotPtr snapshot = analysed(mlp("flax-mlp-logical", 2, 4, "hidden", 1022));
        for (const char* path : { "params/layers.3/W1", "opt/mu/layers.0/W1", "opt/nu/layers.2/W2", "layers.0/y" })
            QVERIFY2(snapshot->row(path)->indivisible, path);
        // The gradient is cut as its parameter is, but nobody asked for that.
        QVERIFY(!snapshot->row("grad(params/layers.0/W1)")->indivisible);
        QVERIFY(snapshot->row("grad(params/layers.0/W1)")->layout.isUneven());
        QVERIFY(!snapshot->row("x")->indivisible);
        // A rule is no less in use because of the size.
        QCOMPARE(snapshot->ruleUses[1].uses, 8);
    }

    void oneDimensionIsOneFinding()
    {
        const Experiment experiment = mlp("flax-mlp-logical", 2, 4, "hidden", 1022);
        const SnapshotPtr snapshot = analysed(experiment);
        const auto found = indivisible(*snapshot);
        QCOMPARE(found.size(), 1U);
        const Problem& problem = *found.front();
        QCOMPARE(problem.values.size(), 12U); // W1, W2 and y of four layers
        QCOMPARE(problem.diagnostic.number("tensors"), 12);
        QCOMPARE(problem.diagnostic.text("dim_name"), std::string("hidden"));
        QCOMPARE(problem.diagnostic.list("axes"), std::vector<std::string>{ "model" });
        QCOMPARE(snapshot->errorCount(), 1);
        QCOMPARE(problem.fixes.size(), 3U);
        for (const Fix& fix : problem.fixes)
            QVERIFY(indivisible(*analysed(*applyFix(experiment, fix))).empty());
    }

    /// Sizes of an axis before sizes of the model; nothing that does not shard any more, nothing that breaks another
    /// array.
    void fixesAreSensible()
    {
        const auto labels = [](const Experiment& experiment) {
            std::vector<std::string> list;
            const SnapshotPtr snapshot = analysed(experiment);
            for (const Fix& fix : indivisible(*snapshot).front()->fixes)
                list.push_back(fix.name + '=' + std::to_string(fix.number));
            return list;
        };
        const auto in = [](const char* name, const char* axis) { return std::pair{ name, SpecEntry::axis(axis) }; };
        using List = std::vector<std::string>;
        // 6 divides by 2, and y takes the inverse; 3 is no size of an axis on 8 devices.
        QCOMPARE(labels(array({ 6, 8 }, { in("a", "x"), in("b", "y") }, { { "x", 4 }, { "y", 2 } })),
            (List{ "x=2", "a=8", "a=4" }));
        // b does not divide by the 4 devices that y would have.
        QCOMPARE(labels(array({ 6, 2 }, { in("a", "x"), in("b", "y") }, { { "x", 4 }, { "y", 2 } })),
            (List{ "a=8", "a=4" }));
        // Nothing but 1 divides 7.
        QCOMPARE(labels(array({ 7, 8 }, { in("a", "x"), in("b", "y") }, { { "x", 4 }, { "y", 2 } })),
            (List{ "a=8", "a=4" }));
        QCOMPARE(labels(array({ 3 }, { in("a", "x") }, { { "x", 4 } })), List{ "a=4" });

        // A name that is sharded along several axes takes a size that divides by each.
        Experiment two = array({ 10 }, { in("a", "x") }, { { "x", 4 }, { "y", 3 } });
        std::vector<LogicalRule>& rules = two.rules.rules.list;
        rules.insert(rules.begin(), { LogicalName::of("b"), SpecEntry::axis("x"), false, 2 });
        rules.push_back({ LogicalName::of("a"), SpecEntry::axis("y"), false, 2 });
        std::vector<NamedArraySetting>& arrays = std::get<ArraysModel>(two.model).arrays;
        NamedArraySetting second = arrays.front();
        second.path = "second";
        second.names = { LogicalName::of("b"), LogicalName::of("a") };
        second.shape = { 8, 10 };
        arrays.push_back(second);
        QCOMPARE(labels(two), (List{ "x=2", "a=12" }));
        // One edit would make dimensions equal that only have the same name.
        arrays.back().shape = { 8, 9 };
        QCOMPARE(labels(two), List{});

        for (const Experiment& experiment :
            { array({ 6, 8 }, { in("a", "x"), in("b", "y") }, { { "x", 4 }, { "y", 2 } }),
                mlp("flax-mlp-logical", 4, 2, "batch", 10), mlp("flax-mlp-logical", 2, 4, "embed", 1022),
                mlp("flax-mlp-device", 2, 4, "hidden", 1022) }) {
            const SnapshotPtr snapshot = analysed(experiment);
            for (const Problem& problem : snapshot->problems)
                for (const Fix& fix : problem.fixes) {
                    const SnapshotPtr after = analysed(*applyFix(experiment, fix));
                    QVERIFY(after->errorCount() < snapshot->errorCount()
                        || (problem.diagnostic.severity() != Severity::Error
                            && after->errorCount() == snapshot->errorCount()));
                    if (fix.kind == Fix::Kind::SetAxisSize)
                        QVERIFY(fix.number > 1);
                }
        }
    }

    void everyDimensionOfAnArrayIsFound()
    {
        const SnapshotPtr snapshot = analysed(array({ 10, 6, 8 },
            { { "a", SpecEntry::axis("x") }, { "b", SpecEntry::axis("y") }, { "c", SpecEntry::axis("z") } },
            { { "x", 4 }, { "y", 4 }, { "z", 2 } }));
        const auto found = indivisible(*snapshot);
        QCOMPARE(found.size(), 2U);
        QCOMPARE(found[0]->diagnostic.where.pointer, std::string("/model/arrays/0/shape/0"));
        QCOMPARE(found[1]->diagnostic.where.pointer, std::string("/model/arrays/0/shape/1"));
        QCOMPARE(found[1]->diagnostic.number("size"), 6);
        const TensorRow& row = snapshot->tensors.front();
        QVERIFY(row.layout.shardShape() == Shape({ 3, 2, 4 }));
        QVERIFY(row.indivisible);
        // Of 32 devices with 24 elements each, 480 elements are data.
        QCOMPARE(row.layout.paddedElements(), 32 * 24 - 480);
    }

    void severalAxesOnOneDimension()
    {
        const SnapshotPtr snapshot =
            analysed(array({ 12 }, { { "a", SpecEntry::tuple({ "x", "y" }) } }, { { "x", 2 }, { "y", 4 } }));
        const auto found = indivisible(*snapshot);
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0]->diagnostic.number("partitions"), 8);
        QCOMPARE(found[0]->diagnostic.list("axes"), (std::vector<std::string>{ "x", "y" }));
        QCOMPARE(found[0]->fixes.size(), 2U); // 8 or 16; which axis should shrink is the user's to say
        QVERIFY(snapshot->tensors.front().layout.shardShape() == Shape({ 2 }));
    }

    void explanationsNameTheRule()
    {
        const SnapshotPtr snapshot = analysed(mlp("flax-mlp-logical", 4, 2, "batch", 10));
        const Explanation x = explain(*snapshot, snapshot->row("x")->value);
        QCOMPARE(x.dims[0].kind, DimensionReason::Kind::Rule);
        QCOMPARE(x.dims[0].rule, 0);
        QVERIFY(x.annotation && x.annotation->indivisible());
        const Explanation z = explain(*snapshot, snapshot->row("layers.1/z")->value);
        QCOMPARE(z.dims[0].kind, DimensionReason::Kind::Propagated);
        QVERIFY(!z.dims[0].chain.empty());
    }

    void otherErrorsLeaveNothingToLookAt()
    {
        Experiment experiment = mlp("flax-mlp-device", 4, 2, "batch", 10);
        std::get<MlpModel>(experiment.model).settings.deviceAxes["hidden"] = SpecEntry::axis("modle");
        const SnapshotPtr snapshot = analysed(experiment);
        QVERIFY(!snapshot->ok() && !snapshot->laidOut());
        QVERIFY(snapshot->tensors.empty());
        QVERIFY(snapshot->errorCount() >= 2);
    }

    void cacheTellsThemApart()
    {
        AnalysisCache cache;
        const auto run = [&](std::int64_t batch) {
            return analyse(std::make_shared<const Experiment>(mlp("flax-mlp-logical", 4, 2, "batch", batch)), 1, cache);
        };
        for (int i = 0; i < 2; ++i) {
            QVERIFY(!run(10)->ok());
            QVERIFY(run(12)->ok());
        }
        QCOMPARE(run(10)->row("x")->bytesPerDevice, 3 * 1024 * 4);
        QCOMPARE(run(12)->row("x")->bytesPerDevice, 3 * 1024 * 4);
    }
};

REGISTER_TEST(TestPadded)
#include "test_padded.moc"
