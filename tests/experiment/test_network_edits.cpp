// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of the network of an experiment: which one, types, optimizer, microbatches, form, experts.
#include <QTest>

#include <algorithm>

#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment/model_settings.h"
#include "experiment/network_edits.h"
#include "networks/transformer_parameters.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

Experiment notebookMlp()
{
    return builtinExamples().front().make();
}

/// 2 layers, 4 heads, 2 KV heads, batch 8.
Experiment smallTransformer()
{
    Experiment experiment = notebookMlp();
    experiment.model = TransformerModel{};
    return experiment;
}

const TransformerTraining& trainingOf(const Experiment& experiment)
{
    return std::get<TransformerModel>(experiment.model).settings;
}

void refusedAs(const Result<Experiment>& result, Code code, const char* wrong = "")
{
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().code, code);
    if (*wrong)
        QCOMPARE(result.error().text("wrong"), wrong);
}

} // namespace

class TestNetworkEdits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void networks_data()
    {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<qint64>("parameters");
        QTest::newRow("decoder") << QByteArray("llama3-8b") << qint64(8'030'261'248);
        QTest::newRow("experts") << QByteArray("mixtral-8x7b") << qint64(46'702'792'704);
        QTest::newRow("encoder and decoder") << QByteArray("t5-small") << qint64(60'506'624);
    }
    void networks()
    {
        QFETCH(QByteArray, id);
        QFETCH(qint64, parameters);
        const auto after = withNetwork(notebookMlp(), id.toStdString());
        QVERIFY(after.has_value());
        QCOMPARE(parameterCount(trainingOf(*after).model), parameters);
        QCOMPARE(networkOf(*after), id.toStdString());
        // Batch and length make no other network, a layer more does.
        const auto larger = withDimension(*withDimension(*after, "batch", 16), "length", 64);
        QVERIFY(larger.has_value());
        QCOMPARE(networkOf(*larger), id.toStdString());
        const auto deeper = withDimension(*after, "layers", trainingOf(*after).model.layers + 1);
        QVERIFY(deeper.has_value());
        QCOMPARE(networkOf(*deeper), "");
        // All else of the experiment stays.
        QVERIFY(after->mesh == notebookMlp().mesh && after->rules == notebookMlp().rules);
    }

    void backToTheMlp()
    {
        const Experiment before = notebookMlp();
        QCOMPARE(networkOf(before), mlpNetwork);
        QVERIFY(*withNetwork(before, mlpNetwork) == before);
        const auto after = withNetwork(smallTransformer(), mlpNetwork);
        QVERIFY(after.has_value());
        QVERIFY(std::get<MlpModel>(after->model) == MlpModel{});
        const auto unknown = withNetwork(before, "llama3-8B");
        refusedAs(unknown, Code::UnknownValue);
        QCOMPARE(unknown.error().text("nearest"), "llama3-8b");
    }

    /// What is no part of a published model stays as somebody chose it.
    void choicesStay()
    {
        Experiment before = smallTransformer();
        auto& training = std::get<TransformerModel>(before.model).settings;
        training.model.axisNames = AxisNames::MaxText;
        training.model.remat = RematPolicy::Full;
        training.optimizer.kind = OptimizerKind::Adafactor;
        training.microbatches = 2;
        const auto after = withNetwork(before, "gpt2");
        QVERIFY(after.has_value());
        QCOMPARE(trainingOf(*after).model.axisNames, AxisNames::MaxText);
        QCOMPARE(trainingOf(*after).model.remat, RematPolicy::Full);
        QCOMPARE(trainingOf(*after).model.parameterDtype, DType::F32);
        QVERIFY(trainingOf(*after).optimizer == training.optimizer);
        QCOMPARE(trainingOf(*after).model.batch % trainingOf(*after).microbatches, 0);
        QCOMPARE(networkOf(*after), "gpt2");
    }

    void types()
    {
        refusedAs(withParameterType(notebookMlp(), DType::BF16), Code::InvalidAttribute, "dtype");
        QCOMPARE(std::get<MlpModel>(withParameterType(notebookMlp(), DType::F64)->model).settings.dtype, DType::F64);
        refusedAs(withComputeType(notebookMlp(), DType::F32), Code::InvalidAttribute, "network");
        const auto stored = withParameterType(smallTransformer(), DType::BF16);
        QCOMPARE(trainingOf(*stored).model.parameterDtype, DType::BF16);
        QCOMPARE(trainingOf(*stored).model.computeDtype, DType::F32);
        QCOMPARE(trainingOf(*withComputeType(*stored, DType::F16)).model.computeDtype, DType::F16);
        refusedAs(withParameterType(smallTransformer(), DType::I32), Code::InvalidAttribute, "dtype");
    }

    void trainStep()
    {
        const Experiment before = smallTransformer();
        QCOMPARE(trainingOf(*withOptimizer(before, OptimizerKind::Sgd)).optimizer.kind, OptimizerKind::Sgd);
        refusedAs(withOptimizer(notebookMlp(), OptimizerKind::Sgd), Code::InvalidAttribute, "network");
        const auto four = withMicrobatches(before, 4);
        QCOMPARE(trainingOf(*four).microbatches, 4);
        refusedAs(withMicrobatches(before, 3), Code::InvalidAttribute, "microbatches");
        refusedAs(withMicrobatches(before, 0), Code::OutOfRange);
        refusedAs(withDimension(*four, "batch", 6), Code::InvalidAttribute, "microbatches");
    }

    void headsAndExperts()
    {
        const Experiment before = smallTransformer();
        refusedAs(withDimension(before, "kv_heads", 3), Code::InvalidAttribute, "kv_heads");
        refusedAs(withDimension(before, "heads", 5), Code::InvalidAttribute, "kv_heads");
        QCOMPARE(trainingOf(*withDimension(before, "kv_heads", 4)).model.kvHeads, 4);

        const auto many = withExperts(before, 8);
        QCOMPARE(trainingOf(*many).model.experts->experts, 8);
        QCOMPARE(trainingOf(*many).model.experts->perToken, 2);
        const auto one = withExperts(*many, 1);
        QCOMPARE(trainingOf(*one).model.experts->experts, 1);
        QCOMPARE(trainingOf(*one).model.experts->perToken, 1);
        QVERIFY(*withExperts(*one, 0) == before);
        refusedAs(withExperts(before, -1), Code::OutOfRange);
        refusedAs(withExperts(notebookMlp(), 2), Code::InvalidAttribute, "network");
    }

    /// A form is refused exactly where the network cannot be built so.
    void layerForm()
    {
        TransformerTraining training;
        training.model.form = LayerForm::Scanned;
        const auto built = buildTransformer(training);
        const auto after = withLayerForm(smallTransformer(), LayerForm::Scanned);
        QCOMPARE(after.has_value(), built.has_value());
        if (!after)
            QCOMPARE(after.error().code, built.error().code);
        QVERIFY(*withLayerForm(smallTransformer(), LayerForm::Unrolled) == smallTransformer());
        const Experiment loop = withLayerForm(notebookMlp(), LayerForm::Scanned).value();
        QVERIFY(std::get<MlpModel>(loop.model).settings.form == LayerForm::Scanned);
        QVERIFY(*withLayerForm(loop, LayerForm::Unrolled) == notebookMlp());
        const Experiment named = withLayersName(loop, "layers").value();
        QVERIFY(std::get<MlpModel>(named.model).settings.layersName == "layers");
        QVERIFY(*withLayersName(named, std::nullopt) == loop);
        refusedAs(withLayersName(smallTransformer(), "layers"), Code::InvalidAttribute, "network");
        QVERIFY(!withLayersName(loop, "") && !withLayersName(loop, "a\nb")); // no file could have it
        for (const Experiment& network : { notebookMlp(), smallTransformer() }) {
            QVERIFY(networkProgramOf(network) == NetworkProgram::TrainStep);
            QVERIFY(rematOf(network) == RematPolicy::None);
            const Experiment remat = withRemat(network, RematPolicy::Full).value();
            QVERIFY(rematOf(remat) == RematPolicy::Full && *withRemat(remat, RematPolicy::None) == network);
            QVERIFY(!rematOf(*withNetworkProgram(remat, NetworkProgram::Forward))); // nothing goes back
            const Experiment init = withNetworkProgram(network, NetworkProgram::Initializer).value();
            QVERIFY(networkProgramOf(init) == NetworkProgram::Initializer);
            QVERIFY(*withNetworkProgram(init, NetworkProgram::TrainStep) == network);
            const Experiment forward = withNetworkProgram(init, NetworkProgram::Forward).value();
            QVERIFY(networkProgramOf(forward) == NetworkProgram::Forward);
        }
    }

    /// Constraints come and go by globs; what fits no part of the network is refused.
    void constraintsAndSpecs()
    {
        const Experiment small = smallTransformer();
        const Annotation batch = LogicalAxes{ { LogicalName::of("batch") } };
        const Annotation data = DeviceAxes{ { { SpecEntry::axis("data") } } };
        const Experiment constrained = *withConstraint(small, "decoder/layers.*", batch);
        QCOMPARE(trainingOf(constrained).model.constraints.size(), std::size_t(1));
        // The same glob again is another choice, not a second one.
        const Experiment other = *withConstraint(constrained, "decoder/layers.*", data);
        QCOMPARE(trainingOf(other).model.constraints.size(), std::size_t(1));
        QVERIFY(trainingOf(other).model.constraints.front().axes == data);
        QVERIFY(*withoutConstraints(other, "decoder/*") == small);
        const Experiment first = *withoutConstraints(other, "decoder/layers.1");
        QCOMPARE(trainingOf(first).model.constraints.size(), std::size_t(1));
        QCOMPARE(trainingOf(first).model.constraints.front().at, "decoder/layers.0");
        refusedAs(withoutConstraints(small, "decoder/layers.*"), Code::UnknownValue);
        QVERIFY(*withoutConstraint(*withConstraint(constrained, "decoder/layers.1", data), 1) == constrained);
        refusedAs(withoutConstraint(constrained, 1), Code::OutOfRange);
        refusedAs(withConstraint(small, "decoder/layers.7", batch), Code::UnknownValue);
        refusedAs(withConstraint(notebookMlp(), "layers.*", batch), Code::InvalidAttribute, "network");
        refusedAs(withDimension(*withConstraint(small, "decoder/layers.1", batch), "layers", 1), Code::UnknownValue);
        QVERIFY(withLayerForm(constrained, LayerForm::Scanned).has_value());

        const Experiment own = *withParameterSpec(small, "decoder/layers.*/mlp/wo/kernel", data);
        QCOMPARE(trainingOf(own).model.parameterSpecs.size(), std::size_t(1));
        QVERIFY(*withoutParameterSpecs(own, "**") == small);
        QVERIFY(*withoutParameterSpec(own, 0) == small);
        refusedAs(withParameterSpec(small, "decoder/wo", data), Code::UnknownValue);
        refusedAs(withoutParameterSpecs(own, "**/query/kernel"), Code::UnknownValue);

        // Notes go with what they are about.
        using Notes = std::vector<std::pair<std::string, std::string>>;
        Experiment noted = *withConstraint(constrained, "decoder/layers.1", data);
        noted.innerNotes = { { "/model/constraints/0", "all" }, { "/model/constraints/1", "one" } };
        QVERIFY((withoutConstraint(noted, 0)->innerNotes == Notes{ { "/model/constraints/0", "one" } }));
        QVERIFY((withConstraint(noted, "decoder/layers.*", data)->innerNotes
            == Notes{ { "/model/constraints/0", "one" }, { "/model/constraints/1", "all" } }));
        QVERIFY((withNetwork(noted, "gpt2")->innerNotes == noted.innerNotes));

        // An axis that is renamed is renamed there too; another network keeps what fits it.
        const Experiment renamed = *withAxisRenamed(other, 0, "replica");
        QVERIFY(trainingOf(renamed).model.constraints.front().axes
            == Annotation(DeviceAxes{ { { SpecEntry::axis("replica") } } }));
        QVERIFY(namesMeshAxis(renamed, "replica") && !namesMeshAxis(small, "data"));
        Experiment both = *withParameterSpec(constrained, "**/wi_0/kernel", data);
        both = *withNetwork(both, "gpt2"); // whose MLP has no gate
        QCOMPARE(trainingOf(both).model.constraints.size(), std::size_t(1));
        QVERIFY(trainingOf(both).model.parameterSpecs.empty());
        QCOMPARE(networkOf(both), "gpt2");
    }

    void steps()
    {
        using Sizes = std::vector<std::int64_t>;
        const Experiment llama = *withNetwork(notebookMlp(), "llama3-8b"); // 32 heads, 8 KV heads
        QCOMPARE(sizesInReach(llama, "kv_heads"), Sizes({ 1, 2, 4, 8, 16, 32 }));
        const Sizes heads = sizesInReach(llama, "heads");
        QCOMPARE(heads.front(), 8);
        QCOMPARE(heads[1], 16);
        const Experiment small = smallTransformer();
        QCOMPARE(sizesInReach(small, "microbatches"), Sizes({ 1, 2, 4, 8 }));
        QCOMPARE(sizesInReach(small, "expert").front(), 0);
        QCOMPARE(sizesInReach(small, "sliding_window").front(), 0);
        QCOMPARE(sizesInReach(small, "window_pattern").back(),
            std::get<TransformerModel>(small.model).settings.model.layers);
        QCOMPARE(sizesInReach(small, "layers").size(), std::size_t(4096));
        for (const char* name : { "heads", "kv_heads", "batch", "length", "embed", "mlp", "vocab" }) {
            const Sizes sizes = sizesInReach(small, name);
            QVERIFY2(!sizes.empty() && std::is_sorted(sizes.begin(), sizes.end()), name);
            for (std::size_t i = 0; i < std::min<std::size_t>(sizes.size(), 12); ++i)
                QVERIFY2(withDimension(small, name, sizes[i]).has_value(), name);
        }
        // A slider has few of them: of the notebook's batch of 8 to where the mesh of all data is best.
        QCOMPARE(sizesOnSlider(notebookMlp(), "batch"),
            Sizes({ 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192 }));
        QCOMPARE(sizesOnSlider(llama, "kv_heads"), Sizes({ 1, 2, 4, 8, 16, 32 }));
        QCOMPARE(sizesOnSlider(llama, "heads"), Sizes({ 8, 16, 32, 64, 128, 256 }));
        QVERIFY(sizesOnSlider(notebookMlp(), "heads").empty());
        QVERIFY(!sizesInReach(notebookMlp(), "hidden").empty());
        QVERIFY(sizesInReach(notebookMlp(), "heads").empty());
        Experiment arrays = notebookMlp();
        arrays.model = ArraysModel{};
        QVERIFY(sizesInReach(arrays, "layers").empty());
    }
};

REGISTER_TEST(TestNetworkEdits)
#include "test_network_edits.moc"
