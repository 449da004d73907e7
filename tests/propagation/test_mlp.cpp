// SPDX-License-Identifier: GPL-3.0-or-later
// The train step of the MLP: every array of it gets the sharding that the annotations mean.
#include <QtTest>

#include "networks/mlp.h"
#include "propagation/notation.h"
#include "registered_test.h"
#include "sharding/text.h"

using namespace shardscope;

namespace {

struct Model {
    AnnotatedInput input;
    PartitionSpec batchEntry; ///< one entry: the axes over which the batch is cut
};

Model makeModel(const std::string& meshText, MlpSettings::Axes axes, bool annotateResults)
{
    const Mesh mesh = notation::parseMesh(meshText);
    MlpSettings settings;
    settings.axes = axes;
    Model model;
    model.batchEntry.entries = { mesh.axisIndex("pod") ? SpecEntry::tuple({ "pod", "data" })
                                                       : SpecEntry::axis("data") };
    settings.deviceAxes["batch"] = model.batchEntry.entries[0];
    LogicalRules rules;
    for (const auto& [name, target] : settings.deviceAxes)
        rules.list.push_back({ LogicalName::of(name), target, false, 2 });

    const Program program = buildMlp(settings).value();
    const auto resolved = [&](const Annotation& annotation, ValueId value) -> std::optional<TensorSharding> {
        PartitionSpec spec;
        if (const auto* device = std::get_if<DeviceAxes>(&annotation))
            spec = device->spec;
        else if (const auto* logical = std::get_if<LogicalAxes>(&annotation))
            spec = resolve(logical->names, rules, FlaxVersion::Current).value().spec();
        else
            return std::nullopt;
        return toTensorSharding(spec, mesh, program.value(value).type.rank());
    };
    AnnotatedInput& input = model.input;
    for (std::size_t a = 0; a < program.main().arguments.size(); ++a)
        input.arguments.push_back(resolved(program.argumentAnnotations[a], program.main().arguments[a]));
    for (std::size_t r = 0; r < program.main().results.size() && annotateResults; ++r)
        input.results.push_back(resolved(program.resultAnnotations[r], program.main().results[r]));
    for (const Operation& operation : program.operations) {
        const auto* constraint = std::get_if<ConstraintAttributes>(&operation.attributes);
        input.constraints.push_back(constraint ? resolved(constraint->annotation, operation.results[0]) : std::nullopt);
    }
    input.mesh = std::make_shared<const Mesh>(mesh);
    input.program = std::make_shared<const Program>(program);
    return model;
}

} // namespace

class TestMlp : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shardings_data();
    void shardings();
    void strategiesAgree();
};

void TestMlp::shardings_data()
{
    QTest::addColumn<QString>("mesh");
    QTest::addColumn<int>("axes");
    QTest::addColumn<bool>("annotateResults");
    for (const char* mesh : { "data=2 model=4", "data=1 model=8", "data=8 model=1", "pod=2 data=2 model=2" }) {
        for (const auto axes : { MlpSettings::Axes::Device, MlpSettings::Axes::Logical }) {
            for (const bool results : { true, false }) {
                QTest::addRow("%s %s%s", mesh, axes == MlpSettings::Axes::Device ? "device" : "logical",
                    results ? "" : " results open")
                    << QString::fromLatin1(mesh) << static_cast<int>(axes) << results;
            }
        }
    }
}

void TestMlp::shardings()
{
    QFETCH(QString, mesh);
    QFETCH(int, axes);
    QFETCH(bool, annotateResults);
    const Model model = makeModel(mesh.toStdString(), static_cast<MlpSettings::Axes>(axes), annotateResults);
    const Program& program = *model.input.program;
    const Mesh& m = *model.input.mesh;
    const PropagationResult result = propagate(model.input);
    const auto specOf = [&](const std::string& path) {
        const ValueId value = program.find(path);
        return value.valid() ? toColumn(toPartitionSpec(result.shardings[value.index], m)) : "no " + path;
    };
    const auto spec = [](std::vector<SpecEntry> entries) {
        return toColumn(canonical(PartitionSpec{ std::move(entries) }));
    };
    const SpecEntry batch = model.batchEntry.entries[0];
    const SpecEntry hidden = SpecEntry::axis("model");
    const SpecEntry none = SpecEntry::none();
    for (int layer = 0; layer < 4; ++layer) {
        const std::string name = "layers." + std::to_string(layer);
        QCOMPARE(specOf(name + "/y"), spec({ batch, hidden }));
        QCOMPARE(specOf(name + "/h"), spec({ batch, hidden }));
        QCOMPARE(specOf(name + "/z"), spec({ batch, none }));
        for (const auto& [parameter, wanted] :
            { std::pair{ name + "/W1", spec({ none, hidden }) }, { name + "/W2", spec({ hidden, none }) } }) {
            for (const std::string& path : { "params/" + parameter, "opt/mu/" + parameter, "opt/nu/" + parameter }) {
                QCOMPARE(specOf(path), wanted);
                QCOMPARE(specOf("next(" + path + ")"), wanted);
            }
            QCOMPARE(specOf("grad(params/" + parameter + ")"), wanted);
        }
        const AxisRef data = fullAxis(m, m.axisIndex("data").value());
        const std::vector<PropagationStep> chain = provenance(result, program.find(name + "/z"), 0, data);
        QVERIFY(!chain.empty());
        QVERIFY(chain.front().seed == SeedKind::Constraint
            || (chain.front().seed == SeedKind::Argument && chain.front().to == program.find("x")));
    }
    for (std::size_t s = 0; s < program.state.size(); ++s) {
        const ValueId after = program.main().results[program.state[s].result];
        QVERIFY(result.shardings[after.index].isEquivalent(result.shardings[program.state[s].argument.index]));
    }
}

void TestMlp::strategiesAgree()
{
    // Consistent annotations leave nothing to resolve: all strategies arrive at the same.
    Model model = makeModel("data=2 model=4", MlpSettings::Axes::Logical, true);
    const PropagationResult full = propagate(model.input);
    for (const Strategy strategy : { Strategy::Basic, Strategy::Aggressive, Strategy::OperationPriority }) {
        model.input.strategy = strategy;
        QVERIFY(propagate(model.input).shardings == full.shardings);
    }
}

REGISTER_TEST(TestMlp)
#include "test_mlp.moc"
