// SPDX-License-Identifier: GPL-3.0-or-later
// Settings that change nothing: each finding is true of the program that is built, and nothing that changes the program
// is called a setting without effect.
#include <QTest>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/analysed.h"
#include "analysis/fixes.h"
#include "analysis/idle_settings.h"
#include "base/codes.h"
#include "experiment/edits.h"
#include "experiment/transformer_fields.h"
#include "networks/presets.h"
#include "registered_test.h"

using namespace shardscope;
using test::analysed;
using test::example;

namespace {

/// A decoder of one layer, in which no finding is to be expected.
Experiment decoder()
{
    Experiment experiment;
    experiment.mesh.axes = { { "data", 2 } };
    TransformerModel model;
    model.settings.model.layers = 1;
    experiment.model = model;
    return experiment;
}

TransformerTraining& training(Experiment& experiment)
{
    return std::get<TransformerModel>(experiment.model).settings;
}

ChosenSharding chosen(const char* at, const char* axes)
{
    return { at, parseChosenAxes(axes).value() };
}

const Problem* findingAt(const std::vector<Problem>& problems, std::string_view pointer)
{
    for (const Problem& problem : problems) {
        if (problem.diagnostic.where.pointer == pointer)
            return &problem;
        for (const Fix& fix : problem.fixes)
            if (std::find(fix.axes.begin(), fix.axes.end(), pointer) != fix.axes.end())
                return &problem;
    }
    return nullptr;
}

std::uint64_t programHash(const TransformerTraining& of)
{
    const Result<Program> program = buildTransformer(of);
    return program ? hash(*program) : 0;
}

/// Another value of a setting.
void change(bool& value)
{
    value = !value;
}
void change(std::int64_t& value)
{
    value = value * 2 + 64;
}
void change(double& value)
{
    value = value * 2 + 0.5;
}
void change(DType& value)
{
    value = value == DType::F64 ? DType::F32 : DType::F64;
}
void change(std::optional<DType>& value)
{
    value = value ? std::nullopt : std::optional(DType::F64);
}
template <class Enum>
requires std::is_enum_v<Enum>
void change(Enum& value)
{
    value = value == Enum{} ? static_cast<Enum>(1) : Enum{};
}

using Edit = void (*)(TransformerTraining&);

const std::map<std::string, Edit>& variants()
{
    static const std::map<std::string, Edit> all{
        { "plain", [](TransformerTraining&) {} },
        { "forward", [](TransformerTraining& t) { t.trainStep = false; } },
        { "sgd", [](TransformerTraining& t) { t.optimizer.kind = OptimizerKind::Sgd; } },
        { "momentum", [](TransformerTraining& t) { t.optimizer.kind = OptimizerKind::Momentum; } },
        { "adamw", [](TransformerTraining& t) { t.optimizer.kind = OptimizerKind::AdamW; } },
        { "adafactor",
            [](TransformerTraining& t) {
                t.optimizer.kind = OptimizerKind::Adafactor;
                t.optimizer.adafactor.factoredSize = 32;
            } },
        { "bf16", [](TransformerTraining& t) { t.model.parameterDtype = DType::BF16; } },
        { "f64 state", [](TransformerTraining& t) { t.optimizer.stateDtype = DType::F64; } },
        { "f32 state", [](TransformerTraining& t) { t.optimizer.stateDtype = DType::F32; } },
        { "bf16 state of sgd",
            [](TransformerTraining& t) {
                t.optimizer.kind = OptimizerKind::Sgd;
                t.optimizer.stateDtype = DType::BF16;
            } },
        { "dropout", [](TransformerTraining& t) { t.model.dropout = 0.1; } },
        { "scanned", [](TransformerTraining& t) { t.model.form = LayerForm::Scanned; } },
        { "learned", [](TransformerTraining& t) { t.model.positions = PositionKind::Learned; } },
        { "relative", [](TransformerTraining& t) { t.model.positions = PositionKind::RelativeBias; } },
        { "encoder", [](TransformerTraining& t) { t.model.encoderLayers = 1; } },
        { "parallel", [](TransformerTraining& t) { t.model.parallelBlock = true; } },
        { "unscaled", [](TransformerTraining& t) { t.model.scaledAttention = false; } },
        { "latent",
            [](TransformerTraining& t) {
                t.model.kvHeads = t.model.heads;
                t.model.latent = LatentSettings{ .rank = 8, .queryRank = 0, .rotarySize = 4, .valueSize = 8 };
            } },
        { "experts", [](TransformerTraining& t) { t.model.experts.emplace(); } },
        { "experts without drops",
            [](TransformerTraining& t) {
                t.model.experts =
                    ExpertSettings{ .experts = 8, .perToken = 2, .mlp = 0, .capacityFactor = 5, .normalise = true };
            } },
    };
    return all;
}

} // namespace

