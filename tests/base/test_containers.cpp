// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/hash.h"
#include "base/quantity.h"
#include "base/shared.h"
#include "base/small_vector.h"
#include "random_properties.h"
#include "registered_test.h"

using namespace shardscope;

class TestContainers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void smallVectorActsAsVector();
    void smallVectorMovesAndCopies();
    void sharedValuesAreIndependent();
    void sharedTextReadsAsText();
    void rationalArithmetic();
    void hashesDependOnEveryPart();
};

namespace {

using Small = SmallVector<int, 4>;

bool equal(const Small& small, const std::vector<int>& vector)
{
    return std::equal(small.begin(), small.end(), vector.begin(), vector.end()) && small.size() == vector.size()
        && small.empty() == vector.empty();
}

} // namespace

void TestContainers::smallVectorActsAsVector()
{
    const bool holds = test::propertyHolds(
        100, "every sequence of edits", [](const std::vector<std::tuple<std::uint8_t, std::uint8_t, int>>& edits) {
            Small small;
            std::vector<int> vector;
            for (const auto& [kind, where, value] : edits) {
                const std::ptrdiff_t place =
                    vector.empty() ? 0 : where % static_cast<std::ptrdiff_t>(vector.size() + 1);
                switch (kind % 7) {
                case 0:
                case 1:
                    small.push_back(value);
                    vector.push_back(value);
                    break;
                case 2:
                    small.insert(small.begin() + place, value);
                    vector.insert(vector.begin() + place, value);
                    break;
                case 3:
                    if (vector.empty())
                        break;
                    small.erase(small.begin() + place % static_cast<std::ptrdiff_t>(vector.size()));
                    vector.erase(vector.begin() + place % static_cast<std::ptrdiff_t>(vector.size()));
                    break;
                case 4:
                    if (vector.empty())
                        break;
                    small.pop_back();
                    vector.pop_back();
                    break;
                case 5:
                    small.resize(where % 12, value);
                    vector.resize(where % 12, value);
                    break;
                case 6:
                    if (where % 5 == 0) {
                        small.clear();
                        vector.clear();
                    } else if (!vector.empty()) { // an element of the vector itself
                        small.push_back(small.front());
                        vector.push_back(int(vector.front()));
                    }
                    break;
                }
                RC_ASSERT(equal(small, vector));
            }
            RC_ASSERT(Small(std::span<const int>(vector)) == small);
        });
    QVERIFY(holds);
}

void TestContainers::smallVectorMovesAndCopies()
{
    for (const int count : { 0, 3, 4, 5, 40 }) {
        Small original;
        std::vector<int> expected;
        for (int i = 0; i < count; ++i) {
            original.push_back(i * i);
            expected.push_back(i * i);
        }
        Small copy = original;
        copy.push_back(-1);
        QVERIFY(equal(original, expected));
        Small moved = std::move(original);
        QVERIFY(equal(moved, expected));
        QVERIFY(original.empty()); // NOLINT: what a moved-from vector is, is the question here
        original = { 7, 8 };
        QVERIFY(equal(original, { 7, 8 }));
        original = std::move(moved);
        QVERIFY(equal(original, expected));
        QVERIFY(moved.empty());
    }
}

void TestContainers::sharedValuesAreIndependent()
{
    const bool holds = test::propertyHolds(
        100, "handles act as values", [](const std::vector<std::tuple<std::uint8_t, std::uint8_t, int>>& edits) {
            constexpr std::size_t count = 4;
            std::array<Shared<Small>, count> handles;
            std::array<std::vector<int>, count> values;
            for (const auto& [kind, which, number] : edits) {
                const std::size_t a = which % count, b = which / count % count;
                switch (kind % 7) {
                case 0:
                    handles[a] = handles[b];
                    values[a] = values[b];
                    break;
                case 1:
                    handles[a] = std::move(handles[b]);
                    values[a] = std::vector<int>(values[b]);
                    if (a != b)
                        values[b].clear();
                    break;
                case 2:
                    handles[a].push_back(number);
                    values[a].push_back(number);
                    break;
                case 3:
                    if (!values[a].empty())
                        values[a].back() = handles[a].back() = number;
                    break;
                case 4:
                    handles[a].edit().resize(which % 9U, number);
                    values[a].resize(which % 9U, number);
                    break;
                case 5:
                    handles[a] = { number, number + 1 };
                    values[a] = { number, number + 1 };
                    break;
                case 6:
                    handles[a].clear();
                    values[a].clear();
                    break;
                }
                for (std::size_t i = 0; i < count; ++i) {
                    RC_ASSERT(equal(*handles[i], values[i]));
                    RC_ASSERT(handles[i].size() == values[i].size() && handles[i].empty() == values[i].empty());
                    for (std::size_t j = 0; j < count; ++j)
                        RC_ASSERT((handles[i] == handles[j]) == (values[i] == values[j]));
                }
            }
        });
    QVERIFY(holds);

    // Copies are one value until one of them changes, and references stay good while a handle does.
    const Shared<Small> original = { 1, 2, 3, 4, 5, 6 };
    Shared<Small> copy = original;
    QVERIFY(&*copy == &*original);
    const Small& seen = original;
    copy[5] = 7;
    QVERIFY(&*copy != &*original && &seen == &*original);
    QCOMPARE(seen[5], 6);
    QCOMPARE(std::as_const(copy)[5], 7);
}

