// SPDX-License-Identifier: GPL-3.0-or-later
// Experiments held against goldens of MaxText.
#include <QtTest>

#include "comparison/compare_goldens.h"
#include "experiment/network_rules.h"
#include "interchange/goldens_of.h"
#include "interchange/import.h"
#include "registered_test.h"
#include "sharding/parse_names.h"
#include "sharding/text.h"

using namespace shardscope;

namespace {

using GoldenKind = ComparedGolden::Kind;

GoldenArray golden(const char* path, Shape shape, const char* names, const char* spec)
{
    return { path, { DType::F32, std::move(shape) }, true, parseNames(names).value(),
        canonical(parseSpec(spec).value()), {} };
}

const std::vector<MeshAxis> goldenAxes{ { "data", 1 }, { "fsdp", 4 } };

/// embed -> (fsdp, data), mlp -> fsdp, over the arrays.
Experiment listed(std::vector<ParameterRow> rows, std::vector<MeshAxis> mesh = goldenAxes)
{
    Import import;
    import.dialect = Dialect::MaxText;
    import.rules = parseRules("(('embed', ('fsdp', 'data')), ('mlp', 'fsdp'))").value();
    import.mesh = std::move(mesh);
    import.rows = std::move(rows);
    return toExperiment(import).value();
}

std::vector<GoldenKind> kindsOf(const MaxTextGoldens& goldens, const Experiment& experiment)
{
    std::vector<GoldenKind> kinds;
    const auto compared = compareGoldens(goldens, experiment).value();
    for (const ComparedGolden& each : compared.arrays)
        kinds.push_back(each.kind);
    return kinds;
}

} // namespace

class TestCompareGoldens : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rulesAlone()
    {
        MaxTextGoldens goldens;
        goldens.mesh = goldenAxes;
        goldens.state = { golden("params/params/a", { 8, 8 }, "embed, mlp", "P(('fsdp', 'data'), None)"),
            golden("params/params/b", { 8, 8 }, "embed, mlp", "P('fsdp')"),
            golden("params/params/c", { 8, 8 }, "mlp, embed", "P('fsdp', None)") };
        goldens.activations = { golden("mlp/inputs", { 8, 8 }, "embed, mlp", "P('fsdp', None)"),
            golden("mlp/outputs", { 8, 8 }, "embed, mlp", "P(('fsdp', 'data'), None)") };
        QCOMPARE(kindsOf(goldens, listed({})),
            (std::vector<GoldenKind>{ GoldenKind::Same, GoldenKind::OtherForm, GoldenKind::OtherSpec, GoldenKind::Same,
                GoldenKind::OtherForm }));
        const GoldenComparison compared = compareGoldens(goldens, listed({})).value();
        QVERIFY(!compared.isSame() && compared.mesh.empty());
        QCOMPARE(compared.count(GoldenKind::OtherForm), std::size_t{ 2 });
        QVERIFY(compared.arrays[3].isActivation);
    }

    void arraysByPath()
    {
        MaxTextGoldens goldens;
        goldens.mesh = goldenAxes;
        goldens.state = { golden("step", {}, "", "P()"),
            golden("params/params/a", { 8, 8 }, "embed, mlp", "P(('fsdp', 'data'), None)"),
            golden("params/params/b", { 8, 16 }, "embed, mlp", "P(('fsdp', 'data'), None)"),
            golden("params/params/c", { 8 }, "mlp", "P('fsdp')"),
            golden("opt_state/0/mu/params/a", { 8, 8 }, "embed, mlp", "P(('fsdp', 'data'), None)") };
        const LogicalNames names = parseNames("embed, mlp").value();
        const Experiment experiment = listed({ { "params/a", { DType::F32, { 8, 8 } }, names },
            { "params/b", { DType::F32, { 8, 8 } }, names }, { "params/d", { DType::F32, { 8, 8 } }, names } });
        const GoldenComparison compared = compareGoldens(goldens, experiment).value();
        std::vector<GoldenKind> kinds;
        for (const ComparedGolden& each : compared.arrays)
            kinds.push_back(each.kind);
        QCOMPARE(kinds,
            (std::vector<GoldenKind>{
                GoldenKind::Same, GoldenKind::OtherShape, GoldenKind::OnlyGolden, GoldenKind::OnlyOurs }));
        QCOMPARE(compared.ofOptimizer, std::size_t{ 1 });
        QCOMPARE(compared.arrays[1].otherShape, (Shape{ 8, 8 }));
    }

    void otherMeshes()
    {
        MaxTextGoldens goldens;
        goldens.mesh = goldenAxes;
        goldens.state = { golden("params/params/a", { 8, 8 }, "mlp, embed", "P('fsdp', 'data')") };
        // An axis of size 1 that the experiment lacks is a matter of form, another size is not.
        const GoldenComparison lacks = compareGoldens(goldens, listed({}, { { "fsdp", 4 } })).value();
        QVERIFY(lacks.mesh.empty());
        const GoldenComparison larger = compareGoldens(goldens, listed({}, { { "fsdp", 8 }, { "rows", 2 } })).value();
        QCOMPARE(larger.mesh.size(), std::size_t{ 2 });
        QCOMPARE(larger.mesh[0].name, std::string("fsdp"));
        QCOMPARE(larger.mesh[0].expected, 4);
        QCOMPARE(larger.mesh[0].found, 8);
        QCOMPARE(larger.mesh[1].expected, 0);
        QVERIFY(!larger.isSame());
    }

    /// A network differs in nothing from what it wrote itself, and in what is changed there.
    void ofANetwork()
    {
        const PublishedRules* const rules = findPublishedRules("maxtext-base-2025-06");
        QVERIFY(rules);
        const Experiment experiment =
            networkExperiment({}, "network", { { { "fsdp", 4 } }, {} }, boundRules(*rules), std::nullopt, rules)
                .value();
        MaxTextGoldens goldens = goldensOf(experiment).value();
        QVERIFY(compareGoldens(goldens, experiment).value().isSame());
        for (GoldenArray& array : goldens.state)
            if (array.path == "params/params/token_embedder/embedding")
                array.spec = PartitionSpec();
        const GoldenComparison changed = compareGoldens(goldens, experiment).value();
        QCOMPARE(changed.count(GoldenKind::Same) + 1, changed.arrays.size());
        QCOMPARE(changed.count(GoldenKind::OtherSpec), std::size_t{ 1 });
    }
};

REGISTER_TEST(TestCompareGoldens)
#include "test_compare_goldens.moc"
