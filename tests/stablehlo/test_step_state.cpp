// SPDX-License-Identifier: GPL-3.0-or-later
// Which results of a program are the arguments of its next step: as the text says, or as it looks.
#include <QRegularExpression>
#include <QTest>

#include "base/codes.h"
#include "program/step_state.h"
#include "reading.h"
#include "registered_test.h"
#include "stablehlo/read.h"

using namespace shardscope;

namespace {

Program programWith(const std::string& arguments, const std::string& results, const std::string& returned,
    const std::string& types, QStringList* warnings = nullptr)
{
    Result<ReadProgram> read = readStableHlo("sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func public @main(" + arguments
        + ") -> (" + results + ") {\n  return " + returned + " : " + types + "\n}\n");
    if (!read)
        qFatal("the test's program cannot be read");
    for (const Diagnostic& warning : read->warnings)
        if (warnings)
            *warnings << test::shown(warning);
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

    /// An alias of another type, beyond the results, or of a result that is taken does not count, and is warned of.
    void wrongAliases()
    {
        QStringList warnings;
        const Program program = programWith(
            "%a: tensor<8xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<4xf32> {tf.aliasing_output = 7 : i32}, %c: "
            "tensor<4xf32> {tf.aliasing_output = 0 : i32}, %d: tensor<4xf32> {tf.aliasing_output = 0 : i32}",
            "tensor<4xf32>", "%b", "tensor<4xf32>", &warnings);
        QCOMPARE(stateOfProgram(program), QStringLiteral("aliases: 2=0"));
        QCOMPARE(warnings,
            (QStringList{
                QStringLiteral(
                    "W239 2:43 key=tf.aliasing_output argument=0 value=0 : i32 given=tensor<8xf32> type=tensor<4xf32>"),
                QStringLiteral("W239 2:93 key=tf.aliasing_output argument=1 value=7 : i32 results=1"),
                QStringLiteral("W239 2:193 key=tf.aliasing_output argument=3 value=0 : i32 other=2") }));
    }

    /// Donated arguments take the next result of their type and sharding.
    void donors()
    {
        const std::string donor = "{jax.buffer_donor = true}";
        const Program program = programWith(
            "%z: tensor<f32>, %a: tensor<8xf32> " + donor + ", %b: tensor<8xf32>, %c: tensor<8xf32> " + donor,
            "tensor<f32>, tensor<8xf32>, tensor<8xf32>", "%z, %a, %c", "tensor<f32>, tensor<8xf32>, tensor<8xf32>");
        QCOMPARE(stateOfProgram(program), QStringLiteral("donors: 1=1,3=2"));
        // An argument that has both takes one result.
        const Program both =
            programWith("%a: tensor<8xf32> {jax.buffer_donor = true, tf.aliasing_output = 0 : i32}, %b: tensor<8xf32>",
                "tensor<8xf32>, tensor<8xf32>", "%a, %b", "tensor<8xf32>, tensor<8xf32>");
        QCOMPARE(stateOfProgram(both), QStringLiteral("aliases: 0=0"));
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
            "tensor<8xf32>, tensor<8xf32>, tensor<i32>, tensor<f32>", "+w, +m, +n, %l", "order: 0=0,1=1,2=2");
        row("loss, then state", "%w: tensor<8xf32>, %m: tensor<4xf32>, %x: tensor<4x8xf32>, %l: tensor<f32>",
            "tensor<f32>, tensor<8xf32>, tensor<4xf32>", "%l, +w, +m", "order: 0=1,1=2");
        row("a scalar argument beside the loss", "%w: tensor<8xf32>, %x: tensor<f32>", "tensor<8xf32>, tensor<f32>",
            "+w, %x", "order: 0=0");
        row("the loss first", "%x: tensor<f32>, %w: tensor<8xf32>", "tensor<f32>, tensor<8xf32>", "%x, +w",
            "order: 1=1");
        row("one stays as it is", "%w: tensor<8xf32>, %m: tensor<4xf32>", "tensor<8xf32>, tensor<4xf32>", "+w, %m",
            "order: 0=0,1=1");
        row("all stay as they are", "%w: tensor<8xf32>, %m: tensor<4xf32>", "tensor<8xf32>, tensor<4xf32>", "%w, %m",
            "none: none");
        row("nothing with dimensions", "%a: tensor<f32>, %b: tensor<8xf32>", "tensor<f32>", "+a", "none: none");
        row("another type", "%a: tensor<8xf32>, %b: tensor<8xf64>", "tensor<8xf64>", "+b", "order: 1=0");
        row("another sharding", "%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}, %b: tensor<8xf32>",
            "tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}", "+b", "order: 1=0");
        row("no results", "%a: tensor<8xf32>", "", "", "none: none");
    }
    /// "+w" is returned where w is updated.
    void order()
    {
        QFETCH(QString, arguments);
        QFETCH(QString, results);
        QFETCH(QString, returned);
        QString types = results;
        types.remove(QRegularExpression(QStringLiteral(" \\{sdy[^}]*\\}[^}]*\\}")));
        types.remove(QRegularExpression(QStringLiteral(" \\{sdy.*$")));
        QString updates;
        for (const QString& each : returned.split(QStringLiteral(", ")))
            if (each.startsWith(QLatin1Char('+'))) {
                const QString name = each.mid(1);
                const QRegularExpression declared(QStringLiteral("%") + name + QStringLiteral(": (tensor<[^>]*>)"));
                updates += QStringLiteral("  %next_%1 = stablehlo.add %%1, %%1 : %2\n")
                               .arg(name, declared.match(arguments).captured(1));
            }
        returned.replace(QLatin1Char('+'), QStringLiteral("%next_"));
        const std::string text = "sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func public @main(" + arguments.toStdString() + ")"
            + (results.isEmpty() ? "" : " -> (" + results.toStdString() + ")") + " {\n" + updates.toStdString()
            + "  return" + (results.isEmpty() ? "" : " " + returned.toStdString() + " : " + types.toStdString())
            + "\n}\n";
        const Result<ReadProgram> read = readStableHlo(text);
        QVERIFY2(read.has_value(), text.c_str());
        QTEST(stateOfProgram(read->program), "found");
    }