void TestContainers::sharedTextReadsAsText()
{
    Shared<std::string> text = "layers.0/y";
    const std::string& asString = text;
    const std::string_view asView = text;
    QVERIFY(asString == "layers.0/y" && asView == asString && text == "layers.0/y" && text == asView);
    QCOMPARE(text + "'", std::string("layers.0/y'"));
    QCOMPARE("next(" + text + ")", std::string("next(layers.0/y)"));
    QVERIFY(text.starts_with("layers") && !text.starts_with("y") && text.ends_with("y"));
    const Shared<std::string> before = text;
    text = std::string();
    QVERIFY(text.empty() && text == "" && before == "layers.0/y");
    QVERIFY(text == Shared<std::string>());
}

void TestContainers::rationalArithmetic()
{
    QCOMPARE(Rational(2, -4).numerator(), std::int64_t{ -1 });
    QCOMPARE(Rational(2, -4).denominator(), std::int64_t{ 2 });
    QVERIFY(Rational(0, 9) == Rational(0));
    QVERIFY(Rational(2) * Rational(7, 8) * Rational(2) == Rational(7, 2));
    // Terabytes over the denominators of large rings: the products before reduction would not fit.
    QVERIFY(Rational(std::int64_t{ 1 } << 50, 3) * Rational(3, std::int64_t{ 1 } << 40) == Rational(1024));
    QVERIFY(Rational(std::int64_t{ 1 } << 40, 65536) + Rational(1, 65536)
        == Rational((std::int64_t{ 1 } << 40) + 1, 65536));
    // What does not fit is rounded, and stops at the largest number.
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::min();
    constexpr Rational ring = Rational(4, 3) * Rational(std::int64_t{ 1 } << 61);
    QVERIFY(ring == Rational(3'074'457'345'618'258'603)); // 2^63 / 3 is ...602.67
    QVERIFY(Rational(2, 3) * Rational(std::int64_t{ 1 } << 61) == Rational(std::int64_t{ 1 } << 62, 3));
    QVERIFY(Rational(largest) + Rational(1) == Rational(largest));
    QVERIFY(ring + ring + ring + ring == Rational(largest));
    QVERIFY(Rational(largest) * Rational(largest) == Rational(largest));
    QVERIFY(Rational(-1) * Rational(largest) * Rational(largest) == Rational(-largest));
    QVERIFY(Rational(most) == Rational(-largest));
    QVERIFY(Rational(most, most) == Rational(1));
    QVERIFY(Rational(1, largest) * Rational(1, largest) == Rational(0));
    const Rational close = Rational(largest, largest - 1) * Rational(largest - 2, largest - 3);
    QVERIFY(std::abs(close.value() - 1) < 1e-9);
    const bool holds = test::propertyHolds(100, "sums and products are those of the fractions", [] {
        const auto part = rc::gen::inRange<std::int64_t>(-1000, 1000);
        const auto full = rc::gen::inRange<std::int64_t>(1, 1000);
        const std::int64_t a = *part, b = *full, c = *part, d = *full;
        const Rational sum = Rational(a, b) + Rational(c, d);
        const Rational product = Rational(a, b) * Rational(c, d);
        RC_ASSERT(sum.numerator() * b * d == (a * d + c * b) * sum.denominator());
        RC_ASSERT(product.numerator() * b * d == a * c * product.denominator());
        RC_ASSERT(std::gcd(sum.numerator(), sum.denominator()) == 1 && sum.denominator() > 0);
        Rational accumulated(a, b);
        RC_ASSERT((accumulated += Rational(c, d)) == sum);
    });
    QVERIFY(holds);
}

void TestContainers::hashesDependOnEveryPart()
{
    std::set<std::uint64_t> seen;
    QVERIFY(seen.insert(Hasher().value()).second);
    QVERIFY(seen.insert(Hasher().add(0).value()).second);
    QVERIFY(seen.insert(Hasher().add(0).add(0).value()).second);
    QVERIFY(seen.insert(Hasher().add(std::string_view("ab")).add(std::string_view("c")).value()).second);
    QVERIFY(seen.insert(Hasher().add(std::string_view("a")).add(std::string_view("bc")).value()).second);
    QVERIFY(seen.insert(Hasher().add(std::string_view("abc")).value()).second);
    QVERIFY(seen.insert(Hasher().add(0.5).value()).second);
    QVERIFY(seen.insert(Hasher().add(-0.5).value()).second);
    QCOMPARE(Hasher().add(1).add(2).value(), Hasher().add(1).add(2).value());
}

REGISTER_TEST(TestContainers)
#include "test_containers.moc"
