// SPDX-License-Identifier: GPL-3.0-or-later
// Which named array a value without a name is a part of.
#include <QTest>

#include "program/array_parts.h"
#include "program/name_values.h"
#include "registered_test.h"
#include "stablehlo/read.h"

using namespace shardscope;

namespace {

/// A loop over two layers whose weights are stacked; it leaves a gradient per layer.
constexpr const char* scanned = R"(
func.func public @main(%w: tensor<2x4x4xf32>, %x: tensor<8x4xf32>, %table: tensor<9x4xf32>)
    -> (tensor<8x4xf32>, tensor<2x4x4xf32>, tensor<9x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<2x4x4xf32>
  %loop:4 = stablehlo.while(%i = %zero, %stack = %w, %carry = %x, %grads = %empty)
      : tensor<i32>, tensor<2x4x4xf32>, tensor<8x4xf32>, tensor<2x4x4xf32>
    cond {
      %more = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %slice = stablehlo.dynamic_slice %stack, %i, %zero, %zero, sizes = [1, 4, 4]
          : (tensor<2x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x4xf32>
      %layer = stablehlo.reshape %slice : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
      %half = stablehlo.convert %layer : (tensor<4x4xf32>) -> tensor<4x4xbf16>
      %back = stablehlo.convert %half : (tensor<4x4xbf16>) -> tensor<4x4xf32>
      %y = stablehlo.dot_general %carry, %back, contracting_dims = [1] x [0]
          : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
      %g = stablehlo.dot_general %carry, %y, contracting_dims = [0] x [0]
          : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
      %turned = stablehlo.reshape %g : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
      %left = stablehlo.dynamic_update_slice %grads, %turned, %i, %zero, %zero
          : (tensor<2x4x4xf32>, tensor<1x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x4x4xf32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %stack, %y, %left : tensor<i32>, tensor<2x4x4xf32>, tensor<8x4xf32>, tensor<2x4x4xf32>
    }
  %a = stablehlo.negate %table : tensor<9x4xf32>
  %b = stablehlo.cosine %table : tensor<9x4xf32>
  %sum = stablehlo.add %a, %b : tensor<9x4xf32>
  %cast = stablehlo.convert %table : (tensor<9x4xf32>) -> tensor<9x4xbf16>
  return %loop#2, %loop#3, %sum : tensor<8x4xf32>, tensor<2x4x4xf32>, tensor<9x4xf32>
})";

Program programOf(const std::string& text)
{
    ReadProgram read = readStableHlo(text).value();
    declaredName(read, text);
    return std::move(read.program);
}

} // namespace

class ArrayPartsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ofLoopsAndSums()
    {
        Program program = programOf(scanned);
        program.values[valueNamed(program, "loop#3").index].role = Role::Gradient;
        program.values[valueNamed(program, "sum").index].role = Role::Gradient;
        program.values[valueNamed(program, "loop#2").index].role = Role::Gradient; // every trip makes it anew
        const std::vector<ValueId> parts = arraysOfParts(program);
        const auto of = [&](const char* name) {
            const ValueId value = valueNamed(program, name);
            if (!value.valid())
                qFatal("no value is called %s", name);
            const ValueId found = parts[value.index];
            return found.valid() ? QString::fromStdString(program.value(found).path) : QString();
        };
        for (const char* const name : { "slice", "layer", "half", "back", "stack", "loop#1" })
            QCOMPARE(of(name), QStringLiteral("w"));
        for (const char* const name : { "g", "turned", "left" })
            QCOMPARE(of(name), QStringLiteral("loop#3"));
        QCOMPARE(of("a"), QStringLiteral("sum"));
        QCOMPARE(of("b"), QStringLiteral("sum"));
        QCOMPARE(of("cast"), QStringLiteral("table"));
        // What is carried and computed is a part of nothing, and what has a name of its own is not either.
        for (const char* const name : { "y", "carry", "next", "w", "table", "sum", "loop#3", "loop#2", "empty" })
            QCOMPARE(of(name), QString());
    }

