// SPDX-License-Identifier: GPL-3.0-or-later
// The schema and the reader agree: what the reader takes the schema takes, and what the schema can express as wrong
// both refuse.
#include <QTest>

#include "experiment/builtin.h"
#include "experiment/transformer_fields.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/file_words.h"
#include "malformed_cases.h"
#include "registered_test.h"

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

using namespace shardscope;

class SchemaTest : public QObject {
    Q_OBJECT

    valijson::Schema m_schema;

    bool accepts(const std::string& text)
    {
        const nlohmann::json document = nlohmann::json::parse(text);
        valijson::adapters::NlohmannJsonAdapter adapter(document);
        return valijson::Validator(valijson::Validator::kStrongTypes).validate(m_schema, adapter, nullptr);
    }

private Q_SLOTS:
    void initTestCase()
    {
        const nlohmann::json document = nlohmann::json::parse(experimentSchema());
        valijson::adapters::NlohmannJsonAdapter adapter(document);
        valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(adapter, m_schema);
    }

    void examples()
    {
        for (const Example& example : builtinExamples())
            QVERIFY2(accepts(writeExperiment(example.make())), std::string(example.id).c_str());
    }

    /// Every setting of a transformer stands in the schema, with the default that it has.
    void defaultsOfATransformer()
    {
        const nlohmann::json definitions = nlohmann::json::parse(experimentSchema()).at("definitions");
        const auto compare = [](const nlohmann::json& properties) {
            return [&properties](std::string_view key, const auto& value, const auto&...) {
                const std::string name(key);
                QVERIFY2(properties.contains(name), name.c_str());
                using Value = std::decay_t<decltype(value)>;
                if constexpr (std::is_same_v<Value, std::optional<DType>>)
                    QVERIFY2(!value && !properties[name].contains("default"), name.c_str());
                else if constexpr (std::is_same_v<Value, DType>)
                    QVERIFY2(properties[name].at("default") == std::string(shardscope::name(value)), name.c_str());
                else if constexpr (std::is_enum_v<Value>)
                    QVERIFY2(properties[name].at("enum") == nlohmann::json(file_words::wordsOf(value))
                            && properties[name].at("default")
                                == file_words::wordsOf(value)[static_cast<std::size_t>(value)],
                        name.c_str());
                else
                    QVERIFY2(properties[name].at("default") == nlohmann::json(value), name.c_str());
            };
        };
        const TransformerTraining plain;
        const ExpertSettings experts;
        const LatentSettings latent;
        const nlohmann::json model = definitions.at("transformerModel").at("properties"),
                             step = definitions.at("transformerStep").at("properties");
        forEachSize(plain.model, compare(model.at("dims").at("properties")));
        forEachOption(plain.model, compare(model));
        forEachExpertOption(experts, compare(model.at("experts").at("properties")));
        forEachLatentOption(latent, compare(model.at("latent").at("properties")));
        forEachAdamNumber(plain.optimizer, compare(step));
        forEachOptimizerOption(plain.optimizer, compare(step));
        forEachAdafactorOption(plain.optimizer.adafactor, compare(step.at("adafactor").at("properties")));
        QVERIFY(model.at("layers").at("default") == nlohmann::json(plain.model.layers));
        QVERIFY(step.at("microbatches").at("default") == nlohmann::json(plain.microbatches));
        QVERIFY(step.at("train").at("default") == nlohmann::json(plain.trainStep));
        QVERIFY(step.at("optimizer").at("enum") == nlohmann::json(file_words::optimizers));
        QVERIFY(step.at("optimizer").at("default")
            == file_words::optimizers[static_cast<std::size_t>(plain.optimizer.kind)]);
    }

