// SPDX-License-Identifier: GPL-3.0-or-later
// Every command speaks of the same device program: that of the experiment's strategy and options.
#include <QtTest>

#include <set>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;
using Json = nlohmann::json;

namespace {

constexpr std::array strategies{ "basic", "aggressive", "op-priority", "user-priority", "full" };

/// Two arrays that are sharded along different axes, both of which the product could be.
constexpr const char* contended = R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}
)";

} // namespace

class OneProgramTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::map<std::string, std::set<std::string>> m_hashes; ///< by source

    Json example(const char* id) { return runProgram({ QStringLiteral("examples"), QLatin1String(id) }).json(); }
    /// A small experiment of that source.
    Json experimentOf(const std::string& source)
    {
        if (source == "text") {
            (void)writeFile(m_folder, QLatin1String("contended.mlir"), contended);
            return Json{ { "format", "sharding-experiment" }, { "version", "1.0" }, { "title", "Contended" },
                { "mesh", { { "axes", Json::array({ Json::array({ "x", 2 }), Json::array({ "y", 4 }) }) } } },
                { "model", { { "preset", "program" }, { "file", "contended.mlir" } } } };
        }
        Json experiment = example(source == "arrays" ? "flax-mlp-logical" : source.c_str());
        if (source == "arrays") {
            experiment.erase("step");
            experiment.erase("acknowledged");
            const auto array = [](const char* path, std::vector<std::string> names, std::vector<int> shape) {
                return Json{ { "path", path }, { "names", std::move(names) }, { "shape", std::move(shape) },
                    { "dtype", "f32" } };
            };
            experiment["model"] = { { "preset", "arrays" },
                { "arrays",
                    Json::array({ array("params/kernel", { "layer", "embed", "hidden" }, { 4, 1024, 1024 }),
                        array("params/W2", { "layer", "hidden", "embed" }, { 4, 1024, 1024 }),
                        array("x", { "batch", "embed" }, { 8, 1024 }) }) } };
        }
        if (experiment.at("model").at("preset") == "mlp") {
            experiment["model"]["layers"] = 2;
            experiment["model"]["dims"] = { { "batch", 8 }, { "embed", 16 }, { "hidden", 32 } };
        }
        return experiment;
    }

    /// What `propagate` prints, as the program of an experiment, is partitioned into the same collectives.
    void propagatedProgram(const QString& file, Json experiment)
    {
        const Ran printed = runProgram({ QStringLiteral("propagate"), file, QStringLiteral("--json") });
        QVERIFY2(printed.code == 0, qPrintable(printed.error));
        (void)writeFile(m_folder, QLatin1String("printed.mlir"),
            QByteArray::fromStdString(printed.json().at("text").get<std::string>()));
        experiment["model"] = { { "preset", "program" }, { "file", "printed.mlir" } };
        experiment.erase("step");
        experiment.erase("acknowledged");
        const QString again =
            writeFile(m_folder, QLatin1String("again.json"), QByteArray::fromStdString(experiment.dump()));
        const auto collectives = [](const QString& of) {
            const Ran ran = runProgram({ QStringLiteral("partition"), of, QStringLiteral("--json") });
            Json list = Json::array();
            if (ran.code != 0)
                return Json(ran.error.toStdString());
            const Json report = ran.json();
            for (const Json& entry : report.at("collectives"))
                list.push_back({ entry.at("kind"), entry.at("axes"), entry.at("sent_bytes") });
            return list;
        };
        QCOMPARE(QString::fromStdString(collectives(again).dump()), QString::fromStdString(collectives(file).dump()));
    }

private Q_SLOTS:
    void commands_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("strategy");
        QTest::addColumn<QString>("variant");
        for (const char* source : { "flax-mlp-logical", "arrays", "text", "jax-contraction", "jax-layer" })
            for (const char* strategy : strategies)
                for (const char* variant : { "as it is", "other mesh", "conservative" })
                    QTest::addRow("%s, %s, %s", source, strategy, variant)
                        << QString::fromLatin1(source) << QString::fromLatin1(strategy) << QString::fromLatin1(variant);
    }

    void commands()
    {
        QFETCH(QString, source);
        QFETCH(QString, strategy);
        QFETCH(QString, variant);
        Json experiment = experimentOf(source.toStdString());
        experiment["propagation"]["strategy"] = strategy.toStdString();
        experiment["propagation"]["conservative"] = variant == QLatin1String("conservative");
        if (Json& axes = experiment["mesh"]["axes"]; variant == QLatin1String("other mesh"))
            for (std::size_t i = 1; i < axes.size(); ++i)
                std::swap(axes[0][1], axes[i][1]);
        const QString file =
            writeFile(m_folder, QLatin1String("one.json"), QByteArray::fromStdString(experiment.dump()));
        std::set<std::string> hashes;
        for (const char* command : { "show", "comms", "partition", "run" }) {
            QStringList arguments{ QLatin1String(command), file, QStringLiteral("--json") };
            if (QLatin1String(command) == QLatin1String("run"))
                arguments << QStringLiteral("--no-timeit");
            const Ran ran = runProgram(arguments);
            QVERIFY2(ran.code == 0, qPrintable(QLatin1String(command) + ran.error + ran.out.left(2000)));
            hashes.insert(ran.json().value("device_program", std::string("none of ") + command));
        }
        QVERIFY2(hashes.size() == 1, Json(hashes).dump().c_str());
        propagatedProgram(file, experiment);
        m_hashes[source.toStdString()].insert(*hashes.begin());
    }

    /// They are not the same for all strategies and meshes.
    void programsDiffer()
    {
        for (const char* source : { "flax-mlp-logical", "arrays", "text" })
            QVERIFY2(m_hashes[source].size() > 1, source);
    }
};

REGISTER_TEST(OneProgramTest)
#include "test_one_program.moc"
