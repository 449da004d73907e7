// SPDX-License-Identifier: GPL-3.0-or-later
// Which results of a program are the arguments of its next step: as the text says, or as it looks.
#include <QRegularExpression>
#include <QTest>

#include "base/codes.h"
#include "program/step_state.h"
#include "registered_test.h"
#include "stablehlo/read.h"

using namespace shardscope;

namespace {

Program programWith(
    const std::string& arguments, const std::string& results, const std::string& returned, const std::string& types)
{
    Result<ReadProgram> read = readStableHlo("sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func public @main(" + arguments
        + ") -> (" + results + ") {\n  return " + returned + " : " + types + "\n}\n");
    if (!read)
        qFatal("the test's program cannot be read");
    return std::move(read->program);
}

QString stateOfProgram(const Program& program)
{
    const StepState state = stateOf(program);
    return QStringLiteral("%1: %2").arg(
        QString::fromStdString(std::string(name(state.source))), QString::fromStdString(stateText(program, state)));
}

} // namespace

class StepStateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aliases()
    {
        const Program program = programWith("%a: tensor<8xf32> {tf.aliasing_output = 1 : i32}, %b: tensor<4xf32>, %c: "
                                            "tensor<i32> {tf.aliasing_output = "
                                            "2 : i32}",
            "tensor<4xf32>, tensor<8xf32>, tensor<i32>", "%b, %a, %c", "tensor<4xf32>, tensor<8xf32>, tensor<i32>");
        QCOMPARE(stateOfProgram(program), QStringLiteral("aliases: 0=1,2=2"));
    }

    /// An alias of another type, beyond the results, or of a result that is taken says nothing.
    void wrongAliases()
    {
        const Program program = programWith(
            "%a: tensor<8xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<4xf32> {tf.aliasing_output = 7 : i32}, %c: "
            "tensor<4xf32> {tf.aliasing_output = 0 : i32}, %d: tensor<4xf32> {tf.aliasing_output = 0 : i32}",
            "tensor<4xf32>", "%b", "tensor<4xf32>");
        QCOMPARE(stateOfProgram(program), QStringLiteral("aliases: 2=0"));
    }

    /// Donated arguments take the next result of their type and sharding.
    void donors()
    {
        const std::string donor = "{jax.buffer_donor = true}";
        const Program program = programWith(
            "%z: tensor<f32>, %a: tensor<8xf32> " + donor + ", %b: tensor<8xf32>, %c: tensor<8xf32> " + donor,
            "tensor<f32>, tensor<8xf32>, tensor<8xf32>", "%z, %a, %c", "tensor<f32>, tensor<8xf32>, tensor<8xf32>");
        QCOMPARE(stateOfProgram(program), QStringLiteral("donors: 1=1,3=2"));
    }

    void order_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QString>("results");
        QTest::addColumn<QString>("returned");
        QTest::addColumn<QString>("found");
        const auto row = [](const char* name, const char* arguments, const char* results, const char* returned,
                             const char* found) {
            QTest::newRow(name) << QString::fromUtf8(arguments) << QString::fromUtf8(results)
                                << QString::fromUtf8(returned) << QString::fromUtf8(found);
        };
        row("state, then loss",
            "%w: tensor<8xf32>, %m: tensor<8xf32>, %n: tensor<i32>, %x: tensor<4x8xf32>, %l: tensor<f32>",
            "tensor<8xf32>, tensor<8xf32>, tensor<i32>, tensor<f32>", "%w, %m, %n, %l", "order: 0=0,1=1,2=2");
        row("loss, then state", "%w: tensor<8xf32>, %m: tensor<4xf32>, %x: tensor<4x8xf32>, %l: tensor<f32>",
            "tensor<f32>, tensor<8xf32>, tensor<4xf32>", "%l, %w, %m", "order: 0=1,1=2");
        row("a scalar argument beside the loss", "%w: tensor<8xf32>, %x: tensor<f32>", "tensor<8xf32>, tensor<f32>",
            "%w, %x", "order: 0=0");
        row("the loss first", "%x: tensor<f32>, %w: tensor<8xf32>", "tensor<f32>, tensor<8xf32>", "%x, %w",
            "order: 1=1");
        row("nothing with dimensions", "%a: tensor<f32>, %b: tensor<8xf32>", "tensor<f32>", "%a", "none: none");
        row("another type", "%a: tensor<8xf32>, %b: tensor<8xf64>", "tensor<8xf64>", "%b", "order: 1=0");
        row("another sharding", "%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}, %b: tensor<8xf32>",
            "tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}", "%b", "order: 1=0");
        row("no results", "%a: tensor<8xf32>", "", "", "none: none");
    }
    void order()
    {
        QFETCH(QString, arguments);
        QFETCH(QString, results);
        QFETCH(QString, returned);
        QString types = results;
        types.remove(QRegularExpression(QStringLiteral(" \\{sdy[^}]*\\}[^}]*\\}")));
        types.remove(QRegularExpression(QStringLiteral(" \\{sdy.*$")));
        const std::string text = "sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func public @main(" + arguments.toStdString() + ")"
            + (results.isEmpty() ? "" : " -> (" + results.toStdString() + ")") + " {\n  return"
            + (results.isEmpty() ? "" : " " + returned.toStdString() + " : " + types.toStdString()) + "\n}\n";
        const Result<ReadProgram> read = readStableHlo(text);
        QVERIFY2(read.has_value(), text.c_str());
        QTEST(stateOfProgram(read->program), "found");
    }

    /// Named locations and jax.result_info, as JAX prints them.
    void names_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QString>("results");
        QTest::addColumn<QString>("found");
        const auto row = [](const char* name, const char* arguments, const char* results, const char* found) {
            QTest::newRow(name) << QString::fromLatin1(arguments) << QString::fromLatin1(results)
                                << QString::fromLatin1(found);
        };
        row("under one result", "params['b'] params['w'] x['w']", "[1] [0]['w'] [0]['b']", "names: 0=2,1=1");
        row("one tree", "state.params['w'] state.mu['w'] batch", ".mu['w'] .params['w']", "names: 0=1,1=0");
        row("results of the same names", "params['w'] opt['w'] x", "result['opt']['w'] result['params']['w']",
            "names: 0=1,1=0");
        row("two arguments in order", "params['w'] mu['w'] x", "[0]['w'] [1]['w']", "names: 0=0,1=1");
        row("only a part comes back", "p['a'] p['b'] x", "[0]['a'] [1]", "order: 0=0,1=1");
        row("no names of results", "p['a'] p['b'] x", "- -", "order: 0=0,1=1");
    }
    void names()
    {
        QFETCH(QString, arguments);
        QFETCH(QString, results);
        QStringList specified, returned, values, types;
        for (const QString& argument : arguments.split(QLatin1Char(' ')))
            specified << QStringLiteral("%a%1: tensor<8xf32> loc(\"%2\")").arg(specified.size()).arg(argument);
        for (const QString& result : results.split(QLatin1Char(' '))) {
            returned << (result == QLatin1String("-")
                    ? QStringLiteral("tensor<8xf32>")
                    : QStringLiteral("tensor<8xf32> {jax.result_info = \"%1\"}").arg(result));
            values << QStringLiteral("%a0");
            types << QStringLiteral("tensor<8xf32>");
        }
        const QString comma = QStringLiteral(", ");
        const QString text = QStringLiteral("func.func public @main(") + specified.join(comma)
            + QStringLiteral(") -> (") + returned.join(comma) + QStringLiteral(") {\n  return ") + values.join(comma)
            + QStringLiteral(" : ") + types.join(comma) + QStringLiteral("\n}\n");
        const Result<ReadProgram> read = readStableHlo(text.toStdString());
        QVERIFY2(read.has_value(), qPrintable(text));
        QTEST(stateOfProgram(read->program), "found");
    }

    void changed()
    {
        const Program program = programWith("%a: tensor<8xf32>, %b: tensor<8xf32>", "tensor<8xf32>, tensor<8xf32>",
            "%b, %a", "tensor<8xf32>, tensor<8xf32>");
        const StepState guessed = stateOf(program);
        QCOMPARE(stateText(program, withPair(program, guessed, 0, 1)), std::string("0=1"));
        QCOMPARE(stateText(program, withPair(program, guessed, 1, std::nullopt)), std::string("0=0"));
        QVERIFY(stateOf(program, "1=0").source == StateSource::Stated);
        QVERIFY(stateOf(program, "1=7") == guessed);
        QVERIFY(resultsFor(program, 1) == (std::vector<std::size_t>{ 0, 1 }));
    }

    void stated()
    {
        const Program program = programWith("%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<f32>",
            "tensor<8xf32>, tensor<8xf32>, tensor<f32>", "%b, %a, %c", "tensor<8xf32>, tensor<8xf32>, tensor<f32>");
        for (const char* text : { "0=1,1=0", "none", "2=2" }) {
            const auto state = parseState(program, text);
            QVERIFY(state.has_value());
            QVERIFY(state->source == StateSource::Stated);
            QCOMPARE(stateText(program, *state), std::string(text));
        }
        QVERIFY(!parseState(program, "none")->pairs.size());
        for (const auto& [text, code] :
            { std::pair("", Code::Syntax), std::pair("0", Code::Syntax), std::pair("0=1,", Code::Syntax),
                std::pair("0=-1", Code::Syntax), std::pair("a=1", Code::Syntax), std::pair("0=1=1", Code::Syntax),
                std::pair("99999999999999999999=1", Code::Syntax), std::pair("3=0", Code::OutOfRange),
                std::pair("0=3", Code::OutOfRange), std::pair("0=2", Code::TypeMismatch),
                std::pair("0=0,0=1", Code::DuplicateKey), std::pair("0=0,1=0", Code::DuplicateKey) }) {
            const auto state = parseState(program, text);
            QVERIFY2(!state.has_value() && state.error().code == code, text);
        }
    }

    /// The scalar that is no state.
    void loss()
    {
        const Program program = programWith("%a: tensor<f32>, %b: tensor<8xf32>, %c: tensor<i32>",
            "tensor<i32>, tensor<f32>, tensor<f32>, tensor<8xf32>", "%c, %a, %a, %b",
            "tensor<i32>, tensor<f32>, tensor<f32>, tensor<8xf32>");
        QCOMPARE(lossResult(program, {}), std::optional<std::size_t>(1));
        QCOMPARE(lossResult(program, *parseState(program, "0=1")), std::optional<std::size_t>(2));
        QVERIFY(!lossResult(programWith("%b: tensor<8xf32>", "tensor<8xf32>", "%b", "tensor<8xf32>"), {}));
    }
};

REGISTER_TEST(StepStateTest)
#include "test_step_state.moc"