class TestIdleSettings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void findings_data()
    {
        QTest::addColumn<QString>("variant");
        for (const auto& [name, edit] : variants())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    /// Each setting is changed alone. The finding is there exactly if the program stays the same.
    void findings();
    void oneForWhatNeedsTheSame();
    void limits();
    void namesOfChosenShardings();
    void placesOfChosenShardings();
    void gatheredInLoops();
    void patternsOfWindows();
    void propagation();
    void mlpWithoutTraining();
    void presetsHaveNone();
    void rulesWithoutNames();
};

void TestIdleSettings::findings()
{
    QFETCH(QString, variant);
    Experiment base = decoder();
    variants().at(variant.toStdString())(training(base));
    // Distances of a short sequence have buckets of their own, wherever the coarse ones end; numbers of layers and of
    // microbatches are tried elsewhere.
    const std::set<std::string_view> others{ "relative_maximum_distance", "encoder_layers" };
    const auto tryAll = [&](const std::string& object, const auto& forEach) {
        std::size_t count = 0;
        forEach(training(base), [&](auto&&...) { ++count; });
        for (std::size_t place = 0; place < count; ++place) {
            Experiment changed = base;
            std::string key;
            std::size_t at = 0;
            forEach(training(changed), [&](std::string_view name, auto& value, const auto&...) {
                if (at++ == place) {
                    key = std::string(name);
                    change(value);
                }
            });
            if (others.contains(key) || !checkTraining(training(changed)))
                continue;
            const std::string pointer = object + '/' + key;
            const bool same = programHash(training(base)) == programHash(training(changed));
            // Whether base or changed has the value of the default, the other one has the finding.
            const bool isFound = findingAt(idleSettings(base), pointer) != nullptr
                || findingAt(idleSettings(changed), pointer) != nullptr;
            QVERIFY2(isFound == same, qPrintable(variant + QStringLiteral(": ") + QString::fromStdString(pointer)));
        }
    };
    tryAll("/model", [](auto& t, const auto& visit) { forEachOption(t.model, visit); });
    tryAll("/step", [](auto& t, const auto& visit) { forEachAdamNumber(t.optimizer, visit); });
    tryAll("/step", [](auto& t, const auto& visit) { forEachOptimizerOption(t.optimizer, visit); });
    tryAll("/step/adafactor", [](auto& t, const auto& visit) { forEachAdafactorOption(t.optimizer.adafactor, visit); });
    if (training(base).model.experts)
        tryAll("/model/experts", [](auto& t, const auto& visit) { forEachExpertOption(*t.model.experts, visit); });
}

/// What needs the same is one finding, and its fix takes all of it away.
void TestIdleSettings::oneForWhatNeedsTheSame()
{
    Experiment experiment = decoder();
    training(experiment).optimizer.momentum = 0.5;
    training(experiment).optimizer.nesterov = true;
    training(experiment).optimizer.masterWeights = true;
    training(experiment).optimizer.weightDecay = 0.1; // counts: it is added to the gradient
    const std::vector<Problem> problems = idleSettings(experiment);
    QCOMPARE(problems.size(), 2U);
    const Diagnostic& first = problems[0].diagnostic;
    QCOMPARE(first.code, Code::SettingWithoutEffect);
    QCOMPARE(first.where.pointer, "/step/momentum");
    QCOMPARE(first.list("settings"), (std::vector<std::string>{ "momentum", "nesterov" }));
    QCOMPARE(first.text("needs"), "optimizer");
    QCOMPARE(first.list("values"), std::vector<std::string>{ "momentum" });
    QCOMPARE(problems[1].diagnostic.where.pointer, "/step/master_weights");
    QCOMPARE(problems[1].diagnostic.text("needs"), "parameter_dtype");
    QCOMPARE(problems[0].fixes.size(), 1U);
    const Result<Experiment> mended = applyFix(experiment, problems[0].fixes[0]);
    QVERIFY(mended.has_value());
    Experiment expected = experiment;
    training(expected).optimizer.momentum = OptimizerSettings().momentum;
    training(expected).optimizer.nesterov = false;
    QVERIFY(*mended == expected);
    // Of a forward pass they are all without effect, and so is what the backward pass would keep.
    training(experiment).trainStep = false;
    training(experiment).microbatches = 2;
    training(experiment).model.remat = RematPolicy::Full;
    const std::vector<Problem> forward = idleSettings(experiment);
    QCOMPARE(forward.size(), 1U);
    QCOMPARE(forward[0].diagnostic.text("needs"), "train");
    QCOMPARE(forward[0].diagnostic.list("settings"),
        (std::vector<std::string>{
            "microbatches", "weight_decay", "momentum", "nesterov", "master_weights", "remat" }));
}

