// SPDX-License-Identifier: GPL-3.0-or-later
// What the models of experiments have in common: sizes by name, and where files hold them.
#include <QTest>

#include <algorithm>

#include "experiment/array_edits.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment/model_settings.h"
#include "experiment/rule_lists.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

Experiment transformer(const TransformerSettings& settings = {})
{
    Experiment experiment = builtinExamples().front().make();
    experiment.model = TransformerModel{ { settings, {} } };
    return experiment;
}

} // namespace

class ModelSettingsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void kinds()
    {
        QVERIFY(isNetwork(transformer()));
        QVERIFY(isNetwork(builtinExamples().front().make()));
        QVERIFY(!isNetwork(builtinExamples().back().make())); // a list of arrays
    }

    void sizes()
    {
        TransformerSettings settings;
        settings.experts = ExpertSettings();
        Experiment experiment = transformer(settings);
        QCOMPARE(sizeNames(experiment.model),
            (std::vector<std::string>{
                "batch", "length", "embed", "heads", "kv_heads", "kv", "mlp", "vocab", "layers", "expert" }));
        *sizeNamed(experiment.model, "kv") = 32;
        *sizeNamed(experiment.model, "expert") = 16;
        const TransformerSettings& model = std::get<TransformerModel>(experiment.model).settings.model;
        QCOMPARE(model.headSize, 32);
        QCOMPARE(model.experts->experts, 16);
        QVERIFY(!sizeNamed(experiment.model, "hidden"));
        settings.latent.emplace().queryRank = 24;
        settings.kvHeads = settings.heads;
        settings.experts->denseLayers = 1;
        Experiment latent = transformer(settings);
        QCOMPARE(sizeNames(latent.model),
            (std::vector<std::string>{ "batch", "length", "embed", "heads", "kv", "mlp", "vocab", "layers", "expert",
                "dense_layers", "rank", "query_rank" }));
        const Result<Experiment> more = withDimension(latent, "heads", 6);
        QVERIFY(more.has_value());
        QCOMPARE(std::get<TransformerModel>(more->model).settings.model.kvHeads, std::int64_t{ 6 });
        QVERIFY(!withDimension(latent, "dense_layers", 3)); // of two layers
        const Experiment one = withLayersAtMost(latent, 1);
        QVERIFY(withDimension(one, "rank", 8).has_value());
        const Experiment mlp = builtinExamples().front().make(), arrays = builtinExamples().back().make();
        QVERIFY(sizeNames(arrays.model).empty());
    }

    void fewerLayers()
    {
        TransformerSettings settings;
        settings.layers = 12;
        settings.encoderLayers = 6;
        const Experiment few = withLayersAtMost(transformer(settings), 2);
        const TransformerSettings& model = std::get<TransformerModel>(few.model).settings.model;
        QCOMPARE(model.layers, 2);
        QCOMPARE(model.encoderLayers, 2);
        QVERIFY(withLayersAtMost(transformer(), 5) == transformer());
    }

    /// Rules of parts count for parameters, their state and their gradients; as a list the arrays keep their paths.
    void partsOfTheModel()
    {
        Experiment experiment = transformer();
        for (const char* path : { "params/decoder/layers.0/mlp/wo/kernel", "opt/mu/decoder/layers.0/mlp/wo/kernel",
                 "grad(params/decoder/layers.0/mlp/wo/kernel)", "next(opt/nu/decoder/layers.0/mlp/wo/kernel)" })
            QCOMPARE(partPath(experiment, path), std::string("decoder/layers.0/mlp/wo/kernel"));
        const Result<SourceProgram> source = buildProgram(experiment);
        QVERIFY(source.has_value());
        const std::vector<std::string> parts = modelParts(experiment, source->program, 1000);
        QVERIFY(std::find(parts.begin(), parts.end(), "decoder/layers.1") != parts.end());
        QVERIFY(std::find(parts.begin(), parts.end(), "opt/mu") != parts.end());
        experiment.rules.inner = { { "decoder/layers.0", {} }, { "opt", {} }, { "opt/nu", {} } };
        const auto listOf = [&](const char* path) { return listOfArray(experiment, experiment.rules, path).inner; };
        QCOMPARE(listOf("params/decoder/layers.0/mlp/wo/kernel"), 0);
        QCOMPARE(listOf("grad(params/decoder/layers.0/mlp/wo/kernel)"), 0);
        QCOMPARE(listOf("opt/mu/decoder/layers.0/mlp/wo/kernel"), 1);
        QCOMPARE(listOf("next(opt/nu/decoder/layers.1/mlp/wo/kernel)"), 2);
        QCOMPARE(listOf("params/decoder/layers.1/mlp/wo/kernel"), -1);
        QVERIFY(isForOptimizer(experiment, experiment.rules, { 2 })
            && !isForOptimizer(experiment, experiment.rules, { 0 }));
        QVERIFY(isInPart(experiment, "opt/nu/decoder/layers.1/mlp/wo/kernel", "opt/nu"));
        QVERIFY(isInPart(experiment, "opt/nu/decoder/layers.1/mlp/wo/kernel", "decoder/layers.1"));
        QVERIFY(!isInPart(experiment, "params/decoder/layers.1/mlp/wo/kernel", "opt"));
        experiment.rules.inner.erase(experiment.rules.inner.begin());
        QCOMPARE(listOf("opt/mu/decoder/layers.0/mlp/wo/kernel"), 0);
        experiment.rules.inner = { { "decoder/layers.0", {} }, { "opt", {} } };
        QCOMPARE(listOf("params/decoder/layers.0/mlp/wo/kernel"), 0);
        const Result<Experiment> listed = withListOfArrays(experiment, source->program);
        QVERIFY(listed.has_value());
        QCOMPARE(listed->rules.inner.size(), 1U);
        QCOMPARE(listed->rules.inner.front().within, std::string("params/decoder/layers.0"));
        const NamedArraySetting* query = listedArray(*listed, "params/decoder/layers.0/self_attention/query/kernel");
        QVERIFY(query);
        QVERIFY((query->shape == Shape{ 64, 4, 16 }));
        QCOMPARE(query->names.front().name, std::string("embed"));
    }
};

REGISTER_TEST(ModelSettingsTest)
#include "test_model_settings.moc"
