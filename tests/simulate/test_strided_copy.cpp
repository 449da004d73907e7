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
        StridedCopy(shape, target, source, byteSize(dtype), 2, 3).run(to.data(), from.data());
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

REGISTER_TEST(TestStridedCopy)
#include "test_strided_copy.moc"
