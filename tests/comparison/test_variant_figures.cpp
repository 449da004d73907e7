// SPDX-License-Identifier: GPL-3.0-or-later
// What variants make of the notebook's MLP, by hand: 128 MiB of parameters, gradients and moments, which model alone
// shards, and 8,560,640 bytes that a device of 2 x 4 sends per step.
#include <QTest>

#include "base/codes.h"
#include "comparison/variant_figures.h"
#include "experiment/builtin.h"
#include "registered_test.h"

using namespace shardscope;

class TestVariantFigures : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void figures()
    {
        const Experiment notebook = builtinExamples().front().make();
        AnalysisCache cache;
        const auto figuresOf = [&](const char* patch) { return variantFigures(notebook, { "v", patch }, {}, cache); };
        const VariantFigures same = figuresOf("{}");
        QVERIFY(same.mesh == (std::vector<MeshAxis>{ { "data", 2 }, { "model", 4 } }));
        QVERIFY(same.stateBytes == std::int64_t{ 32 } << 20);
        QCOMPARE(same.sentBytes->value(), 8'560'640.0);
        QVERIFY(!same.problem);
        const VariantFigures other = figuresOf(R"({ "mesh": { "axes": [["data", 4], ["model", 2]] } })");
        QVERIFY(other.mesh == (std::vector<MeshAxis>{ { "data", 4 }, { "model", 2 } }));
        QVERIFY(other.stateBytes == std::int64_t{ 64 } << 20);
        QVERIFY(!other.problem);
    }

    /// A variant that is no experiment has no figures; one whose steps cannot run has those of its layout.
    void problems()
    {
        const Experiment notebook = builtinExamples().front().make();
        AnalysisCache cache;
        const VariantFigures none = variantFigures(notebook, { "v", R"({ "mesh": 3 })" }, {}, cache);
        QCOMPARE(none.problem->code, Code::WrongType);
        QVERIFY(!none.mesh && !none.stateBytes && !none.sentBytes);
        const VariantFigures uneven = variantFigures(notebook,
            { "v",
                R"({ "mesh": { "axes": [["data", 1], ["model", 3]] }, "hardware": { "hosts": 1, "devices_per_host": 3 } })" },
            {}, cache);
        QCOMPARE(uneven.problem->code, Code::Indivisible);
        QVERIFY(uneven.mesh && uneven.stateBytes && !uneven.sentBytes);
        std::stop_source stopped;
        stopped.request_stop();
        const VariantFigures unknown = variantFigures(notebook, { "v", "{}" }, {}, cache, stopped.get_token());
        QVERIFY(!unknown.mesh && !unknown.problem);
    }
};

REGISTER_TEST(TestVariantFigures)
#include "test_variant_figures.moc"