void TestIdleSettings::limits()
{
    Experiment experiment = decoder();
    TransformerSettings& model = training(experiment).model;
    model.slidingWindow = model.length - 1;
    model.experts = ExpertSettings{ .experts = 4, .perToken = 2, .mlp = 0, .capacityFactor = 1.9, .normalise = true };
    QVERIFY(idleSettings(experiment).empty());
    model.slidingWindow = model.length;
    model.experts->capacityFactor = 2; // 4 experts, 2 of them per token: a place for every token
    const std::vector<Problem> problems = idleSettings(experiment);
    QCOMPARE(problems.size(), 2U);
    for (const Problem& problem : problems)
        QCOMPARE(problem.diagnostic.severity(), Severity::Info);
    QCOMPARE(problems[0].diagnostic.text("wrong"), "window");
    QCOMPARE(problems[0].diagnostic.text("reach"), "16");
    QCOMPARE(problems[1].diagnostic.text("wrong"), "capacity");
    QCOMPARE(problems[1].diagnostic.text("reach"), "2");
}

/// A slip in a chosen constraint shards nothing, and nothing else would tell.
void TestIdleSettings::namesOfChosenShardings()
{
    Experiment experiment = decoder();
    TransformerSettings& model = training(experiment).model;
    model.constraints = { chosen("decoder/layers.*", "batc, -, embed"), chosen("decoder/layers.*", "batch, length") };
    model.parameterSpecs = { chosen("**/wo/kernel", "data, something_else") };
    QVERIFY(idleSettings(experiment).empty()); // no rules: W206 tells
    experiment.rules.rules.list = { { { LogicalName::Kind::Name, "batch" }, SpecEntry::axis("data") } };
    const std::vector<Problem> problems = idleSettings(experiment);
    QCOMPARE(problems.size(), 2U);
    QCOMPARE(problems[0].diagnostic.code, Code::NameWithoutRule);
    QCOMPARE(problems[0].diagnostic.where.pointer, "/model/constraints/0/names/0");
    QCOMPARE(problems[0].diagnostic.text("name"), "batc");
    QCOMPARE(problems[0].diagnostic.text("nearest"), "batch");
    QCOMPARE(problems[1].diagnostic.where.pointer, "/model/parameter_specs/0/names/1");
    QVERIFY(!problems[1].diagnostic.arg("nearest"));
    experiment.rules.rules.list.push_back({ { LogicalName::Kind::Name, "something_else" }, {} });
    QCOMPARE(idleSettings(experiment).size(), 1U);
    experiment.rules.fallback = RulesFallback::RaiseError; // E111 tells
    QVERIFY(idleSettings(experiment).empty());
}

/// What is wrong with a chosen sharding is found where the file has it.
void TestIdleSettings::placesOfChosenShardings()
{
    Experiment experiment = decoder();
    TransformerSettings& model = training(experiment).model;
    model.constraints = { chosen("decoder/layers.*", "P('data')"), chosen("decoder/layers.*/mlp", "P('date')") };
    model.parameterSpecs = { chosen("**/wo/kernel", "P('data')"), chosen("**/wi_0/kernel", "P('data', 'data')") };
    experiment.hardware.devices = DeviceSet{ "generic-cpu", "cpu", 1, 2 };
    QStringList places;
    const SnapshotPtr snapshot = analysed(experiment);
    for (const Problem& problem : snapshot->problems)
        if (problem.diagnostic.severity() == Severity::Error)
            places << QString::fromStdString(std::string(problem.diagnostic.id()) + problem.diagnostic.where.pointer);
    places.sort();
    QCOMPARE(places.join(' '), QStringLiteral("E104/model/constraints/1 E106/model/parameter_specs/1"));
}