    void wrong_data()
    {
        QTest::addColumn<int>("index");
        const auto all = malformed::cases();
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].schema != malformed::Schema::NoJson)
                QTest::newRow(all[i].name.c_str()) << static_cast<int>(i);
    }
    void wrong()
    {
        QFETCH(int, index);
        const malformed::Case row = malformed::cases()[static_cast<std::size_t>(index)];
        QVERIFY(!readExperiment(row.text()).has_value());
        QCOMPARE(accepts(row.text()), row.schema == malformed::Schema::Cannot);
    }

    void right_data()
    {
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, const std::string& text) {
            QTest::newRow(name) << QString::fromStdString(text);
        };
        row("only what is required", R"({ "format": "sharding-experiment", "version": "1.0" })");
        row("newer minor version", R"({ "format": "sharding-experiment", "version": "1.12" })");
        row("unknown keys", malformed::with(R"("x": 1, "hardware": { "y": [] })"));
        row("step of arrays", malformed::with(R"("model": { "preset": "arrays", "arrays": [] }, "step": [1])"));
        row("step of the default model", malformed::with(R"("step": { "optimizer": "adam", "beta1": 0 })"));
        row("no axes", malformed::axes(""));
        row("axes", malformed::axes(R"(["a", 1048576], ["ü b", 1])"));
        row("device order", malformed::with(R"("mesh": { "axes": [["a", 2]], "device_order": [1, 0] })"));
        row("order by a builder", malformed::with(R"("mesh": { "axes": [["a", 2]], "device_order": "make_mesh" })"));
        row("order with options",
            malformed::with(
                R"("mesh": { "axes": [["a", 2]], "device_order": { "method": "hybrid", "dcn": { "a": 2 } } })"));
        row("T5X", malformed::with(R"("mesh": { "axes": [["a", 2]],
            "device_order": { "method": "t5x", "submesh": [1, 1, 1, 2] } })"));
        row("short topology", malformed::with(R"("hardware": { "topology": "2*tpu-v5e:4x4" })"));
        row("chips", malformed::with(R"("hardware": { "platform": "tpu", "device": "own",
            "topology": { "chips": [4, 4, 4], "host_chips": [4, 1, 1] } })"));
        row("own devices", malformed::with(R"("hardware": { "topology": { "devices": [[0, 0], [1, 0]] } })"));
        row("rules",
            malformed::rules(R"([null, "x"], ["a", null], ["b", []], ["c", ["x", "y"]], ["d", "P.UNCONSTRAINED"])"));
        row("quantities",
            malformed::with(R"("hardware": { "memory_per_device": "1.5GiB", "links": { "ici": "1e3 kB/s" } })"));
        row("arrays",
            malformed::array(
                R"({ "path": "x", "names": [null, "P.UNCONSTRAINED", "a"], "shape": [1, 2, 3], "dtype": "bf16" })"));
        row("memory kinds",
            malformed::array(R"({ "path": "x", "names": [], "shape": [], "memory_kind": "pinned_host" })"));
        row("parameters on the host", malformed::with(R"("placement": { "notes": "n", "params_on_devices": false })"));
        row("a scalar", malformed::array(R"({ "path": "x", "names": [], "shape": [] })"));
        row("device axes",
            malformed::with(R"("model": { "preset": "mlp", "device_axes": { "batch": ["pod", "data"] } })"));
        row("a transformer", malformed::transformer(R"("layers": 1, "experts": null, "norm": "layer")"));
        row("Mixtral in small", malformed::with(R"("model": { "preset": "transformer", "dims": { "kv_heads": 1 },
            "experts": { "experts": 4, "notes": "few" }, "axis_names": "maxtext" },
            "step": { "optimizer": "adafactor", "adafactor": { "factored_size": 16 }, "microbatches": 2,
                "state_dtype": null, "train": true })"));
        row("no rotation, and a base that means nothing",
            malformed::transformer(R"("positions": "none", "rotary_base": 0)"));
        row("shardings of values",
            malformed::shardings("{ \"arg0\": \"[{data}, {?}]\", \"notes\": \"n\", \"f/12#1\": \"[{pod:(1)2}p3]\" }"));
        row("billions", malformed::with(R"("model": { "preset": "mlp", "dims": { "batch": 4000000000 } })"));
        row("notes everywhere",
            malformed::with(R"("notes": "a", "mesh": { "notes": "b", "axes": [] }, "run": { "notes": "" })"));
        row("large seed", malformed::with(R"("run": { "seed": 9223372036854775807 })"));
    }
    void right()
    {
        QFETCH(QString, text);
        const auto read = readExperiment(text.toStdString());
        if (!read)
            QFAIL((std::string(read.error()[0].id()) + read.error()[0].where.pointer).c_str());
        QVERIFY(accepts(text.toStdString()));
        QVERIFY(accepts(writeExperiment(read->experiment)));
    }
};

REGISTER_TEST(SchemaTest)
#include "test_schema.moc"
