// SPDX-License-Identifier: GPL-3.0-or-later
// What arguments and results of a program are for, by their names and by the state.
#include <QTest>

#include "program/roles.h"
#include "program/step_state.h"
#include "registered_test.h"
#include "stablehlo/read.h"

using namespace shardscope;

namespace {

QString roleText(const std::string& text, const char* state, const std::vector<ChosenRole>& chosen = {})
{
    Result<ReadProgram> read = readStableHlo(text);
    if (!read)
        qFatal("the test's program cannot be read");
    declaredName(*read, text);
    const ProgramRoles roles = withChosen(
        guessRoles(read->program, stateOf(read->program, state)), read->program, stateOf(read->program, state), chosen);
    QStringList arguments, results;
    for (const Role role : roles.arguments)
        arguments << QString::fromStdString(std::string(name(role)));
    for (const Role role : roles.results)
        results << QString::fromStdString(std::string(name(role)));
    return arguments.join(QLatin1Char(' ')) + QStringLiteral(" -> ") + results.join(QLatin1Char(' '));
}

/// A step of Adam on two arrays, without any names.
constexpr const char* adam = R"(func.func @main(%arg0: tensor<i32>, %arg1: tensor<4x8xf32>, %arg2: tensor<8x4xf32>,
    %arg3: tensor<i32>, %arg4: tensor<4x8xf32>, %arg5: tensor<8x4xf32>, %arg6: tensor<4x8xf32>, %arg7: tensor<8x4xf32>,
    %arg8: tensor<2x4xf32>, %arg9: tensor<f32>)
    -> (tensor<i32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<i32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>,
        tensor<8x4xf32>, tensor<f32>, tensor<2x4xf32>) {
  return %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg9, %arg8 : tensor<i32>, tensor<4x8xf32>,
    tensor<8x4xf32>, tensor<i32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<f32>,
    tensor<2x4xf32>
}
)";

} // namespace

class RolesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void byStructure()
    {
        QCOMPARE(roleText(adam, "0=0,1=1,2=2,3=3,4=4,5=5,6=6,7=7"),
            QStringLiteral("step parameter parameter count mu mu nu nu input input -> ")
                + QStringLiteral("activation ").repeated(8) + QStringLiteral("loss activation"));
        // Two arrays alone are parameters.
        QVERIFY(roleText(adam, "1=1,2=2").startsWith(QStringLiteral("input parameter parameter input input")));
    }

    /// One parameter and its moment have one type: what becomes of them tells which is which.
    void momentsByUse_data()
    {
        QTest::addColumn<QString>("update");
        QTest::addColumn<bool>("hasLoss");
        QTest::addColumn<QString>("roles");
        const QString momentum = QStringLiteral(R"(%s = stablehlo.multiply %b, %rate : tensor<8x8xf32>
  %n = stablehlo.add %s, %g : tensor<8x8xf32>
  %t = stablehlo.multiply %n, %rate : tensor<8x8xf32>
  %p = stablehlo.subtract %a, %t : tensor<8x8xf32>
)");
        for (const bool hasLoss : { true, false })
            QTest::addRow("momentum%s", hasLoss ? "" : ", no loss")
                << momentum << hasLoss << QStringLiteral("parameter mu");
        // With the decay of weights in the gradient, the moment's new value is computed from the parameter, too.
        QTest::addRow("decay") << QStringLiteral(R"(%d = stablehlo.multiply %a, %rate : tensor<8x8xf32>
  %e = stablehlo.add %g, %d : tensor<8x8xf32>
  %s = stablehlo.multiply %b, %rate : tensor<8x8xf32>
  %n = stablehlo.add %s, %e : tensor<8x8xf32>
  %p = stablehlo.subtract %a, %n : tensor<8x8xf32>
)") << true << QStringLiteral("parameter mu");
        QTest::addRow("Adagrad") << QStringLiteral(R"(%s = stablehlo.multiply %g, %g : tensor<8x8xf32>
  %n = stablehlo.add %b, %s : tensor<8x8xf32>
  %r = stablehlo.rsqrt %n : tensor<8x8xf32>
  %t = stablehlo.multiply %g, %r : tensor<8x8xf32>
  %p = stablehlo.subtract %a, %t : tensor<8x8xf32>
)") << true << QStringLiteral("parameter nu");
        QTest::addRow("Lion") << QStringLiteral(R"(%s = stablehlo.multiply %b, %rate : tensor<8x8xf32>
  %n = stablehlo.add %s, %g : tensor<8x8xf32>
  %t = stablehlo.sign %n : tensor<8x8xf32>
  %p = stablehlo.subtract %a, %t : tensor<8x8xf32>
)") << true << QStringLiteral("parameter mu");
        // The norm of the updates, which nobody reads, goes through a root.
        QTest::addRow("norm") << QStringLiteral(R"(%s = stablehlo.multiply %b, %rate : tensor<8x8xf32>
  %n = stablehlo.add %s, %g : tensor<8x8xf32>
  %nn = stablehlo.multiply %n, %n : tensor<8x8xf32>
  %sum = stablehlo.reduce(%nn init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
  %root = stablehlo.sqrt %sum : tensor<f32>
  %p = stablehlo.subtract %a, %n : tensor<8x8xf32>
)") << true << QStringLiteral("parameter mu");
        QTest::addRow("call") << QStringLiteral(
            R"(%n, %p = func.call @update(%a, %b, %g) : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
)") << true << QStringLiteral("parameter nu");
        // An average of parameters is none: no parameter is updated with it.
        QTest::addRow("average") << QStringLiteral(R"(%s = stablehlo.multiply %b, %rate : tensor<8x8xf32>
  %p = stablehlo.subtract %a, %g : tensor<8x8xf32>
  %t = stablehlo.multiply %p, %rate : tensor<8x8xf32>
  %n = stablehlo.add %s, %t : tensor<8x8xf32>
)") << true << QStringLiteral("parameter parameter");
    }
    void momentsByUse()
    {
        QFETCH(QString, update);
        QFETCH(bool, hasLoss);
        QFETCH(QString, roles);
        for (const bool swapped : { false, true }) {
            QString text =
                QStringLiteral(R"(func.func @main(%1: tensor<8x8xf32>, %2: tensor<8x8xf32>, %x: tensor<4x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>%3) {
  %rate = stablehlo.constant dense<0.5> : tensor<8x8xf32>
  %y = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %g = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %l = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %4return %5, %6%7 : tensor<8x8xf32>, tensor<8x8xf32>%3
}
)");
            QStringList expected = roles.split(QLatin1Char(' '));
            if (swapped)
                expected.swapItemsAt(0, 1);
            text = text.arg(swapped ? QStringLiteral("%b") : QStringLiteral("%a"),
                           swapped ? QStringLiteral("%a") : QStringLiteral("%b"))
                       .replace(QStringLiteral("%3"), hasLoss ? QStringLiteral(", tensor<f32>") : QString())
                       .replace(QStringLiteral("%4"), update)
                       .replace(QStringLiteral("%5"), swapped ? QStringLiteral("%n") : QStringLiteral("%p"))
                       .replace(QStringLiteral("%6"), swapped ? QStringLiteral("%p") : QStringLiteral("%n"))
                       .replace(QStringLiteral("%7"), hasLoss ? QStringLiteral(", %l") : QString());
            text += QStringLiteral(
                R"(func.func private @update(%p: tensor<8x8xf32>, %v: tensor<8x8xf32>, %g: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.multiply %g, %g : tensor<8x8xf32>
  %1 = stablehlo.add %v, %0 : tensor<8x8xf32>
  %2 = stablehlo.sqrt %1 : tensor<8x8xf32>
  %3 = stablehlo.divide %g, %2 : tensor<8x8xf32>
  %4 = stablehlo.subtract %p, %3 : tensor<8x8xf32>
  return %1, %4 : tensor<8x8xf32>, tensor<8x8xf32>
}
)");
            QCOMPARE(roleText(text.toStdString(), "0=0,1=1"),
                expected.join(QLatin1Char(' ')) + QStringLiteral(" input -> activation activation")
                    + (hasLoss ? QStringLiteral(" loss") : QString()));
        }
    }

    /// Each network's moments, though the first loss does not depend on the second network.
    void twoNetworks()
    {
        QCOMPARE(
            roleText(
                R"(func.func @main(%ma: tensor<8x8xf32>, %a: tensor<8x8xf32>, %mb: tensor<8x8xf32>, %b: tensor<8x8xf32>,
    %x: tensor<4x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>, tensor<f32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %ya = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %la = stablehlo.reduce(%ya init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %ga = stablehlo.dot_general %x, %ya, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %na = stablehlo.add %ma, %ga : tensor<8x8xf32>
  %pa = stablehlo.subtract %a, %na : tensor<8x8xf32>
  %yb = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %lb = stablehlo.reduce(%yb init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %gb = stablehlo.dot_general %x, %yb, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %nb = stablehlo.add %mb, %gb : tensor<8x8xf32>
  %pb = stablehlo.subtract %b, %nb : tensor<8x8xf32>
  return %na, %pa, %nb, %pb, %la, %lb : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<f32>, tensor<f32>
}
)",
                "0=0,1=1,2=2,3=3"),
            QStringLiteral("mu parameter mu parameter input -> ") + QStringLiteral("activation ").repeated(4)
                + QStringLiteral("loss activation"));
    }

    /// Weights in bf16 that are made anew of master weights: these are no moment of them.
    void masterWeights()
    {
        QVERIFY(roleText(R"(func.func @main(%q: tensor<8x8xbf16>, %m: tensor<8x8xf32>, %w: tensor<8x8xf32>,
    %x: tensor<4x8xbf16>) -> (tensor<8x8xbf16>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<bf16>) {
  %z = stablehlo.constant dense<0.0> : tensor<bf16>
  %y = stablehlo.dot_general %x, %q, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  %l = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xbf16>, tensor<bf16>) -> tensor<bf16>
  %h = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<8x8xbf16>
  %g = stablehlo.convert %h : (tensor<8x8xbf16>) -> tensor<8x8xf32>
  %n = stablehlo.add %m, %g : tensor<8x8xf32>
  %p = stablehlo.subtract %w, %n : tensor<8x8xf32>
  %c = stablehlo.convert %p : (tensor<8x8xf32>) -> tensor<8x8xbf16>
  return %c, %n, %p, %l : tensor<8x8xbf16>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<bf16>
}
)",
            "0=0,1=1,2=2")
                    .startsWith(QStringLiteral("parameter mu parameter input")));
    }

    /// Two layers that are alike are no list of parameters with their moments.
    void layersAlike()
    {
        QCOMPARE(
            roleText(R"(func.func @main(%a: tensor<8x8xf32>, %b: tensor<8xf32>, %c: tensor<8x8xf32>, %d: tensor<8xf32>,
    %x: tensor<4x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<f32>) {
  %y = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %e = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %h = stablehlo.add %y, %e : tensor<4x8xf32>
  %u = stablehlo.dot_general %h, %c, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %f = stablehlo.broadcast_in_dim %d, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %o = stablehlo.add %u, %f : tensor<4x8xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %l = stablehlo.reduce(%o init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  %ga = stablehlo.dot_general %x, %h, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %gb = stablehlo.reduce(%h init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  %gc = stablehlo.dot_general %h, %o, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %gd = stablehlo.reduce(%o init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  %na = stablehlo.subtract %a, %ga : tensor<8x8xf32>
  %nb = stablehlo.subtract %b, %gb : tensor<8xf32>
  %nc = stablehlo.subtract %c, %gc : tensor<8x8xf32>
  %nd = stablehlo.subtract %d, %gd : tensor<8xf32>
  return %na, %nb, %nc, %nd, %l : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<f32>
}
)",
                "0=0,1=1,2=2,3=3"),
            QStringLiteral("parameter parameter parameter parameter input -> ")
                + QStringLiteral("activation ").repeated(4) + QStringLiteral("loss"));
    }

    void byName()
    {
        QCOMPARE(roleText(R"(func.func @main(%a: tensor<8xf32> loc("state.opt_state[0].nu['params']['w']"),
    %b: tensor<8xf32> loc("state.params['w']"), %c: tensor<8xf32> loc("grads['w']"), %x: tensor<8xf32> loc("batch"))
    -> (tensor<8xf32> {jax.result_info = "[0].opt_state[0].nu['params']['w']"}, tensor<8xf32>) {
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}
)",
                     "0=0,1=1"),
            QStringLiteral("nu parameter gradient input -> activation activation"));
    }

    /// Of several words in a name the first one.
    void firstWordCounts()
    {
        QCOMPARE(roleText(R"(func.func @main(%a: tensor<8xf32> loc("state.params['mu']['kernel']"),
    %b: tensor<8xf32> loc("opt_state[0].mu['params']['kernel']"), %c: tensor<8xf32> loc("batch['step']"),
    %d: tensor<f32> loc("loss"))
    -> (tensor<f32> {jax.result_info = "result['accuracy']"}, tensor<f32> {jax.result_info = "result['loss']"},
        tensor<f32> {jax.result_info = "result['loss']['again']"}) {
  return %d, %d, %d : tensor<f32>, tensor<f32>, tensor<f32>
}
)",
                     ""),
            QStringLiteral("parameter mu input input -> activation loss activation"));
    }

    /// Of a program that is no step: weights, and what jax.value_and_grad returns.
    void withoutState()
    {
        QCOMPARE(
            roleText(
                R"(func.func @main(%a: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>, %v: tensor<8x8xf32>)
    -> tensor<4x8xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x8xf32>
  %3 = stablehlo.tanh %2 : tensor<4x8xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}
)",
                ""),
            QStringLiteral("input parameter parameter parameter -> activation"));
        const auto ofGradient = [](const QString& parameter, const QString& loss, const QString& gradient) {
            const QString text = QStringLiteral(R"(func.func @main(%w: tensor<8x8xf32>%1, %a: tensor<4x8xf32>)
    -> (tensor<f32>%2, tensor<8x8xf32>%3) {
  %y = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %g = stablehlo.dot_general %a, %y, contracting_dims = [0] x [0] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %l = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
  return %l, %g : tensor<f32>, tensor<8x8xf32>
}
)")
                                     .arg(parameter, loss, gradient);
            return roleText(text.toStdString(), "");
        };
        const QString roles = QStringLiteral("parameter input -> loss gradient");
        QCOMPARE(
            ofGradient(QStringLiteral(" loc(\"params['w']\")"), QStringLiteral(" {jax.result_info = \"result[0]\"}"),
                QStringLiteral(" {jax.result_info = \"result[1]['w']\"}")),
            roles);
        QCOMPARE(ofGradient({}, {}, {}), roles);
    }

    /// A layer adds to its data, which are no state for that; the scale of a norm is a weight, and so is a bias.
    void residual()
    {
        const std::string layer =
            R"((%s: tensor<8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %x: tensor<4x2x8xf32>)
    -> tensor<4x2x8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<4x2x8xf32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [2] : (tensor<4x2x8xf32>, tensor<f32>) -> tensor<4x2xf32>
  %2 = stablehlo.rsqrt %1 : tensor<4x2xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<4x2xf32>) -> tensor<4x2x8xf32>
  %4 = stablehlo.multiply %x, %3 : tensor<4x2x8xf32>
  %5 = stablehlo.broadcast_in_dim %s, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<4x2x8xf32>
  %7 = stablehlo.multiply %4, %6 : tensor<4x2x8xf32>
  %8 = stablehlo.dot_general %7, %w, contracting_dims = [2] x [0] : (tensor<4x2x8xf32>, tensor<8x8xf32>) -> tensor<4x2x8xf32>
  %9 = stablehlo.tanh %8 : tensor<4x2x8xf32>
  %10 = stablehlo.dot_general %9, %v, contracting_dims = [2] x [0] : (tensor<4x2x8xf32>, tensor<8x8xf32>) -> tensor<4x2x8xf32>
  %11 = stablehlo.add %x, %10 : tensor<4x2x8xf32>
  return %11 : tensor<4x2x8xf32>
}
)";
        QCOMPARE(roleText("func.func @main" + layer, ""),
            QStringLiteral("parameter parameter parameter input -> activation"));
        // Two layers that are calls of one function.
        QCOMPARE(roleText(
                     R"(func.func @main(%s: tensor<8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>, %t: tensor<8xf32>,
    %a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %x: tensor<4x2x8xf32>) -> tensor<4x2x8xf32> {
  %0 = call @layer(%s, %w, %v, %x) : (tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<4x2x8xf32>) -> tensor<4x2x8xf32>
  %1 = call @layer(%t, %a, %b, %0) : (tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<4x2x8xf32>) -> tensor<4x2x8xf32>
  return %1 : tensor<4x2x8xf32>
}
func.func private @layer)"
                         + layer,
                     ""),
            QStringLiteral("parameter ").repeated(6) + QStringLiteral("input -> activation"));
    }

    /// Weights that are scaled before they are multiplied; what is computed of data stays data on that side.
    void scaledWeights()
    {
        const auto roles = [](const QString& side, const QString& product) {
            return roleText(
                QStringLiteral(R"(func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %s: tensor<8xf32>)
    -> tensor<8x8xf32> {
  %0 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<8xf32>) -> tensor<8x8xf32>
  %1 = %1
  %2 = stablehlo.dot_general %2, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
)")
                    .replace(QStringLiteral("= %1"), QStringLiteral("= ") + side)
                    .replace(QStringLiteral("dot_general %2"), QStringLiteral("dot_general ") + product)
                    .toStdString(),
                "");
        };
        const QString scaled = QStringLiteral("stablehlo.multiply %b, %0 : tensor<8x8xf32>");
        QCOMPARE(roles(scaled, QStringLiteral("%a, %1")), QStringLiteral("input parameter parameter -> activation"));
        QCOMPARE(roles(QStringLiteral("stablehlo.multiply %0, %b : tensor<8x8xf32>"), QStringLiteral("%a, %1")),
            QStringLiteral("input parameter parameter -> activation"));
        QCOMPARE(roles(QStringLiteral("stablehlo.tanh %b : tensor<8x8xf32>"), QStringLiteral("%a, %1")),
            QStringLiteral("parameter input input -> activation"));
    }

    /// Keys and values are data, and no weights that data are multiplied by.
    void attention()
    {
        const auto roles = [](const QString& scores, const QString& result) {
            return roleText(
                QStringLiteral(R"(func.func @main(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x8xf32>)
    -> tensor<4x8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.exponential %SCORES : tensor<4x6xf32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %4 = stablehlo.divide %1, %3 : tensor<4x6xf32>
  %5 = stablehlo.dot_general %RESULT, %v, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}
)")
                    .replace(QStringLiteral("%SCORES"), scores)
                    .replace(QStringLiteral("%RESULT"), result)
                    .toStdString(),
                "");
        };
        QCOMPARE(roles(QStringLiteral("%0"), QStringLiteral("%4")), QStringLiteral("input input input -> activation"));
        QCOMPARE(roles(QStringLiteral("%0"), QStringLiteral("%0")), // nothing but products
            QStringLiteral("input parameter parameter -> activation"));
    }

    /// Keys and values of two layers, which a step writes a row of: no parameters with moments.
    void caches()
    {
        const std::string row = "tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<6x8xf32>\n";
        const std::string values = "tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<6x4xf32>\n";
        QCOMPARE(roleText("func.func @main(%k0: tensor<6x8xf32>, %v0: tensor<6x4xf32>, %k1: tensor<6x8xf32>, "
                          "%v1: tensor<6x4xf32>, %k: tensor<1x8xf32>, %v: tensor<1x4xf32>, %i: tensor<i32>)\n"
                          "    -> (tensor<6x8xf32>, tensor<6x4xf32>, tensor<6x8xf32>, tensor<6x4xf32>) {\n"
                          "  %0 = stablehlo.dynamic_update_slice %k0, %k, %i, %i : (tensor<6x8xf32>, "
                         + row + "  %1 = stablehlo.dynamic_update_slice %v0, %v, %i, %i : (tensor<6x4xf32>, " + values
                         + "  %2 = stablehlo.dynamic_update_slice %k1, %k, %i, %i : (tensor<6x8xf32>, " + row
                         + "  %3 = stablehlo.dynamic_update_slice %v1, %v, %i, %i : (tensor<6x4xf32>, " + values
                         + "  return %0, %1, %2, %3 : tensor<6x8xf32>, tensor<6x4xf32>, tensor<6x8xf32>, "
                           "tensor<6x4xf32>\n}\n",
                     "0=0,1=1,2=2,3=3"),
            QStringLiteral("input ").repeated(7) + QStringLiteral("-> activation activation activation activation"));
    }

    /// A mask is the same for all of a batch, and no weight for that.
    void mask()
    {
        QCOMPARE(roleText(R"(func.func @main(%a: tensor<4x8xf32>, %w: tensor<8x8xf32>, %k: tensor<8x8xf32>)
    -> tensor<4x8x8xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.tanh %0 : tensor<4x8xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x8xf32>
  %3 = stablehlo.broadcast_in_dim %k, dims = [1, 2] : (tensor<8x8xf32>) -> tensor<4x8x8xf32>
  %4 = stablehlo.multiply %2, %3 : tensor<4x8x8xf32>
  return %4 : tensor<4x8x8xf32>
}
)",
                     ""),
            QStringLiteral("input parameter input -> activation"));
    }

    /// The parts of an array in another order are no update of it.
    void rolled()
    {
        QCOMPARE(roleText(R"(func.func @main(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.slice %a [7:8, 0:4] : (tensor<8x4xf32>) -> tensor<1x4xf32>
  %1 = stablehlo.slice %a [0:7, 0:4] : (tensor<8x4xf32>) -> tensor<7x4xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
)",
                     ""),
            QStringLiteral("input -> activation"));
    }

    /// Of arrays that are all alike those are parameters that a contraction takes.
    void momentsGoIntoNoContraction()
    {
        QCOMPARE(
            roleText(
                R"(func.func @main(%p: tensor<8x8xf32>, %q: tensor<8x8xf32>, %m: tensor<8x8xf32>, %n: tensor<8x8xf32>,
    %x: tensor<4x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.dot_general %0, %q, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %p, %q, %m, %n : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
)",
                "0=0,1=1,2=2,3=3"),
            QStringLiteral("parameter parameter mu mu input -> activation activation activation activation"));
    }

    /// The gradient is what the update of a parameter takes beside the state, whatever it makes of it.
    void gradients()
    {
        const auto gradientOf = [](const std::string& update) {
            const std::string text = R"(func.func @main(%p: tensor<4x4xf32>, %m: tensor<4x4xf32>, %x: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %rate = stablehlo.constant dense<0.5> : tensor<f32>
  %r = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
  %g = stablehlo.dot_general %x, %p, contracting_dims = [0] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %h = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
)" + update + "\n  return %next, %moment : tensor<4x4xf32>, tensor<4x4xf32>\n}\n";
            Result<ReadProgram> read = readStableHlo(text);
            if (!read)
                qFatal("the test's program cannot be read");
            declaredName(*read, text);
            const ProgramRoles roles = guessRoles(read->program, stateOf(read->program, "0=0,1=1"));
            giveRoles(read->program, roles);
            QString names;
            for (const ValueId gradient : keptValues(read->program))
                names += QString::fromStdString(*read->program.value(gradient).path) + QLatin1Char(' ');
            return names.trimmed();
        };
        const std::string moment = R"(  %a = stablehlo.multiply %r, %m : tensor<4x4xf32>
  %b = stablehlo.multiply %r, %GRADIENT : tensor<4x4xf32>
  %moment = stablehlo.add %a, %b : tensor<4x4xf32>
  %next = stablehlo.subtract %p, %moment : tensor<4x4xf32>)";
        const auto withGradient = [&](const char* name) {
            std::string text = moment;
            return text.replace(text.find("GRADIENT"), 8, name);
        };
        QCOMPARE(gradientOf(withGradient("g")), QStringLiteral("g"));
        QCOMPARE(
            gradientOf("  %s = stablehlo.add %g, %h : tensor<4x4xf32>\n" + withGradient("s")), QStringLiteral("s"));
        QCOMPARE(gradientOf("  %s = stablehlo.multiply %r, %g : tensor<4x4xf32>\n" + withGradient("s")),
            QStringLiteral("g"));
        // A mean from which two moments are worked out is the gradient, and not the sum that it is of; what is clipped
        // by a number of its own is it before that.
        const auto twice = [&](const std::string& scaled) {
            return gradientOf(scaled + R"(  %a = stablehlo.multiply %r, %s : tensor<4x4xf32>
  %d = stablehlo.add %m, %a : tensor<4x4xf32>
  %b = stablehlo.multiply %s, %s : tensor<4x4xf32>
  %c = stablehlo.add %d, %b : tensor<4x4xf32>
  %moment = stablehlo.add %m, %m : tensor<4x4xf32>
  %next = stablehlo.subtract %p, %c : tensor<4x4xf32>)");
        };
        QCOMPARE(twice("  %s = stablehlo.multiply %g, %r : tensor<4x4xf32>\n"), QStringLiteral("s"));
        QCOMPARE(
            twice(
                R"(  %norm = stablehlo.reduce(%g init: %rate) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
  %n = stablehlo.broadcast_in_dim %norm, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
  %s = stablehlo.divide %g, %n : tensor<4x4xf32>
)"),
            QStringLiteral("g"));
        QCOMPARE(gradientOf(withGradient("p")), QString()); // made of the state alone
        QCOMPARE(gradientOf(withGradient("x")), QString()); // main takes it
    }

    void chosen()
    {
        const std::vector<ChosenRole> chosen{ { "arg*", Role::Parameter }, { "arg8", Role::Input },
            { "result9", Role::Gradient } };
        const QString roles = roleText(adam, "none", chosen);
        QVERIFY(roles.contains(QStringLiteral("parameter input parameter -> ")));
        QVERIFY(roles.endsWith(QStringLiteral(" gradient")));
        // A loss that is chosen is the only one.
        QVERIFY(
            roleText(adam, "none", { { "result0", Role::Loss } }).endsWith(QStringLiteral(" activation activation")));
    }
};

REGISTER_TEST(RolesTest)
#include "test_roles.moc"
