// SPDX-License-Identifier: GPL-3.0-or-later
// Warnings that are repeated are summed up, errors never.
#include <QTest>

#include "base/alike.h"
#include "base/codes.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

std::vector<Diagnostic> unusedRules(std::size_t count, const std::string& file = "a.json")
{
    std::vector<Diagnostic> list;
    for (std::size_t i = 0; i < count; ++i)
        list.push_back({ Code::RuleUnused, { { "rule", i + 1 }, { "name", "n" + std::to_string(i) } },
            Where{ .file = file, .pointer = {}, .path = {} } });
    return list;
}

} // namespace

class AlikeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fewStayAsTheyAre()
    {
        const auto few = unusedRules(maximumAlike);
        QVERIFY(summedUp(few) == few);
        QVERIFY(summedUp({}).empty());
    }

    void manyAreOne()
    {
        std::vector<Diagnostic> list = unusedRules(maximumAlike + 1);
        const Diagnostic error{ Code::Syntax, { { "expected", "x" } }, {} };
        list.insert(list.begin() + 3, error);
        const auto sum = summedUp(list);
        QCOMPARE(sum.size(), std::size_t{ 2 });
        QVERIFY(sum[1] == error);
        QVERIFY(sum[0].code == Code::RuleUnused && sum[0].number("rule") == 1);
        QCOMPARE(sum[0].number("alike"), static_cast<std::int64_t>(maximumAlike + 1));
        QVERIFY(sum[0].list("alike_names") == (std::vector<std::string>{ "n1", "n2", "n3", "n4" }));
        QVERIFY(summedUp(sum) == sum);
    }

    /// Another file, another code or other arguments say something else.
    void whatDiffersStaysApart()
    {
        std::vector<Diagnostic> list = unusedRules(maximumAlike, "a.json");
        for (const Diagnostic& other : unusedRules(maximumAlike, "b.json"))
            list.push_back(other);
        for (Diagnostic shadowed : unusedRules(maximumAlike)) {
            shadowed.args.emplace_back("by_rule", 1);
            list.push_back(std::move(shadowed));
        }
        QCOMPARE(summedUp(list).size(), list.size());
        // So does another reason.
        list.clear();
        for (const char* wrong : { "mesh", "rank" })
            for (std::size_t i = 0; i <= maximumAlike; ++i)
                list.push_back({ Code::ExplicitMode, { { "op", "add" }, { "wrong", wrong } }, {} });
        const auto sum = summedUp(list);
        QCOMPARE(sum.size(), std::size_t{ 2 });
        QCOMPARE(sum[0].text("wrong"), std::string("mesh"));
        QCOMPARE(sum[1].text("wrong"), std::string("rank"));
    }

    void errorsAreListedEach()
    {
        std::vector<Diagnostic> list(100, Diagnostic{ Code::Indivisible, { { "dim", 0 } }, {} });
        QCOMPARE(summedUp(list).size(), list.size());
    }
};

REGISTER_TEST(AlikeTest)
#include "test_alike.moc"
