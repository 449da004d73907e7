// SPDX-License-Identifier: GPL-3.0-or-later
// Copies of boxes in any order of dimensions against plain loops.
#include <QtTest>

#include "random_cases.h"
#include "registered_test.h"
#include "simulate/kernel_fixture.h"
#include "simulate/kernels/strided_copy.h"

using namespace shardscope;
using namespace shardscope::test;

class TestStridedCopy : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stridedCopies();
    void streamedCopies();
};

void TestStridedCopy::stridedCopies()
{
    std::mt19937 random(29);
    for (int round = 0; round < test::randomCases(120); ++round) {
        const auto rank = random() % 5;
        Shape shape, order;
        for (std::size_t d = 0; d < rank; ++d) {
            shape.push_back(static_cast<std::int64_t>(1 + random() % 13));
            order.push_back(static_cast<std::int64_t>(d));
        }
        std::shuffle(order.begin(), order.end(), random);
        // The source lies in another order of dimensions; some of its strides are 0, as in a broadcast.
        Shape permuted, source(rank, 0);
        for (const std::int64_t d : order)
            permuted.push_back(shape[static_cast<std::size_t>(d)]);
        const Shape permutedStrides = rowMajorStrides(permuted);
        for (std::size_t i = 0; i < rank; ++i)
            source[static_cast<std::size_t>(order[i])] = random() % 5 == 0 ? 0 : permutedStrides[i];
        const Shape target = rowMajorStrides(shape);
        std::int64_t elements = 1;
        for (const std::int64_t extent : shape)
            elements *= extent;
        const DType dtype = computed[round % 4];
        Buffer from(dtype, elements + 3, 0), to(dtype, elements + 2, 0);
        fillRandom(from, elements + 3, random);
        StridedCopy(shape, target, source, byteSize(dtype), 2, 3).run(to.data(), from.data(), round % 2 == 0);
        finishCopies();
        bool right = true;
        for (std::int64_t i = 0; i < elements; ++i) {
            std::int64_t rest = i, offset = 3;
            for (std::size_t d = rank; d-- > 0;) {
                offset += rest % shape[d] * source[d];
                rest /= shape[d];
            }
            right = right && to.at(2 + i) == from.at(offset);
        }
        QVERIFY(right);
    }
}

// Every number of bytes, from anywhere in a cache line to anywhere in another one, and nothing beside them.
void TestStridedCopy::streamedCopies()
{
    std::mt19937 random(31);
    std::vector<std::byte> from(1024), next(1024);
    for (std::byte& byte : from)
        byte = static_cast<std::byte>(1 + random() % 255);
    for (int round = 0; round < test::randomCases(2000); ++round) {
        const auto bytes = static_cast<std::ptrdiff_t>(random() % 700);
        const auto source = static_cast<std::ptrdiff_t>(random() % 130),
                   target = 1 + static_cast<std::ptrdiff_t>(random() % 130);
        std::vector<std::byte> to(1024), expected(1024);
        std::copy_n(from.begin() + source, bytes, expected.begin() + target);
        copyPastCaches(to.data() + target, from.data() + source, bytes, round % 2 == 0 ? next.data() : nullptr);
        finishCopies();
        QVERIFY2(
            to == expected, qPrintable(QStringLiteral("%1 bytes from %2 to %3").arg(bytes).arg(source).arg(target)));
    }
}

REGISTER_TEST(TestStridedCopy)
#include "test_strided_copy.moc"
