// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QRegularExpression>
#include <QTest>

#include "program.h"
#include "registered_test.h"

using namespace shardscope;

class RunCommandTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString file(const QByteArray& bytes) { return writeFile(m_folder, QStringLiteral("experiment.json"), bytes); }
    Ran run(const QByteArray& text, const QStringList& options)
    {
        return runProgram(QStringList{ QStringLiteral("run"), file(text) } + options);
    }

private Q_SLOTS:
    void text()
    {
        const Ran ran = run(smallMlp(), { QStringLiteral("--steps"), QStringLiteral("3") });
        QCOMPARE(ran.code, 0);
        for (const char* part : { "data 2 × model 4", R"([{}, {"model"}])", "CPU 0,4", "CPU 0,1,2,3",
                 "mean ± std. dev. of 3 runs, 2 loops each", "Communication", "Wait", "loss " })
            QVERIFY2(ran.out.contains(QString::fromUtf8(part)), part);
        // As %%timeit prints it, with both figures in one unit.
        static const QRegularExpression timing(QStringLiteral("\\n  [\\d.,]+ (µs|ms|s) ± [\\d.,]+ \\1 per loop "
                                                              "\\(mean ± std\\. dev\\. of 3 runs, 2 loops each\\), "
                                                              "on \\d+ threads?\\n"));
        QVERIFY2(timing.match(ran.out).hasMatch(), qPrintable(ran.out));
        static const QRegularExpression device(QStringLiteral("\\n +d7 +[\\d.,]+ (µs|ms|s) "));
        QVERIFY(device.match(ran.out).hasMatch());
        QVERIFY(ran.out.contains(QStringLiteral("arrays agree")));
        QVERIFY(!ran.out.contains(QStringLiteral("failed")));
        for (const QString& line : ran.out.split(QLatin1Char('\n')))
            QVERIFY2(!line.endsWith(QLatin1Char(' ')), qPrintable(line));
    }

    /// When each device executed each instruction. Where that cannot be written, the results are shown all the same.
    void traces()
    {
        const QString place = m_folder.filePath(QStringLiteral("trace.json"));
        const QStringList quick{ QStringLiteral("--no-timeit"), QStringLiteral("--no-check"),
            QStringLiteral("--trace") };
        QCOMPARE(run(smallMlp(), quick + QStringList{ place }).code, 0);
        QFile written(place);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const auto trace = nlohmann::json::parse(written.readAll().toStdString());
        std::set<int> devices;
        for (const auto& event : trace.at("traceEvents"))
            if (event.at("ph") == "X") {
                QVERIFY(event.at("dur") >= 0);
                devices.insert(event.at("tid").get<int>());
            }
        QCOMPARE(devices.size(), std::size_t{ 8 });
        const Ran refused =
            run(smallMlp(), quick + QStringList{ m_folder.filePath(QStringLiteral("none/trace.json")) });
        QCOMPARE(refused.code, 2);
        QVERIFY(refused.out.contains(QStringLiteral("Steps")));
        QVERIFY(refused.error.contains(QStringLiteral("E130")));
    }

    void json()
    {
        const Ran ran = run(smallMlp(), { QStringLiteral("--steps"), QStringLiteral("4"), QStringLiteral("--json") });
        QCOMPARE(ran.code, 0);
        const auto json = ran.json();
        QVERIFY(json.at("format") == "shardscope-run");
        QVERIFY(json.at("version") == "3.3");
        QVERIFY(json.at("input").at("title") == "Small MLP");
        QVERIFY(json.at("mesh").at("axes") == nlohmann::json::parse(R"(["data", "model"])"));
        QCOMPARE(json.at("steps").size(), std::size_t{ 4 });
        double before = 1e300; // Adam goes downhill on the sum of outputs
        for (const auto& step : json.at("steps")) {
            QVERIFY(step.at("loss") < before);
            QVERIFY(step.at("wall_seconds") > 0);
            before = step.at("loss");
        }
        QVERIFY(json.at("check").at("passed") == true);
        const auto& check = json.at("check");
        QVERIFY(check.at("values").size() >= 4);
        for (const auto& value : check.at("values")) {
            QVERIFY(value.at("passed") == true);
            QVERIFY(value.at("compared") > 0);
            QVERIFY(!value.contains("worst") || value.at("worst").at("device") >= 0);
            QVERIFY(value.at("largest_error") <= value.at("tolerance"));
        }
        QVERIFY(check.at("verdict") == "agrees");
        QVERIFY(check.at("loss").is_number());
        const auto& timing = json.at("timing");
        QVERIFY(timing.at("runs") == 3);
        QVERIFY(timing.at("loops") == 2);
        QCOMPARE(timing.at("per_loop_seconds").size(), std::size_t{ 3 });
        QCOMPARE(timing.at("devices").size(), std::size_t{ 8 });
        // Per weight and data-parallel pair: 2 * (2-1)/2 of a shard; per activation over 4 devices: 2 * 3/4 of it.
        const double weights = 4 * 1.0 * (16 * 8 * 4);
        const double activations = 3 * 1.5 * (4 * 16 * 4); // two forward, one backward: x needs no gradient
        QVERIFY(json.at("communication").at("sent_bytes") == weights + activations);
    }

    /// What the state holds after one step less what it began with, element by element.
    void differencesOfStates()
    {
        const QStringList quick{ QStringLiteral("--no-timeit"), QStringLiteral("--no-check"),
            QStringLiteral("--difference") };
        const Ran ran = run(smallMlp(),
            quick + QStringList{ QStringLiteral("0,1"), QStringLiteral("--values"), QStringLiteral("--json") });
        QCOMPARE(ran.code, 0);
        const auto json = ran.json();
        const auto numbers = [](const nlohmann::json& value) {
            const nlohmann::json flat = value.flatten(); // of the same shape in the same order
            std::vector<double> all;
            for (const auto& [place, element] : flat.items())
                all.push_back(element.get<double>());
            return all;
        };
        const auto& difference = json.at("difference");
        QVERIFY(difference.at("from_step") == 0 && difference.at("to_step") == 1);
        QCOMPARE(difference.at("arrays").size(), json.at("state").at("fed_back").size());
        std::size_t moved = 0;
        for (std::size_t i = 0; i < difference.at("arrays").size(); ++i) {
            const auto& array = difference.at("arrays").at(i);
            const auto& pair = json.at("state").at("fed_back").at(i);
            QVERIFY(array.at("argument") == pair.at("argument"));
            const auto& argument = json.at("arguments").at(pair.at("argument").get<std::size_t>());
            QVERIFY(array.at("name") == argument.at("name") && array.at("sharding") == argument.at("sharding"));
            const auto after = numbers(json.at("results").at(pair.at("result").get<std::size_t>()).at("value"));
            const auto before = numbers(argument.at("value")), found = numbers(array.at("value"));
            QCOMPARE(found.size(), before.size());
            for (std::size_t e = 0; e < found.size(); ++e) {
                // Printed so that each reads back as the float that it was.
                QCOMPARE(static_cast<float>(found[e]), static_cast<float>(after[e]) - static_cast<float>(before[e]));
                moved += found[e] != 0 ? 1U : 0U;
            }
        }
        QVERIFY(moved > 100);
        // A later state than --steps asks for; a tree less itself.
        const Ran more = run(smallMlp(), quick + QStringList{ QStringLiteral("1,3") });
        QCOMPARE(more.code, 0);
        QVERIFY(more.out.contains(QStringLiteral("State after step 3 less state after step 1")));
        QVERIFY(more.out.contains(QStringLiteral("(largest 2, norm 2, 1 of 1 element changed)"))); // the counter
        const Ran same = run(smallMlp(), quick + QStringList{ QStringLiteral("0,0") });
        QVERIFY(same.out.contains(QStringLiteral("State at the start less state at the start")));
        QVERIFY(same.out.contains(QStringLiteral("(largest 0, norm 0, 0 of ")));
        QVERIFY(!same.out.contains(QStringLiteral("(largest 2")) && !same.out.contains(QStringLiteral("(largest 1,")));
        for (const char* wrong : { "2", "0,", "-1,0", "0,1,2", "0,9999999" })
            QCOMPARE(run(smallMlp(), quick + QStringList{ QString::fromLatin1(wrong) }).code, 2);
        const Ran none = runProgram({ QStringLiteral("run"), QStringLiteral("jax-contraction"),
            QStringLiteral("--difference"), QStringLiteral("0,1") });
        QCOMPARE(none.code, 2);
        QVERIFY(none.error.contains(QStringLiteral("state of a step")));
    }

    /// Parameters and state apart from the program; steps leave alone what is frozen.
    void variables()
    {
        const QStringList quick{ QStringLiteral("--no-timeit"), QStringLiteral("--no-check"),
            QStringLiteral("--variables"), QStringLiteral("--json"), QStringLiteral("--difference"),
            QStringLiteral("0,2"), QStringLiteral("--freeze"), QStringLiteral("params/layers.0/*") };
        const Ran ran = run(smallMlp(), quick);
        QCOMPARE(ran.code, 0);
        const auto json = ran.json();
        int frozen = 0;
        for (const auto& variable : json.at("variables")) {
            const std::string name = variable.at("name");
            const bool isFrozen = name.starts_with("params/layers.0/");
            QVERIFY2(variable.at("frozen") == isFrozen && variable.contains("result") != isFrozen, name.c_str());
            QVERIFY(variable.at("variable_kind") == (name.starts_with("params/") ? "parameter" : "state variable"));
            frozen += isFrozen ? 1 : 0;
        }
        QCOMPARE(frozen, 2);
        QCOMPARE(json.at("variables").size(), std::size_t{ 1 + 4 + 1 + 8 }); // step, matrices, count, mu and nu
        QCOMPARE(json.at("difference").at("arrays").size(), json.at("variables").size() - 2);
        const Ran wrong = run(smallMlp(), { QStringLiteral("--freeze"), QStringLiteral("params/layers.9/*") });
        QCOMPARE(wrong.code, 2);
        QVERIFY(wrong.error.contains(QStringLiteral("--freeze")));
    }

    /// The state is made by a program of its own, which agrees with its reference.
    void initialisation()
    {
        const Ran ran = run(smallMlp(), { QStringLiteral("--initialise"), QStringLiteral("--json") });
        QCOMPARE(ran.code, 0);
        const auto json = ran.json();
        QCOMPARE(json.at("results").size(), std::size_t{ 1 + 4 + 1 + 8 });
        QVERIFY(json.at("results").at(1).at("type") == "tensor<16x32xf32>");
        QVERIFY(json.at("results").at(1).at("sharding") == R"(<@mesh, [{}, {"model"}]>)");
        QVERIFY(json.at("communication").at("sent_bytes") == 0);
        QVERIFY(json.at("check").at("passed") == true);
        QVERIFY(json.at("arguments").at(0).at("name") == "key");
        const Ran none =
            runProgram({ QStringLiteral("run"), QStringLiteral("jax-contraction"), QStringLiteral("--initialise") });
        QCOMPARE(none.code, 2);
        // Its arrays are results, and the rules are for them.
        const Ran named = runProgram({ QStringLiteral("run"), QStringLiteral("transformer-t5x"),
            QStringLiteral("--initialise"), QStringLiteral("--no-timeit"), QStringLiteral("--no-check") });
        QCOMPARE(named.code, 0);
        QVERIFY2(!named.error.contains(QStringLiteral("no array of the model has logical names"))
                && !named.out.contains(QStringLiteral("no array of the model has logical names")),
            qPrintable(named.error));
    }

    /// The step is looked up three times; layers that are the same program are compiled once.
    void compiling()
    {
        const QStringList quick{ QStringLiteral("--no-timeit"), QStringLiteral("--no-check"), QStringLiteral("--calls"),
            QStringLiteral("3"), QStringLiteral("--jit"), QStringLiteral("layers.*") };
        const Ran ran = run(smallMlp(), quick + QStringList{ QStringLiteral("--json") });
        QCOMPARE(ran.code, 0);
        const auto json = ran.json();
        QVERIFY(json.at("compiling").at("calls") == 3);
        std::set<std::string> stages;
        for (const auto& stage : json.at("compiling").at("stages")) {
            const bool isCached = stage.at("stage") != "summarise";
            QVERIFY(stage.at("hits") == (isCached ? 2 : 0) && stage.at("misses") == (isCached ? 1 : 3));
            stages.insert(stage.at("stage").get<std::string>());
        }
        QVERIFY(stages
            == (std::set<std::string>{ "annotate", "build", "partition", "propagate", "schedule", "summarise" }));
        const auto& parts = json.at("compiled_parts");
        QCOMPARE(parts.size(), std::size_t{ 2 });
        QVERIFY(parts.at(0).at("from_cache") == false && !parts.at(0).contains("same_as"));
        QVERIFY(parts.at(1).at("from_cache") == true && parts.at(1).at("same_as") == "layers.0");
        // z is the sum over four devices of [4, 16] numbers: 2 * 3/4 of their bytes.
        for (const auto& part : parts)
            QVERIFY(part.at("sent_bytes") == 1.5 * (4 * 16 * 4));
        const Ran text = run(smallMlp(), quick);
        QVERIFY(text.out.contains(QStringLiteral("Compiling (calls of the step: 3)")));
        QVERIFY(text.out.contains(QStringLiteral("hit, as layers.0")));
        const Ran wrong = run(smallMlp(), { QStringLiteral("--jit"), QStringLiteral("layer") });
        QCOMPARE(wrong.code, 2);
        QVERIFY(wrong.error.contains(QStringLiteral("layers.0")));
    }

    /// What arguments begin with: by default, as the experiment says, and as --init says.
    void initialValues()
    {
        const auto initialOf = [](const Ran& ran, const char* name) {
            const auto json = ran.json();
            for (const auto& argument : json.at("arguments"))
                if (argument.at("name") == name)
                    return QString::fromStdString(argument.at("from").get<std::string>());
            return QString();
        };
        const QStringList quick{ QStringLiteral("--no-timeit"), QStringLiteral("--json") };
        const Ran plain = run(smallMlp(), quick);
        QCOMPARE(initialOf(plain, "params/layers.0/W1"), QStringLiteral("xavier, seed 0"));
        QCOMPARE(initialOf(plain, "x"), QStringLiteral("ones"));
        const QByteArray stated = smallMlp("\"runs\": 3",
            "\"initial\": { \"params/**\": \"normal 0.5\", \"x\": \"constant 2\" }, \"seed\": 4, \"runs\": 3");
        const Ran chosen = run(stated, quick);
        QCOMPARE(chosen.code, 0);
        QCOMPARE(initialOf(chosen, "params/layers.0/W1"), QStringLiteral("normal 0.5, seed 4"));
        QCOMPARE(initialOf(chosen, "x"), QStringLiteral("constant 2"));
        QCOMPARE(initialOf(chosen, "step"), QStringLiteral("zeros"));
        const Ran more = run(stated,
            QStringList{ QStringLiteral("--init"), QStringLiteral("x=zeros"), QStringLiteral("--init"),
                QStringLiteral("params/layers.1/W?=ones") }
                + quick);
        QCOMPARE(initialOf(more, "x"), QStringLiteral("zeros"));
        QCOMPARE(initialOf(more, "params/layers.1/W2"), QStringLiteral("ones"));
        QVERIFY(more.json().at("steps").at(0).at("loss") == 0);
        QVERIFY(more.json().at("check").at("passed") == true);
        const Ran shown = run(stated, { QStringLiteral("--no-timeit") });
        QVERIFY2(shown.out.contains(QStringLiteral("(constant 2)\n")), qPrintable(shown.out));
        // What does not fit is said, in a file as a warning.
        for (const char* wrong : { "x=zeroes", "y=zeros", "step=normal 1", "x", "x=normal", "x=file no.npy" }) {
            const Ran refused = run(stated, { QStringLiteral("--init"), QLatin1String(wrong) });
            QVERIFY2(refused.code != 0 && refused.error.contains(QStringLiteral(": E")), wrong);
        }
        const Ran warned =
            run(smallMlp("\"runs\": 3", "\"initial\": { \"parms/**\": \"ones\", \"x\": \"integers 8\" }, \"runs\": 3"),
                { QStringLiteral("--no-timeit") });
        QCOMPARE(warned.code, 0);
        QCOMPARE(warned.error.count(QStringLiteral("W238")), 2);
    }

    void sameForAnyNumberOfThreads()
    {
        const auto losses = [this](const char* threads) {
            const auto json = run(smallMlp(),
                { QStringLiteral("--steps"), QStringLiteral("3"), QStringLiteral("--threads"), QLatin1String(threads),
                    QStringLiteral("--no-timeit"), QStringLiteral("--no-check"), QStringLiteral("--json") })
                                  .json();
            std::vector<double> list;
            for (const auto& step : json.at("steps"))
                list.push_back(step.at("loss"));
            return list;
        };
        const auto one = losses("1");
        QCOMPARE(one.size(), std::size_t{ 3 });
        QCOMPARE(losses("2"), one);
        QCOMPARE(losses("4"), one);
    }

    void pluralsOfOne()
    {
        const Ran ran = run(smallMlp(),
            { QStringLiteral("--runs"), QStringLiteral("1"), QStringLiteral("--loops"), QStringLiteral("1"),
                QStringLiteral("--threads"), QStringLiteral("1"), QStringLiteral("--no-check") });
        QVERIFY2(ran.out.contains(QStringLiteral("of 1 run, 1 loop each), on 1 thread\n")), qPrintable(ran.out));
    }

    void options()
    {
        const auto json = run(smallMlp(),
            { QStringLiteral("--runs"), QStringLiteral("2"), QStringLiteral("--loops"), QStringLiteral("5"),
                QStringLiteral("--no-check"), QStringLiteral("--threads"), QStringLiteral("1"),
                QStringLiteral("--json") })
                              .json();
        QVERIFY(json.at("timing").at("runs") == 2);
        QVERIFY(json.at("timing").at("loops") == 5);
        QVERIFY(json.at("threads") == 1);
        QVERIFY(!json.contains("check"));
        QVERIFY(
            !run(smallMlp(), { QStringLiteral("--no-timeit"), QStringLiteral("--json") }).json().contains("timing"));
    }

    void jsonToAFile()
    {
        const QString out = m_folder.filePath(QStringLiteral("out.json"));
        const Ran ran = run(smallMlp(), { QStringLiteral("--json=") + out });
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.out.isEmpty());
        const auto json = nlohmann::json::parse(fileBytes(out).toStdString());
        QVERIFY(json.at("format") == "shardscope-run");
        const Ran nowhere = run(smallMlp(), { QStringLiteral("--json=/no/such/folder/out.json") });
        QCOMPARE(nowhere.code, 2);
        QVERIFY(nowhere.error.contains(QStringLiteral("E130")));
    }

    void standardInput()
    {
        const Ran ran =
            runProgram({ QStringLiteral("run"), QStringLiteral("--json"), QStringLiteral("-") }, smallMlp());
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.json().at("input").at("name") == "standard input");
    }

    void arraysAlone()
    {
        const Ran ran = runProgram({ QStringLiteral("run"), QStringLiteral("rule-lab") });
        QCOMPARE(ran.code, 0);
        QVERIFY(ran.out.contains(QStringLiteral("P(X, -, Y, -)")));
        QVERIFY(ran.out.contains(QStringLiteral("There are no operations, so there is no step to run.")));
        QVERIFY(!ran.out.contains(QStringLiteral("Steps")) && !ran.out.contains(QStringLiteral("Timing")));
        const auto json =
            runProgram({ QStringLiteral("run"), QStringLiteral("rule-lab"), QStringLiteral("--json") }).json();
        QVERIFY(json.at("steps").empty() && !json.contains("timing") && !json.contains("check"));
        QVERIFY(!json.at("arguments").empty());
    }

    /// All options mean for a network what they mean for a program in a text.
    void arraysOfANetwork()
    {
        const QStringList quick{ QStringLiteral("--no-timeit"), QStringLiteral("--json") };
        const QString out = m_folder.filePath(QStringLiteral("results"));
        const Ran ran =
            run(smallMlp(), QStringList{ QStringLiteral("--per-device"), QStringLiteral("--out"), out } + quick);
        QVERIFY2(ran.code == 0, qPrintable(ran.error));
        const auto json = ran.json();
        const auto& results = json.at("results");
        QVERIFY(results.at(0).at("summary").at("sha256").get<std::string>().size() == 64);
        QVERIFY(json.at("arguments").at(0).contains("sharding"));
        QCOMPARE(json.at("devices").size(), std::size_t{ 8 });
        QCOMPARE(json.at("devices").at(0).at("results").size(), results.size());
        QVERIFY(json.at("state").at("source") == "program");
        QVERIFY(!json.at("exchanged").empty() && json.at("first_not_finite").empty());
        QVERIFY(json.at("memory_per_device").at("peak_bytes") > 0);
        // A result that is the next step's argument, as an argument: the second step begins the run.
        std::size_t argument = 0, result = 0;
        for (const auto& pair : json.at("state").at("fed_back"))
            if (json.at("arguments").at(pair.at("argument").get<std::size_t>()).at("name") == "params/layers.0/W1") {
                argument = pair.at("argument");
                result = pair.at("result");
            }
        const QString file = QStringLiteral("%1/result%2.npy").arg(out).arg(result);
        const QString specified = QStringLiteral("params/layers.0/W1=") + file;
        const auto again =
            run(smallMlp(), QStringList{ QStringLiteral("--inputs"), specified, QStringLiteral("--random=0") } + quick)
                .json();
        QVERIFY(again.at("arguments").at(argument).at("summary") == results.at(result).at("summary"));
        QCOMPARE(QString::fromStdString(again.at("arguments").at(argument).at("from").get<std::string>()), file);
        QVERIFY(again.at("check").at("passed") == true);
        QVERIFY(again.at("steps").at(0).at("loss") != json.at("steps").at(0).at("loss"));
        // Another seed, no state, all elements.
        const auto other = run(smallMlp(),
            QStringList{ QStringLiteral("--random=5"), QStringLiteral("--state=none"), QStringLiteral("--values") }
                + quick)
                               .json();
        QVERIFY(other.at("state").at("fed_back").empty());
        QVERIFY(other.at("steps").at(0).at("loss") != json.at("steps").at(0).at("loss"));
        QCOMPARE(other.at("arguments").at(argument).at("value").size(), std::size_t{ 16 });
        QCOMPARE(run(smallMlp(), { QStringLiteral("--state=0=99") }).code, 2);
        QCOMPARE(run(smallMlp(), { QStringLiteral("--steps=2"), QStringLiteral("--state=none") }).code, 2);
    }

    void findings()
    {
        const Ran indivisible = run(smallMlp("\"hidden\": 32", "\"hidden\": 30"), {});
        QCOMPARE(indivisible.code, 1);
        QVERIFY(indivisible.error.contains(QStringLiteral("E101")));
        QElapsedTimer timer;
        timer.start();
        const Ran large = run(smallMlp("\"batch\": 8, \"embed\": 16", "\"batch\": 4000000000, \"embed\": 1048576"), {});
        QCOMPARE(large.code, 1);
        QVERIFY2(large.error.contains(QStringLiteral("E145")) || large.error.contains(QStringLiteral("E126")),
            qPrintable(large.error));
        QVERIFY(timer.elapsed() < 5000); // refused before memory is taken
    }

    // In an address space of so many KiB: what does not fit is refused, and what was computed is printed all the same.
    void littleMemory()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("sanitizers need an address space without a limit");
