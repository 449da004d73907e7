// SPDX-License-Identifier: GPL-3.0-or-later
// Complex arrays and Fourier transforms, in full and on devices, against plain loops over std::complex<double>.
#include <QtTest>

#include <complex>
#include <functional>
#include <numbers>

#include "base/codes.h"
#include "partition/partition_program.h"
#include "registered_test.h"
#include "simulate/check/check.h"
#include "simulate/check/compare.h"
#include "simulate/drawn_array.h"
#include "simulate/executed.h"
#include "simulate/kernels/call.h"
#include "simulate/run/own_random.h"
#include "stablehlo/read.h"

using namespace shardscope;
using kernels::Array;

namespace {

using Number = std::complex<double>;
using ComplexNumbers = std::vector<Number>;

Program complexProgram(const std::string& text)
{
    auto read = readStableHlo(text);
    if (!read)
        qFatal("line %d: %s\n%s", read.error().where.line, std::string(read.error().kind()).c_str(), text.c_str());
    return std::move(read->program);
}

/// Elements of any float or complex array.
ComplexNumbers complexNumbers(const Array& array)
{
    const bool isReal = !isComplex(array.type.dtype);
    const Array parts = kernels::partsOf(array);
    ComplexNumbers out;
    for (std::int64_t i = 0; i < array.count(); ++i)
        out.push_back(isReal ? Number(kernels::numberAt(array, i))
                             : Number(kernels::numberAt(parts, 2 * i), kernels::numberAt(parts, 2 * i + 1)));
    return out;
}

/// Whether each is as near as `steps` distances of the type's numbers at the largest of them.
bool areNear(const Array& found, const ComplexNumbers& wanted, double steps)
{
    const ComplexNumbers ours = complexNumbers(found);
    if (ours.size() != wanted.size())
        return false;
    double largest = 0;
    for (const Number& number : wanted)
        largest = std::max(largest, std::abs(number));
    const double tolerance = steps * epsilonOf(found.type.dtype) * largest;
    for (std::size_t i = 0; i < ours.size(); ++i)
        if (!(std::abs(ours[i] - wanted[i]) <= tolerance)) {
            qWarning("element %zu is %g + %g i, and should be %g + %g i", i, ours[i].real(), ours[i].imag(),
                wanted[i].real(), wanted[i].imag());
            return false;
        }
    return true;
}

/// As the transform is defined, along one dimension: a sum over j for every k.
ComplexNumbers definedTransform(
    const ComplexNumbers& in, const std::vector<std::size_t>& shape, std::size_t dimension, bool inverse)
{
    std::size_t step = 1;
    for (std::size_t d = dimension + 1; d < shape.size(); ++d)
        step *= shape[d];
    const std::size_t n = shape[dimension];
    ComplexNumbers out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::size_t k = i / step % n, first = i - k * step;
        for (std::size_t j = 0; j < n; ++j) {
            const double turns = static_cast<double>(j * k % n) / static_cast<double>(n);
            const Number root = std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * turns);
            out[i] += in[first + j * step] * root / (inverse ? static_cast<double>(n) : 1.0);
        }
    }
    return out;
}

std::string shapeText(const std::vector<std::size_t>& shape, const std::string& element)
{
    std::string text = "tensor<";
    for (const std::size_t size : shape)
        text += std::to_string(size) + 'x';
    return text + element + '>';
}

/// A function of arguments with shardings, one line of the body each; the last value is returned.
std::string functionText(const std::vector<std::pair<std::string, std::string>>& arguments,
    const std::vector<std::string>& body, const std::string& result)
{
    std::string text = "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\nfunc.func @main(";
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        text += (i > 0 ? ", %arg" : "%arg") + std::to_string(i) + ": " + arguments[i].first;
        if (!arguments[i].second.empty())
            text += " {sdy.sharding = #sdy.sharding<@mesh, " + arguments[i].second + ">}";
    }
    text += ") -> " + result + " {\n";
    for (std::size_t i = 0; i < body.size(); ++i)
        text += "  %" + std::to_string(i) + " = " + body[i] + "\n";
    return text + "  return %" + std::to_string(body.size() - 1) + " : " + result + "\n}\n";
}

