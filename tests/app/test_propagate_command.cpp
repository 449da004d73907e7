// SPDX-License-Identifier: GPL-3.0-or-later
// `shardscope propagate`, and programs as the experiments of other commands.
#include <QTemporaryDir>
#include <QTest>

#include "program.h"

using namespace shardscope;

namespace {

/// x [{x}, {}] times w [{}, {y}]: the product is cut both ways, and so is what is computed of it.
const QByteArray product = R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}
)";

Ran propagate(const QStringList& more = {}, const QByteArray& text = product)
{
    return runProgram(QStringList{ QStringLiteral("propagate"), QStringLiteral("-") } + more, text);
}

} // namespace

class PropagateCommandTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void printsEverySharding()
    {
        const Ran ran = propagate();
        QCOMPARE(ran.code, 0);
        QCOMPARE(ran.out.count(QStringLiteral("[{\"x\", ?}, {\"y\", ?}]")), 3); // product, tanh, result
        // What it prints it reads, and finds nothing more to do.
        const Ran again = propagate({}, ran.out.toUtf8());
        QCOMPARE(again.code, 0);
        QCOMPARE(again.out, ran.out);
    }

    void explains()
    {
        const auto json =
            propagate({ QStringLiteral("--explain"), QStringLiteral("%1"), QStringLiteral("--json") }).json();
        const auto& axes = json["explained"]["axes"];
        QCOMPARE(axes.size(), std::size_t{ 2 });
        // Both go back to an argument, through the product.
        QCOMPARE(axes[0]["chain"].front()["value"].get<std::string>(), std::string("arg0"));
        QCOMPARE(axes[1]["chain"].front()["value"].get<std::string>(), std::string("arg1"));
        QCOMPARE(axes[0]["chain"].back()["value"].get<std::string>(), std::string("1"));
        const Ran text = propagate({ QStringLiteral("--explain"), QStringLiteral("%1") });
        QVERIFY(text.out.contains(QStringLiteral("passes dot_general")));
        // The sum over the columns of a is nowhere cut along y: nothing brings it to a.
        const Ran argument = propagate({ QStringLiteral("--explain"), QStringLiteral("arg0") });
        QVERIFY2(argument.out.contains(QStringLiteral("y does not cut dimension 1"))
                || argument.out.contains(QStringLiteral("is connected with is cut along y.")),
            qPrintable(argument.out));
        const Ran unknown = propagate({ QStringLiteral("--explain"), QStringLiteral("arg7") });
        QCOMPARE(unknown.code, 2);
        QVERIFY(unknown.error.contains(QStringLiteral("arg0")));
    }

    void strategies()
    {
        for (const char* name : { "basic", "aggressive", "op-priority", "user-priority", "full" }) {
            const Ran ran = propagate({ QStringLiteral("--strategy"), QLatin1String(name) });
            QCOMPARE(ran.code, 0);
            QVERIFY(ran.out.contains(QStringLiteral("{\"x\", ?}, {\"y\", ?}")));
        }
        QVERIFY(propagate({ QStringLiteral("--compare"), QStringLiteral("basic") })
                    .out.contains(QStringLiteral("the same shardings")));
        QCOMPARE(propagate({ QStringLiteral("--strategy"), QStringLiteral("best") }).code, 2);
        // Both dimensions want x: basic gives it to neither.
        const QByteArray conflict = QByteArray(product).replace("{}, {\"y\"}", "{}, {\"x\"}");
        const auto json =
            propagate({ QStringLiteral("--strategy"), QStringLiteral("aggressive"), QStringLiteral("--compare"),
                          QStringLiteral("basic"), QStringLiteral("--json") },
                conflict)
                .json();
        QVERIFY(!json["differences"].empty());
    }

    void wrongInput()
    {
        QCOMPARE(propagate({}, QByteArray(product).replace("{\"x\"}", "{\"z\"}")).code, 2);
        QCOMPARE(propagate({}, "nonsense").code, 2);
        QCOMPARE(propagate({}, product.left(product.size() / 2)).code, 2);
        const Ran missing = runProgram({ QStringLiteral("propagate"), QStringLiteral("missing.mlir") });
        QCOMPARE(missing.code, 2);
        QVERIFY(missing.error.contains(QStringLiteral("missing.mlir")));
    }

    void programsAreExperiments()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("product.mlir"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(product) == product.size());
        file.close();
        const Ran shown = runProgram({ QStringLiteral("show"), path });
        QCOMPARE(shown.code, 0);
        QVERIFY(shown.out.contains(QStringLiteral("P(x, y)")));
        // An experiment beside it that names it, over another mesh.
        QFile experiment(folder.filePath(QStringLiteral("experiment.json")));
        QVERIFY(experiment.open(QIODevice::WriteOnly));
        experiment.write(
            R"({ "format": "sharding-experiment", "version": "1.0", "mesh": { "axes": [["y", 8], ["x", 1]] },
            "hardware": { "hosts": 1, "devices_per_host": 8 },
            "model": { "preset": "program", "file": "product.mlir" } })");
        experiment.close();
        const Ran other = runProgram({ QStringLiteral("show"), experiment.fileName() });
        QVERIFY2(other.code == 0, qPrintable(other.error));
        QVERIFY2(other.out.contains(QStringLiteral("y 8")), qPrintable(other.out));
        QVERIFY(file.remove());
        const Ran gone = runProgram({ QStringLiteral("show"), experiment.fileName() });
        QCOMPARE(gone.code, 2);
        QVERIFY(gone.error.contains(QStringLiteral("product.mlir")));
    }
};

QTEST_GUILESS_MAIN(PropagateCommandTest)
#include "test_propagate_command.moc"