#endif
        const auto limited = [](const char* kibibytes) {
            QProcess process;
            process.setProcessEnvironment(bareEnvironment());
            process.start(QStringLiteral("/bin/sh"),
                { QStringLiteral("-c"),
                    QStringLiteral("ulimit -v %1 && exec \"$0\" run flax-mlp-logical --no-timeit --threads 2")
                        .arg(QLatin1String(kibibytes)),
                    QStringLiteral(SHARDSCOPE_BINARY) });
            Ran ran;
            if (process.waitForFinished(120'000) && process.exitStatus() == QProcess::NormalExit)
                ran.code = process.exitCode();
            ran.out = QString::fromUtf8(process.readAllStandardOutput());
            ran.error = QString::fromUtf8(process.readAllStandardError());
            return ran;
        };
        const Ran nothing = limited("300000");
        QCOMPARE(nothing.code, 1);
        QVERIFY2(nothing.error.contains(QStringLiteral("E145: the run needs ")), qPrintable(nothing.error));
        QVERIFY(nothing.out.isEmpty());
        const Ran unchecked = limited("700000");
        QCOMPARE(unchecked.code, 1);
        QVERIFY2(
            unchecked.error.contains(QStringLiteral("E145: the run and its check need ")), qPrintable(unchecked.error));
        QVERIFY(unchecked.error.contains(QStringLiteral("Leave out the check: the run alone needs ")));
        QVERIFY(unchecked.out.contains(QStringLiteral("Steps")));
        QVERIFY(!unchecked.out.contains(QStringLiteral("arrays agree")));
    }
};

REGISTER_TEST(RunCommandTest)
#include "test_run.moc"