/// A loop's way back is a loop of its own: what devices gathered is not kept, whether that is asked for or not.
void TestIdleSettings::gatheredInLoops()
{
    Experiment experiment = decoder();
    training(experiment).model.remat = RematPolicy::Gathered;
    QVERIFY(idleSettings(experiment).empty());
    training(experiment).model.form = LayerForm::Scanned;
    const std::vector<Problem> problems = idleSettings(experiment);
    QCOMPARE(problems.size(), 1U);
    QCOMPARE(problems[0].diagnostic.where.pointer, "/model/remat");
    QCOMPARE(problems[0].diagnostic.text("needs"), "form");
    const Result<Experiment> mended = applyFix(experiment, problems[0].fixes.at(0));
    QVERIFY(mended.has_value());
    Experiment plain = *mended;
    QVERIFY(training(plain).model.remat == RematPolicy::None);
    QCOMPARE(programHash(training(plain)), programHash(training(experiment)));
    for (const RematPolicy policy : { RematPolicy::Full, RematPolicy::Dots }) {
        training(experiment).model.remat = policy;
        QVERIFY(idleSettings(experiment).empty());
    }
}

/// Every second layer of two sees all tokens; every third one is none of them.
void TestIdleSettings::patternsOfWindows()
{
    Experiment experiment = decoder();
    TransformerSettings& model = training(experiment).model;
    model.layers = 2;
    model.slidingWindow = 4;
    model.windowPattern = 2;
    QVERIFY(idleSettings(experiment).empty());
    model.windowPattern = 3;
    const std::vector<Problem> problems = idleSettings(experiment);
    QCOMPARE(problems.size(), 1U);
    QCOMPARE(problems[0].diagnostic.code, Code::LimitOutOfReach);
    QCOMPARE(problems[0].diagnostic.where.pointer, "/model/window_pattern");
    QCOMPARE(problems[0].diagnostic.text("wrong"), "pattern");
    QCOMPARE(problems[0].diagnostic.text("reach"), "3");
    const std::uint64_t before = programHash(training(experiment));
    model.windowPattern = 0;
    QCOMPARE(programHash(training(experiment)), before);
}

void TestIdleSettings::propagation()
{
    Experiment experiment = decoder();
    experiment.propagation.userPriorities = false;
    QVERIFY(idleSettings(experiment).empty());
    experiment.propagation.strategy = StrategyChoice::Basic;
    const std::vector<Problem> problems = idleSettings(experiment);
    QCOMPARE(problems.size(), 1U);
    QCOMPARE(problems[0].diagnostic.where.pointer, "/propagation/user_priorities");
    QVERIFY(applyFix(experiment, problems[0].fixes.at(0))->propagation.userPriorities);
}

void TestIdleSettings::mlpWithoutTraining()
{
    Experiment experiment = example("flax-mlp-logical");
    MlpSettings& settings = std::get<MlpModel>(experiment.model).settings;
    settings.inputGradient = true;
    settings.adam.learningRate = 0.5;
    settings.remat = RematPolicy::Full;
    QVERIFY(idleSettings(experiment).empty());
    settings.trainStep = false;
    const std::vector<Problem> problems = idleSettings(experiment);
    QCOMPARE(problems.size(), 1U);
    QCOMPARE(problems[0].diagnostic.list("settings"),
        (std::vector<std::string>{ "learning_rate", "input_gradient", "remat" }));
    QVERIFY(idleSettings(*applyFix(experiment, problems[0].fixes.at(0))).empty());
}

/// What ships with the application has no warning of this kind.
void TestIdleSettings::presetsHaveNone()
{
    for (const TransformerPreset& preset : transformerPresets()) {
        Experiment experiment = decoder();
        training(experiment).model = preset.settings;
        for (const Problem& problem : idleSettings(experiment))
            QVERIFY2(problem.diagnostic.severity() == Severity::Info, preset.id.data());
    }
    for (const Example& candidate : builtinExamples())
        QVERIFY2(idleSettings(candidate.make()).empty(), candidate.id.data());
}

/// Rules of a model whose arrays have no logical names.
void TestIdleSettings::rulesWithoutNames()
{
    Experiment experiment;
    experiment.mesh.axes = { { "x", 2 } };
    experiment = *withDevicesForMesh(experiment);
    experiment.rules.rules.list = { { LogicalName::of("batch"), SpecEntry::axis("x") } };
    ProgramModel program;
    program.text = std::make_shared<const std::string>("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                                                       "  return %a : tensor<4xf32>\n}\n");
    experiment.model = program;
    const auto unused = [](const Experiment& of) {
        const SnapshotPtr snapshot = analysed(of);
        return std::count_if(snapshot->problems.begin(), snapshot->problems.end(), [](const Problem& problem) {
            return problem.diagnostic.code == Code::RuleUnused && problem.diagnostic.number("rules") == 1;
        });
    };
    QCOMPARE(unused(experiment), 1);
    experiment.rules.rules.list.clear();
    QCOMPARE(unused(experiment), 0);
}

REGISTER_TEST(TestIdleSettings)
#include "test_idle_settings.moc"