/// Drawn arguments, and the result of the program in full; on devices it is within roundings of that.
struct Answer {
    kernels::Arrays arguments;
    Array result;
    bool agrees = false;
};
Answer answerOf(const std::string& text)
{
    const Program program = complexProgram(text);
    Answer answer;
    const std::vector<ValueId>& arguments = program.main().arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        answer.arguments.push_back(test::drawnArray(program.value(arguments[i]).type, 7, i));
    const auto full = test::executeInFull(program, answer.arguments);
    if (!full)
        qFatal("%s", full.error().text("op").c_str());
    answer.result = full->outputs[0];
    const auto parts = partitionProgram(program);
    if (!parts)
        qFatal("not partitioned: %s", std::string(parts.error().kind()).c_str());
    const auto done = test::executeParts(*parts, answer.arguments);
    if (!done)
        qFatal("not executed: %s", done.error().text("op").c_str());
    const ArrayComparison compared = compareWithReference(done->outputs[0], answer.result);
    answer.agrees = done->differences.empty() && compared.passed() && compared.notFinite == 0
        && compared.compared == answer.result.count();
    return answer;
}

} // namespace

class TestComplexExecution : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void transformsOfAnyLength_data();
    void transformsOfAnyLength();
    void transformsOfRealNumbers_data();
    void transformsOfRealNumbers();
    void functionsOfElements_data();
    void functionsOfElements();
    void productsAndSums();
    void linearSystems();
    void comparesAndConverts();
    void drawsBothParts();
    void comparesPartByPart();
    void marksOwnRandomNumbers();
};

void TestComplexExecution::transformsOfAnyLength_data()
{
    QTest::addColumn<std::vector<std::size_t>>("shape");
    QTest::addColumn<int>("count");
    const auto row = [](std::vector<std::size_t> shape, int count) {
        QTest::newRow((shapeText(shape, "c") + ' ' + std::to_string(count)).c_str()) << shape << count;
    };
    for (const std::size_t length : { 1U, 2U, 3U, 5U, 8U, 12U, 16U, 17U, 31U, 64U, 97U, 100U })
        row({ 4, length }, 1);
    row({ 4, 6, 5 }, 2);
    row({ 2, 3, 20 }, 3);
    row({ 4, 2, 3, 8 }, 3);
}

void TestComplexExecution::transformsOfAnyLength()
{
    QFETCH(const std::vector<std::size_t>, shape);
    QFETCH(const int, count);
    const std::size_t first = shape.size() - static_cast<std::size_t>(count);
    std::string lengths, dims = first > 0 ? "[{\"x\"}" : "[{}";
    for (std::size_t d = first; d < shape.size(); ++d)
        lengths += (d > first ? ", " : "") + std::to_string(shape[d]);
    for (std::size_t d = 1; d < shape.size(); ++d)
        dims += d + 1 == shape.size() && shape[d] % 2 == 0 ? ", {\"y\"}" : ", {}";
    dims += ']';
    for (const char* element : { "complex<f32>", "complex<f64>" }) {
        for (const bool inverse : { false, true }) {
            const std::string type = shapeText(shape, element);
            const Answer answer = answerOf(functionText({ { type, dims } },
                { std::string("stablehlo.fft %arg0, type = ") + (inverse ? "IFFT" : "FFT") + ", length = [" + lengths
                    + "] : (" + type + ") -> " + type },
                type));
            ComplexNumbers wanted = complexNumbers(answer.arguments[0]);
            for (std::size_t d = first; d < shape.size(); ++d)
                wanted = definedTransform(wanted, shape, d, inverse);
            QVERIFY(areNear(answer.result, wanted, 40));
            QVERIFY(answer.agrees);
        }
    }
}

void TestComplexExecution::transformsOfRealNumbers_data()
{
    transformsOfAnyLength_data();
}

