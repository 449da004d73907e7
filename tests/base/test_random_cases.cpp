// SPDX-License-Identifier: GPL-3.0-or-later
// The variable that says how many random cases tests try.
#include <QtTest>

#include "random_properties.h"
#include "registered_test.h"

using namespace shardscope;

class TestRandomCases : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { m_before = qgetenv("SHARDSCOPE_RANDOM_CASES"); }
    void cleanup() { qputenv("SHARDSCOPE_RANDOM_CASES", m_before); }
    void scales();
    void properties();

private:
    QByteArray m_before;
};

void TestRandomCases::scales()
{
    qunsetenv("SHARDSCOPE_RANDOM_CASES");
    QCOMPARE(test::randomCases(2000), 2000);
    QVERIFY(test::triesAllRandomCases());
    qputenv("SHARDSCOPE_RANDOM_CASES", "10");
    QCOMPARE(test::randomCases(2000), 200);
    QCOMPARE(test::randomCases(std::uint64_t{ 9 }), std::uint64_t{ 1 });
    QVERIFY(!test::triesAllRandomCases());
    qputenv("SHARDSCOPE_RANDOM_CASES", "1000");
    QCOMPARE(test::randomCases(30U), 300U);
    QVERIFY(test::triesAllRandomCases());
}

void TestRandomCases::properties()
{
    int tried = 0;
    const auto count = [&](std::uint8_t) { ++tried; };
    qunsetenv("SHARDSCOPE_RANDOM_CASES");
    QVERIFY(test::propertyHolds(40, "every case counts", count));
    QCOMPARE(tried, 40);
    qputenv("SHARDSCOPE_RANDOM_CASES", "10");
    QVERIFY(test::propertyHolds(40, "a tenth of the cases", count));
    QCOMPARE(tried, 44);
    QVERIFY(!test::propertyHolds(40, "a property that does not hold is not passed", [](int) { RC_FAIL("no"); }));
}

REGISTER_TEST(TestRandomCases)
#include "test_random_cases.moc"
