// SPDX-License-Identifier: GPL-3.0-or-later
// Which rules a network begins with, and whose names its arrays then have.
#include <QTest>

#include "experiment/network_rules.h"
#include "experiment/rule_edits.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

std::string defaultId(const std::vector<MeshAxis>& mesh, std::optional<AxisNames> names = std::nullopt)
{
    const PublishedRules* set = defaultRules(mesh, names);
    return set ? set->id : std::string();
}

} // namespace

class TestNetworkRules : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void defaultsByMesh()
    {
        QCOMPARE(defaultId({ { "data", 2 }, { "model", 4 } }), "t5x-a2p2");
        QCOMPARE(defaultId({ { "data", 8 } }), "t5x-a2p2");
        QCOMPARE(defaultId({ { "expert", 2 }, { "data", 2 }, { "model", 2 } }), "t5x-moe");
        QCOMPARE(defaultId({ { "data", 2 }, { "fsdp", 4 }, { "tensor", 2 } }), "maxtext-base-2026-08");
        QCOMPARE(defaultId({ { "data", 2 }, { "fsdp", 4 } }, AxisNames::MaxText2025), "maxtext-base-2025-06");
        QCOMPARE(defaultId({ { "data", 2 } }, AxisNames::MaxText), "maxtext-base-2026-08");
        QCOMPARE(defaultId({ { "fsdp", 4 } }, AxisNames::T5x), "");
        QCOMPARE(defaultId({ { "x", 2 }, { "y", 4 } }), "");
    }

    /// The names of a default set are those that it was chosen for.
    void namesOfDefaults()
    {
        const auto namesOf = [](const char* id) {
            const PublishedRules& set = *findPublishedRules(id);
            return axisNamesOf(set.rules, set.dialect);
        };
        QVERIFY(namesOf("t5x-a2p2") == AxisNames::T5x);
        QVERIFY(namesOf("t5x-moe") == AxisNames::T5x);
        QVERIFY(namesOf("maxtext-base-2026-08") == AxisNames::MaxText);
        QVERIFY(namesOf("maxtext-base-2025-06") == AxisNames::MaxText2025);
    }

    void declaredAxes()
    {
        using Axes = std::vector<MeshAxis>;
        const std::vector<std::string> declared{ "data", "fsdp", "tensor" };
        QVERIFY((withDeclaredAxes(Axes{ { "fsdp", 8 } }, declared)
            == Axes{ { "data", 1 }, { "fsdp", 8 }, { "tensor", 1 } }));
        QVERIFY((withDeclaredAxes(Axes{ { "tensor", 2 }, { "own", 3 }, { "data", 4 } }, declared)
            == Axes{ { "data", 4 }, { "fsdp", 1 }, { "tensor", 2 }, { "own", 3 } }));
        const Axes all{ { "tensor", 2 }, { "data", 4 }, { "fsdp", 1 } };
        QVERIFY(withDeclaredAxes(all, declared) == all);
        QVERIFY((withDeclaredAxes(Axes{ { "x", 2 } }, {}) == Axes{ { "x", 2 } }));
    }

    void experiments()
    {
        const TransformerSettings settings;
        const PublishedRules& set = *findPublishedRules("t5x-a2p2");
        const Result<Experiment> alone =
            networkExperiment(settings, "small", { { { "data", 8 } }, {}, {} }, boundRules(set));
        QVERIFY(alone.has_value());
        QCOMPARE(alone->title, "small");
        QCOMPARE(alone->hardware.devices.count(), 8);
        QCOMPARE(missingAxes(*alone), std::vector<std::string>{ "model" });
        QVERIFY(alone->rules.dialect == Dialect::T5x && alone->rules.rules == set.rules);
        const Result<Experiment> filled =
            networkExperiment(settings, "small", { { { "data", 8 } }, {}, {} }, boundRules(set), std::nullopt, &set);
        QVERIFY(filled.has_value());
        QVERIFY(missingAxes(*filled).empty());
        QCOMPARE(filled->mesh.axes.size(), 2U);
        QCOMPARE(filled->mesh.axes[1].name, "model");
        QCOMPARE(filled->mesh.axes[1].size, 1);
        QCOMPARE(filled->hardware.devices.count(), 8);
        // MaxText's mesh has all axes of its configuration, in its order.
        const PublishedRules& maxText = *findPublishedRules("maxtext-base-2026-08");
        const Result<Experiment> ordered = networkExperiment(settings, "small",
            { { { "tensor", 2 }, { "fsdp", 4 } }, {}, {} }, boundRules(maxText), std::nullopt, &maxText);
        QVERIFY(ordered.has_value());
        std::vector<std::string> axes;
        for (const MeshAxis& axis : ordered->mesh.axes)
            axes.push_back(axis.name);
        QVERIFY(axes == maxText.meshAxes);
        QCOMPARE(ordered->mesh.axes[3], (MeshAxis{ "fsdp", 4 }));
        const Result<Experiment> named =
            networkExperiment(settings, "small", { { { "data", 8 } }, {}, {} }, RulesSetting(), AxisNames::MaxText2025);
        QVERIFY(std::get<TransformerModel>(named->model).settings.model.axisNames == AxisNames::MaxText2025);
    }
};

REGISTER_TEST(TestNetworkRules)
#include "test_network_rules.moc"
