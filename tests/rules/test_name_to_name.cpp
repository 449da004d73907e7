// SPDX-License-Identifier: GPL-3.0-or-later
// Rules that are a mapping from names to mesh axes, as Penzai reads them.
#include <QtTest>

#include <map>

#include "base/codes.h"
#include "registered_test.h"
#include "rules/name_to_name.h"
#include "sharding/text.h"
#include "split_mix.h"

using namespace shardscope;

class TestNameToName : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void entriesStandOnTheirDimensions();
    void positionalDimensionsAreNotCounted();
    void errors();
    void randomArrays();
};

namespace {

LogicalNames namesOf(const std::vector<std::string>& names)
{
    LogicalNames list;
    for (const std::string& name : names)
        list.push_back(name.empty() ? LogicalName::none() : LogicalName::of(name));
    return list;
}

LogicalRules mapping(const std::vector<std::pair<std::string, SpecEntry>>& rules)
{
    LogicalRules list;
    list.isSequence = false;
    for (const auto& [name, target] : rules)
        list.list.push_back({ LogicalName::of(name), target });
    return list;
}

/// The spec, or the kind of the error.
std::string resolved(const std::vector<std::string>& names, const LogicalRules& rules)
{
    const Result<Resolution> resolution = resolveMapping(namesOf(names), rules);
    return resolution ? toJax(resolution->spec()) : std::string(resolution.error().kind());
}

} // namespace

void TestNameToName::entriesStandOnTheirDimensions()
{
    const LogicalRules rules = mapping({ { "a", SpecEntry::axis("bar") }, { "b", SpecEntry::axis("foo") } });
    QCOMPARE(resolved({ "a", "b", "c" }, rules), std::string("P('bar', 'foo', None)"));
    QCOMPARE(resolved({ "b", "d" }, rules), std::string("P('foo', None)"));
    const LogicalRules both = mapping({ { "a", SpecEntry::tuple({ "bar", "foo" }) } });
    QCOMPARE(resolved({ "x", "a", "" }, both), std::string("P(None, ('bar', 'foo'), None)"));
}

void TestNameToName::positionalDimensionsAreNotCounted()
{
    const LogicalRules rules = mapping({ { "a", SpecEntry::axis("foo") } });
    const Result<Resolution> resolution = resolveMapping(namesOf({ "", "a" }), rules);
    QVERIFY(resolution.has_value());
    QCOMPARE(resolution->spec().entries.front().axes, std::vector<std::string>{ "foo" });
    QCOMPARE(resolved({ "a", "" }, rules), std::string("P('foo', None)"));
}

void TestNameToName::errors()
{
    const SpecEntry foo = SpecEntry::axis("foo");
    const auto kind = [](Code code) { return std::string(Error{ code, {}, {} }.kind()); };
    QCOMPARE(resolved({ "a", "b" }, mapping({ { "a", foo }, { "b", foo } })), kind(Code::AxisUsedTwice));
    QCOMPARE(resolved({ "a", "a" }, mapping({ { "a", foo } })), kind(Code::DuplicateDimension));
    QCOMPARE(resolved({ "", "" }, mapping({ { "a", foo } })), kind(Code::NonNamedLeaf));
    const LogicalRules two = mapping({ { "a", foo }, { "a", SpecEntry::axis("bar") } });
    QCOMPARE(resolved({ "a" }, two), kind(Code::RuleConflict));
    QCOMPARE(resolved({ "b" }, two), std::string("P(None)")); // names that the array lacks are not used
}

void TestNameToName::randomArrays()
{
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        test::SplitMix random(seed);
        // Mesh axes are dealt to names, so that no array uses one twice.
        std::map<std::string, SpecEntry> targets;
        for (int axis = 0; axis < 4; ++axis) {
            SpecEntry& entry = targets[std::string(1, static_cast<char>('p' + random.below(5)))];
            entry.kind = SpecEntry::Kind::Tuple;
            entry.axes.push_back("x" + std::to_string(axis));
        }
        std::vector<std::string> names{ "p", "q", "r", "s" };
        for (std::size_t i = names.size(); i > 1; --i)
            std::swap(names[i - 1], names[random.below(i)]);
        names.resize(1 + random.below(4));
        const auto rules = mapping({ targets.begin(), targets.end() });
        const Result<Resolution> resolution = resolveMapping(namesOf(names), rules);
        QVERIFY2(resolution.has_value(), std::to_string(seed).c_str());
        for (std::size_t i = 0; i < names.size(); ++i)
            QCOMPARE(resolution->spec().entries[i].axes, targets[names[i]].axes);
    }
}

REGISTER_TEST(TestNameToName)
#include "test_name_to_name.moc"
