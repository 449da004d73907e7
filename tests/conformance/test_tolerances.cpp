// SPDX-License-Identifier: GPL-3.0-or-later
// What the runner takes for the same as the reference, for every type: a wrong value is none of it.
#include <QtTest>

#include <cmath>

#include "conformance/run_partitioned.h"
#include "program/types.h"
#include "registered_test.h"

using namespace shardscope;
using kernels::Array;

namespace {

/// 1, 1/2, 1/4 and 0: all of them numbers of every type of floats.
Array numbers(DType dtype)
{
    Array array = Array::zeros({ dtype, { 4 } });
    for (std::int64_t i = 0; i < 3; ++i)
        kernels::setNumber(array, i, std::ldexp(1.0, -static_cast<int>(i)));
    return array;
}

} // namespace

class TestTolerances : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aWrongValueIsFound_data();
    void aWrongValueIsFound();
    void integersAreExact();
};

void TestTolerances::aWrongValueIsFound_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<double>("unit"); // in the last place of 1
    QTest::addColumn<int>("units"); // so many may be a matter of rounding
    QTest::newRow("f64") << static_cast<int>(DType::F64) << 0x1p-52 << 256;
    QTest::newRow("f32") << static_cast<int>(DType::F32) << 0x1p-23 << 256;
    QTest::newRow("f16") << static_cast<int>(DType::F16) << 0x1p-10 << 4;
    QTest::newRow("bf16") << static_cast<int>(DType::BF16) << 0x1p-7 << 4;
}

void TestTolerances::aWrongValueIsFound()
{
    QFETCH(int, type);
    QFETCH(double, unit);
    QFETCH(int, units);
    const auto dtype = static_cast<DType>(type);
    const Array wanted = numbers(dtype);
    QVERIFY(conformance::arrayDifference(numbers(dtype), wanted).empty());
    for (std::int64_t i = 0; i < 4; ++i) {
        const double right = kernels::numberAt(wanted, i);
        const auto differs = [&](double by) {
            Array found = numbers(dtype);
            kernels::setNumber(found, i, right + by);
            return !conformance::arrayDifference(found, wanted).empty();
        };
        QVERIFY(!differs(unit));
        QVERIFY(!differs(-unit * units));
        QVERIFY(differs(unit * 2 * units));
        QVERIFY(differs(-unit * 2 * units));
        // What goes wrong in a partitioner: a sum that is counted twice, or left out; a number of another place.
        QVERIFY(right == 0 || differs(right));
        QVERIFY(right == 0 || differs(-right));
        QVERIFY(differs(0.5 - right) == (right != 0.5));
        QVERIFY(differs(std::nan("")));
    }
}

void TestTolerances::integersAreExact()
{
    Array wanted = Array::zeros({ DType::I32, { 2 } }), found = Array::zeros({ DType::I32, { 2 } });
    kernels::setInteger(wanted, 0, 1'000'000);
    kernels::setInteger(found, 0, 1'000'001);
    QVERIFY(!conformance::arrayDifference(found, wanted).empty());
    QVERIFY(conformance::arrayDifference(wanted, wanted).empty());
}

REGISTER_TEST(TestTolerances)
#include "test_tolerances.moc"
