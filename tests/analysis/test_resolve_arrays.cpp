// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a table of arrays under rules on a mesh.
#include <QtTest>

#include <algorithm>

#include "analysis/resolve_arrays.h"
#include "base/codes.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

LogicalRule ruleOf(const char* name, const char* axis)
{
    LogicalRule rule;
    rule.name = LogicalName::of(name);
    rule.target = SpecEntry::axis(axis);
    return rule;
}

Experiment arraysOnMesh(std::vector<NamedArraySetting> arrays)
{
    Experiment experiment;
    experiment.mesh.axes = { { "data", 4 }, { "model", 2 }, { "expert", 1 } };
    experiment.rules.rules.list = { ruleOf("embed", "data"), ruleOf("mlp", "model"), ruleOf("norm", "expert") };
    experiment.model = ArraysModel{ std::move(arrays) };
    return experiment;
}

NamedArraySetting arrayOf(const char* path, LogicalNames names, Shape shape)
{
    return { path, std::move(names), std::move(shape), DType::F32 };
}

Result<ResolvedArrays> resolved(const Experiment& experiment)
{
    const Result<Mesh> mesh = Mesh::create(experiment.mesh.axes);
    if (!mesh)
        return tl::unexpected(mesh.error());
    return resolveArrays(experiment, std::make_shared<const Mesh>(*mesh));
}

} // namespace

class TestResolveArrays : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void layouts();
    void dialects();
    void fallback();
};

void TestResolveArrays::layouts()
{
    const LogicalName embed = LogicalName::of("embed"), mlp = LogicalName::of("mlp");
    const auto answer = resolved(arraysOnMesh({ arrayOf("wi", { embed, mlp }, { 8, 6 }), arrayOf("step", {}, {}) }));
    QVERIFY(answer.has_value());
    QCOMPARE(answer->arrays.size(), std::size_t{ 2 });
    const ResolvedArray& kernel = answer->arrays[0];
    QVERIFY(kernel.constrained && kernel.layout.has_value());
    QVERIFY((kernel.spec.entries == std::vector{ SpecEntry::axis("data"), SpecEntry::axis("model") }));
    QVERIFY((kernel.layout->shardShape() == Shape{ 2, 3 }));
    QCOMPARE(kernel.bytesPerDevice, std::int64_t{ 2 * 3 * 4 });
    QCOMPARE(answer->arrays[1].layout->copies(), std::int64_t{ 8 });
    QCOMPARE(answer->arrays[1].bytesPerDevice, std::int64_t{ 4 });
}

void TestResolveArrays::dialects()
{
    // Flax keeps an axis of size 1 and what does not divide, which no mesh can hold; MaxText leaves both out.
    const LogicalName norm = LogicalName::of("norm"), embed = LogicalName::of("embed");
    Experiment experiment = arraysOnMesh({ arrayOf("scale", { norm }, { 6 }), arrayOf("odd", { embed }, { 6 }) });
    const auto flax = resolved(experiment);
    QVERIFY(flax.has_value());
    QVERIFY(flax->arrays[0].spec.entries == std::vector{ SpecEntry::axis("expert") });
    QVERIFY(!flax->arrays[1].layout.has_value());
    experiment.rules.dialect = Dialect::MaxText;
    const auto maxText = resolved(experiment);
    QVERIFY(maxText.has_value());
    for (const ResolvedArray& array : maxText->arrays) {
        QVERIFY(array.spec.entries == std::vector{ SpecEntry::none() });
        QCOMPARE(array.dropped.size(), std::size_t{ 1 });
        QCOMPARE(array.bytesPerDevice, std::int64_t{ 24 });
    }
}

void TestResolveArrays::fallback()
{
    Experiment experiment = arraysOnMesh({ arrayOf("x", { LogicalName::of("unknown") }, { 8 }) });
    experiment.rules.fallback = RulesFallback::RaiseError;
    const auto refused = resolved(experiment);
    QVERIFY(refused.has_value());
    QVERIFY(!refused->arrays[0].constrained);
    QVERIFY(std::any_of(refused->problems.begin(), refused->problems.end(),
        [](const Diagnostic& problem) { return problem.code == Code::UnmatchedAxis && problem.where.path == "x"; }));
    experiment.rules.fallback = RulesFallback::NoConstraint;
    const auto alone = resolved(experiment);
    QVERIFY(alone.has_value());
    QVERIFY(!alone->arrays[0].constrained);
}

REGISTER_TEST(TestResolveArrays)
#include "test_resolve_arrays.moc"