/// Half of the last dimension of a transform of real numbers, and back to the numbers from it.
void TestComplexExecution::transformsOfRealNumbers()
{
    QFETCH(const std::vector<std::size_t>, shape);
    QFETCH(const int, count);
    const std::size_t first = shape.size() - static_cast<std::size_t>(count), last = shape.size() - 1;
    std::string lengths, dims = first > 0 ? "[{\"x\"}" : "[{}";
    for (std::size_t d = first; d < shape.size(); ++d)
        lengths += (d > first ? ", " : "") + std::to_string(shape[d]);
    for (std::size_t d = 1; d < shape.size(); ++d)
        dims += ", {}";
    dims += ']';
    std::vector<std::size_t> half = shape;
    half[last] = shape[last] / 2 + 1;
    for (const char* part : { "f32", "f64" }) {
        const std::string type = shapeText(shape, part),
                          halfType = shapeText(half, std::string("complex<") + part + '>');
        const std::string forward =
            "stablehlo.fft %arg0, type = RFFT, length = [" + lengths + "] : (" + type + ") -> " + halfType;
        const Answer answer = answerOf(functionText({ { type, dims } }, { forward }, halfType));
        ComplexNumbers full = complexNumbers(answer.arguments[0]);
        for (std::size_t d = first; d < shape.size(); ++d)
            full = definedTransform(full, shape, d, false);
        ComplexNumbers wanted;
        for (std::size_t i = 0; i < full.size(); ++i)
            if (i % shape[last] < half[last])
                wanted.push_back(full[i]);
        QVERIFY(areNear(answer.result, wanted, 40));
        QVERIFY(answer.agrees);
        const Answer back = answerOf(functionText({ { type, dims } },
            { forward, "stablehlo.fft %0, type = IRFFT, length = [" + lengths + "] : (" + halfType + ") -> " + type },
            type));
        QVERIFY(areNear(back.result, complexNumbers(back.arguments[0]), 40));
        QVERIFY(back.agrees);
    }
}

using UnaryNumber = std::function<Number(Number)>;
using BinaryNumber = std::function<Number(Number, Number)>;

