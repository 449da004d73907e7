// SPDX-License-Identifier: GPL-3.0-or-later
// The algebra of axis parts against what the parts mean: a part of an axis of size n is a function of the coordinate.
#include <QtTest>

#include <map>
#include <set>

#include "mesh/axis_ref.h"
#include "registered_test.h"

using namespace shardscope;

class TestAxisRef : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void againstIndexSets_data();
    void againstIndexSets();
    void coexistence();
    void otherAxes();
    void lists();
    void names();
};

namespace {

std::vector<AxisRef> partsOf(std::int32_t n)
{
    std::vector<AxisRef> parts;
    for (std::int32_t pre = 1; pre < n; ++pre)
        for (std::int32_t size = 2; pre * size <= n; ++size)
            if (n % (pre * size) == 0)
                parts.push_back({ 0, pre, size });
    return parts;
}

/// What the part says of a coordinate along an axis of size n.
std::int32_t valueOf(AxisRef part, std::int32_t coordinate, std::int32_t n)
{
    return coordinate / (n / (part.pre * part.size)) % part.size;
}

/// Whoever knows `a` knows `b`.
bool determines(AxisRef a, AxisRef b, std::int32_t n)
{
    std::map<std::int32_t, std::int32_t> seen;
    for (std::int32_t c = 0; c < n; ++c)
        if (const auto [known, first] = seen.try_emplace(valueOf(a, c, n), valueOf(b, c, n));
            !first && known->second != valueOf(b, c, n))
            return false;
    return true;
}

/// Knowing `a` says nothing about `b`: all pairs of values occur.
bool independent(AxisRef a, AxisRef b, std::int32_t n)
{
    std::set<std::pair<std::int32_t, std::int32_t>> pairs;
    for (std::int32_t c = 0; c < n; ++c)
        pairs.emplace(valueOf(a, c, n), valueOf(b, c, n));
    return static_cast<std::int64_t>(pairs.size()) == std::int64_t{ a.size } * b.size;
}

/// Points between which a common factorisation cuts: each divides the next.
bool chainOfDivisors(AxisRef a, AxisRef b)
{
    std::vector<std::int64_t> points{ a.pre, a.next(), b.pre, b.next() };
    std::sort(points.begin(), points.end());
    for (std::size_t i = 1; i < points.size(); ++i)
        if (points[i] % points[i - 1] != 0)
            return false;
    return true;
}

/// The longest part among the candidates that does not depend on `b`.
template <class IsCandidate>
std::optional<AxisRef> longestFree(AxisRef b, std::int32_t n, IsCandidate isCandidate)
{
    std::optional<AxisRef> best;
    for (const AxisRef& part : partsOf(n))
        if (isCandidate(part) && chainOfDivisors(part, b) && independent(part, b, n)
            && (!best || part.size > best->size))
            best = part;
    return best;
}

} // namespace

void TestAxisRef::againstIndexSets_data()
{
    QTest::addColumn<int>("n");
    for (const int n : { 2, 4, 6, 8, 12, 16, 18, 24, 36, 60 })
        QTest::addRow("axis of %d", n) << n;
}

