// SPDX-License-Identifier: GPL-3.0-or-later
// Shardings that an experiment gives values of its program, what they change, and why axes are not there.
#include <QTest>

#include "analysis/analyse.h"
#include "analysis/analysed.h"
#include "analysis/annotation_edit.h"
#include "analysis/change.h"
#include "analysis/own_spec.h"
#include "analysis/why_not.h"
#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment/network_edits.h"
#include "experiment/rule_edits.h"
#include "program/operation_path.h"
#include "registered_test.h"
#include "sharding/sharding_text.h"
#include "sharding/text.h"

using namespace shardscope;
using test::analysed;

namespace {

/// The product of a and b, its tanh, and a constraint on that; `a` is where a's sharding stands.
std::string product(const std::string& a, const std::string& constraint = R"([{?}, {?}])", bool withMesh = true)
{
    const std::string specified = a.empty() ? "" : " {sdy.sharding = #sdy.sharding<@mesh, " + a + ">}";
    return (withMesh ? std::string("sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n") : std::string())
        + "func.func @main(%a: tensor<8x16xf32>" + specified + ", %b: tensor<16x32xf32>) -> tensor<8x32xf32> {\n"
        + "  %c = stablehlo.constant dense<1.0> : tensor<8x16xf32>\n"
        + "  %s = stablehlo.add %a, %c : tensor<8x16xf32>\n" + "  %t = stablehlo.multiply %s, %c : tensor<8x16xf32>\n"
        + "  %0 = stablehlo.dot_general %t, %b, contracting_dims = [1] x [0] : "
          "(tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>\n"
        + (withMesh ? "  %1 = sdy.sharding_constraint %0 <@mesh, " + constraint + "> : tensor<8x32xf32>\n"
                    : std::string("  %1 = stablehlo.negate %0 : tensor<8x32xf32>\n"))
        + "  %2 = stablehlo.tanh %1 : tensor<8x32xf32>\n  return %2 : tensor<8x32xf32>\n}\n";
}

Experiment experimentWith(const std::string& text)
{
    Result<Experiment> made =
        experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(text), {} }, "product");
    if (!made)
        qFatal("not read");
    return std::move(*made);
}

std::string shardingOf(const Snapshot& snapshot, std::string_view path)
{
    const ValueId value = snapshot.program->find(path);
    return value.valid() ? dimensionsText(snapshot.propagation->shardings[value.index], *snapshot.mesh) : "no value";
}

std::vector<std::string> all(const Snapshot& snapshot)
{
    std::vector<std::string> shardings;
    for (const TensorSharding& sharding : snapshot.propagation->shardings)
        shardings.push_back(dimensionsText(sharding, *snapshot.mesh));
    return shardings;
}

bool hasProblem(const Snapshot& snapshot, Code code, const std::string& pointer)
{
    return std::any_of(snapshot.problems.begin(), snapshot.problems.end(), [&](const Problem& problem) {
        return problem.diagnostic.code == code && problem.diagnostic.where.pointer == pointer;
    });
}

} // namespace

