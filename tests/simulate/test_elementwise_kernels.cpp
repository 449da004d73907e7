// SPDX-License-Identifier: GPL-3.0-or-later
// Elementwise kernels of every instruction set against plain loops in double: all small sizes, misaligned starts,
// scalars, in place; exponentials of f32 closer, and every number of 16 bits.
#include <QtTest>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "program/element_bits.h"
#include "registered_test.h"
#include "schedule/work.h"
#include "simulate/kernel_fixture.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

/// Of which operations are fused.
constexpr DType elementTypes[] = { DType::Pred, DType::I32, DType::BF16, DType::F16, DType::F32, DType::F64 };

} // namespace

class TestElementwiseKernels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fusionKnowsTheKernels();
    void elementwise_data();
    void elementwise();
    void exponentialsOfF32_data();
    void exponentialsOfF32();
    void conversionsOf16Bits_data();
    void conversionsOf16Bits();
};

// What is fused has a kernel in every instruction set, and what has one is fused.
void TestElementwiseKernels::fusionKnowsTheKernels()
{
    constexpr DType types[] = { DType::Pred, DType::I32, DType::F32, DType::F64, DType::BF16, DType::F16, DType::I64,
        DType::U32, DType::I8 };
    for (const InstructionSet set : { InstructionSet::Portable, kernelSet().set })
        for (std::size_t k = 0; k < opKindCount; ++k)
            for (const DType operand : types)
                for (const DType result : types) {
                    const auto kind = static_cast<OpKind>(k);
                    if (kind == OpKind::ShardingConstraint) // nothing to compute
                        continue;
                    const bool hasKernel =
                        kernelSet(set).elementwise({ kind, Comparison::Less, operand, result, 0 }) != nullptr;
                    QVERIFY2(hasKernel == hasFusedKernel(kind, operand, result), opRow(kind).name.data());
                }
}

void TestElementwiseKernels::elementwise_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("dtype");
    for (std::size_t k = 0; k < opKindCount; ++k)
        for (const DType dtype : elementTypes)
            if (static_cast<OpKind>(k) == OpKind::Compare || hasFusedKernel(static_cast<OpKind>(k), dtype, dtype))
                QTest::addRow("%s %s", opRow(static_cast<OpKind>(k)).name.data(), name(dtype).data())
                    << static_cast<int>(k) << static_cast<int>(dtype);
}