    /// A sum that trips add to has parts; the gradient that goes back through the layers is another one in each trip.
    /// The sum over microbatches is a part of the gradient that is their mean; a factor of a product is none.
    void ofMeans()
    {
        Program program = programOf(R"(
func.func public @main(%x: tensor<9x4xf32>, %n: tensor<9x4xf32>) -> (tensor<9x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>) {
  %a = stablehlo.negate %x : tensor<9x4xf32>
  %b = stablehlo.cosine %x : tensor<9x4xf32>
  %sum = stablehlo.add %a, %b : tensor<9x4xf32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %share = stablehlo.broadcast_in_dim %half, dims = [] : (tensor<f32>) -> tensor<9x4xf32>
  %mean = stablehlo.multiply %share, %sum : tensor<9x4xf32>
  %c = stablehlo.sine %x : tensor<9x4xf32>
  %two = stablehlo.constant dense<2.0> : tensor<9x4xf32>
  %quotient = stablehlo.divide %c, %two : tensor<9x4xf32>
  %d = stablehlo.tanh %x : tensor<9x4xf32>
  %product = stablehlo.multiply %d, %n : tensor<9x4xf32>
  return %mean, %quotient, %product : tensor<9x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>
})");
        for (const char* gradient : { "mean", "quotient", "product" })
            program.values[valueNamed(program, gradient).index].role = Role::Gradient;
        const std::vector<ValueId> parts = arraysOfParts(program);
        const auto of = [&](const char* name) { return parts[valueNamed(program, name).index]; };
        for (const char* part : { "a", "b", "sum" })
            QVERIFY2(of(part) == valueNamed(program, "mean"), part);
        QVERIFY(of("c") == valueNamed(program, "quotient"));
        QVERIFY(!of("d").valid());
        QVERIFY(!of("share").valid());
    }

    void ofWhatGoesThroughALoop()
    {
        Program program = programOf(R"(
func.func public @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %empty = stablehlo.constant dense<0.0> : tensor<4x4xf32>
  %loop:3 = stablehlo.while(%i = %zero, %back = %x, %sum = %empty)
      : tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>
    cond {
      %more = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %f = stablehlo.dot_general %back, %w, contracting_dims = [1] x [0]
          : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %through = stablehlo.add %back, %f : tensor<4x4xf32>
      %g = stablehlo.dot_general %back, %back, contracting_dims = [0] x [0]
          : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %added = stablehlo.add %sum, %g : tensor<4x4xf32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %through, %added : tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>
    }
  return %loop#1, %loop#2 : tensor<4x4xf32>, tensor<4x4xf32>
})");
        program.values[valueNamed(program, "loop#1").index].role = Role::Gradient;
        program.values[valueNamed(program, "loop#2").index].role = Role::Gradient;
        const std::vector<ValueId> parts = arraysOfParts(program);
        const auto of = [&](const char* name) { return parts[valueNamed(program, name).index]; };
        for (const char* const name : { "g", "added" })
            QCOMPARE(of(name), valueNamed(program, "loop#2"));
        for (const char* const name : { "f", "through" })
            QVERIFY2(!of(name).valid(), name);
    }

    /// A function that is called once is followed, another one is not.
    void ofFunctions()
    {
        const auto program = [](const char* more) {
            return programOf(std::string(R"(
func.func public @main(%w: tensor<4xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%w) : (tensor<4xf32>) -> tensor<4xf32>
)") + more + R"(
  return %0 : tensor<4xf32>
}
func.func private @f(%p: tensor<4xf32>) -> tensor<4xf32> {
  %1 = stablehlo.convert %p : tensor<4xf32>
  return %1 : tensor<4xf32>
})");
        };
        const Program once = program(""), twice = program("%2 = call @f(%v) : (tensor<4xf32>) -> tensor<4xf32>");
        const auto of = [](const Program& in, const char* name) {
            return arraysOfParts(in)[valueNamed(in, name).index];
        };
        QVERIFY(of(once, "f/1") == once.main().arguments[0]);
        QVERIFY(of(once, "0") == once.main().arguments[0]);
        QVERIFY(!of(twice, "f/1").valid());
        QVERIFY(!of(twice, "0").valid());
    }
};

REGISTER_TEST(ArrayPartsTest)
#include "test_array_parts.moc"
