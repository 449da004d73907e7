// SPDX-License-Identifier: GPL-3.0-or-later
// `shardscope propagate`, and programs as the experiments of other commands.
#include <QTemporaryDir>
#include <QTest>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

/// x [{x}, {}] times w [{}, {y}]: the product is cut both ways, and so is what is computed of it.
const QByteArray productOnEightDevices = R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}
)";

Ran propagate(const QStringList& more = {}, const QByteArray& text = productOnEightDevices)
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
        const auto& axes = json["explained"]["arrivals"];
        QCOMPARE(axes.size(), std::size_t{ 2 });
        // Both go back to an argument, through the product.
        QCOMPARE(axes[0]["chain"].front()["value"].get<std::string>(), std::string("a"));
        QCOMPARE(axes[1]["chain"].front()["value"].get<std::string>(), std::string("b"));
        QCOMPARE(axes[0]["chain"].back()["value"].get<std::string>(), std::string("1"));
        const Ran text = propagate({ QStringLiteral("--explain"), QStringLiteral("%1") });
        QVERIFY(text.out.contains(QStringLiteral("spreads through dot_general")));
        // The sum over the columns of a is nowhere cut along y: nothing brings it to a.
        const Ran argument = propagate({ QStringLiteral("--explain"), QStringLiteral("a") });
        QVERIFY2(argument.out.contains(QStringLiteral("y does not shard dimension 1"))
                || argument.out.contains(QStringLiteral("is sharded along y, so propagation brings nothing.")),
            qPrintable(argument.out));
        const Ran unknown = propagate({ QStringLiteral("--explain"), QStringLiteral("arg7") });
        QCOMPARE(unknown.code, 2);
        QVERIFY2(unknown.error.contains(QStringLiteral("Known: a, b, ")), qPrintable(unknown.error));
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
        const QByteArray conflict = QByteArray(productOnEightDevices).replace("{}, {\"y\"}", "{}, {\"x\"}");
        const auto json =
            propagate({ QStringLiteral("--strategy"), QStringLiteral("aggressive"), QStringLiteral("--compare"),
                          QStringLiteral("basic"), QStringLiteral("--json") },
                conflict)
                .json();
        const auto& differences = json["differences"];
        QVERIFY(!differences.empty());
        for (const auto& each : differences) {
            QVERIFY(each["first_axes"] != each["second_axes"]);
            const auto through = each["through"].get<std::string>();
            QCOMPARE(through, std::string(each["value"] == "0" ? "dot_general" : "tanh"));
        }
        const Ran text = propagate({ QStringLiteral("--strategy"), QStringLiteral("aggressive"),
                                       QStringLiteral("--compare"), QStringLiteral("basic") },
            conflict);
        QCOMPARE(text.code, 0);
        QVERIFY2(text.out.contains(QStringLiteral("differ")), qPrintable(text.out));
        QVERIFY2(text.out.contains(QStringLiteral("Aggressive: step ")), qPrintable(text.out));
        QVERIFY2(text.out.contains(QStringLiteral("Basic: not at all")), qPrintable(text.out));
    }

    /// The second of two priorities has to wait; where priorities do not count it does not.
    void priorities()
    {
        const QByteArray waiting = QByteArray(productOnEightDevices).replace("{}, {\"y\"}", "{}, {\"x\"}p1");
        const auto second = [&](const QStringList& more) {
            const Ran ran = propagate(more, waiting);
            return ran.out.section(QStringLiteral("tanh"), 1).section(QLatin1Char('\n'), 0, 0);
        };
        const QString counted = second({}), ignored = second({ QStringLiteral("--ignore-priorities") });
        QVERIFY2(counted.contains(QStringLiteral("[{\"x\", ?}, {?}]")), qPrintable(counted));
        QVERIFY2(!ignored.contains(QStringLiteral("[{\"x\", ?}, {?}]")), qPrintable(ignored));
        QVERIFY(!ignored.isEmpty());
    }

    void edgesAndOrigins()
    {
        const Ran edges = propagate({ QStringLiteral("--edges") });
        QCOMPARE(edges.code, 0);
        QVERIFY2(edges.out.contains(QStringLiteral("#sdy.propagation_edges<[{step-")), qPrintable(edges.out));
        QVERIFY(edges.out.contains(QStringLiteral("\"x\" = operand-0 -> [result-0]")));
        QVERIFY(edges.out.contains(QStringLiteral("\"y\" = operand-1 -> [result-0]")));
        QVERIFY(!edges.out.contains(QStringLiteral("origins")));
        const Ran origins = propagate({ QStringLiteral("--origins") });
        QVERIFY2(
            origins.out.contains(QStringLiteral("sdy.sharding_origins = {x = \"self\"}")), qPrintable(origins.out));
        QVERIFY(origins.out.contains(QStringLiteral("sdy.sharding_origins = [{x = \"input: 0\", y = \"input: 1\"}]")));
        // What it prints is legal and read again; asked for again it is there once.
        for (const Ran* ran : { &edges, &origins }) {
            const Ran verified = runProgram({ QStringLiteral("verify"), QStringLiteral("-") }, ran->out.toUtf8());
            QVERIFY2(verified.code == 0, qPrintable(verified.out + verified.error));
        }
        const Ran both = propagate({ QStringLiteral("--edges"), QStringLiteral("--origins") });
        QVERIFY(both.out.contains(QStringLiteral("step-")) && both.out.contains(QStringLiteral("\"self\"")));
        const Ran again = propagate({ QStringLiteral("--origins") }, origins.out.toUtf8());
        QCOMPARE(
            again.out.count(QStringLiteral("sharding_origins")), origins.out.count(QStringLiteral("sharding_origins")));

        const auto json =
            propagate({ QStringLiteral("--edges"), QStringLiteral("--origins"), QStringLiteral("--json") }).json();
        QVERIFY(json["text"].get<std::string>().find("sdy.propagation_edges") != std::string::npos);
        bool seen = false;
        for (const auto& edge : json["edges"]) {
            seen = seen
                || (edge["op"] == "stablehlo.dot_general" && edge["axis"] == "x" && edge["from"] == "a"
                    && edge["targets"] == nlohmann::json::array({ "0" }));
            QVERIFY(edge["step"].get<int>() >= 1);
        }
        QVERIFY(seen);
        for (const auto& origin : json["origins"])
            if (origin["value"] == "1")
                QCOMPARE(origin["axis_origins"].dump(), std::string(R"({"x":"input: 0","y":"input: 1"})"));
    }

    /// Operations that hand several values on own an edge for each: the numbers are those of one edge.
    void edgesOfDataFlow()
    {
        const QByteArray barrier = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.optimization_barrier %b, %a : tensor<8xf32>, tensor<8xf32>
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
)";
        const Ran text = propagate({ QStringLiteral("--edges") }, barrier);
        QCOMPARE(text.code, 0);
        const QString line =
            text.out.section(QStringLiteral("optimization_barrier"), 1).section(QLatin1Char('\n'), 0, 0);
        QVERIFY2(line.contains(QStringLiteral("{\"x\" = operand-0 -> [result-0]}")), qPrintable(line));
        const auto json = propagate({ QStringLiteral("--edges"), QStringLiteral("--json") }, barrier).json();
        QCOMPARE(json["edges"].size(), std::size_t{ 1 });
        QCOMPARE(json["edges"][0]["targets"].size(), std::size_t{ 1 });
        QVERIFY(json["edges"][0]["targets"][0] == json["edges"][0]["value"]);

        // Both branches return what the result is made of; the index is no tensor of the edge.
        const QByteArray branches = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%i: tensor<i32>, %a: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.negate %a : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }, {
    %1 = stablehlo.abs %a : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
)";
        const Ran chosen = propagate({ QStringLiteral("--edges") }, branches);
        QVERIFY2(chosen.out.contains(QStringLiteral("{\"x\" = result-0 -> [operand-0, operand-1]}")),
            qPrintable(chosen.out));
        const Ran verified = runProgram({ QStringLiteral("verify"), QStringLiteral("-") }, chosen.out.toUtf8());
        QVERIFY2(verified.code == 0, qPrintable(verified.out));
    }

    /// A value that no axis came to is asked about no less than others.
    void whyNothingCame()
    {
        const QByteArray held = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x8xf32> {
  %0 = sdy.propagation_barrier %arg0 allowed_direction=BACKWARD : tensor<8x8xf32>
  %1 = stablehlo.negate %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
)";
        const QString reason = QStringLiteral("x does not shard dimension 1: sdy.propagation_barrier");
        const Ran text = propagate({ QStringLiteral("--explain"), QStringLiteral("%1") }, held);
        QVERIFY2(text.out.contains(reason), qPrintable(text.out));
        QVERIFY2(text.out.startsWith(QStringLiteral("Why %1 is ")), qPrintable(text.out));
        const auto json =
            propagate({ QStringLiteral("--explain"), QStringLiteral("%1"), QStringLiteral("--json") }, held).json();
        QString all;
        for (const auto& sentence : json["explained"]["why_not"])
            all += QString::fromStdString(sentence.get<std::string>());
        QVERIFY2(all.contains(reason), qPrintable(all));
    }

    /// What is asked for together is answered together.
    void severalAnswers()
    {
        const Ran ran = propagate({ QStringLiteral("--explain"), QStringLiteral("%1"), QStringLiteral("--steps"),
            QStringLiteral("--edges"), QStringLiteral("--compare"), QStringLiteral("basic") });
        QCOMPARE(ran.code, 0);
        for (const char* part : { "Why %1 is ", "Step 1", "the same shardings", "#sdy.propagation_edges<[{step-" })
            QVERIFY2(ran.out.contains(QLatin1String(part)), part);
        QVERIFY(!propagate({ QStringLiteral("--steps") }).out.contains(QStringLiteral("func.func")));
    }

    /// What a text calls its values is what they are called everywhere; what is added is called as nothing else is.
    void namesOfTheText()
    {
        const QByteArray named = R"(sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%lhs: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x16xf32> {
  %cst = stablehlo.constant dense<1.0> : tensor<8x16xf32>
  %sum = stablehlo.add %lhs, %cst : tensor<8x16xf32>
  %5 = stablehlo.multiply %cst, %sum : tensor<8x16xf32>
  %0 = stablehlo.tanh %5 : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
)";
        const QString printed = propagate({}, named).out;
        for (const char* line :
            { "@main(%lhs: ", "%cst = sdy.constant", "%copy1_of_cst = sdy.constant", "%sum = stablehlo.add %lhs, %cst ",
                "%5 = stablehlo.multiply %copy1_of_cst, %sum ", "%0 = stablehlo.tanh %5 ", "return %0 :" })
            QVERIFY2(printed.contains(QLatin1String(line)), qPrintable(QLatin1String(line) + printed));
        const auto chainOf = [&](const char* value) {
            const auto json =
                propagate({ QStringLiteral("--explain"), QLatin1String(value), QStringLiteral("--json") }, named)
                    .json();
            std::string through = json["explained"]["value"].get<std::string>();
            for (const auto& step : json["explained"]["arrivals"][0]["chain"])
                if (step.contains("through"))
                    through += ' ' + step["through"].get<std::string>();
            return through;
        };
        QCOMPARE(chainOf("%0"), std::string("0 stablehlo.add stablehlo.multiply stablehlo.tanh"));
        QCOMPARE(chainOf("%5"), std::string("5 stablehlo.add stablehlo.multiply"));
        QCOMPARE(chainOf("sum"), std::string("sum stablehlo.add"));
        QVERIFY(propagate({ QStringLiteral("--steps") }, named).out.contains(QStringLiteral("from %lhs to %sum on ")));

        // The keys of an experiment name the same values, with the sign or without, and show lists them.
        const QTemporaryDir folder;
        const auto shown = [&](const char* key) {
            nlohmann::json model{ { "preset", "program" }, { "shardings", { { key, "[{}, {\"y\"}]" } } } };
            for (const QByteArray& line : named.split('\n'))
                model["text"].push_back(line.toStdString());
            QFile experiment(folder.filePath(QStringLiteral("named.json")));
            if (!experiment.open(QIODevice::WriteOnly))
                return std::string();
            const nlohmann::json full{ { "format", "sharding-experiment" }, { "version", "1.0" },
                { "mesh", { { "axes", nlohmann::json::parse(R"([["x", 2], ["y", 2]])") } } },
                { "hardware", { { "hosts", 1 }, { "devices_per_host", 4 } } }, { "model", model } };
            experiment.write(QByteArray::fromStdString(full.dump()));
            experiment.close();
            const Ran ran = runProgram({ QStringLiteral("explain"), experiment.fileName(), QStringLiteral("--tensor"),
                QStringLiteral("%sum") });
            return (ran.out + ran.error).toStdString();
        };
        for (const char* key : { "sum", "%sum" }) {
            const std::string text = shown(key);
            QVERIFY2(text.find("Why %sum looks like this") != std::string::npos, text.c_str());
            QVERIFY2(text.find("The annotation of %sum names y") != std::string::npos
                    || text.find("The constraint on %sum names y") != std::string::npos,
                text.c_str());
        }
        const std::string unknown = shown("6");
        QVERIFY2(unknown.find("lhs, result0, ") != std::string::npos && unknown.find("sum, 5, 0") != std::string::npos,
            unknown.c_str());
    }

    /// A loop has one name for what it carries; a name that two regions have is told apart by where it stands.
    void namesInRegions()
    {
        const QByteArray looping = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %n: tensor<i32>) -> tensor<8xf32> {
  %3:2 = stablehlo.while(%i = %n, %v = %a) : tensor<i32>, tensor<8xf32>
    cond {
      %4 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = stablehlo.tanh %v : tensor<8xf32>
      %deep = stablehlo.negate %4 : tensor<8xf32>
      stablehlo.return %i, %deep : tensor<i32>, tensor<8xf32>
    }
  return %3#1 : tensor<8xf32>
}
)";
        const QString printed = propagate({}, looping).out;
        for (const char* line : { "%3:2 = stablehlo.while(%i = %n, %v = %a)", "%4 = stablehlo.compare LT, %i, %n",
                 "%4 = stablehlo.tanh %v ", "%deep = stablehlo.negate %4 ", "stablehlo.return %i, %deep ",
                 "return %3#1 " })
            QVERIFY2(printed.contains(QLatin1String(line)), qPrintable(QLatin1String(line) + printed));
        const auto explained = [&](const char* value) {
            return propagate({ QStringLiteral("--explain"), QLatin1String(value) }, looping);
        };
        QVERIFY(explained("%3#1").out.startsWith(QStringLiteral("Why %3#1 is <@mesh, [{\"x\", ?}]>")));
        QVERIFY(explained("%v").out.startsWith(QStringLiteral("Why %v is <@mesh, [{\"x\", ?}]>")));
        QVERIFY(explained("deep").out.startsWith(QStringLiteral("Why %deep is <@mesh, [{\"x\", ?}]>")));
        QVERIFY(explained("%3").out.startsWith(QStringLiteral("Why %3#0 is")));
        QVERIFY2(explained("3/do/4").out.startsWith(QStringLiteral("Why 3 / do / %4 is <@mesh, [{\"x\", ?}]>")),
            qPrintable(explained("3/do/4").out));
        const Ran twice = explained("%4"); // which of the two?
        QCOMPARE(twice.code, 2);
        QVERIFY2(twice.error.contains(QStringLiteral("3/cond/4, 3/do/4")), qPrintable(twice.error));
        const QString steps = propagate({ QStringLiteral("--steps") }, looping).out;
        QVERIFY2(steps.contains(QStringLiteral(" to %3#1 on ")), qPrintable(steps));
    }

    /// Axes come into a function with what its calls hand it.
    void stepsIntoFunctions()
    {
        const QByteArray calling = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tanh %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}
)";
        const Ran steps = propagate({ QStringLiteral("--steps") }, calling);
        QVERIFY2(steps.out.contains(QStringLiteral("x passes the call, from %a to f / %b on ")), qPrintable(steps.out));
        QVERIFY2(!steps.out.contains(QStringLiteral("declared to be returned")), qPrintable(steps.out));
    }

    /// A rule that somebody wrote at an operation is marked, and counts.
    void customRules()
    {
        const QByteArray own =
            QByteArray(productOnEightDevices)
                .replace("%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]",
                    "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] {sdy.sharding_rule = "
                    "#sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=32, k=16} reduction={k} "
                    "blocked_propagation={j}>}");
        const auto rules = [](const QByteArray& text, const QStringList& more = {}) {
            return runProgram(QStringList{ QStringLiteral("rules"), QStringLiteral("-") } + more, text);
        };
        const Ran listed = rules(own);
        QVERIFY2(listed.code == 0, qPrintable(listed.error));
        QCOMPARE(listed.out.count(QStringLiteral("custom")), 1);
        QVERIFY(!rules(productOnEightDevices).out.contains(QStringLiteral("custom")));
        const auto json = rules(own, { QStringLiteral("--json") }).json();
        QCOMPARE(json["operations"][0]["custom"].get<bool>(), true);
        QCOMPARE(json["operations"][1]["custom"].get<bool>(), false);
        // An experiment's own rules count in the same way.
        const QTemporaryDir folder;
        QFile experiment(folder.filePath(QStringLiteral("own.json")));
        QVERIFY(experiment.open(QIODevice::WriteOnly));
        nlohmann::json model{ { "preset", "program" },
            { "sharding_rules", { { "1", "([i, j])->([i, j]) {i=8, j=32} blocked_propagation={j}" } } } };
        for (const QByteArray& line : productOnEightDevices.split('\n'))
            model["text"].push_back(line.toStdString());
        experiment.write(nlohmann::json{ { "format", "sharding-experiment" }, { "version", "1.0" },
            { "mesh", nlohmann::json::parse(R"({ "axes": [["x", 2], ["y", 4]] })") }, { "model", model } }
                             .dump()
                             .c_str());
        experiment.close();
        const Ran ofExperiment = runProgram({ QStringLiteral("rules"), experiment.fileName() });
        QVERIFY2(ofExperiment.code == 0, qPrintable(ofExperiment.error));
        QVERIFY2(
            ofExperiment.out.contains(QStringLiteral("blocked_propagation={j}, custom")), qPrintable(ofExperiment.out));
        const Ran shown = runProgram({ QStringLiteral("show"), experiment.fileName() });
        QVERIFY2(shown.out.contains(QStringLiteral("P(x, y)")), qPrintable(shown.out));
        QVERIFY2(shown.out.contains(QStringLiteral("P(x, -)")), qPrintable(shown.out)); // what the tanh makes
        const Ran ran = propagate({}, own);
        QVERIFY2(ran.out.contains(QStringLiteral("[{\"x\", ?}, {?}]")), qPrintable(ran.out));
        QVERIFY(propagate({ QStringLiteral("--steps") }, own).out.contains(QStringLiteral("custom rule")));
    }

    /// The chain of an axis that a manual computation takes over ends at what it asks for; window and command line say
    /// so.
    void whatManualComputationsAskFor()
    {
        const QByteArray text = R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.tanh %a : tensor<8x8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x", ?}, {"y", ?}]>] out_shardings=[<@mesh, [{"x", ?}, {?}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    %3 = stablehlo.negate %b : tensor<4x8xf32>
    sdy.return %3 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.custom_call @Foo(%1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
)";
        const QString specified =
            QStringLiteral("Given: sdy.manual_computation asks in its in_shardings for %0 to be sharded on "
                           "dimension 0 along x.");
        const Ran ran = propagate({ QStringLiteral("--explain"), QStringLiteral("a") }, text);
        QVERIFY2(ran.out.contains(specified), qPrintable(ran.out));
        QVERIFY(ran.error.contains(QStringLiteral("W234")));
        const auto chain =
            propagate({ QStringLiteral("--explain"), QStringLiteral("a"), QStringLiteral("--json") }, text)
                .json()["explained"]["arrivals"][0]["chain"];
        QCOMPARE(chain[0]["given"].get<std::string>(), std::string("in_shardings"));
        QCOMPARE(chain[0]["value"].get<std::string>(), std::string("0"));
        const Ran result = propagate({ QStringLiteral("--explain"), QStringLiteral("%1") }, text);
        QVERIFY2(result.out.contains(QStringLiteral("says in its out_shardings that %1 is sharded")),
            qPrintable(result.out));
        // Behind the call of which nothing is known there is no axis, and the call is named.
        const QString held =
            QStringLiteral("x does not shard dimension 0: %1 is sharded along it, but custom_call @Foo passes "
                           "no axes on");
        const Ran after = propagate({ QStringLiteral("--explain"), QStringLiteral("%2") }, text);
        QVERIFY2(after.out.contains(held), qPrintable(after.out));
        const auto explain = [&](const char* tensor) {
            return runProgram(
                { QStringLiteral("explain"), QStringLiteral("-"), QStringLiteral("--tensor"), QLatin1String(tensor) },
                text)
                .out;
        };
        QVERIFY2(explain("a").contains(QStringLiteral("sdy.manual_computation asks in its in_shardings for %0")),
            qPrintable(explain("a")));
        QVERIFY2(explain("2").contains(QStringLiteral("custom_call @Foo passes no axes on")), qPrintable(explain("2")));
    }

    /// Every FILE that other commands take: an example, an experiment file, a program; from standard input, too.
    void takesExperiments()
    {
        const auto run = [](const QString& file, const QStringList& more = {}, const QByteArray& input = {}) {
            return runProgram(QStringList{ QStringLiteral("propagate"), file } + more, input);
        };
        const QString example = QStringLiteral("flax-mlp-logical");
        const Ran network = run(example);
        QVERIFY2(network.code == 0, qPrintable(network.error));
        QVERIFY2(network.out.contains(QStringLiteral("sdy.mesh @mesh")), qPrintable(network.out));
        const Ran declared = runProgram({ QStringLiteral("examples"), example });
        const Ran piped = run(QStringLiteral("-"), {}, declared.out.toUtf8());
        QCOMPARE(piped.out, network.out);
        // What is printed is a program with the same shardings: nothing more to do.
        const Ran again = run(QStringLiteral("-"), {}, network.out.toUtf8());
        QVERIFY2(again.code == 0, qPrintable(again.error));
        QCOMPARE(again.out.count(QStringLiteral("sdy.sharding")), network.out.count(QStringLiteral("sdy.sharding")));
        // An experiment says how; options say it louder.
        QTemporaryDir folder;
        const auto withExperiment = [&](const QByteArray& members, const QStringList& more) {
            QFile file(folder.filePath(QStringLiteral("experiment.json")));
            if (file.open(QIODevice::WriteOnly))
                file.write("{ \"format\": \"sharding-experiment\", \"version\": \"1.0\", " + members
                    + ", \"model\": { \"preset\": \"program\", \"file\": \"product.mlir\" } }");
            file.close();
            return run(file.fileName(), more + QStringList{ QStringLiteral("--json") });
        };
        const QByteArray basic = R"("mesh": { "axes": [["x", 2], ["y", 4]] }, "propagation": { "strategy": "basic" })";
        QFile program(folder.filePath(QStringLiteral("product.mlir")));
        QVERIFY(
            program.open(QIODevice::WriteOnly) && program.write(productOnEightDevices) == productOnEightDevices.size());
        program.close();
        const auto strategyOf = [](const Ran& ran) { return ran.json().value("strategy", std::string()); };
        QCOMPARE(strategyOf(withExperiment(basic, {})), std::string("basic"));
        const QStringList full{ QStringLiteral("--strategy"), QStringLiteral("full") };
        QCOMPARE(strategyOf(withExperiment(basic, full)), std::string("full"));
        // One that cannot be laid out says why.
        const Ran tooLarge =
            withExperiment(R"("mesh": { "axes": [["x", 3], ["y", 5]] }, "hardware": { "devices_per_host": 8 })", {});
        QVERIFY2(tooLarge.code == 1 && tooLarge.json()["problems"].size() > 0, qPrintable(tooLarge.error));
        QCOMPARE(run(program.fileName()).out, propagate().out);
        // Values of a network have names.
        const Ran explained = run(QStringLiteral("flax-mlp-logical"), { QStringLiteral("--steps") });
        QCOMPARE(explained.code, 0);
        QVERIFY(!explained.out.isEmpty());
        const Ran none = run(QStringLiteral("flax-mlp-logic"));
        QCOMPARE(none.code, 2);
        QVERIFY2(none.error.contains(QStringLiteral("flax-mlp-logical")), qPrintable(none.error));
    }

    void wrongInput()
    {
        QCOMPARE(propagate({}, QByteArray(productOnEightDevices).replace("{\"x\"}", "{\"z\"}")).code, 2);
        QCOMPARE(propagate({}, "nonsense").code, 2);
        QCOMPARE(propagate({}, productOnEightDevices.left(productOnEightDevices.size() / 2)).code, 2);
        const Ran missing = runProgram({ QStringLiteral("propagate"), QStringLiteral("missing.mlir") });
        QCOMPARE(missing.code, 2);
        QVERIFY(missing.error.contains(QStringLiteral("missing.mlir")));
    }

    void programsAreExperiments()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("product.mlir"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(productOnEightDevices) == productOnEightDevices.size());
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

REGISTER_TEST(PropagateCommandTest)
#include "test_propagate_command.moc"