void TestElementwiseKernels::elementwise()
{
    QFETCH(int, kind);
    QFETCH(int, dtype);
    const auto op = static_cast<OpKind>(kind);
    const auto type = static_cast<DType>(dtype);
    std::mt19937 random(7);
    struct Variant {
        DType result;
        Attributes attributes;
        Comparison comparison = Comparison::Equal;
    };
    std::vector<Variant> variants;
    if (op == OpKind::Compare)
        for (int c = 0; c < 6; ++c)
            variants.push_back(
                { DType::Pred, CompareAttributes{ static_cast<Comparison>(c) }, static_cast<Comparison>(c) });
    else if (op == OpKind::Convert)
        for (const DType to : elementTypes)
            variants.push_back({ to, {} });
    else
        variants.push_back({ type, {} });
    const std::int64_t arity = opRow(op).operandCount;

    for (const Variant& variant : variants) {
        for (const std::int64_t n : { 1, 3, 8, 15, 16, 17, 33, 70 }) {
            for (std::int64_t shift = 0; shift < 2; ++shift) {
                for (unsigned scalars = 0; scalars + 1 < (1U << static_cast<unsigned>(arity)); ++scalars) {
                    std::vector<Buffer> operands;
                    std::vector<std::vector<double>> plain;
                    std::vector<TensorType> types;
                    for (std::int64_t o = 0; o < arity; ++o) {
                        const DType operandType = op == OpKind::Select && o == 0 ? DType::Pred : type;
                        operands.emplace_back(operandType, n, shift + o);
                        fillRandom(operands.back(), n, random);
                        const bool scalar = (scalars >> static_cast<unsigned>(o) & 1U) != 0;
                        plain.emplace_back();
                        types.push_back({ operandType, { n } });
                        for (std::int64_t i = 0; i < n; ++i)
                            plain.back().push_back(operands.back().at(scalar ? 0 : i));
                    }
                    const auto expected =
                        oneOperation(op, types, { variant.result, { n } }, variant.attributes).evaluate(plain);
                    for (const InstructionSet set : availableSets()) {
                        const ElementwiseFunction function =
                            kernelSet(set).elementwise({ op, variant.comparison, type, variant.result, scalars });
                        QVERIFY(function != nullptr);
                        Buffer out(variant.result, n, shift);
                        out.set(n, 77);
                        const double after = out.at(n);
                        function(out.data(), operands[0].data(), arity > 1 ? operands[1].data() : nullptr,
                            arity > 2 ? operands[2].data() : nullptr, n);
                        QCOMPARE(out.at(n), after); // nothing is written behind the end
                        for (std::int64_t i = 0; i < n; ++i) {
                            const double right = expected[static_cast<std::size_t>(i)];
                            const double ours = out.at(i);
                            // The library's transcendental functions are within a few units in the last place.
                            const double tolerance = 4 * epsilonOf(variant.result) * std::max(std::fabs(right), 1.0);
                            QVERIFY2((std::isnan(right) && std::isnan(ours)) || right == ours
                                    || std::fabs(ours - right) <= tolerance,
                                qPrintable(
                                    QStringLiteral("n %1 element %2: %3, not %4").arg(n).arg(i).arg(ours).arg(right)));
                        }
                        if (variant.result == type && (scalars & 1U) == 0 && op != OpKind::Select) { // in place
                            std::vector<std::byte> separate(out.data(), out.data() + n * byteSize(type));
                            Buffer target = operands[0];
                            std::memcpy(
                                target.data(), operands[0].data(), static_cast<std::size_t>(n * byteSize(type)));
                            function(target.data(), target.data(), arity > 1 ? operands[1].data() : nullptr,
                                arity > 2 ? operands[2].data() : nullptr, n);
                            QVERIFY(std::memcmp(target.data(), separate.data(), separate.size()) == 0);
                        }
                    }
                }
            }
        }
    }
}

void TestElementwiseKernels::exponentialsOfF32_data()
{
    QTest::addColumn<int>("kind");
    for (const OpKind kind : { OpKind::Exponential, OpKind::Logistic, OpKind::Tanh })
        QTest::addRow("%s", opRow(kind).name.data()) << static_cast<int>(kind);
}

/// Numbers of every sign and exponent, and where results end or change their form: within one unit in the last place
/// of the library's double, and the same bits in every set that this machine has.
void TestElementwiseKernels::exponentialsOfF32()
{
    QFETCH(int, kind);
    const auto op = static_cast<OpKind>(kind);
    const auto inFull = [op](double x) {
        return op == OpKind::Tanh ? std::tanh(x) : op == OpKind::Exponential ? std::exp(x) : 1 / (1 + std::exp(-x));
    };
    constexpr float infinite = std::numeric_limits<float>::infinity();
    std::vector<float> numbers{ 0.0F, -0.0F, infinite, -infinite, 88.72F, 88.73F, -87.4F, -103.9F, -104.0F, 0x1p-8F,
        -0x1.fffffep-9F, std::numeric_limits<float>::quiet_NaN() };
    for (std::uint64_t bits = 0; bits < std::uint64_t{ 1 } << 32; bits += 65521) // a prime
        numbers.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    const auto count = static_cast<std::int64_t>(numbers.size());
    std::vector<float> first;
    for (const InstructionSet set : availableSets()) {
        std::vector<float> found(numbers.size());
        kernelSet(set).elementwise({ op, Comparison::Equal, DType::F32, DType::F32, 0 })(
            found.data(), numbers.data(), nullptr, nullptr, count);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const auto right = static_cast<float>(inFull(static_cast<double>(numbers[i])));
            const bool isRight = std::isnan(right) ? std::isnan(found[i])
                                                   : found[i] == right || found[i] == std::nextafter(right, infinite)
                    || found[i] == std::nextafter(right, -infinite);
            QVERIFY2(isRight, qPrintable(QStringLiteral("%1: %2, not %3").arg(numbers[i]).arg(found[i]).arg(right)));
            QCOMPARE(std::signbit(found[i]), std::signbit(std::isnan(right) ? found[i] : right));
        }
        if (first.empty())
            first = found;
        QVERIFY(std::memcmp(first.data(), found.data(), found.size() * sizeof(float)) == 0);
    }
}