    /// What is an update of an argument, and what is not.
    void updates_data()
    {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("returned");
        QTest::addColumn<QString>("found");
        const auto row = [](const char* name, const char* body, const char* returned, const char* found) {
            QTest::newRow(name) << QString::fromUtf8(body) << QString::fromUtf8(returned) << QString::fromUtf8(found);
        };
        row("descent", "%n = stablehlo.subtract %p, %u : W", "%n : W", "order: 0=0");
        row("weight decay",
            "%k = stablehlo.multiply %r, %p : W\n%d = stablehlo.add %u, %k : W\n%n = stablehlo.subtract %p, %d : W",
            "%n : W", "order: 0=0");
        row("momentum",
            "%a = stablehlo.multiply %r, %m : W\n%b = stablehlo.add %a, %g : W\n%c = stablehlo.multiply %r, %b : W\n"
            "%n = stablehlo.subtract %p, %c : W",
            "%n, %b : W, W", "order: 0=0,1=1");
        row("adam",
            "%a = stablehlo.multiply %r, %m : W\n%b = stablehlo.multiply %r, %g : W\n%c = stablehlo.add %a, %b : W\n"
            "%s = stablehlo.sqrt %c : W\n%q = stablehlo.divide %c, %s : W\n%d = stablehlo.multiply %r, %q : W\n"
            "%n = stablehlo.subtract %p, %d : W",
            "%n, %c : W, W", "order: 0=0,1=1");
        row("clipped gradient",
            "%gg = stablehlo.multiply %g, %g : W\n"
            "%norm = stablehlo.reduce(%gg init: %zero) applies stablehlo.add across dimensions = [0, 1] : (W, S) -> S\n"
            "%wide = stablehlo.broadcast_in_dim %norm, dims = [] : (S) -> W\n%c = stablehlo.divide %u, %wide : W\n"
            "%n = stablehlo.subtract %p, %c : W",
            "%n : W", "order: 0=0");
        row("average",
            "%n = stablehlo.subtract %p, %u : W\n%a = stablehlo.multiply %r, %m : W\n"
            "%b = stablehlo.multiply %r, %n : W\n%e = stablehlo.add %a, %b : W",
            "%n, %e : W, W", "order: 0=0,1=1");
        row("wider numbers",
            "%w = stablehlo.convert %p : (W) -> D\n%v = stablehlo.convert %u : (W) -> D\n"
            "%o = stablehlo.subtract %w, %v : D\n%n = stablehlo.convert %o : (D) -> W",
            "%n : W", "order: 0=0");
        row("only where finite",
            "%f = stablehlo.constant dense<true> : tensor<i1>\n%o = stablehlo.subtract %p, %u : W\n"
            "%n = stablehlo.select %f, %o, %p : tensor<i1>, W",
            "%n : W", "order: 0=0");
        row("in a function", "%n = func.call @apply(%p, %u) : (W, W) -> W", "%n : W", "order: 0=0");
        row("in a loop",
            "%l:2 = stablehlo.while(%i = %none, %h = %p) : tensor<i32>, W\n cond {\n"
            "%go = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            "stablehlo.return %go : tensor<i1>\n} do {\n%j = stablehlo.add %i, %one : tensor<i32>\n"
            "%o = stablehlo.subtract %h, %u : W\nstablehlo.return %j, %o : tensor<i32>, W\n}",
            "%l#1 : W", "order: 0=0");
        row("in another form",
            "%o = stablehlo.subtract %p, %u : W\n%f = stablehlo.reshape %o : (W) -> tensor<64xf32>\n"
            "%n = stablehlo.reshape %f : (tensor<64xf32>) -> W",
            "%n : W", "order: 0=0");
        row("gradient", "", "%g : W", "none: none");
        row("two gradients", "", "%g, %u : W, W", "none: none");
        row("forward", "%z = stablehlo.maximum %y, %y : X", "%z : X", "none: none");
        row("forward over something", "%z = stablehlo.add %x, %y : X", "%z : X", "none: none");
        row("layers in a loop",
            "%l:2 = stablehlo.while(%i = %none, %h = %x) : tensor<i32>, X\n cond {\n"
            "%go = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            "stablehlo.return %go : tensor<i1>\n} do {\n%j = stablehlo.add %i, %one : tensor<i32>\n"
            "%d = stablehlo.dot_general %h, %p, contracting_dims = [1] x [0] : (X, W) -> X\n"
            "stablehlo.return %j, %d : tensor<i32>, X\n}",
            "%l#1 : X", "none: none");
        row("something added",
            "%q = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (X, X) -> W\n"
            "%z = stablehlo.add %m, %q : W",
            "%z : W", "none: none");
        row("a function of a sum", "%s = stablehlo.add %m, %g : W\n%z = stablehlo.logistic %s : W", "%z : W",
            "none: none");
    }
    void updates()
    {
        QFETCH(QString, body);
        QFETCH(QString, returned);
        QString text = QStringLiteral("func.func @main(%p: W, %m: W, %x: X) -> (TYPES) {\n"
                                      "%zero = stablehlo.constant dense<0.0> : S\n"
                                      "%rate = stablehlo.constant dense<0.5> : S\n"
                                      "%none = stablehlo.constant dense<0> : tensor<i32>\n"
                                      "%one = stablehlo.constant dense<1> : tensor<i32>\n"
                                      "%three = stablehlo.constant dense<3> : tensor<i32>\n"
                                      "%r = stablehlo.broadcast_in_dim %rate, dims = [] : (S) -> W\n"
                                      "%y = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : (X, W) -> X\n"
                                      "%g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (X, X) -> W\n"
                                      "%u = stablehlo.multiply %r, %g : W\n")
            + body + QStringLiteral("\nreturn ") + returned
            + QStringLiteral("\n}\nfunc.func private @apply(%p: W, %u: W) -> W {\n"
                             "%n = stablehlo.subtract %p, %u : W\nreturn %n : W\n}\n");
        text.replace(QStringLiteral("TYPES"), returned.section(QStringLiteral(" : "), 1));
        for (const auto& [letter, type] : { std::pair("W", "tensor<8x8xf32>"), std::pair("X", "tensor<4x8xf32>"),
                 std::pair("S", "tensor<f32>"), std::pair("D", "tensor<8x8xf64>") })
            text.replace(
                QRegularExpression(QStringLiteral("\\b%1\\b").arg(QLatin1String(letter))), QLatin1String(type));
        const Result<ReadProgram> read = readStableHlo(text.toStdString());
        QVERIFY2(read.has_value(), qPrintable(test::shown(read) + text));
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
        QString sums = QStringLiteral("  %s0 = stablehlo.add %a0, %a0 : tensor<8xf32>\n"); // all results are updates
        for (const QString& argument : arguments.split(QLatin1Char(' '))) {
            specified << QStringLiteral("%a%1: tensor<8xf32> loc(\"%2\")").arg(specified.size()).arg(argument);
            sums += QStringLiteral("  %s%1 = stablehlo.add %s%2, %a%2 : tensor<8xf32>\n")
                        .arg(specified.size())
                        .arg(specified.size() - 1);
        }
        for (const QString& result : results.split(QLatin1Char(' '))) {
            returned << (result == QLatin1String("-")
                    ? QStringLiteral("tensor<8xf32>")
                    : QStringLiteral("tensor<8xf32> {jax.result_info = \"%1\"}").arg(result));
            values << QStringLiteral("%s%1").arg(specified.size());
            types << QStringLiteral("tensor<8xf32>");
        }
        const QString comma = QStringLiteral(", ");
        const QString text = QStringLiteral("func.func public @main(") + specified.join(comma)
            + QStringLiteral(") -> (") + returned.join(comma) + QStringLiteral(") {\n") + sums
            + QStringLiteral("  return ") + values.join(comma) + QStringLiteral(" : ") + types.join(comma)
            + QStringLiteral("\n}\n");
        const Result<ReadProgram> read = readStableHlo(text.toStdString());
        QVERIFY2(read.has_value(), qPrintable(text));
        QTEST(stateOfProgram(read->program), "found");
    }

