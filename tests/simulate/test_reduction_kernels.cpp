// SPDX-License-Identifier: GPL-3.0-or-later
// Reductions of every instruction set against plain loops in double.
#include <QtTest>

#include "random_cases.h"
#include "registered_test.h"
#include "simulate/kernel_fixture.h"
#include "simulate/kernels/reduction.h"

using namespace shardscope;
using namespace shardscope::test;

class TestReductionKernels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rowReductions();
    void reductions();
};

void TestReductionKernels::rowReductions()
{
    std::mt19937 random(13);
    for (const InstructionSet set : availableSets()) {
        for (const DType dtype : computed) {
            for (int k = 0; k < 6; ++k) {
                const auto kind = static_cast<ReduceKind>(k);
                const RowReduction function = kernelSet(set).rowReduction({ kind, dtype });
                QCOMPARE(function != nullptr, !(isFloat(dtype) && (kind == ReduceKind::And || kind == ReduceKind::Or)));
                for (std::int64_t n = 1; n < 70 && function != nullptr; ++n) {
                    Buffer in(dtype, n, n % 3), out(dtype, 1, 0);
                    fillRandom(in, n, random);
                    std::vector<std::vector<double>> plain(1);
                    double magnitude = 0;
                    for (std::int64_t i = 0; i < n; ++i) {
                        if (kind == ReduceKind::Product && isFloat(dtype))
                            in.set(i, 1 + in.at(i) / 100);
                        plain[0].push_back(in.at(i));
                        magnitude += std::fabs(in.at(i));
                    }
                    const auto expected = oneOperation(
                        OpKind::Reduce, { { dtype, { n } } }, { dtype, {} }, ReduceAttributes{ { 0 }, kind })
                                              .evaluate(plain);
                    function(out.data(), in.data(), n);
                    const double tolerance = 2 * static_cast<double>(n) * epsilonOf(dtype) * std::max(magnitude, 1.0);
                    QVERIFY2(std::fabs(out.at(0) - expected[0]) <= tolerance,
                        qPrintable(QStringLiteral("%1 of %2 %3: %4 instead of %5")
                                       .arg(k)
                                       .arg(n)
                                       .arg(QLatin1String(name(dtype).data(), static_cast<int>(name(dtype).size())))
                                       .arg(out.at(0))
                                       .arg(expected[0])));
                }
            }
        }
    }
}

void TestReductionKernels::reductions()
{
    std::mt19937 random(17);
    for (int round = 0; round < test::randomCases(150); ++round) {
        TensorType type{ round % 2 == 0 ? DType::F32 : DType::I32, {} };
        ReduceAttributes attributes;
        attributes.kind = static_cast<ReduceKind>(random() % 3);
        TensorType result{ type.dtype, {} };
        const auto rank = static_cast<std::int64_t>(random() % 5);
        for (std::int64_t d = 0; d < rank; ++d) {
            // Now and then an empty dimension: the identity is left.
            type.shape.push_back(static_cast<std::int64_t>(round % 20 == 19 && d == 0 ? 0 : 1 + random() % 5));
            if (random() % 2 == 0)
                attributes.dimensions.push_back(d);
            else
                result.shape.push_back(type.shape.back());
        }
        Buffer in(type.dtype, type.elementCount(), 0), out(type.dtype, result.elementCount(), 0);
        fillRandom(in, type.elementCount(), random);
        std::vector<std::vector<double>> plain(1);
        for (std::int64_t i = 0; i < type.elementCount(); ++i)
            plain[0].push_back(in.at(i));
        const auto expected = oneOperation(OpKind::Reduce, { type }, result, attributes).evaluate(plain);
        for (const InstructionSet set : availableSets()) {
            const auto reduction = Reduction::prepare(type, attributes, kernelSet(set));
            QVERIFY(reduction.has_value());
            reduction->run(out.data(), in.data());
            for (std::int64_t i = 0; i < result.elementCount(); ++i) {
                const double right = expected[static_cast<std::size_t>(i)];
                QVERIFY(out.at(i) == right || std::fabs(out.at(i) - right) <= 2 * 700 * epsilonOf(type.dtype) * 4);
            }
        }
    }
}

REGISTER_TEST(TestReductionKernels)
#include "test_reduction_kernels.moc"