void TestComplexExecution::functionsOfElements_data()
{
    QTest::addColumn<QString>("op");
    QTest::addColumn<int>("gives"); // 0: complex numbers, 1: real ones
    QTest::addColumn<UnaryNumber>("unary");
    QTest::addColumn<BinaryNumber>("binary");
    const auto unary = [](const char* op, UnaryNumber f, int gives = 0) {
        QTest::newRow(op) << QString::fromLatin1(op) << gives << f << BinaryNumber();
    };
    const auto binary = [](const char* op, BinaryNumber f) {
        QTest::newRow(op) << QString::fromLatin1(op) << 0 << UnaryNumber() << f;
    };
    unary("negate", [](Number a) { return -a; });
    unary("exponential", [](Number a) { return std::exp(a.real()) * Number(std::cos(a.imag()), std::sin(a.imag())); });
    unary("exponential_minus_one", [](Number a) { return std::exp(a) - 1.0; });
    unary("log", [](Number a) { return Number(std::log(std::abs(a)), std::arg(a)); });
    unary("log_plus_one", [](Number a) { return std::log(1.0 + a); });
    unary("sqrt", [](Number a) { return std::polar(std::sqrt(std::abs(a)), std::arg(a) / 2); });
    unary("rsqrt", [](Number a) { return std::polar(1 / std::sqrt(std::abs(a)), -std::arg(a) / 2); });
    unary("cbrt", [](Number a) { return std::polar(std::cbrt(std::abs(a)), std::arg(a) / 3); });
    unary("logistic", [](Number a) { return 1.0 / (1.0 + std::exp(-a)); });
    unary("tanh", [](Number a) { return std::sinh(a) / std::cosh(a); });
    unary("sine", [](Number a) { return std::sin(a); });
    unary("cosine", [](Number a) { return std::cos(a); });
    unary("tan", [](Number a) { return std::sin(a) / std::cos(a); });
    unary("sign", [](Number a) { return a / std::abs(a); });
    unary(
        "abs", [](Number a) { return Number(std::hypot(a.real(), a.imag())); }, 1);
    unary(
        "real", [](Number a) { return Number(a.real()); }, 1);
    unary(
        "imag", [](Number a) { return Number(a.imag()); }, 1);
    binary("add", [](Number a, Number b) { return Number(a.real() + b.real(), a.imag() + b.imag()); });
    binary("subtract", [](Number a, Number b) { return Number(a.real() - b.real(), a.imag() - b.imag()); });
    binary("multiply", [](Number a, Number b) {
        return Number(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
    });
    binary("divide", [](Number a, Number b) { return a * std::conj(b) / std::norm(b); });
    binary("power", [](Number a, Number b) { return std::exp(b * std::log(a)); });
    binary("maximum", [](Number a, Number b) { return a.real() > b.real() ? a : b; });
    binary("minimum", [](Number a, Number b) { return a.real() < b.real() ? a : b; });
}

void TestComplexExecution::functionsOfElements()
{
    QFETCH(const QString, op);
    QFETCH(const int, gives);
    QFETCH(const UnaryNumber, unary);
    QFETCH(const BinaryNumber, binary);
    for (const std::string part : { "f32", "f64" }) {
        const std::string type = "tensor<8x6xcomplex<" + part + ">>",
                          result = gives == 1 ? "tensor<8x6x" + part + '>' : type;
        const std::string name = "stablehlo." + op.toStdString();
        const std::string line = unary ? name + " %arg0 : (" + type + ") -> " + result
                                       : name + " %arg0, %arg1 : (" + type + ", " + type + ") -> " + type;
        const std::vector<std::pair<std::string, std::string>> arguments{ { type, R"([{"x"}, {"y"}])" },
            { type, R"([{"x"}, {}])" } };
        const Answer answer = answerOf(functionText(arguments, { line }, result));
        const ComplexNumbers a = complexNumbers(answer.arguments[0]), b = complexNumbers(answer.arguments[1]);
        ComplexNumbers wanted;
        for (std::size_t i = 0; i < a.size(); ++i)
            wanted.push_back(unary ? unary(a[i]) : binary(a[i], b[i]));
        QVERIFY(areNear(answer.result, wanted, 8));
        QVERIFY(answer.agrees);
    }
}

/// A contraction whose terms lie on several devices, and a sum of its rows over devices.
void TestComplexExecution::productsAndSums()
{
    for (const std::string part : { "f32", "f64" }) {
        const std::string element = "xcomplex<" + part + ">>";
        const Answer answer = answerOf(functionText(
            { { "tensor<6x8" + element, R"([{}, {"x"}])" }, { "tensor<8x4" + element, R"([{"x"}, {"y"}])" } },
            { "stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<6x8" + element
                    + ", tensor<8x4" + element + ") -> tensor<6x4" + element,
                "stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<" + part + ">>",
                "stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [1] : (tensor<6x4" + element
                    + ", tensor<complex<" + part + ">>) -> tensor<6" + element },
            "tensor<6" + element));
        const ComplexNumbers a = complexNumbers(answer.arguments[0]), b = complexNumbers(answer.arguments[1]);
        ComplexNumbers wanted(6, Number(1, 2));
        for (std::size_t i = 0; i < 6; ++i)
            for (std::size_t j = 0; j < 4; ++j)
                for (std::size_t k = 0; k < 8; ++k)
                    wanted[i] += a[i * 8 + k] * b[k * 4 + j];
        QVERIFY(areNear(answer.result, wanted, 40));
        QVERIFY(answer.agrees);
        // As the product checks it: operation by operation.
        const std::string text = functionText(
            { { "tensor<6x8" + element, R"([{}, {"x"}])" }, { "tensor<8x4" + element, R"([{"x"}, {"y"}])" } },
            { "stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<6x8" + element
                + ", tensor<8x4" + element + ") -> tensor<6x4" + element },
            "tensor<6x4" + element);
        const auto program = std::make_shared<const Program>(complexProgram(text));
        auto parts = std::make_shared<const PartitionedProgram>(partitionProgram(*program).value());
        const auto flat = std::make_shared<const FlatProgram>(
            flatten(program, std::move(parts), { StateSource::Program, program->state }).value());
        RunOptions options;
        options.initial.defaults = InitialDefaults::ByUse;
        const auto check = checkAgainstReference(flat, options);
        QVERIFY(check && check->passed());
    }
}

/// A = L L* of a positive definite A = C C* + 8, and x of A x = b by L y = b and L* x = y: A x is b again.
void TestComplexExecution::linearSystems()
{
    const Answer answer = answerOf(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%c: tensor<4x3x3xcomplex<f64>>, %b: tensor<4x3x2xcomplex<f64>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> tensor<4x3x2xcomplex<f64>> {
  %real = stablehlo.real %c : (tensor<4x3x3xcomplex<f64>>) -> tensor<4x3x3xf64>
  %imag = stablehlo.imag %c : (tensor<4x3x3xcomplex<f64>>) -> tensor<4x3x3xf64>
  %minus = stablehlo.negate %imag : tensor<4x3x3xf64>
  %conjugate = stablehlo.complex %real, %minus : tensor<4x3x3xcomplex<f64>>
  %square = stablehlo.dot_general %c, %conjugate, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x3x3xcomplex<f64>>, tensor<4x3x3xcomplex<f64>>) -> tensor<4x3x3xcomplex<f64>>
  %eight = stablehlo.constant dense<[[(8.0, 0.0), (0.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (8.0, 0.0), (0.0, 0.0)], [(0.0, 0.0), (0.0, 0.0), (8.0, 0.0)]]> : tensor<3x3xcomplex<f64>>
  %all = stablehlo.broadcast_in_dim %eight, dims = [1, 2] : (tensor<3x3xcomplex<f64>>) -> tensor<4x3x3xcomplex<f64>>
  %a = stablehlo.add %square, %all : tensor<4x3x3xcomplex<f64>>
  %l = "stablehlo.cholesky"(%a) <{lower = true}> : (tensor<4x3x3xcomplex<f64>>) -> tensor<4x3x3xcomplex<f64>>
  %y = "stablehlo.triangular_solve"(%l, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x3x3xcomplex<f64>>, tensor<4x3x2xcomplex<f64>>) -> tensor<4x3x2xcomplex<f64>>
  %x = "stablehlo.triangular_solve"(%l, %y) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<4x3x3xcomplex<f64>>, tensor<4x3x2xcomplex<f64>>) -> tensor<4x3x2xcomplex<f64>>
  %again = stablehlo.dot_general %a, %x, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x3x3xcomplex<f64>>, tensor<4x3x2xcomplex<f64>>) -> tensor<4x3x2xcomplex<f64>>
  return %again : tensor<4x3x2xcomplex<f64>>
}
)");
    QVERIFY(areNear(answer.result, complexNumbers(answer.arguments[1]), 64));
    QVERIFY(answer.agrees);
}