class TestAnnotationEdit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// What the experiment gives is what the text would give.
    void countsAsIfItStoodInTheText()
    {
        const SnapshotPtr plain = analysed(experimentWith(product("")));
        const SnapshotPtr declared = analysed(experimentWith(product(R"([{"x"}, {}])")));
        const auto edited = withValueSharding(experimentWith(product("")), "a", "[{x}, {}]");
        QVERIFY(edited);
        const SnapshotPtr specified = analysed(*edited);
        QVERIFY(specified->laidOut());
        QCOMPARE(all(*specified), all(*declared));
        QVERIFY(all(*plain) != all(*declared));
        // It takes the place of what the text says, and goes again.
        const auto over = withValueSharding(experimentWith(product(R"([{"x"}, {}])")), "a", "[{}, {y}]");
        QVERIFY(over);
        QCOMPARE(shardingOf(*analysed(*over), "a"), std::string("[{}, {y}]"));
        const auto back = withValueSharding(*over, "a", std::nullopt);
        QVERIFY(back);
        QCOMPARE(all(*analysed(*back)), all(*declared));
        QVERIFY(*back == experimentWith(product(R"([{"x"}, {}])")));
    }

    void outputsConstraintsAndValues()
    {
        auto edited = withValueSharding(experimentWith(product("")), "result0", "[{x}, {}]");
        QVERIFY(edited);
        QCOMPARE(shardingOf(*analysed(*edited), "2").substr(0, 4), std::string("[{x,"));
        // The constant is used twice; the copy of it changes no name.
        const SnapshotPtr snapshot = analysed(experimentWith(product("")));
        const ValueId constraint = snapshot->annotations->constraints.at(0).value;
        const auto targets = annotationTargets(*snapshot, constraint);
        QCOMPARE(targets.size(), std::size_t{ 1 });
        QVERIFY(targets[0].kind == AnnotationTarget::Kind::Constraint);
        QCOMPARE(targets[0].name, std::string("1"));
        QVERIFY(snapshot->program->value(constraint).path == "1");
        edited = withAnnotation(*snapshot, targets[0], *parseDimensions("[{}, {y}]", *snapshot->mesh));
        QVERIFY(edited);
        const SnapshotPtr after = analysed(*edited);
        QCOMPARE(
            dimensionsText(after->propagation->shardings[constraint.index], *after->mesh), std::string("[{}, {y}]"));
        QCOMPARE(all(*after), all(*analysed(experimentWith(product("", R"([{}, {"y"}])")))));
    }

    void targetsSayWhatIsWritten()
    {
        const SnapshotPtr snapshot = analysed(experimentWith(product(R"([{"x", ?}, {}])")));
        auto targets = annotationTargets(*snapshot, snapshot->program->find("a"));
        QCOMPARE(targets.size(), std::size_t{ 1 });
        QVERIFY(targets[0].kind == AnnotationTarget::Kind::Input && targets[0].isDeclared && !targets[0].isOwn);
        QCOMPARE(dimensionsText(targets[0].declared, *snapshot->mesh), std::string("[{x, ?}, {}]"));
        QVERIFY(!withoutOwnSharding(*snapshot, targets[0]));
        targets = annotationTargets(*snapshot, snapshot->program->find("b"));
        QVERIFY(!targets[0].isDeclared);
        QCOMPARE(dimensionsText(targets[0].declared, *snapshot->mesh), std::string("[{?}, {?}]"));
        // What main returns has two: its own, and that of the result.
        targets = annotationTargets(*snapshot, snapshot->program->main().results[0]);
        QCOMPARE(targets.size(), std::size_t{ 2 });
        QVERIFY(targets[1].kind == AnnotationTarget::Kind::Output);
        QCOMPARE(targets[1].name, std::string("result0"));
        const auto own = withAnnotation(*snapshot, targets[1], *parseDimensions("[{}, {x}]", *snapshot->mesh));
        const SnapshotPtr after = analysed(*own);
        targets = annotationTargets(*after, after->program->main().results[0]);
        QVERIFY(targets[1].isOwn);
        QVERIFY(*withoutOwnSharding(*after, targets[1]) == *snapshot->experiment);
    }

    void aProgramWithoutAMeshTakesThatOfTheExperiment()
    {
        Experiment experiment = experimentWith(product("", "", false));
        experiment.mesh.axes = { { "data", 4 } };
        experiment.hardware.devices = DeviceSet{ "generic-cpu", "cpu", 1, 4 };
        const auto specified = withValueSharding(experiment, "a", "[{data}, {}]");
        QVERIFY(specified);
        const SnapshotPtr snapshot = analysed(*specified);
        QVERIFY(snapshot->laidOut());
        QCOMPARE(shardingOf(*snapshot, "a"), std::string("[{data}, {}]"));
        QCOMPARE(snapshot->row("a")->bytesPerDevice, std::int64_t{ 8 * 16 * 4 / 4 });
        QCOMPARE(shardingOf(*snapshot, snapshot->program->value(snapshot->program->main().results[0]).path),
            std::string("[{data, ?}, {?}]"));
    }

    void whatCannotBeIsReportedAtItsPlace_data()
    {
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("sharding");
        QTest::addColumn<int>("code");
        QTest::newRow("no value") << "arg9"
                                  << "[{x}, {}]" << static_cast<int>(Code::UnknownValue);
        QTest::newRow("no result") << "result3"
                                   << "[{x}, {}]" << static_cast<int>(Code::UnknownValue);
        QTest::newRow("no axis") << "a"
                                 << "[{z}, {}]" << static_cast<int>(Code::UnknownAxis);
        QTest::newRow("rank") << "a"
                              << "[{x}]" << static_cast<int>(Code::RankMismatch);
        QTest::newRow("part") << "a"
                              << "[{y:(1)3}, {}]" << static_cast<int>(Code::BadSubAxis);
        QTest::newRow("text") << "a"
                              << "{x}" << static_cast<int>(Code::Syntax);
    }
    void whatCannotBeIsReportedAtItsPlace()
    {
        QFETCH(QString, value);
        QFETCH(QString, sharding);
        QFETCH(int, code);
        const auto specified =
            withValueSharding(experimentWith(product(R"([{"x"}, {}])")), value.toStdString(), sharding.toStdString());
        QVERIFY(specified);
        const SnapshotPtr snapshot = analysed(*specified);
        QVERIFY(hasProblem(*snapshot, static_cast<Code>(code), "/model/shardings/" + value.toStdString()));
        // The text counts then.
        QVERIFY(snapshot->laidOut());
        QCOMPARE(shardingOf(*snapshot, "a"), std::string("[{x}, {}]"));
    }

    void axesAreFollowedWhenTheyAreRenamed()
    {
        Experiment experiment = *withValueSharding(experimentWith(product("")), "a", "[{x, ?}, {y:(1)2}p1]");
        experiment = *withAxisRenamed(experiment, 0, "my data");
        QCOMPARE(std::get<ProgramModel>(experiment.model).shardings[0].sharding,
            std::string(R"([{"my data", ?}, {y:(1)2}p1])"));
    }

    void rulesAndDeviceAxesOfNetworks()
    {
        const SnapshotPtr snapshot = analysed(builtinExamples().front().make());
        auto targets = annotationTargets(*snapshot, snapshot->program->find("params/layers.0/W1"));
        QCOMPARE(targets.size(), std::size_t{ 1 });
        QVERIFY(targets[0].kind == AnnotationTarget::Kind::Rules);
        QCOMPARE(targets[0].dimNames, (std::vector<std::string>{ "embed", "hidden" }));
        TensorSharding sharding = *parseDimensions("[{}, {data}]", *snapshot->mesh);
        auto after = withAnnotation(*snapshot, targets[0], sharding);
        QVERIFY(after);
        QVERIFY(*after == *withNameMapped(*snapshot->experiment, "hidden", SpecEntry::axis("data")));
        sharding.dims[0].open = true;
        QCOMPARE(withAnnotation(*snapshot, targets[0], sharding).error().code, Code::UnsupportedSharding);

        // In a part that has rules of its own, these.
        const Experiment inner = *withInnerRules(
            *snapshot->experiment, "layers.0", { { LogicalName::of("hidden"), SpecEntry::axis("model") } });
        const SnapshotPtr parts = analysed(inner);
        for (const bool within : { true, false }) {
            targets =
                annotationTargets(*parts, parts->program->find(within ? "params/layers.0/W1" : "params/layers.1/W1"));
            QCOMPARE(targets.size(), std::size_t{ 1 });
            QCOMPARE(targets[0].rules.inner, within ? 0 : -1);
            after = withAnnotation(*parts, targets[0], *parseDimensions("[{}, {data}]", *parts->mesh));
            QVERIFY(after);
            QVERIFY(*after == *withNameMapped(inner, targets[0].rules, "hidden", SpecEntry::axis("data")));
        }

        targets = annotationTargets(*snapshot, snapshot->program->find("layers.0/y"));
        QVERIFY(!targets.empty() && targets[0].kind == AnnotationTarget::Kind::DeviceAxes);
        after = withAnnotation(*snapshot, targets[0], *parseDimensions("[{data}, {}]", *snapshot->mesh));
        QVERIFY(after);
        QVERIFY(std::get<MlpModel>(after->model).settings.deviceAxes.at("hidden") == SpecEntry::none());
        QVERIFY(annotationTargets(*snapshot, snapshot->program->find("layers.0/h")).empty());
    }

    /// A parameter of a transformer has its rules and itself; the output of a module its constraint.
    void parametersByThemselves()
    {
        using Kind = AnnotationTarget::Kind;
        Experiment experiment = test::example("flax-mlp-logical"); // 2 x 4 over data and model
        experiment.model = TransformerModel{};
        experiment.rules.rules.list = { { LogicalName::of("mlp"), SpecEntry::axis("model") } };
        const std::string path = "params/decoder/layers.1/mlp/wo/kernel";
        const SnapshotPtr before = analysed(experiment);
        const auto valueOf = [](const Snapshot& snapshot, const std::string& of) { return snapshot.program->find(of); };
        std::vector<AnnotationTarget> targets = annotationTargets(*before, valueOf(*before, path));
        QCOMPARE(targets.size(), std::size_t(2));
        QCOMPARE(targets[0].kind, Kind::Rules);
        QCOMPARE(targets[1].kind, Kind::Chosen);
        QCOMPARE(targets[1].name, "decoder/layers.1/mlp/wo/kernel");
        QVERIFY(!targets[1].isOwn && !targets[1].takesAnySharding() && targets[1].canChange(1));

        TensorSharding sharding = *parseDimensions("[{}, {data}]", *before->mesh); // embed over data, mlp not any more
        const auto after = withAnnotation(*before, targets[1], sharding);
        QVERIFY(after.has_value());
        const SnapshotPtr changed = analysed(*after);
        QCOMPARE(toJax(changed->row(path)->spec), "P(None, 'data')");
        QCOMPARE(toJax(changed->row("params/decoder/layers.0/mlp/wo/kernel")->spec),
            toJax(before->row("params/decoder/layers.0/mlp/wo/kernel")->spec));
        const OwnSpecs specs(changed);
        const OwnSpec* own = specs.of(*changed->row(path));
        QVERIFY(own && own->byRules);
        QCOMPARE(toColumn(*own->byRules), "P(model, -)");
        QCOMPARE(own->rules.size(), std::size_t(1));
        QCOMPARE(own->rules.front().name.name, "mlp");
        QVERIFY(specs.of(*changed->row(path)) == own); // once for all who ask
        QVERIFY(!OwnSpecs(before).of(*before->row(path)));
        QVERIFY(!OwnSpecs().of(*before->row(path)));
        targets = annotationTargets(*changed, valueOf(*changed, path));
        QCOMPARE(targets.size(), std::size_t(1));
        QVERIFY(targets.front().isOwn);
        QVERIFY(*withoutOwnSharding(*changed, targets.front()) == experiment);

        // The constraint behind a layer.
        const std::string output = "decoder/layers.0/constraint";
        const SnapshotPtr constrained =
            analysed(*withConstraint(experiment, "decoder/layers.*", LogicalAxes{ { LogicalName::of("batch") } }));
        targets = annotationTargets(*constrained, valueOf(*constrained, output));
        QCOMPARE(targets.size(), std::size_t(1));
        QVERIFY(targets.front().isOwn && targets.front().isOutput);
        QCOMPARE(targets.front().name, "decoder/layers.0");
        const TensorSharding overData = *parseDimensions("[{data}, {}, {}]", *constrained->mesh);
        const SnapshotPtr moved = analysed(*withAnnotation(*constrained, targets.front(), overData));
        QCOMPARE(toColumn(moved->row(output)->spec), "P(data, -, -)");
        // The other layers keep theirs.
        const auto without = withoutOwnSharding(*constrained, targets.front());
        QVERIFY(without.has_value());
        QVERIFY(!analysed(*without)->row(output));
        QVERIFY(analysed(*without)->row("decoder/layers.1/constraint"));
    }

    void changesValueByValue()
    {
        const SnapshotPtr before = analysed(experimentWith(product("")));
        const SnapshotPtr after = analysed(*withValueSharding(experimentWith(product("")), "a", "[{x}, {}]"));
        const ValueChanges changes = valueChanges(*before, *after);
        // Not the constant that its copies took the place of.
        QCOMPARE(changes.compared, static_cast<int>(before->program->values.size()) - 1);
        // All with the rows of a: it, two constants, the sum, the product with it, dot_general, constraint, tanh.
        QCOMPARE(changes.values.size(), std::size_t{ 8 });
        QVERIFY(before->program->value(changes.values[0].before).path == "a");
        QCOMPARE(changes.values[0].bytesBefore, std::int64_t{ 8 * 16 * 4 });
        QCOMPARE(changes.values[0].bytesAfter, std::int64_t{ 8 * 16 * 4 / 2 });
        QCOMPARE(changes.largerBytes, std::int64_t{ 0 });
        QCOMPARE(changes.smallerBytes, std::int64_t{ (5 * 8 * 16 + 3 * 8 * 32) * 4 / 2 });
        QVERIFY(valueChanges(*before, *before).values.empty());
    }

    void whyAxesAreNotThere()
    {
        const SnapshotPtr snapshot = analysed(experimentWith(product(R"([{"x"}, {}])", R"([{?}, {}])")));
        const ValueId result = snapshot->program->main().results[0];
        QCOMPARE(shardingOf(*snapshot, snapshot->program->value(result).path), std::string("[{x, ?}, {?}]"));
        // y is nowhere.
        for (const AbsentAxis& absent : absentAxes(*snapshot, result))
            QVERIFY(!absent.blocker && absent.axis.axis == 1);
        // With y on the columns of b it comes to the closed constraint, and no further.
        const SnapshotPtr held = analysed(*withValueSharding(*snapshot->experiment, "b", "[{}, {y}]"));
        const auto absent = absentAxes(*held, result);
        QVERIFY(!absent.empty() && absent.front().blocker);
        QCOMPARE(absent.front().dimension, std::size_t{ 1 });
        QVERIFY(absent.front().blocker->reason == BlockReason::Closed);
        QVERIFY(absent.front().blocker->value == held->annotations->constraints.at(0).value);
        // Asked for one dimension, those that others use are told too.
        const auto rows = absentAxes(*held, result, 1);
        QCOMPARE(rows.size(), std::size_t{ 2 });
        std::stop_source stopped;
        stopped.request_stop();
        QVERIFY(absentAxes(*held, result, -1, stopped.get_token()).empty());
    }

    void operationsAreFoundAnew()
    {
        const SnapshotPtr snapshot = analysed(builtinExamples().front().make());
        const Program& program = *snapshot->program;
        for (const OperationId id : program.main().operations)
            QVERIFY(findOperation(program, operationPath(program, id)) == id);
        QVERIFY(!findOperation(program, "%99999").valid());
        QVERIFY(!findOperation(program, "%").valid());
        QVERIFY(!findOperation(program, "").valid());
        QVERIFY(!findOperation(program, "params/layers.0/W1").valid());
    }
};

REGISTER_TEST(TestAnnotationEdit)
#include "test_annotation_edit.moc"
