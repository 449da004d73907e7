// SPDX-License-Identifier: GPL-3.0-or-later
// What is said about tensors: true, specific, and with the rule, constraint or operation that is the cause.
#include <QLocale>
#include <QRegularExpression>
#include <QTest>

#include "analysis/analyse.h"
#include "analysis/explain.h"
#include "analysis/why_not.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "program/operation_path.h"
#include "registered_test.h"
#include "words/links.h"
#include "words/operation_words.h"
#include "words/sentence.h"
#include "words/value_changes.h"
#include "words/why_not.h"
#include "words/words.h"

using namespace shardscope;
using namespace Qt::StringLiterals;

namespace {

Experiment example(std::string_view id)
{
    for (const Example& candidate : builtinExamples())
        if (candidate.id == id)
            return candidate.make();
    qFatal("no such example");
}

SnapshotPtr analysed(const Experiment& experiment)
{
    AnalysisCache cache;
    return analyse(std::make_shared<const Experiment>(experiment), 1, cache);
}

words::ExplanationText explained(const Snapshot& snapshot, const char* path, words::Length length)
{
    return words::explanation(snapshot, explain(snapshot, snapshot.program->find(path)), length);
}

QString tip(const Snapshot& snapshot, const char* path)
{
    return words::plain(explained(snapshot, path, words::Length::Tip).paragraphs.front());
}

QString all(const Snapshot& snapshot, const char* path, words::Length length = words::Length::Derivation)
{
    QStringList lines;
    const words::ExplanationText text = explained(snapshot, path, length);
    for (const words::Text& paragraph : text.paragraphs)
        lines << words::plain(paragraph);
    for (const auto& cause : text.decidedBy)
        lines << cause.subject + QStringLiteral(": ") + words::plain(cause.reason);
    return lines.join(QLatin1Char('\n'));
}

} // namespace

