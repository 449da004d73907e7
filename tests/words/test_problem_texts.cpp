// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of files and edits that cannot be: the cause, and what would be right.
#include <QLocale>
#include <QSet>
#include <QTest>

#include <functional>

#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/malformed_cases.h"
#include "networks/arrays.h"
#include "networks/mlp.h"
#include "networks/train_step.h"
#include "networks/transformer.h"
#include "outer_rules.h"
#include "program/explicit_mode.h"
#include "registered_test.h"
#include "words/words.h"

using namespace shardscope;

namespace {

const QString keptProduct = QStringLiteral("Without “Keep product” the number of devices changes.");

QString sentences(const Diagnostic& diagnostic)
{
    const words::ProblemText text = words::describe(diagnostic);
    return text.cause + QStringLiteral(". ") + text.remedy;
}

QString ofFile(const std::string& part)
{
    const auto read = readExperiment(malformed::with(part));
    return read ? QString() : sentences(read.error().front());
}

Experiment withMesh(std::vector<MeshAxis> axes)
{
    Experiment experiment = builtinExamples().front().make();
    experiment.mesh = { std::move(axes), {} };
    return experiment;
}

} // namespace

class ProblemTextsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    /// Whatever arguments an error or a warning bears, it says what to do.
    void everyCodeHasARemedy()
    {
        for (const CodeRow& row : codeRegistry())
            if (row.severity != Severity::Info)
                QVERIFY2(!words::describe({ row.code, {}, {} }).remedy.isEmpty(), row.id.data());
    }

    void configurationsOfModels()
    {
        const auto stated = [](Code code, std::vector<Arg> args) { return sentences({ code, std::move(args), {} }); };
        QCOMPARE(stated(Code::UnknownArchitecture,
                     { { "name", "falcon" }, { "known", std::vector<std::string>{ "llama", "mistral" } } }),
            QStringLiteral(
                "models of the architecture “falcon” are not known. Known: llama, mistral. If its layers are "
                "those of one of them, read it as that one: --as llama."));
        QCOMPARE(stated(Code::ContradictoryFields,
                     { { "key", "hidden_size" }, { "value", 100 }, { "other", "num_attention_heads" },
                         { "other_value", 3 }, { "wrong", "divide" } }),
            QStringLiteral("“hidden_size” is 100, and “num_attention_heads” is 3: the first does not divide by the "
                           "second. Correct one of the two."));
        QCOMPARE(stated(Code::MissingKey, { { "key", "hidden_size" }, { "architecture", "llama" } }),
            QStringLiteral("the key “hidden_size” is missing, which a model of the architecture llama has. Add it, or "
                           "read the file as another architecture."));
        QCOMPARE(stated(Code::FieldLeftOut, { { "key", "rope_scaling" }, { "value", "an object" } }),
            QStringLiteral("“rope_scaling” is an object, which the network leaves out. No shape depends on it: "
                           "parameters and shardings are those of the model."));
        QCOMPARE(stated(Code::FieldLeftOut,
                     { { "key", "vision_config" }, { "value", "an object" }, { "parameters", "missing" } }),
            QStringLiteral("“vision_config” is an object, which the network leaves out. The parameters of that are "
                           "missing; all others are those of the model."));
        QCOMPARE(stated(Code::FieldLeftOut,
                     { { "key", "architectures" }, { "value", "LlamaModel" }, { "parameters", "language_model" } }),
            QStringLiteral("“architectures” is LlamaModel, and the network is the language model of that architecture. "
                           "Layers are the same; the head, and of T5 the decoder, are those of the language model."));
    }

    void largeReplicated()
    {
        Diagnostic diagnostic{ Code::LargeReplicated,
            { { "tensors", 8 }, { "bytes", 32 << 20 }, { "of", 44 << 20 }, { "devices", 8 } }, {} };
        diagnostic.where.path = "params/wo";
        QCOMPARE(sentences(diagnostic),
            QStringLiteral("wo and 7 more are not sharded: each of the 8 devices holds all of them, 32 MiB of its 44 "
                           "MiB of parameters. Map one of its logical names to a mesh axis, or give it a spec of its "
                           "own."));
        diagnostic.args.front() = { "tensors", 1 };
        QVERIFY(sentences(diagnostic)
                    .startsWith(QStringLiteral("wo is not sharded: each of the 8 devices holds all of it")));
    }

    void settingsWithoutEffect()
    {
        const auto stated = [](Code code, std::vector<Arg> args) { return sentences({ code, std::move(args), {} }); };
        QCOMPARE(stated(Code::SettingWithoutEffect,
                     { { "settings", std::vector<std::string>{ "beta1", "beta2" } }, { "needs", "optimizer" },
                         { "values", std::vector<std::string>{ "adam", "adamw" } } }),
            QStringLiteral("“beta1” and “beta2” have no effect: they count only where “optimizer” is adam or adamw. "
                           "Let “optimizer” be adam or adamw, or remove these settings."));
        QCOMPARE(stated(Code::SettingWithoutEffect,
                     { { "settings", std::vector<std::string>{ "encoder_length" } }, { "needs", "encoder_layers" },
                         { "values", std::vector<std::string>{} } }),
            QStringLiteral("“encoder_length” has no effect: it counts only where “encoder_layers” is at least 1. Let "
                           "“encoder_layers” be at least 1, or remove the setting."));
        QCOMPARE(stated(Code::NameWithoutRule, { { "name", "batc" }, { "nearest", "batch" } }),
            QStringLiteral("the logical name “batc” shards nothing: neither a rule nor an array of such models has it. "
                           "Did you mean “batch”? If not, add a rule for “batc”."));
        QCOMPARE(stated(Code::LimitOutOfReach,
                     { { "settings", std::vector<std::string>{ "sliding_window" } }, { "value", 4096.0 },
                         { "wrong", "window" }, { "reach", 2048.0 } }),
            QStringLiteral("“sliding_window” is 4096, and masks nothing: the sequence has a length of 2048. Numbers "
                           "below 2048 have an effect."));
        QCOMPARE(stated(Code::LimitOutOfReach,
                     { { "settings", std::vector<std::string>{ "window_pattern" } }, { "value", 4.0 },
                         { "wrong", "pattern" }, { "reach", 3.0 } }),
            QStringLiteral("“window_pattern” is 4, and no layer sees all tokens: there are fewer layers. Numbers below "
                           "3 have an effect."));
        QCOMPARE(stated(Code::LimitOutOfReach,
                     { { "settings", std::vector<std::string>{ "capacity_factor" } }, { "value", 8.0 },
                         { "wrong", "capacity" }, { "reach", 4.0 } }),
            QStringLiteral("“capacity_factor” is 8, and every expert has a place for each token: none is dropped. "
                           "Numbers below 4 have an effect."));
        QCOMPARE(stated(Code::RuleUnused, { { "rules", 3 } }),
            QStringLiteral("no rule is ever used (there are 3): no array of the model has logical names. Remove them, "
                           "or name the dimensions of the arrays; a program in a text is sharded by the shardings that "
                           "it states."));
    }

    void memory()
    {
        const auto stated = [](std::vector<Arg> args) {
            return sentences({ Code::OverMemoryLimit, std::move(args), {} });
        };
        const std::int64_t gib = std::int64_t{ 1 } << 30;
        QCOMPARE(stated({ { "bytes", 24 * gib }, { "limit", 16 * gib }, { "gathered", 12 * gib } }),
            QStringLiteral(
                "each device needs 24 GiB, it has 16 GiB; 12 GiB are gathered weights, which layers one after "
                "the other keep for every microbatch. Put the layers in a loop (“form”: “scanned”), shard more "
                "dimensions, or use more devices."));
        QCOMPARE(stated({ { "bytes", 24 * gib }, { "limit", 16 * gib } }),
            QStringLiteral("each device needs 24 GiB, it has 16 GiB. Shard more dimensions, or use more devices."));
    }

    void pipelines()
    {
        const auto stated = [](Code code, std::vector<Arg> args) { return sentences({ code, std::move(args), {} }); };
        const QString remedy = QStringLiteral(
            ". Give its devices to another axis; what is told of this mesh is not what a pipeline needs.");
        QCOMPARE(stated(Code::PipelineAxis, { { "axis", "stage" }, { "size", 4 } }),
            QStringLiteral(
                "pipelines are not modelled: every one of the 4 positions along stage holds the same weights "
                "and does the work of all layers")
                + remedy);
        QCOMPARE(stated(Code::PipelineAxis, { { "axis", "stage" }, { "size", 4 }, { "parts", std::int64_t{ 1 } } }),
            QStringLiteral("pipelines are not modelled: every one of the 4 positions along stage does the work of all "
                           "layers, holding a part of the weights")
                + remedy);
        QCOMPARE(stated(Code::AxisUnused, { { "axis", "pp" }, { "size", 2 }, { "pipeline", std::int64_t{ 1 } } }),
            QStringLiteral(
                "no array is sharded along pp, so both positions along pp do the same work; pipelines are not "
                "modelled. Give its devices to another axis."));
    }

    void namesOfSeveralTensors()
    {
        const auto stated = [](std::vector<Arg> args) {
            return sentences({ Code::UnknownTensor, std::move(args), {} });
        };
        QCOMPARE(stated({ { "path", "W" }, { "nearest", "opt/mu/W" }, { "several", 2 },
                     { "known", std::vector<std::string>{ "opt/mu/W", "opt/nu/W" } } }),
            QStringLiteral("“W” is the end of 2 paths. Write more of one, as “opt/mu/W”. Others: “opt/nu/W”."));
        QCOMPARE(stated({ { "path", "the gradient in layers.1" }, { "nearest", "%12" }, { "several", 3 },
                     { "known", std::vector<std::string>{ "%12", "%15" } } }),
            QStringLiteral("“the gradient in layers.1” is what 3 values are called. Name one by its number, as “%12”. "
                           "Others: “%15”."));
    }

    void filesAndOptions()
    {
        const auto stated = [](Code code, std::vector<Arg> args) { return sentences({ code, std::move(args), {} }); };
        QCOMPARE(
            stated(Code::TooLarge, { { "what", "file" }, { "bytes", std::int64_t{ 1 } << 33 }, { "limit", 1 << 26 } }),
            QStringLiteral("the file has 8 GiB, files of up to 64 MiB are read. Check that it is the file that was "
                           "meant."));
        QCOMPARE(stated(Code::PartitionsMismatch,
                     { { "option", "--partitions" }, { "asked", 4 }, { "axis", "model" }, { "size", 2 } }),
            QStringLiteral(
                "--partitions asks for 4 along model, the mesh has 2; the mesh counts. Give the mesh model=4, "
                "or leave --partitions away."));
        QCOMPARE(stated(Code::TooLarge,
                     { { "what", "operations when every call has a body of its own" }, { "count", 3'000'005 },
                         { "limit", 1 << 21 } }),
            QStringLiteral("there are 3000005 operations when every call has a body of its own, the limit is "
                           "2097152. Write what is repeated as a loop."));
        QVERIFY(stated(Code::OutOfRange, { { "key", "number" }, { "value", "99" }, { "max", 9 } })
                    .endsWith(QStringLiteral("Use a value of at most 9.")));
        QCOMPARE(stated(Code::TooLarge, { { "what", "operations" }, { "limit", 1 << 19 } }),
            QStringLiteral("there are more than 524288 operations, which is the limit. Write what is repeated as a "
                           "loop."));
        QVERIFY(stated(Code::TooLarge,
            { { "what", "levels of bodies and calls in each other" }, { "count", 501 }, { "limit", 500 } })
                    .endsWith(QStringLiteral("one after the other instead of in each other.")));
        QVERIFY(stated(Code::TooLarge, { { "what", "devices" }, { "limit", 8 } })
                    .endsWith(QStringLiteral("Use smaller sizes.")));
        QCOMPARE(stated(Code::TooLarge, { { "what", "nesting" }, { "limit", 64 } }),
            QStringLiteral("brackets stand more than 64 deep in each other. Close every bracket that is open."));
        QCOMPARE(stated(Code::DuplicateKey, { { "key", "spec" }, { "other", "names" } }),
            QStringLiteral("“names” and “spec” stand side by side, and only one of them can count. Leave one of them "
                           "out."));
        QCOMPARE(stated(Code::MissingKey, { { "key", "--rules" } }),
            QStringLiteral("the option --rules is missing. Add it."));
        QCOMPARE(stated(Code::Syntax, { { "expected", "end of text" }, { "found", "model" } }),
            QStringLiteral("expected end of text, found model. Remove what follows."));
        QCOMPARE(stated(Code::Syntax, { { "expected", "the end of a bracket" }, { "found", "x" } }),
            QStringLiteral("expected the end of a bracket, found x. Write the end of a bracket there."));
        for (const char* expected : { "the end of the bracket “(” of line 3, column 12", "a type" })
            QVERIFY(stated(Code::Syntax, { { "expected", expected }, { "found", "the end of the text" } })
                        .endsWith(QStringLiteral("found the end of the text. The text is truncated: complete it.")));
        QVERIFY(stated(Code::NotComparable, { { "wrong", "order" } }).contains(QStringLiteral("The other way round?")));
    }

    void impossibleAliases()
    {
        const auto stated = [](std::vector<Arg> more) {
            std::vector<Arg> args{ { "key", "tf.aliasing_output" }, { "argument", 1 }, { "value", "7 : i32" } };
            args.insert(args.end(), more.begin(), more.end());
            return words::describe({ Code::RunSettingNotUsed, std::move(args), {} }).cause;
        };
        const QString begin =
            QStringLiteral("the attribute “tf.aliasing_output” of argument 1, “7 : i32”, does not count: ");
        QCOMPARE(stated({ { "results", 2 } }), begin + QStringLiteral("results of the program: 2"));
        QCOMPARE(stated({ { "other", 0 } }), begin + QStringLiteral("argument 0 has that result already"));
        QCOMPARE(stated({ { "given", "tensor<8xf32>" }, { "type", "tensor<4xf32>" } }),
            begin + QStringLiteral("the argument is tensor<8xf32>, the result tensor<4xf32>"));
    }

    void explicitMode()
    {
        Diagnostic refused{ Code::ExplicitMode,
            { { "op", "dot_general" }, { "wrong", "contracting_dims_both_sharded" }, { "dim", 0 },
                { "first", "layers.0/y" }, { "first_index", 0 }, { "first_spec", "P('data', 'model')" },
                { "second", "" }, { "second_index", 1 }, { "second_spec", "P('model', None)" },
                { "out", "P('data', None)" } },
            {} };
        refused.where.path = "layers.0/z";
        QCOMPARE(sentences(refused),
            QStringLiteral(
                "JAX's explicit mode refuses dot_general, which gives Layer 0 / z: both operands shard what it "
                "adds up over, Layer 0 / y P('data', 'model') and operand 1 P('model', None), which leaves open "
                "how its result is sharded. Write out_sharding=P('data', None) on it, as propagation shards its "
                "result."));
        const Diagnostic padded{ Code::ExplicitMode,
            { { "op", "pad" }, { "wrong", "pad_sharded_dim" }, { "dim", 1 }, { "first", "x" }, { "first_index", 0 },
                { "first_spec", "P(None, 'a')" }, { "mend", "x" }, { "mend_index", 0 },
                { "mend_spec", "P(None, None)" } },
            {} };
        QCOMPARE(sentences(padded),
            QStringLiteral(
                "JAX's explicit mode refuses pad: it pads dimension 1 to a size that does not divide into its shards: "
                "x P(None, 'a'). Give it jax.sharding.reshard(x, P(None, None)) instead."));
        // Every reason has words of its own.
        QSet<QString> causes;
        int kinds = 0;
        for (int i = 1; !kindName(static_cast<ExplicitProblem>(i)).empty(); ++i, ++kinds) {
            const Diagnostic each{ Code::ExplicitMode,
                { { "op", "add" }, { "wrong", std::string(kindName(static_cast<ExplicitProblem>(i))) } }, {} };
            causes.insert(words::describe(each).cause);
            QVERIFY(!words::describe(each).remedy.isEmpty());
        }
        QCOMPARE(causes.size(), kinds);
        QVERIFY(!causes.contains(words::describe({ Code::ExplicitMode, { { "op", "add" } }, {} }).cause));
    }

    void malformedFiles_data()
    {
        QTest::addColumn<int>("index");
        const auto all = malformed::cases();
        for (std::size_t i = 0; i < all.size(); ++i)
            QTest::newRow(all[i].name.c_str()) << static_cast<int>(i);
    }
    void malformedFiles()
    {
        QFETCH(int, index);
        const auto read = readExperiment(malformed::cases()[static_cast<std::size_t>(index)].text());
        QVERIFY(!read.has_value());
        for (const Diagnostic& diagnostic : read.error()) {
            const words::ProblemText text = words::describe(diagnostic);
            QVERIFY(!text.cause.isEmpty());
            QVERIFY2(text.remedy.endsWith(QLatin1Char('.')), qPrintable(text.cause + text.remedy));
        }
    }

    void files_data()
    {
        QTest::addColumn<QString>("part");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* part, const char* stated) {
            QTest::newRow(part) << QString::fromUtf8(part) << QString::fromUtf8(stated);
        };
        row(R"("step": { "learning_rate": -0.1 })", "“learning_rate” is -0.1. Use a value of at least 0.");
        row(R"("step": { "beta1": 1 })", "“beta1” is 1. Use a value from 0 to below 1.");
        row(R"("mesh": { "axes": [["a", "2"]] })", "“size of a” is the string \"2\". Write a whole number.");
        row(R"("run": { "runs": 0 })", "“runs” is 0. Use a value from 1 to 1000000.");
        row(R"("run": { "seed": -1 })", "“seed” is -1. Use a value from 0 to 18446744073709551615.");
        row(R"("mesh": { "axes": [["a", 4]], "device_order": [0, 1] })",
            "the device order names 2 devices, the mesh has 4. Name every device from 0 to 3 once.");
        row(R"("mesh": { "axes": [["a", 4]], "device_order": [0] })",
            "the device order names 1 device, the mesh has 4. Name every device from 0 to 3 once.");
        row(R"("mesh": { "axes": [["a", 3]], "device_order": [0, 1, 1] })",
            "the device order names device 1 twice. Name every device from 0 to 2 once.");
        row(R"("mesh": { "axes": [["P.UNCONSTRAINED", 2]] })",
            "“axes” is P.UNCONSTRAINED, which is a reserved word. Write another name.");
        row(R"("rules": { "list": [["a", "x"], ["b", ["x", "x"]]] })",
            "rule 2 uses the mesh axis “x” twice. Name every mesh axis once: the same devices cannot shard a dimension "
            "a "
            "second time.");
        row(R"("rules": { "list": [["b", ["x", ["y"]]]] })",
            "in rule 1 a list of mesh axes stands inside another one. List the mesh axes in one flat list.");
        row(R"("a" 1)", "expected a colon after the key, found 1. Write a colon after the key there.");
        row(R"("a": 1 } { )", "expected the end of the file, found {. Remove what follows.");
    }
    void files()
    {
        QFETCH(QString, part);
        QTEST(ofFile(part.toStdString()), "said");
    }

    /// What a person can do wrong is said in sentences of this folder alone.
    void wrongValues()
    {
        const auto stated = [](const auto& result) { return result ? QString() : sentences(result.error()); };
        QCOMPARE(stated(Mesh::create({ { "", 2 } })),
            QStringLiteral("a mesh axis has no name. Give every mesh axis a name."));
        QCOMPARE(stated(Mesh::create({ { "a", 2 } }, { 0, 0 })),
            QStringLiteral("the device order names device 0 twice. Name every device from 0 to 1 once."));
        QCOMPARE(stated(Mesh::create({ { "a", 2 } }, { 0, 7 })),
            QStringLiteral(
                "the device order names device 7, which the mesh lacks. Name every device from 0 to 1 once."));
        QCOMPARE(stated(Mesh::create({ { "a", 2 } }, { 0 })),
            QStringLiteral("the device order names 1 device, the mesh has 2. Name every device from 0 to 1 once."));
        const auto named = [](const char* path, std::vector<LogicalName> names) {
            return NamedArraySetting{ path, std::move(names), { 8, 8 }, DType::F32 };
        };
        const LogicalName a = LogicalName::of("a");
        QCOMPARE(stated(buildArrays({ named("w", { a }) })),
            QStringLiteral(
                "w has 2 dimensions, but names for 1. Give one name per dimension; null is for one without a "
                "name."));
        QCOMPARE(stated(buildArrays({ named("w", { a, a }), named("w", { a, a }) })),
            QStringLiteral("two arrays are called w. Rename one of them."));
        MlpSettings settings;
        settings.dtype = DType::BF16;
        QCOMPARE(stated(buildMlp(settings)),
            QStringLiteral("the simulated devices cannot compute with numbers of type bf16. Use f32 or f64."));
        Builder builder("step");
        TrainStepSettings step;
        step.microbatches = 3;
        QCOMPARE(stated(addTrainStep(builder, { {}, { { "x", { DType::F32, { 4 } }, {}, {} } } }, step, {})),
            QStringLiteral("a batch of 4 does not divide into 3 microbatches. Choose a number of microbatches that "
                           "divides the batch."));
        Experiment lab;
        lab.model = ArraysModel{};
        QCOMPARE(stated(withLogicalYConstraint(lab)),
            QStringLiteral("the model has no constraint on y. Choose a model that has one."));
        lab.rules.rules.list = { { a, SpecEntry::axis("x") }, { a, SpecEntry::axis("y") } };
        QCOMPARE(stated(withAxisAppendedToRule(lab, 1, "y")).section(QLatin1Char('.'), 0, 0),
            QStringLiteral("rule 2 uses the mesh axis “y” twice"));
    }

    void transformersThatCannotBe()
    {
        const auto stated = [](const std::function<void(TransformerSettings&)>& edit) {
            TransformerSettings settings;
            edit(settings);
            return sentences(buildTransformerForward(settings).error());
        };
        using S = TransformerSettings&;
        QCOMPARE(stated([](S s) { s.kvHeads = 3; }),
            QStringLiteral("4 query heads cannot share 3 heads of keys and values evenly. Use a number of key and "
                           "value heads that divides the number of heads."));
        QCOMPARE(stated([](S s) { s.headSize = 15; }),
            QStringLiteral("rotary positions would turn 15 of the 15 elements of a head. Use a head size and a rotary "
                           "fraction that make it an even number of them."));
        QCOMPARE(stated([](S s) {
            s.positions = PositionKind::RelativeBias;
            s.relativeBuckets = 30;
        }),
            QStringLiteral("30 relative positions cannot be divided by 4. Use a multiple of 4."));
        QCOMPARE(stated([](S s) {
            s.parallelBlock = true;
            s.encoderLayers = 1;
        }),
            QStringLiteral("a decoder that attends to an encoder cannot have parallel blocks. Leave out the encoder or "
                           "the parallel blocks."));
        QCOMPARE(stated([](S s) { s.computeDtype = DType::I32; }),
            QStringLiteral("a transformer cannot have numbers of type i32. Use f32, f64, bf16 or f16."));
    }

    void noExperimentAtAll()
    {
        const auto stated = [](std::string_view text) { return sentences(readExperiment(text).error().front()); };
        QCOMPARE(stated(""),
            QStringLiteral("expected a value, found the end of the file. An experiment is JSON text that begins "
                           "with “{”."));
        QCOMPARE(stated("hello"),
            QStringLiteral("expected a value, found hello. An experiment is JSON text that begins with “{”."));
        QCOMPARE(stated("{ \"format\": "),
            QStringLiteral("expected a value, found the end of the file. The text is truncated: complete it, or open "
                           "another copy."));
    }

    void unknownKeys()
    {
        const auto stated = [](const std::string& part) {
            return sentences(readExperiment(malformed::with(part))->warnings.front());
        };
        QCOMPARE(stated(R"("run": { "run": 1 })"),
            QStringLiteral("the key “run” is not known; it is kept as it is. Did you mean “runs”?"));
        QCOMPARE(stated(R"("run": { "zzzzzz": 1 })"),
            QStringLiteral("the key “zzzzzz” is not known; it is kept as it is. Known here: seed, runs, loops, "
                           "share_replicas, initial, state, roles, notes."));
    }

    void refusedAxisSizes_data()
    {
        QTest::addColumn<QList<qint64>>("sizes");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<QString>("said");
        using Sizes = QList<qint64>;
        QTest::newRow("does not divide") << Sizes{ 2, 4 } << qint64{ 3 }
                                         << QStringLiteral("a0 = 3: 8 devices cannot be split 3 ways. "
                                                           "Possible sizes: 1, 2, 4, 8. ")
                + keptProduct;
        QTest::newRow("no axis alone can")
            << Sizes{ 2, 2, 3 } << qint64{ 12 }
            << QStringLiteral("a0 = 12: the number of devices is kept, and no other axis alone makes up for it. "
                              "Possible sizes: 1, 2, 3, 4, 6. ")
                + keptProduct;
        QTest::newRow("a single axis")
            << Sizes{ 8 } << qint64{ 4 }
            << QStringLiteral("a0 = 4: the number of devices is kept, and there is no other axis to change. "
                              "The only possible size: 8. ")
                + keptProduct;
        QTest::newRow("out of range, inverse kept") << Sizes{ 2, 4 } << qint64{ 0 }
                                                    << QStringLiteral("the mesh axis “a0” has size 0. Use a size from "
                                                                      "1 to 1048576.");
    }
    void refusedAxisSizes()
    {
        QFETCH(QList<qint64>, sizes);
        QFETCH(qint64, size);
        std::vector<MeshAxis> axes;
        for (const qint64 each : sizes)
            axes.push_back({ "a" + std::to_string(axes.size()), each });
        const auto refused = withAxisSize(withMesh(axes), 0, size, true);
        QVERIFY(!refused.has_value());
        QTEST(sentences(refused.error()), "said");
        // What is offered is what would be taken.
        QStringList possible;
        for (const std::int64_t each : possibleAxisSizes(withMesh(axes), 0, true))
            possible << QString::number(each);
        if (size > 0)
            QVERIFY(sentences(refused.error())
                        .contains(QStringLiteral(": ") + possible.join(QStringLiteral(", ")) + QLatin1Char('.')));
    }

    void memories()
    {
        QCOMPARE(ofFile(R"("model": { "preset": "arrays", "arrays": [
            { "path": "x", "names": [], "shape": [], "memory_kind": "hbm" }] })"),
            QStringLiteral("there is no memory “hbm”. Known: device, pinned_host, unpinned_host."));
        QCOMPARE(
            sentences({ Code::MixedMemoryKinds,
                { { "op", "stablehlo.add" }, { "kinds", std::vector<std::string>{ "device", "pinned_host" } } }, {} }),
            QStringLiteral("stablehlo.add: its operands lie in different memories: device, pinned_host. Move them into "
                           "one memory first."));
        const auto refused = withMemoryKind(builtinExamples().front().make(), "x", MemoryKind::PinnedHost);
        QVERIFY(!refused.has_value());
        QVERIFY(sentences(refused.error()).startsWith(QStringLiteral("x takes no memory of its own: ")));
    }

    void manyPossibleSizes()
    {
        const auto refused = withAxisSize(withMesh({ { "a", 1 }, { "b", 720'720 } }), 0, 17, true);
        QVERIFY(!refused.has_value());
        QCOMPARE(sentences(refused.error()),
            QStringLiteral("a = 17: 720720 devices cannot be split 17 ways. "
                           "Possible sizes nearby: 12, 13, 14, 15, 16, 18, 20, 21. ")
                + keptProduct);
    }
};

REGISTER_TEST(ProblemTextsTest)
#include "test_problem_texts.moc"
