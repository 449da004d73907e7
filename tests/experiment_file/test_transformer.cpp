// SPDX-License-Identifier: GPL-3.0-or-later
// Transformers in experiment files: what is written, what is left out, and what is edited.
#include <QTest>

#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/gallery.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

Experiment readAll(const std::string& model)
{
    const auto read = readExperiment(
        R"({ "format": "sharding-experiment", "version": "1.0", "model": { "preset": "transformer")" + model + " }");
    if (!read || !read->warnings.empty())
        return {};
    return read->experiment;
}

const TransformerTraining& trainingOf(const Experiment& experiment)
{
    static const TransformerTraining none{ {}, {}, 0, false };
    const auto* model = std::get_if<TransformerModel>(&experiment.model);
    return model ? model->settings : none;
}

} // namespace

class TransformerFileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void defaults() { QVERIFY(trainingOf(readAll("}")) == TransformerTraining()); }

    void options()
    {
        const Experiment experiment = readAll(R"(, "layers": 3, "dims": { "batch": 6, "kv_heads": 1 },
            "positions": "learned", "norm": "layer_without_bias", "compute_dtype": "bf16", "rotary_base": 500000,
            "experts": { "experts": 4, "per_token": 1, "capacity_factor": 2 } },
          "step": { "optimizer": "adamw", "learning_rate": 0.01, "weight_decay": 0.1, "clip_norm": 1, "microbatches": 3,
            "master_weights": true, "state_dtype": "f32", "train": true, "adafactor": { "clip_rms": 0 } })");
        const TransformerTraining& t = trainingOf(experiment);
        QCOMPARE(t.model.layers, 3);
        QCOMPARE(t.model.batch, 6);
        QCOMPARE(t.model.length, 16);
        QCOMPARE(t.model.kvHeads, 1);
        QCOMPARE(t.model.positions, PositionKind::Learned);
        QCOMPARE(t.model.norm, NormKind::LayerWithoutBias);
        QCOMPARE(t.model.parameterDtype, DType::F32);
        QCOMPARE(t.model.computeDtype, DType::BF16);
        QVERIFY(t.model.experts.has_value());
        QCOMPARE(t.model.experts->experts, 4);
        QCOMPARE(t.model.experts->perToken, 1);
        QCOMPARE(t.model.experts->capacityFactor, 2.0);
        QVERIFY(t.model.experts->normalise);
        QCOMPARE(t.optimizer.kind, OptimizerKind::AdamW);
        QCOMPARE(t.optimizer.learningRate, 0.01);
        QCOMPARE(t.optimizer.beta2, 0.999);
        QCOMPARE(t.optimizer.weightDecay, 0.1);
        QCOMPARE(t.optimizer.clipNorm, 1.0);
        QVERIFY(t.optimizer.masterWeights);
        QVERIFY(t.optimizer.stateDtype == DType::F32);
        QCOMPARE(t.optimizer.adafactor.clipRms, 0.0);
        QCOMPARE(t.microbatches, 3);
        QVERIFY(t.trainStep);

        const std::string text = writeExperiment(experiment);
        const std::string expected = R"(  "model": {
    "preset": "transformer",
    "layers": 3,
    "dims": { "batch": 6, "length": 16, "embed": 64, "heads": 4, "kv_heads": 1, "head_size": 16, "mlp": 256, "vocab": 256 },
    "compute_dtype": "bf16",
    "positions": "learned",
    "rotary_base": 5e5,
    "norm": "layer_without_bias",
    "experts": { "experts": 4, "per_token": 1, "mlp": 0, "capacity_factor": 2.0, "normalise": true }
  },
  "step": {
    "optimizer": "adamw",
    "learning_rate": 0.01,
    "beta1": 0.9,
    "beta2": 0.999,
    "epsilon": 1e-8,
    "train": true,
    "microbatches": 3,
    "weight_decay": 0.1,
    "clip_norm": 1.0,
    "master_weights": true,
    "state_dtype": "f32",
    "adafactor": { "decay_exponent": 0.8, "factored_size": 128, "clip_rms": 0.0, "scale_by_parameter": true }
  },
)";
        QVERIFY2(text.find(expected) != std::string::npos, text.c_str());
        const auto again = readExperiment(text);
        QVERIFY(again && again->experiment == experiment);
    }

    /// Constraints and specs stand in the file as they were chosen.
    void chosenShardings()
    {
        const std::string text = writeExperiment(readAll(R"(,
            "constraints": [{ "at": "decoder/layers.*", "names": ["batch", null, null] },
                { "at": "**/mlp", "spec": ["data", null, ["x", "y"]] }],
            "parameter_specs": [{ "at": "**/wo/kernel", "spec": ["model"] }] })"));
        const std::string expected = R"("vocab": 256 },
    "constraints": [
      { "at": "decoder/layers.*", "names": ["batch", null, null] },
      { "at": "**/mlp", "spec": ["data", null, ["x", "y"]] }
    ],
    "parameter_specs": [
      { "at": "**/wo/kernel", "spec": ["model"] }
    ]
  },
)";
        QVERIFY2(text.find(expected) != std::string::npos, text.c_str());
        const auto again = readExperiment(text);
        QVERIFY(again.has_value());
        const TransformerSettings& model = trainingOf(again->experiment).model;
        QCOMPARE(model.constraints.size(), std::size_t(2));
        QVERIFY(model.constraints[0].axes
            == Annotation(LogicalAxes{ { LogicalName::of("batch"), LogicalName::none(), LogicalName::none() } }));
        QCOMPARE(model.parameterSpecs.size(), std::size_t(1));
        QVERIFY(model.parameterSpecs[0].axes == Annotation(DeviceAxes{ { { SpecEntry::axis("model") } } }));
    }

    /// By names or by mesh axes, not both.
    void namesBesideASpec()
    {
        const auto read = readExperiment(R"({ "format": "sharding-experiment", "version": "1.0",
  "model": { "preset": "transformer",
    "constraints": [{ "at": "decoder/layers.*", "names": ["batch"], "spec": ["data"] }] } })");
        QVERIFY(!read.has_value());
        const Diagnostic& first = read.error().at(0);
        QCOMPARE(first.code, Code::DuplicateKey);
        QCOMPARE(first.text("key"), std::string("spec"));
        QCOMPARE(first.text("other"), std::string("names"));
        QCOMPARE(first.where.pointer, std::string("/model/constraints/0/spec"));
    }

    /// Latent attention, shared experts and windows: what is not as by default is written, and read again.
    void deepSeek()
    {
        const Experiment experiment = readAll(R"(, "dims": { "heads": 4, "kv_heads": 4 },
            "latent": { "rank": 24, "query_rank": 16, "rotary_size": 8, "value_size": 12 }, "sliding_window": 4,
            "window_pattern": 2, "window_rotary_base": 500, "attention_scalar": 24, "dropout": 0.125,
            "experts": { "experts": 4, "shared_mlp": 96, "shared_gate": true, "dense_layers": 1, "score": "sigmoid",
                         "scale": 2.5 } })");
        const TransformerSettings& s = trainingOf(experiment).model;
        QVERIFY((s.latent == LatentSettings{ .rank = 24, .queryRank = 16, .rotarySize = 8, .valueSize = 12 }));
        QVERIFY((s.experts
            == ExpertSettings{ .experts = 4,
                .score = RouterScore::Sigmoid,
                .scale = 2.5,
                .sharedMlp = 96,
                .sharedGate = true,
                .denseLayers = 1 }));
        QVERIFY(s.windowPattern == 2 && s.windowRotaryBase == 500 && s.attentionScalar == 24 && s.dropout == 0.125);
        const std::string text = writeExperiment(experiment);
        for (const char* part : { R"("latent": { "rank": 24, "query_rank": 16, "rotary_size": 8, "value_size": 12 })",
                 R"("normalise": true, "score": "sigmoid", "scale": 2.5, "shared_mlp": 96, "shared_gate": true, )",
                 R"("dense_layers": 1 })", R"("window_pattern": 2)", R"("dropout": 0.125)" })
            QVERIFY2(text.find(part) != std::string::npos, (part + text).c_str());
        const auto again = readExperiment(text);
        QVERIFY(again && again->experiment == experiment);
        QVERIFY(buildProgram(experiment).has_value());
    }

    /// Notes of objects that would not be written without them, and keys that nobody knows.
    void additions()
    {
        const auto read = readExperiment(R"({ "format": "sharding-experiment", "version": "1.0",
  "model": { "preset": "transformer", "colour": 1, "experts": { "notes": "eight of them" } },
  "step": { "adafactor": { "notes": "not used" }, "lion": true } })");
        QVERIFY(read.has_value());
        QCOMPARE(read->warnings.size(), std::size_t{ 2 });
        const std::string text = writeExperiment(read->experiment);
        for (const char* part :
            { "\"notes\": \"eight of them\"", "\"notes\": \"not used\"", "\"colour\": 1", "\"lion\": true" })
            QVERIFY2(text.find(part) != std::string::npos, (part + text).c_str());
        const auto again = readExperiment(text);
        QVERIFY(again && again->experiment == read->experiment);
    }

    void sizesAreEdited()
    {
        const Experiment before = readAll(R"(, "experts": { "experts": 4 } })");
        const auto after = [&](const std::string& name, std::int64_t size) {
            return withDimension(before, name, size);
        };
        QCOMPARE(trainingOf(*after("embed", 96)).model.embed, 96);
        QCOMPARE(trainingOf(*after("kv", 32)).model.headSize, 32);
        QCOMPARE(trainingOf(*after("layers", 12)).model.layers, 12);
        QCOMPARE(trainingOf(*after("expert", 16)).model.experts->experts, 16);
        QVERIFY(after("embed", 96)->rules == before.rules);
        // Four heads cannot share three of keys and values; that an odd head cannot be rotated is said as well.
        QCOMPARE(after("kv_heads", 3).error().code, Code::InvalidAttribute);
        QCOMPARE(after("kv_heads", 3).error().text("wrong"), "kv_heads");
        QCOMPARE(after("kv", 15).error().text("wrong"), "rotary");
        QCOMPARE(after("layers", 4097).error().code, Code::OutOfRange);
        QCOMPARE(after("hidden", 8).error().code, Code::UnknownValue);
        QVERIFY(!after("bucket", 8)); // it has rotary positions
        QCOMPARE(after("experts", 8).error().text("nearest"), "expert");
    }

    /// The program has the parameters, the state of the optimizer and the inputs that the settings ask for.
    void isBuilt()
    {
        const Experiment experiment = readAll("}");
        const Result<SourceProgram> source = buildProgram(experiment);
        QVERIFY2(source.has_value(), source ? "" : std::string(source.error().id()).c_str());
        QVERIFY(!source->guessesRoles);
        const Program& program = source->program;
        for (const char* path : { "step", "params/token_embedder/embedding", "params/decoder/layers.1/mlp/wo/kernel",
                 "opt/mu/decoder/layers.0/self_attention/query/kernel", "opt/nu/decoder/decoder_norm/scale",
                 "opt/count", "tokens", "targets", "loss", "grad(params/decoder/logits_dense/kernel)",
                 "next(params/token_embedder/embedding)" })
            QVERIFY2(program.find(path).valid(), path);
        const Value& query = program.value(program.find("params/decoder/layers.0/self_attention/query/kernel"));
        QVERIFY((query.type == TensorType{ DType::F32, { 64, 4, 16 } }));

        Experiment forward = experiment;
        std::get<TransformerModel>(forward.model).settings.trainStep = false;
        const Result<SourceProgram> apply = buildProgram(forward);
        QVERIFY(apply.has_value());
        QVERIFY(!apply->program.find("step").valid() && apply->program.find("loss").valid());

        Experiment scanned = experiment;
        std::get<TransformerModel>(scanned.model).settings.model.form = LayerForm::Scanned;
        const Result<SourceProgram> loop = buildProgram(scanned);
        QVERIFY(loop.has_value());
        const ValueId stacked = loop->program.find("params/decoder/layers/mlp/wo/kernel");
        QVERIFY(stacked.valid());
        QVERIFY((loop->program.value(stacked).type == TensorType{ DType::F32, { 2, 256, 64 } }));

        Experiment wrong = experiment;
        std::get<TransformerModel>(wrong.model).settings.model.kvHeads = 3;
        QVERIFY(!buildProgram(wrong));
    }
};

REGISTER_TEST(TransformerFileTest)
#include "test_transformer.moc"
