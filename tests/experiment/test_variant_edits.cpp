// SPDX-License-Identifier: GPL-3.0-or-later
// The list of variants: added, copied, renamed, moved, removed, and what a file says beside them.
#include <QTest>
#include <algorithm>

#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/variant_edits.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

/// With variants a, b and c, each of which has a note and a key that nobody knows.
Experiment withThree()
{
    Experiment experiment = builtinExamples().front().make();
    for (const char* name : { "a", "b", "c" }) {
        const std::string at = "/variants/" + std::to_string(experiment.variants.size());
        experiment.variants.push_back({ name, "{ \"notes\": \"" + std::string(name) + "\" }" });
        experiment.innerNotes.emplace_back(at, std::string("note of ") + name);
        experiment.unknownKeys.insert({ at, "colour", "name", '"' + std::string(name) + '"' });
    }
    return experiment;
}

QString variantNames(const Experiment& experiment)
{
    QStringList names;
    for (const Variant& variant : experiment.variants)
        names << QString::fromStdString(variant.name);
    return names.join(QLatin1Char(' '));
}

/// That the note and the key at every place are those of the variant which stands there.
bool additionsFit(const Experiment& experiment)
{
    for (std::size_t i = 0; i < experiment.variants.size(); ++i) {
        const std::string at = "/variants/" + std::to_string(i), &name = experiment.variants[i].name;
        for (const auto& [pointer, note] : experiment.innerNotes)
            if (pointer == at && note != "note of " + name)
                return false;
        for (const UnknownKey& key : experiment.unknownKeys)
            if (key.pointer == at && key.json != '"' + name + '"')
                return false;
    }
    return std::is_sorted(experiment.innerNotes.begin(), experiment.innerNotes.end());
}

} // namespace

class TestVariantEdits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void moves_data()
    {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        QTest::addColumn<QString>("names");
        QTest::newRow("down") << 0 << 2 << QStringLiteral("b c a");
        QTest::newRow("up") << 2 << 0 << QStringLiteral("c a b");
        QTest::newRow("by one") << 1 << 2 << QStringLiteral("a c b");
        QTest::newRow("nowhere") << 1 << 1 << QStringLiteral("a b c");
    }
    void moves()
    {
        QFETCH(int, from);
        QFETCH(int, to);
        const Result<Experiment> moved =
            withVariantMoved(withThree(), static_cast<std::size_t>(from), static_cast<std::size_t>(to));
        QVERIFY(moved);
        QTEST(variantNames(*moved), "names");
        QVERIFY(additionsFit(*moved));
        QCOMPARE(moved->innerNotes.size(), withThree().innerNotes.size());
    }

    void removal()
    {
        const Result<Experiment> without = withVariantRemoved(withThree(), 1);
        QVERIFY(without);
        QCOMPARE(variantNames(*without), QStringLiteral("a c"));
        QVERIFY(additionsFit(*without));
        QCOMPARE(without->unknownKeys.size(), std::size_t{ 2 });
        QCOMPARE(withVariantRemoved(withThree(), 3).error().code, Code::OutOfRange);
    }

    void copies()
    {
        const Result<Experiment> twice = withVariantDuplicated(withThree(), 0);
        QVERIFY(twice);
        QCOMPARE(variantNames(*twice), QStringLiteral("a a (2) b c"));
        QCOMPARE(twice->variants[1].patch, twice->variants[0].patch);
        // What stood beside b and c is beside them still; the copy has nothing of it.
        for (const auto& [pointer, note] : twice->innerNotes)
            QVERIFY(pointer != "/variants/1");
        const Result<Experiment> thrice = withVariantDuplicated(*twice, 0);
        QVERIFY(thrice);
        QCOMPARE(variantNames(*thrice), QStringLiteral("a a (3) a (2) b c"));
    }

    void names()
    {
        const Experiment three = withThree();
        QCOMPARE(variantNames(*withVariantRenamed(three, 1, "2x4")), QStringLiteral("a 2x4 c"));
        QCOMPARE(*withVariantRenamed(three, 1, "b"), three); // as it is called already
        for (const char* wrong : { "a", "", "two\nlines" }) {
            QCOMPARE(withVariantRenamed(three, 1, wrong).error().code, Code::WrongType);
            QCOMPARE(withVariantAdded(three, { wrong, "{}" }).error().code, Code::WrongType);
        }
        QCOMPARE(freeVariantName(three, "d"), std::string("d"));
        QCOMPARE(freeVariantName(three, "a"), std::string("a (2)"));
    }

    void asManyAsAFileMayHave()
    {
        Experiment many = builtinExamples().front().make();
        for (int i = 0; i < 1000; ++i)
            many.variants.push_back({ "v" + std::to_string(i), "{}" });
        QCOMPARE(withVariantAdded(many, { "one more", "{}" }).error().code, Code::TooLarge);
    }
};

REGISTER_TEST(TestVariantEdits)
#include "test_variant_edits.moc"