    /// Names and updates together: main(params['w'], other['w'], x) that returns two arrays of the parameters' type.
    void namedUpdates_data()
    {
        QTest::addColumn<QString>("returned");
        QTest::addColumn<QString>("attributes");
        QTest::addColumn<QString>("found");
        const auto row = [](const char* name, const char* returned, const char* attributes, const char* found) {
            QTest::newRow(name) << QString::fromLatin1(returned) << QString::fromLatin1(attributes)
                                << QString::fromLatin1(found);
        };
        row("gradient alone", "%g", " ", "none: none");
        row("gradient and parameter", "%g %next", " ", "names: 0=1");
        row("an average first", "%average %next", " ", "names: 0=1,1=0");
        row("the parameter first", "%next %average", " ", "names: 0=0,1=1");
        // Memory of donated arguments goes to the first result of the type, whatever that is.
        row("donated, an average first", "%average %next",
            "{tf.aliasing_output = 0 : i32} {tf.aliasing_output = 1 : i32}", "donated_names: 0=1,1=0");
        row("donated, the parameter first", "%next %average",
            "{tf.aliasing_output = 0 : i32} {tf.aliasing_output = 1 : i32}", "aliases: 0=0,1=1");
        row("only the average is donated", "%average %next", " {tf.aliasing_output = 0 : i32}", "aliases: 1=0");
        row("given away by type", "%average %next", "{jax.buffer_donor = true} {jax.buffer_donor = true}",
            "donated_names: 0=1,1=0");
    }
    void namedUpdates()
    {
        QFETCH(QString, returned);
        QFETCH(QString, attributes);
        const bool isDonated = attributes.trimmed().size() > 0;
        const QString own = !isDonated ? QString() : attributes.section(QStringLiteral(" {"), 0, 0).trimmed(),
                      others = !isDonated ? QString() : QLatin1Char('{') + attributes.section(QStringLiteral(" {"), 1);
        QStringList results, types;
        const QStringList values = returned.split(QLatin1Char(' '));
        for (qsizetype i = 0; i < values.size(); ++i) {
            types << QStringLiteral("tensor<8x8xf32>");
            results << types.back() + QStringLiteral(" {jax.result_info = \"result[%1]['w']\"}").arg(i);
        }
        const QString comma = QStringLiteral(", ");
        const QString text = QStringLiteral("func.func public @main(%p: tensor<8x8xf32> ") + own
            + QStringLiteral(" loc(\"params['w']\"), %e: tensor<8x8xf32> ") + others
            + QStringLiteral(" loc(\"average['w']\"), %x: tensor<4x8xf32> loc(\"x\")) -> (") + results.join(comma)
            + QStringLiteral(") {\n"
                             "  %y = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : (tensor<4x8xf32>, "
                             "tensor<8x8xf32>) "
                             "-> tensor<4x8xf32>\n"
                             "  %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<4x8xf32>, "
                             "tensor<4x8xf32>) "
                             "-> tensor<8x8xf32>\n"
                             "  %next = stablehlo.subtract %p, %g : tensor<8x8xf32>\n"
                             "  %average = stablehlo.add %e, %next : tensor<8x8xf32>\n  return ")
            + values.join(comma) + QStringLiteral(" : ") + types.join(comma) + QStringLiteral("\n}\n");
        const Result<ReadProgram> read = readStableHlo(text.toStdString());
        QVERIFY2(read.has_value(), qPrintable(test::shown(read) + text));
        QTEST(stateOfProgram(read->program), "found");
    }