void TestComplexExecution::comparesAndConverts()
{
    const Answer equal = answerOf(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4xcomplex<f32>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<2x4xi1> {
  %b = stablehlo.constant dense<[(1.0, 2.0), (1.0, 0.0), (0.0, 2.0), (3.0, 4.0)]> : tensor<4xcomplex<f32>>
  %c = stablehlo.constant dense<[(1.0, 2.0), (1.0, 2.0), (1.0, 2.0), (3.0, 4.0)]> : tensor<4xcomplex<f32>>
  %e = stablehlo.compare EQ, %b, %c, FLOAT : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  %n = stablehlo.compare NE, %b, %c, FLOAT : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  %x = stablehlo.reshape %e : (tensor<4xi1>) -> tensor<1x4xi1>
  %y = stablehlo.reshape %n : (tensor<4xi1>) -> tensor<1x4xi1>
  %r = stablehlo.concatenate %x, %y, dim = 0 : (tensor<1x4xi1>, tensor<1x4xi1>) -> tensor<2x4xi1>
  return %r : tensor<2x4xi1>
}
)");
    const std::array<int, 8> wanted{ 1, 0, 0, 1, 0, 1, 1, 0 };
    for (std::int64_t i = 0; i < 8; ++i)
        QCOMPARE(kernels::integerAt(equal.result, i), std::int64_t{ wanted[static_cast<std::size_t>(i)] });

    Array pair = Array::make({ DType::C64, { 2 } });
    const std::array<float, 4> numbers{ 1.5F, -2, -3, 4 };
    std::memcpy(pair.data(), numbers.data(), sizeof numbers);
    QVERIFY((complexNumbers(kernels::converted(pair, DType::C128)) == ComplexNumbers{ { 1.5, -2 }, { -3, 4 } }));
    QVERIFY((complexNumbers(kernels::converted(pair, DType::F64)) == ComplexNumbers{ 1.5, -3 }));
    QVERIFY((complexNumbers(kernels::converted(pair, DType::I32)) == ComplexNumbers{ 1, -3 }));
    const Array real = kernels::converted(kernels::converted(pair, DType::F32), DType::C64);
    QVERIFY((complexNumbers(real) == ComplexNumbers{ 1.5, -3 }));
    QCOMPARE(kernels::numberAt(pair, 1), 5.0); // its magnitude
}