void TestAxisRef::againstIndexSets()
{
    QFETCH(int, n);
    for (const AxisRef& a : partsOf(n)) {
        for (const AxisRef& b : partsOf(n)) {
            QCOMPARE(canCoexist(a, b), chainOfDivisors(a, b));
            if (!canCoexist(a, b)) {
                QVERIFY(!overlap(a, b) && !prefixWithoutOverlap(a, b) && !suffixWithoutOverlap(a, b));
                QVERIFY(!greatestCommonPrefix(a, b));
                continue;
            }
            QCOMPARE(contains(a, b), determines(a, b, n));
            QCOMPARE(overlaps(a, b), !independent(a, b, n));
            // A prefix is what is known of `a` without its minor digits.
            const auto dividesInto = [&](AxisRef part) {
                bool prefix = a.size % part.size == 0;
                for (std::int32_t c = 0; prefix && c < n; ++c)
                    prefix = valueOf(part, c, n) == valueOf(a, c, n) / (a.size / part.size);
                return prefix;
            };
            const auto remainsOf = [&](AxisRef part) {
                bool suffix = a.size % part.size == 0;
                for (std::int32_t c = 0; suffix && c < n; ++c)
                    suffix = valueOf(part, c, n) == valueOf(a, c, n) % part.size;
                return suffix;
            };
            QCOMPARE(isPrefixOf(b, a), dividesInto(b));
            QCOMPARE(isSuffixOf(b, a), remainsOf(b));
            QVERIFY(prefixWithoutOverlap(a, b) == longestFree(b, n, dividesInto));
            QVERIFY(suffixWithoutOverlap(a, b) == longestFree(b, n, remainsOf));

            const std::optional<AxisRef> common = overlap(a, b);
            QCOMPARE(common.has_value(), overlaps(a, b));
            if (common) {
                QVERIFY(determines(a, *common, n) && determines(b, *common, n));
                for (const AxisRef& part : partsOf(n))
                    QVERIFY(!(determines(a, part, n) && determines(b, part, n)) || part.size <= common->size);
            }
            QCOMPARE(canMerge(a, b), a.next() == b.pre);
            if (canMerge(a, b))
                for (std::int32_t c = 0; c < n; ++c)
                    QCOMPARE(valueOf(merge(a, b), c, n), valueOf(a, c, n) * b.size + valueOf(b, c, n));
        }
    }
}

void TestAxisRef::coexistence()
{
    QVERIFY(!canCoexist({ 0, 2, 3 }, { 0, 3, 2 }));
    QVERIFY(canCoexist({ 0, 1, 12 }, { 0, 2, 3 })); // a full axis, with any part of it
    QVERIFY(!canCoexist({ 0, 1, 2 }, { 0, 3, 2 }));
}

void TestAxisRef::otherAxes()
{
    const AxisRef x{ 0, 1, 4 };
    const AxisRef y{ 1, 1, 4 };
    QVERIFY(!overlaps(x, y) && !contains(x, y) && canCoexist(x, y) && !canMerge(x, { 1, 4, 2 }));
    QVERIFY(prefixWithoutOverlap(x, y) == x && suffixWithoutOverlap(x, y) == x && !greatestCommonPrefix(x, y));
    QVERIFY(x < y && (AxisRef{ 0, 1, 4 } < AxisRef{ 0, 2, 2 }) && (AxisRef{ 0, 1, 2 } < AxisRef{ 0, 1, 4 }));
}

void TestAxisRef::lists()
{
    AxisList list;
    appendMerged(list, { 0, 1, 2 });
    appendMerged(list, { 0, 2, 4 });
    appendMerged(list, { 1, 1, 4 });
    appendMerged(list, { 0, 8, 2 }); // not a neighbour any more
    QCOMPARE(list, (AxisList{ { 0, 1, 8 }, { 1, 1, 4 }, { 0, 8, 2 } }));
    QCOMPARE(product(list), std::int64_t{ 64 });
    QCOMPARE(product({}), std::int64_t{ 1 });
    QVERIFY(isPrefixOf(AxisList{}, list));
    QVERIFY(isPrefixOf(AxisList{ { 0, 1, 2 } }, list));
    QVERIFY(isPrefixOf(AxisList{ { 0, 1, 8 }, { 1, 1, 2 } }, list));
    QVERIFY(isPrefixOf(list, list));
    QVERIFY(!isPrefixOf(AxisList{ { 0, 1, 4 }, { 1, 1, 4 } }, list));
    QVERIFY(!isPrefixOf(list, AxisList{ { 0, 1, 8 } }));
}

void TestAxisRef::names()
{
    const Mesh mesh = *Mesh::create({ { "data", 2 }, { "model", 8 } });
    QCOMPARE(toString(mesh, fullAxis(mesh, 1)), std::string("model"));
    QCOMPARE(toString(mesh, AxisRef{ 1, 2, 2 }), std::string("model:(2)2"));
    QVERIFY(isFull(mesh, { 0, 1, 2 }) && !isFull(mesh, { 1, 1, 4 }));
}

REGISTER_TEST(TestAxisRef)
#include "test_axis_ref.moc"