void TestElementwiseKernels::conversionsOf16Bits_data()
{
    QTest::addColumn<int>("dtype");
    for (const DType dtype : { DType::BF16, DType::F16 })
        QTest::addRow("%s", name(dtype).data()) << static_cast<int>(dtype);
}

// Every number of the type to f32 and back, and numbers of f32, f64 and i32 to it: bit by bit as elements are stored.
void TestElementwiseKernels::conversionsOf16Bits()
{
    QFETCH(int, dtype);
    const auto type = static_cast<DType>(dtype);
    constexpr std::int64_t all = 65536;
    std::vector<std::uint16_t> numbers(all);
    for (std::int64_t i = 0; i < all; ++i)
        numbers[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(i);
    const auto bytes = [&](std::int64_t i) {
        return reinterpret_cast<const std::byte*>(&numbers[static_cast<std::size_t>(i)]);
    };
    std::vector<float> floats(all);
    std::vector<double> doubles(all);
    std::vector<std::int32_t> integers(all);
    std::mt19937 random(5);
    for (std::int64_t i = 0; i < all; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double number = floatAt(type, bytes(i));
        // Between neighbours: at the middle, and next to it.
        const double middle = std::isfinite(number) ? number * (1 + epsilonOf(type) / 2) : number;
        floats[at] = static_cast<float>(
            i % 2 == 0 ? middle : number * std::exp2(std::uniform_real_distribution<>(-9, 9)(random)));
        doubles[at] = i % 3 == 0 ? middle : std::nextafter(middle, i % 3 == 1 ? 0.0 : 2 * middle);
        integers[at] = static_cast<std::int32_t>(random());
    }
    const auto check = [&](const KernelSet& kernels, DType from, const auto& given) {
        std::vector<std::uint16_t> made(all);
        kernels.elementwise({ OpKind::Convert, Comparison::Equal, from, type, 0 })(
            made.data(), given.data(), nullptr, nullptr, all);
        for (std::size_t i = 0; i < made.size(); ++i) {
            std::array<std::byte, 2> wanted{};
            storeFloat(type, static_cast<double>(given[i]), wanted.data());
            std::uint16_t bits = 0;
            std::memcpy(&bits, wanted.data(), sizeof bits);
            const bool areNaN = std::isnan(static_cast<double>(given[i]))
                && std::isnan(floatAt(type, reinterpret_cast<const std::byte*>(&made[i])));
            QVERIFY2(made[i] == bits || areNaN,
                qPrintable(QStringLiteral("%1: %2, not %3")
                               .arg(static_cast<double>(given[i]), 0, 'g', 17)
                               .arg(made[i])
                               .arg(bits)));
        }
    };
    for (const InstructionSet set : availableSets()) {
        const KernelSet& kernels = kernelSet(set);
        std::vector<float> wide(all);
        kernels.elementwise({ OpKind::Convert, Comparison::Equal, type, DType::F32, 0 })(
            wide.data(), numbers.data(), nullptr, nullptr, all);
        for (std::int64_t i = 0; i < all; ++i) {
            const double number = floatAt(type, bytes(i)),
                         ours = static_cast<double>(wide[static_cast<std::size_t>(i)]);
            QVERIFY((std::isnan(number) && std::isnan(ours))
                || (number == ours && std::signbit(number) == std::signbit(ours)));
        }
        check(kernels, DType::F32, floats);
        check(kernels, DType::F64, doubles);
        check(kernels, DType::I32, integers);
        check(kernels, DType::F32, wide);
    }
}

REGISTER_TEST(TestElementwiseKernels)
#include "test_elementwise_kernels.moc"