void TestComplexExecution::drawsBothParts()
{
    const Array drawn = test::drawnArray({ DType::C64, { 500 } }, 3, 0);
    Number sum = 0;
    double products = 0;
    for (const Number& number : complexNumbers(drawn)) {
        QVERIFY(std::fabs(number.real()) <= 1 && std::fabs(number.imag()) <= 1);
        sum += number;
        products += number.real() * number.imag();
    }
    // Variances 1/3 and 1/9: five deviations of a sum of 500.
    QVERIFY(std::fabs(sum.real()) < 5 * std::sqrt(500.0 / 3) && std::fabs(sum.imag()) < 5 * std::sqrt(500.0 / 3));
    QVERIFY(std::fabs(products) < 5 * std::sqrt(500.0 / 9));
    QVERIFY(std::fabs(sum.real() - sum.imag()) > 0);
}

void TestComplexExecution::comparesPartByPart()
{
    const Array right = test::drawnArray({ DType::C64, { 6 } }, 3, 0);
    QVERIFY(compareWithReference(right, right).passed());
    for (const int part : { 0, 1 }) {
        Array wrong = kernels::copied(right);
        wrong.as<float>()[2 * 4 + part] += 0.01F;
        const ArrayComparison compared = compareWithReference(wrong, right);
        QVERIFY(!compared.passed());
        QCOMPARE(compared.first, std::int64_t{ 4 });
        QCOMPARE(compared.worst, std::int64_t{ 4 });
        QCOMPARE(compared.beyond, std::int64_t{ 1 });
        QCOMPARE(compared.compared, std::int64_t{ 6 });
    }
    Array both = kernels::copied(right);
    both.as<float>()[0] += 1;
    both.as<float>()[1] += 1;
    QCOMPARE(compareWithReference(both, right).beyond, std::int64_t{ 1 }); // one element
}

void TestComplexExecution::marksOwnRandomNumbers()
{
    const auto generator = [](const char* algorithm) {
        return complexProgram(std::string("func.func @main(%s: tensor<2xui64>) -> tensor<4xui32> {\n"
                                          "  %n, %b = stablehlo.rng_bit_generator %s, algorithm = ")
            + algorithm
            + " : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)\n"
              "  return %b : tensor<4xui32>\n}\n");
    };
    QVERIFY(!ownRandomNumbers(generator("THREE_FRY")));
    QVERIFY(!ownRandomNumbers(generator("PHILOX")));
    const auto found = ownRandomNumbers(generator("DEFAULT"));
    QVERIFY(found && found->code == Code::OwnRandomNumbers);
    QCOMPARE(found->text("op"), std::string("stablehlo.rng_bit_generator"));
    QCOMPARE(found->where.line, 2);
    const auto drawn = ownRandomNumbers(complexProgram(R"(
func.func @main(%a: tensor<f32>) -> tensor<3xf32> {
  %0 = func.call @noise(%a) : (tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @noise(%a: tensor<f32>) -> tensor<3xf32> {
  %shape = stablehlo.constant dense<3> : tensor<1xi64>
  %0 = "stablehlo.rng"(%a, %a, %shape) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}> : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
)"));
    QVERIFY(drawn && drawn->number("times") == 1);
    QCOMPARE(drawn->where.line, 8);
}

REGISTER_TEST(TestComplexExecution)
#include "test_complex_execution.moc"