    void changed()
    {
        const Program program = programWith("%a: tensor<8xf32>, %b: tensor<8xf32>", "tensor<8xf32>, tensor<8xf32>",
            "%b, %a", "tensor<8xf32>, tensor<8xf32>");
        const StepState none = stateOf(program);
        QVERIFY(none.source == StateSource::None);
        const StepState guessed = parseState(program, "0=0,1=1").value();
        QCOMPARE(stateText(program, withPair(program, guessed, 0, 1)), std::string("0=1"));
        const std::vector<ValueId>& arguments = program.main().arguments;
        const StepState swapped = withPair(program, guessed, 0, 1);
        QVERIFY(swapped.resultOf(arguments[0]) == 1U && !swapped.resultOf(arguments[1]));
        QCOMPARE(stateText(program, withPair(program, guessed, 1, std::nullopt)), std::string("0=0"));
        QVERIFY(stateOf(program, "1=0").source == StateSource::Stated);
        QVERIFY(stateOf(program, "1=7") == none);
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

    /// What results are computed from says more than their order, and a counter may be a floating-point number.
    void orderAndUpdates()
    {
        const auto stateOfText = [](const char* returned) {
            const Result<ReadProgram> read = readStableHlo(std::string(R"(func.func public @main(%p: tensor<8x8xf32>,
    %m: tensor<8x8xf32>, %v: tensor<8x8xf32>, %n: tensor<f32>, %x: tensor<4x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>, tensor<f32>) {
  %half = stablehlo.constant dense<0.5> : tensor<8x8xf32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %m1 = stablehlo.multiply %m, %half : tensor<8x8xf32>
  %m2 = stablehlo.add %m1, %g : tensor<8x8xf32>
  %gg = stablehlo.multiply %g, %g : tensor<8x8xf32>
  %v1 = stablehlo.multiply %v, %half : tensor<8x8xf32>
  %v2 = stablehlo.add %v1, %gg : tensor<8x8xf32>
  %r = stablehlo.rsqrt %v2 : tensor<8x8xf32>
  %s = stablehlo.multiply %m2, %r : tensor<8x8xf32>
  %p2 = stablehlo.subtract %p, %s : tensor<8x8xf32>
  %n2 = stablehlo.add %n, %one : tensor<f32>
  return )") + returned
                + " : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>, tensor<f32>\n}\n");
            return read ? stateOfProgram(read->program) : QString();
        };
        QCOMPARE(stateOfText("%p2, %m2, %v2, %n2, %loss"), QStringLiteral("order: 0=0,1=1,2=2,3=3"));
        QCOMPARE(stateOfText("%p2, %v2, %m2, %n2, %loss"), QStringLiteral("order: 0=0,1=2,2=1,3=3"));
        QCOMPARE(stateOfText("%p2, %m2, %v2, %loss, %n2"), QStringLiteral("order: 0=0,1=1,2=2"));
        QCOMPARE(stateOfText("%m2, %p2, %v2, %n2, %loss"), QStringLiteral("order: 0=1,1=0,2=2,3=3"));
    }

    /// A loss that an argument is a factor of is no next value of it, and a random key in the state makes no loss a
    /// gradient.
    void lossOfArguments()
    {
        const auto stateAndLoss = [](const char* loss) {
            const Result<ReadProgram> read = readStableHlo(std::string(R"(func.func public @main(%p: tensor<8x8xf32>,
    %key: tensor<8xf32>, %beta: tensor<f32>, %x: tensor<4x8xf32>)
    -> (tensor<8x8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>) {
  %one = stablehlo.constant dense<1.0> : tensor<8xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %next = stablehlo.sine %key : tensor<8xf32>
  %drop = stablehlo.broadcast_in_dim %next, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %y = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %d = stablehlo.multiply %y, %drop : tensor<4x8xf32>
  %sum = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %scaled = stablehlo.multiply %sum, %beta : tensor<f32>
  %tokens = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.dot_general %x, %d, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %p2 = stablehlo.subtract %p, %g : tensor<8x8xf32>
  return %p2, %next, )")
                + loss + " : tensor<8x8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>\n}\n");
            if (!read)
                return QString();
            const std::optional<std::size_t> found = lossResult(read->program, stateOf(read->program));
            return stateOfProgram(read->program) + QStringLiteral(", ") + (found ? QString::number(*found) : QString());
        };
        QCOMPARE(stateAndLoss("%scaled, %tokens"), QStringLiteral("order: 0=0,1=1, 2"));
        QCOMPARE(stateAndLoss("%tokens, %scaled"), QStringLiteral("order: 0=0,1=1, 3"));
    }

    /// Of several numbers without names: not a rate, nor a norm of gradients.
    void lossAmongNumbers()
    {
        const auto lossOf = [](const std::string& first, const std::string& second, const std::string& third) {
            const Result<ReadProgram> read =
                readStableHlo(R"(func.func public @main(%p: tensor<8x8xf32>, %x: tensor<4x8xf32>,
    %count: tensor<f32>) -> (tensor<8x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %rate = stablehlo.divide %one, %count : tensor<f32>
  %y = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %loss = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %gg = stablehlo.multiply %g, %g : tensor<8x8xf32>
  %norm = stablehlo.reduce(%gg init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
  %p2 = stablehlo.subtract %p, %g : tensor<8x8xf32>
  return %p2, )" + first
                    + ", " + second + ", " + third + " : tensor<8x8xf32>, tensor<f32>, tensor<f32>, tensor<f32>\n}\n");
            return read ? lossResult(read->program, stateOf(read->program, "0=0")) : std::nullopt;
        };
        QCOMPARE(lossOf("%rate", "%norm", "%loss"), std::optional<std::size_t>(3));
        QCOMPARE(lossOf("%norm", "%loss", "%rate"), std::optional<std::size_t>(2));
        QCOMPARE(lossOf("%rate", "%norm", "%norm"), std::optional<std::size_t>(2));
        QCOMPARE(lossOf("%rate", "%rate", "%rate"), std::optional<std::size_t>(1));
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
        // A maximum is none, also in another form; what is added to a sum may be one.
        const auto reduced = [](const std::string& returned) {
            const std::string over = " across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>\n";
            const Result<ReadProgram> read = readStableHlo("func.func @main(%a: tensor<8xf32>) -> tensor<f32> {\n"
                                                           "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                                                           "  %m = stablehlo.reduce(%a init: %z) applies "
                                                           "stablehlo.maximum"
                + over + "  %s = stablehlo.reduce(%a init: %z) applies stablehlo.add" + over
                + "  %n = stablehlo.negate %m : tensor<f32>\n  %b = stablehlo.add %s, %n : tensor<f32>\n  return "
                + returned + " : tensor<f32>\n}\n");
            return lossResult(read.value().program, {}).has_value();
        };
        QVERIFY(!reduced("%m") && !reduced("%n"));
        QVERIFY(reduced("%s") && reduced("%b"));
        // Names come first: Flax sorts what a step returns, "accuracy" before "loss".
        const auto named = [](const std::string& first, const std::string& second) {
            return lossResult(programWith("%a: tensor<f32>",
                                  "tensor<f32> {jax.result_info = \"" + first + "\"}, tensor<f32> {jax.result_info = \""
                                      + second + "\"}",
                                  "%a, %a", "tensor<f32>, tensor<f32>"),
                {});
        };
        QCOMPARE(named("[1]['accuracy']", "[1]['loss']"), std::optional<std::size_t>(1));
        QCOMPARE(named("[1]['aux_loss']", "[1]['loss']"), std::optional<std::size_t>(1));
        QCOMPARE(named("[1]['accuracy']", "[1]['total_loss']"), std::optional<std::size_t>(1));
        QCOMPARE(named("[1]['accuracy']", "[1]['glossiness']"), std::optional<std::size_t>(0));
    }

    /// Functions that call the next one are followed only so far: a long row of them has no room on a stack.
    void longRowsOfCalls()
    {
        constexpr int count = 20'000;
        std::string text = "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
                           "  %0 = call @f0(%a) : (tensor<8xf32>) -> tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n";
        for (int i = 0; i < count; ++i)
            text += "func.func private @f" + std::to_string(i) + "(%a: tensor<8xf32>) -> tensor<8xf32> {\n  %0 = "
                + (i + 1 == count ? "stablehlo.negate %a : tensor<8xf32>"
                                  : "call @f" + std::to_string(i + 1) + "(%a) : (tensor<8xf32>) -> tensor<8xf32>")
                + "\n  return %0 : tensor<8xf32>\n}\n";
        const auto read = readStableHlo(text);
        QVERIFY(read.has_value());
        QVERIFY(stateOf(read->program).pairs.size() <= 1); // and it comes to an end
    }
};

REGISTER_TEST(StepStateTest)
#include "test_step_state.moc"