class TestExplanation : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void whyAnArrayLiesOnTheHost()
    {
        Experiment experiment = example("flax-mlp-logical");
        QVERIFY(!all(*analysed(experiment), "params/layers.0/W1").contains(QStringLiteral("memory,")));
        experiment.placement.paramsOnDevices = false;
        const SnapshotPtr snapshot = analysed(experiment);
        const QString stated = all(*snapshot, "params/layers.0/W1", words::Length::Tip);
        QVERIFY2(
            stated.contains(QStringLiteral(
                "It lies in pinned_host memory, apart from the memory of the devices, because the experiment keeps "
                "parameters on the host. In every step each device copies its shard in, 1 MiB (8 MiB in all), and "
                "the new one back to the host, 1 MiB (8 MiB in all); nothing passes between devices.")),
            qPrintable(stated));
        QVERIFY(!all(*snapshot, "layers.0/y").contains(QStringLiteral("pinned_host")));
    }

    /// Rules are told by the logical names that they have, however the dimensions are called in short.
    void rulesByLogicalNames()
    {
        Experiment experiment = example("flax-mlp-logical");
        experiment.model = TransformerModel();
        std::get<TransformerModel>(experiment.model).settings.model.axisNames = AxisNames::MaxText2025;
        experiment.rules.rules = LogicalRules{};
        experiment.rules.rules.list = { { LogicalName::of("embed"), SpecEntry::axis("data") },
            { LogicalName::of("heads"), SpecEntry::axis("model") } };
        const char* const query = "params/decoder/layers.0/self_attention/query/kernel";
        const QString without = all(*analysed(experiment), query, words::Length::Paragraph);
        QVERIFY2(without.contains(QStringLiteral("No rule names q_heads or kv")), qPrintable(without));
        experiment.rules.rules.list.push_back({ LogicalName::of("q_heads"), SpecEntry::axis("model") });
        const QString with = all(*analysed(experiment), query, words::Length::Paragraph);
        QVERIFY2(with.contains(QStringLiteral("along heads, because rule 3 maps q_heads to model")), qPrintable(with));
    }

    void linksLeadThere()
    {
        const SnapshotPtr snapshot = analysed(example("flax-mlp-logical"));
        QStringList links;
        for (const char* path : { "params/layers.0/W1", "grad(params/layers.0/W1)" })
            for (const words::Text& paragraph : explained(*snapshot, path, words::Length::Derivation).paragraphs)
                for (const words::Span& span : paragraph)
                    if (!span.link.isEmpty()) {
                        const auto link = words::readLink(span.link);
                        QVERIFY2(link, qPrintable(span.link));
                        if (link->kind == words::Link::Kind::Value)
                            QVERIFY2(snapshot->program->find(link->name.toStdString()).valid(), qPrintable(span.link));
                        if (link->kind == words::Link::Kind::Operation)
                            QVERIFY2(findOperation(*snapshot->program, link->name.toStdString()).valid(),
                                qPrintable(span.link));
                        if (link->kind == words::Link::Kind::Step)
                            QVERIFY(link->number > 0 && link->number <= static_cast<int>(snapshot->propagation->steps));
                        links << span.link;
                    }
        QVERIFY(links.contains(QStringLiteral("rule:1")));
        QVERIFY(links.contains(QStringLiteral("value:opt/mu/layers.0/W1")));
        QVERIFY(!links.filter(QStringLiteral("step:")).isEmpty());
        QVERIFY(!links.filter(QStringLiteral("operation:")).isEmpty());
        for (const char* wrong : { "", "value:", "rule:x", "step:-1", "nothing:1" })
            QVERIFY2(!words::readLink(QString::fromLatin1(wrong)), wrong);
    }

    void patternsAreFilled()
    {
        const Mesh mesh;
        const words::Text text =
            words::Sentence(mesh)
                .say(QStringLiteral("So "))
                .fill(QStringLiteral("%2 is 5 % of %1."),
                    { { QStringLiteral("a"), QStringLiteral("value:a") }, { QStringLiteral("b") } })
                .take();
        QCOMPARE(words::plain(text), QStringLiteral("So b is 5 % of a."));
        QCOMPARE(text.size(), std::size_t{ 3 });
        QCOMPARE(text[1].link, QStringLiteral("value:a"));
    }

    void whyAnAxisIsNotThere()
    {
        Experiment experiment = example("flax-mlp-logical");
        const SnapshotPtr snapshot = analysed(experiment);
        const ValueId w = snapshot->program->find("params/layers.0/W1");
        const std::vector<words::Text> stated =
            words::whyNot(*snapshot->program, *snapshot->mesh, w, absentAxes(*snapshot, w));
        QVERIFY(!stated.empty());
        // Data cuts the rows of x and of y, which the product does not have in common with W1: W1 is closed anyway.
        QStringList lines;
        for (const words::Text& text : stated)
            lines << words::plain(text);
        QVERIFY2(lines.first().contains(QStringLiteral("data")), qPrintable(lines.join(QLatin1Char('\n'))));
        for (const QString& line : lines)
            QVERIFY2(line.endsWith(QLatin1Char('.')) && !line.contains(QLatin1Char('%')), qPrintable(line));
        // Every reason is a sentence of its own.
        QStringList reasons;
        for (int reason = 0; reason <= static_cast<int>(BlockReason::FrozenBy); ++reason) {
            AbsentAxis absent{ 0, fullAxis(*snapshot->mesh, 0), {} };
            Blocker blocker;
            blocker.reason = static_cast<BlockReason>(reason);
            blocker.axis = absent.axis;
            blocker.value = w;
            blocker.from = snapshot->program->find("x");
            blocker.operation = OperationId(0);
            absent.blocker = blocker;
            const QString line = words::plain(words::whyNot(*snapshot->program, *snapshot->mesh, w, absent));
            QVERIFY2(line.startsWith(QStringLiteral("data does not shard embed: ")) && line.endsWith(QLatin1Char('.')),
                qPrintable(line));
            QVERIFY(!reasons.contains(line));
            reasons << line;
        }
    }

    /// Many axes that shard nothing for one reason are told of in one sentence.
    void axesOfSizeOneAreToldTogether()
    {
        Experiment experiment = example("flax-mlp-logical");
        experiment.mesh.axes.push_back({ "one0", 1 });
        experiment.mesh.axes.push_back({ "one1", 1 });
        experiment.rules.dialect = Dialect::MaxText; // which says of them that they were left out
        for (LogicalRule& rule : experiment.rules.rules.list)
            if (rule.target.axes == std::vector<std::string>{ "model" })
                rule.target.axes = { "model", "one0", "one1" };
        const QString text = all(*analysed(experiment), "params/layers.0/W1");
        QVERIFY2(text.contains(QStringLiteral("one0 and one1, which have size 1 and shard nothing")), qPrintable(text));
        QVERIFY2(!text.contains(QStringLiteral("which has size 1")), qPrintable(text));
    }

    /// What a part of an axis shards, the rest of the axis copies: there is a sentence before the figures.
    void theRestOfAnAxisCopies()
    {
        const SnapshotPtr snapshot =
            analysed(*experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(R"(sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
})") },
                "parts"));
        const QString text = tip(*snapshot, "arg0");
        QVERIFY2(
            text.contains(QStringLiteral("so each of the 2 devices along x:(2)2 holds a copy: 256 B are held for an "
                                         "array of 128 B.")),
            qPrintable(text));
        QVERIFY2(!text.contains(QStringLiteral(".:")), qPrintable(text));
    }

    void operationsAreExplained()
    {
        const SnapshotPtr snapshot = analysed(example("flax-mlp-logical"));
        const OperationId product = snapshot->program->value(snapshot->program->find("layers.0/h")).definition;
        const auto text = words::operationExplanation(*snapshot, product, words::Length::Derivation);
        QCOMPARE(text.title, QStringLiteral("dot_general, which gives Layer 0 / h"));
        QStringList lines;
        for (const words::Text& paragraph : text.paragraphs)
            lines << words::plain(paragraph);
        QVERIFY2(lines[0].startsWith(QStringLiteral("It takes x f32[batch 8@data, embed 1024] and Layer 0 / W1 ")),
            qPrintable(lines[0]));
        QVERIFY2(lines[1].contains(QStringLiteral("([i, k], [k, j])->([i, j]) {i=8, j=1024, k=1024}")),
            qPrintable(lines[1]));
        QVERIFY2(lines[2].contains(
                     QStringLiteral("about %1 floating-point operations; it reads ").arg(words::count(16777216))),
            qPrintable(lines[2]));
        // The steps of one that axes moved through.
        const auto& log = snapshot->propagation->log;
        const auto moved = std::find_if(
            log.begin(), log.end(), [](const PropagationStep& step) { return !step.seed && step.operation.valid(); });
        QVERIFY(moved != log.end());
        const auto steps = words::operationExplanation(*snapshot, moved->operation, words::Length::Paragraph);
        QVERIFY(words::plain(steps.paragraphs.back()).startsWith(QStringLiteral("Step ")));
        QCOMPARE(
            words::operationExplanation(*snapshot, product, words::Length::Tip).paragraphs.size(), std::size_t{ 1 });
    }

    void whatIfsHaveColumns()
    {
        const SnapshotPtr snapshot = analysed(example("flax-mlp-logical"));
        AnalysisCache cache;
        const auto rows = whatIfs(*snapshot, snapshot->program->find("params/layers.0/W1"), cache);
        const auto row = std::find_if(rows.begin(), rows.end(), [](const WhatIf& each) {
            return each.kind == WhatIf::Kind::Mesh && each.sizes == std::vector<std::int64_t>{ 4, 2 };
        });
        QVERIFY(row != rows.end());
        const words::WhatIfText text = words::whatIf(*snapshot, *row);
        QCOMPARE(text.consequence,
            QStringLiteral("per device 1 → 2 MiB, sent 8.16 → 24.1 MiB per step, state and gradients 32 → 64 MiB"));
        QCOMPARE(text.perDevice, QStringLiteral("+1 MiB"));
        QCOMPARE(text.sent, QStringLiteral("+") + words::bytes(row->sentAfter.value() - row->sentBefore.value()));
        QCOMPARE(text.state, QStringLiteral("+32 MiB"));
        QVERIFY(text.isTrained);
        QCOMPARE(words::bytesChange(-512 * 1024), QStringLiteral("−512 KiB"));
        QCOMPARE(words::bytesChange(0), QStringLiteral("0"));
        QCOMPARE(words::ordinal(1) + words::ordinal(2) + words::ordinal(3) + words::ordinal(11) + words::ordinal(22)
                + words::ordinal(113),
            QStringLiteral("1st2nd3rd11th22nd113th"));
    }

    void changesInOneLine()
    {
        ValueChanges changes;
        changes.compared = 56;
        QCOMPARE(words::changesSummary(changes), QStringLiteral("No value changes."));
        ValueChange change;
        change.bytesBefore = 4 << 20;
        change.bytesAfter = 1 << 20;
        changes.values = { change, change };
        changes.smallerBytes = 6 << 20;
        QCOMPARE(
            words::changesSummary(changes), QStringLiteral("2 of 56 values change: 2 shrink (−6 MiB per device)."));
        QCOMPARE(words::bytesStep(4 << 20, 1 << 20), QStringLiteral("4 → 1 MiB"));
        QCOMPARE(words::bytesStep(4 << 20, 1 << 10), QStringLiteral("4 MiB → 1 KiB"));
    }

    void tips_data()
    {
        QTest::addColumn<QString>("example");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QStringList>("parts");
        const auto row = [](const char* id, const char* path, const QStringList& parts) {
            QTest::addRow("%s %s", id, path) << QString::fromLatin1(id) << QString::fromLatin1(path) << parts;
        };
        const char* logical = "flax-mlp-logical";
        const char* device = "flax-mlp-device";
        row(logical, "params/layers.0/W1",
            { QStringLiteral(
                  "W1 is sharded 4 ways along hidden, because rule 2 maps hidden to model, which has 4 devices."),
                QStringLiteral("No rule names embed, so each of the 2 devices along data holds a copy: "
                               "8 MiB are held for an array of 4 MiB.") });
        row(logical, "opt/mu/layers.0/W1",
            { QStringLiteral("rule 2 maps hidden to model"), QStringLiteral("annotated as its parameter is") });
        row(logical, "grad(params/layers.0/W1)",
            { QStringLiteral("as mu of Layer 0 / W1 is: the optimizer combines the two element by element."),
                QStringLiteral("Rule 2 maps hidden to model for mu of Layer 0 / W1, which is annotated as its "
                               "parameter is.") });
        row(logical, "layers.0/h",
            { QStringLiteral("h is sharded 2 ways along batch and 4 ways along hidden, as Layer 0 / y is: "
                             "Layer 0 / y is computed from it element by element (maximum)."),
                QStringLiteral("The constraint on Layer 0 / y names data for batch and model for hidden.") });
        row(logical, "layers.0/y", { QStringLiteral("because the constraint on it names data and model.") });
        row(logical, "layers.0/z",
            { QStringLiteral("it is computed from Layer 0 / y by a matrix product, which keeps batch."),
                QStringLiteral("The constraint on Layer 0 / y names data for batch."),
                QStringLiteral("Nothing shards it along model") });
        row(logical, "step",
            { QStringLiteral("a single number, which cannot be sharded: each of the 8 devices holds it.") });
        row(device, "params/layers.0/W1",
            { QStringLiteral("because its annotation names model."),
                QStringLiteral(
                    "Its annotation does not name data, so each of the 2 devices along data holds a copy") });
        row(device, "layers.0/z",
            { QStringLiteral("because the constraint on it names data."),
                QStringLiteral("The constraint on it does not name model") });
        row("rule-lab", "array",
            { QStringLiteral(
                  "Rule 2 maps features to X, but X already shards batch (rule 1), so features stays replicated."),
                // Not the nameless dimension is the reason, but the rule that came too late.
                QStringLiteral(
                    "Rule 4 maps batch to Z, but batch already has X (rule 1), so each of the 2 devices along "
                    "Z holds a copy: 2 MiB are held for an array of 1 MiB.") });
    }
    void tips()
    {
        QFETCH(QString, example);
        QFETCH(QString, path);
        QFETCH(QStringList, parts);
        const QString stated = tip(*analysed(::example(example.toStdString())), qPrintable(path));
        for (const QString& part : parts)
            QVERIFY2(stated.contains(part), qPrintable(part + QStringLiteral(" | ") + stated));
    }

    void sumsNameWhatIsAddedUp()
    {
        const SnapshotPtr snapshot = analysed(example("flax-mlp-logical"));
        const QString z = all(*snapshot, "layers.0/z");
        QVERIFY2(z.contains(QStringLiteral("z is the matrix product of Layer 0 / y and Layer 0 / W2.")), qPrintable(z));
        QVERIFY2(
            z.contains(QStringLiteral("Layer 0 / y and Layer 0 / W2 are both sharded on hidden, which is summed away: "
                                      "the 4 devices along model must add their partial values.")),
            qPrintable(z));
        // A ring sends 2 x 3/4 of what each device has: 16 KiB.
        QVERIFY(z.contains(QStringLiteral("Each device sends 24 KiB for this all-reduce of 16 KiB.")));
        const QString gradient = all(*snapshot, "grad(params/layers.0/W1)");
        QVERIFY2(gradient.contains(QStringLiteral("the 2 devices along data must add their partial values")),
            qPrintable(gradient));
        const QString loss = all(*snapshot, "loss");
        QVERIFY2(
            loss.contains(QStringLiteral("loss is the sum of Layer 3 / z over batch and embed.")), qPrintable(loss));
        QVERIFY2(
            loss.contains(QStringLiteral("Layer 3 / z is sharded on batch, which is summed away")), qPrintable(loss));
        // h and y differ by a relu.
        QVERIFY(all(*snapshot, "layers.2/h").contains(QStringLiteral("h is the matrix product of")));
        QVERIFY(all(*snapshot, "layers.2/y").contains(QStringLiteral("y is the larger of Layer 2 / h and 0")));
    }

    void findingsAreAboutTheTensor()
    {
        const SnapshotPtr snapshot = analysed(example("flax-mlp-logical"));
        const QString z = all(*snapshot, "layers.3/z");
        QVERIFY2(z.contains(QStringLiteral("the constraint on z does nothing (W206, acknowledged)"))
                && !z.contains(QStringLiteral("Layer 0 / z")),
            qPrintable(z));
    }

    /// Nothing that only we know: no number of a value, no "came along".
    void noInternals()
    {
        static const QRegularExpression internal(QStringLiteral("%\\d|came along|propagated\\b.*from\\b|\\(step 0\\)"));
        for (const Example& candidate : builtinExamples()) {
            const SnapshotPtr snapshot = analysed(candidate.make());
            for (const TensorRow& row : snapshot->tensors)
                for (const auto length : { words::Length::Tip, words::Length::Paragraph, words::Length::Derivation }) {
                    const QString stated = all(*snapshot, row.path.c_str(), length);
                    QVERIFY2(!internal.match(stated).hasMatch(), qPrintable(stated));
                }
        }
    }

    /// In the body of a manual computation every device has an array of its own: that is said, and along which axes
    /// they differ, and why.
    void bodiesOfManualComputations()
    {
        const SnapshotPtr snapshot = analysed(*experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(R"(
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x16xf32>) {
    %c = sdy.sharding_constraint %b <@mesh, [{}, {"y"}]> : tensor<4x16xf32>
    %z = stablehlo.constant dense<1.0> : tensor<4x16xf32>
    %d = "stablehlo.all_reduce"(%c) ({
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %t = stablehlo.add %l, %r : tensor<f32>
        stablehlo.return %t : tensor<f32>
    }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids} : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %e = stablehlo.add %d, %z : tensor<4x16xf32>
    sdy.return %e : tensor<4x16xf32>
  } : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
})") },
            "manual"));
        const QString c = all(*snapshot, "c"), d = all(*snapshot, "d"), b = all(*snapshot, "b"),
                      z = all(*snapshot, "z");
        for (const QString& stated : { b, c, d, z })
            QVERIFY2(
                stated.contains(u"in the body of a manual computation over x: every device has an array of its own"_s),
                qPrintable(stated));
        QVERIFY2(b.contains(u"along x: what comes in is sharded along it"_s), qPrintable(b));
        QVERIFY2(c.contains(u"along x: as %b, which it is computed from"_s), qPrintable(c));
        QVERIFY2(d.contains(u"along x: all_reduce gives all devices the same"_s), qPrintable(d));
        QVERIFY2(z.contains(u"along x: nothing that it is computed from differs"_s), qPrintable(z));
        // Along the other axis it is sharded as anywhere.
        QVERIFY2(c.contains(u"sharded 4 ways along dimension 1"_s), qPrintable(c));
        const auto missing = absentAxes(*snapshot, snapshot->program->find("c"));
        QVERIFY(std::none_of(missing.begin(), missing.end(), [](const AbsentAxis& one) { return one.axis.axis == 0; }));
        const QString argument = all(*snapshot, "a");
        QVERIFY(!argument.contains(u"manual computation over"_s));
        QVERIFY2(argument.contains(u"sdy.manual_computation asks in its in_shardings for"_s), qPrintable(argument));
    }

    /// Every cut names who asked for it: a rule, a constraint or an annotation.
    void everyCutHasACause_data()
    {
        QTest::addColumn<bool>("bound");
        QTest::addColumn<bool>("squares");
        for (const bool bound : { false, true })
            for (const bool squares : { false, true })
                QTest::addRow("%s, %s", bound ? "bound" : "not bound", squares ? "squares" : "sum") << bound << squares;
    }
    void everyCutHasACause()
    {
        QFETCH(bool, bound);
        QFETCH(bool, squares);
        Experiment experiment = example("flax-mlp-logical");
        experiment.rules.boundWhenTraced = bound;
        experiment.rules.version = bound ? FlaxVersion::Current : FlaxVersion::Year2024;
        MlpSettings& settings = std::get<MlpModel>(experiment.model).settings;
        settings.inputGradient = true;
        settings.loss = squares ? LossKind::HalfSumOfSquares : LossKind::SumOfOutputs;
        const SnapshotPtr snapshot = analysed(experiment);
        QVERIFY(snapshot->ok());
        for (const TensorRow& row : snapshot->tensors) {
            if (row.layout.distinctShards() == 1)
                continue;
            const QString stated = tip(*snapshot, row.path.c_str());
            QVERIFY2(stated.contains(QStringLiteral("rule"), Qt::CaseInsensitive)
                    || stated.contains(QStringLiteral("constraint")) || stated.contains(QStringLiteral("annotation")),
                qPrintable(stated));
            for (const DimensionReason& reason : explain(*snapshot, row.value).dims)
                if (product(reason.axes) > 1)
                    QVERIFY2(stated.contains(QString::fromStdString(reason.name)), qPrintable(stated));
        }
    }
};

REGISTER_TEST(TestExplanation)
#include "test_explanation.moc"
