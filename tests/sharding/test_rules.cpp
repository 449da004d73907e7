// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <algorithm>
#include <set>

#include "base/codes.h"
#include "random_properties.h"
#include "registered_test.h"
#include "sharding/logical_rules.h"
#include "sharding/text.h"

using namespace shardscope;

class TestRules : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void resolves_data();
    void resolves();
    void traceOfTheDocstring();
    void traceOfTuplesAndNulls();
    void fallbacks();
    void order();
    void noAxisTwice();
    void unusedNamesChangeNothing();
    void unusedAxesMayBeRenamed();
    void traceExplainsTheResult();
    void ruleSets();
};

namespace {

LogicalNames namesOf(const QString& text)
{
    LogicalNames names;
    for (const QString& name : text.split(' ', Qt::SkipEmptyParts)) {
        if (name == "-")
            names.push_back(LogicalName::none());
        else if (name == "?")
            names.push_back(LogicalName::unconstrained());
        else
            names.push_back(LogicalName::of(name.toStdString()));
    }
    return names;
}

LogicalRules rulesOf(const QString& text)
{
    return *parseRules(text.toStdString());
}

QString outcome(const QString& names, const QString& rules, FlaxVersion version)
{
    const Result<Resolution> resolution = resolve(namesOf(names), rulesOf(rules), version);
    return QString::fromStdString(resolution ? toColumn(resolution->spec()) : std::string(resolution.error().kind()));
}

/// Few names and axes, so that they meet.
LogicalRules arbitraryRules()
{
    LogicalRules rules;
    const int count = *rc::gen::inRange(0, 9);
    for (int i = 0; i < count; ++i) {
        LogicalRule rule;
        rule.name = LogicalName::of(*rc::gen::element<std::string>("a", "b", "c", "d", "e"));
        std::vector<std::string> axes = *rc::gen::container<std::vector<std::string>>(
            *rc::gen::inRange<std::size_t>(0, 4), rc::gen::element<std::string>("x", "y", "z"));
        std::sort(axes.begin(), axes.end());
        axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
        rule.target = *rc::gen::arbitrary<bool>() && axes.size() == 1 ? SpecEntry::axis(axes.front())
            : axes.empty() && *rc::gen::arbitrary<bool>()             ? SpecEntry::none()
                                                                      : SpecEntry::tuple(axes);
        rules.list.push_back(std::move(rule));
    }
    return rules;
}

LogicalNames arbitraryNames()
{
    LogicalNames names;
    for (const char* name : { "a", "b", "c", "d", "e" })
        if (*rc::gen::arbitrary<bool>())
            names.push_back(LogicalName::of(name));
    std::shuffle(names.begin(), names.end(), std::mt19937(*rc::gen::arbitrary<std::uint32_t>()));
    return names;
}

const auto anyVersion = [] { return *rc::gen::element(FlaxVersion::Year2024, FlaxVersion::Current); };

} // namespace

void TestRules::resolves_data()
{
    QTest::addColumn<QString>("names");
    QTest::addColumn<QString>("rules");
    QTest::addColumn<QString>("in2024");
    QTest::addColumn<QString>("now");
    const auto row = [](const char* what, const char* names, const char* rules, const char* in2024,
                         const char* now = "") {
        QTest::newRow(what) << names << rules << in2024 << (*now ? now : in2024);
    };
    row("the first free rule of a name", "batch embed", "[('embed','data'),('batch','data'),('batch','model')]",
        "P(model, data)");
    row("rule order beats dimension order", "a b", "[('b','x'),('a','x')]", "P(-, x)");
    row("None blocks later rules", "a", "[('a',None),('a','x')]", "P(-)");
    row("so does an empty tuple", "a", "[('a',()),('a','x')]", "P(())");
    row("a tuple is all or nothing", "a b", "[('a','x'),('b',('x','y')),('b','y')]", "P(x, y)");
    row("one element stays a tuple", "a", "[('a',('x',))]", "P((x,))");
    row("names twice", "a b a", "[]", "duplicate_dimension");
    row("names twice, before rules of a wrong kind", "a a", "{'a':'x'}", "duplicate_dimension");
    row("rules as a mapping", "a", "{'a':'x'}", "bad_rules_type");
    row("not a pair", "a", "[('a','x','y')]", "bad_rule_arity");
    row("unnamed dimensions may repeat", "- -", "[('a','x')]", "P(-, -)");
    row("a rule for None", "- a -", "[(None,'x'),('a','y')]", "P(x, y, -)", "P(-, y, -)");
    row("unconstrained dimensions", "a ?", "[('a','x')]", "P(x, -)", "P(x, ?)");
    row("two of them", "? ?", "[]", "duplicate_dimension", "P(?, ?)");
    row("unconstrained targets and the busy test", "a b", "[('a',P.UNCONSTRAINED),('b',P.UNCONSTRAINED)]", "P(?, -)",
        "P(?, ?)");
    row("a scalar", "", "[('a','x')]", "P()");
}

void TestRules::resolves()
{
    QFETCH(QString, names);
    QFETCH(QString, rules);
    QFETCH(QString, in2024);
    QFETCH(QString, now);
    QCOMPARE(outcome(names, rules, FlaxVersion::Year2024), in2024);
    QCOMPARE(outcome(names, rules, FlaxVersion::Current), now);
}

void TestRules::traceOfTheDocstring()
{
    const Resolution resolution = *resolve(namesOf("batch length heads features"),
        rulesOf("(('batch', 'X'), ('features', 'X'), ('heads', 'Y'), ('batch', 'Z'))"), FlaxVersion::Current);
    QCOMPARE(toColumn(resolution.spec()), std::string("P(X, -, Y, -)"));
    const std::vector<RuleTrace> expected{
        { 0, Verdict::Applied, 0, -1, -1, "", {} },
        { 1, Verdict::AxisBusy, 3, 0, 0, "X", {} },
        { 2, Verdict::Applied, 2, -1, -1, "", {} },
        { 3, Verdict::DimensionSet, 0, 0, 0, "", {} },
    };
    QCOMPARE(resolution.rules, expected);
    const std::vector<DimensionTrace> dims{
        { DimensionOutcome::SetByRule, 0 },
        { DimensionOutcome::NoRule, -1 },
        { DimensionOutcome::SetByRule, 2 },
        { DimensionOutcome::AllRulesSkipped, 1 },
    };
    QCOMPARE(resolution.dims, dims);
}

void TestRules::traceOfTuplesAndNulls()
{
    const Resolution resolution = *resolve(namesOf("a b - ?"),
        rulesOf("[('b', None), ('a', 'x'), ('b', 'y'), ('zz', 'y'), ('b', ('x', 'y')), (None, 'y')]"),
        FlaxVersion::Current);
    QCOMPARE(resolution.rules[2].verdict, Verdict::BlockedByNull);
    QCOMPARE(resolution.rules[2].byRule, 0);
    QCOMPARE(resolution.rules[3].verdict, Verdict::NoSuchDimension);
    QCOMPARE(resolution.rules[3].dimension, -1);
    QCOMPARE(resolution.rules[4].verdict, Verdict::BlockedByNull);
    QCOMPARE(resolution.rules[5].verdict, Verdict::DimensionSet);
    QCOMPARE(resolution.dims[1].outcome, DimensionOutcome::SetToNullByRule);
    QCOMPARE(resolution.dims[2].outcome, DimensionOutcome::Unnamed);
    QCOMPARE(resolution.dims[3].outcome, DimensionOutcome::Unconstrained);

    const Resolution lost =
        *resolve(namesOf("a b"), rulesOf("[('a', 'y'), ('b', ('x', 'y', 'z'))]"), FlaxVersion::Year2024);
    QCOMPARE(lost.rules[1].busyAxis, std::string("y"));
    QCOMPARE(lost.rules[1].lostAxes, (std::vector<std::string>{ "x", "z" }));
    QCOMPARE(lost.rules[1].byDimension, 0);
}

void TestRules::fallbacks()
{
    const auto act = [](const std::optional<LogicalNames>& names, const QString& rules, RulesFallback fallback,
                         FlaxVersion version) {
        const Result<ConstraintAction> action = logicalConstraint(names, rulesOf(rules), fallback, version);
        if (!action)
            return std::string(action.error().kind());
        return action->constrain ? toColumn(action->spec) : std::string("leave");
    };
    using enum RulesFallback;
    using enum FlaxVersion;
    const LogicalNames ab = namesOf("a b");
    QCOMPARE(act(ab, "[('a',('x',))]", AxisIsUnsharded, Current), std::string("P(x, -)"));
    QCOMPARE(act(ab, "[('a','x')]", RaiseError, Current), std::string("unmatched_axis"));
    QCOMPARE(act(ab, "[('a','x')]", NoConstraint, Current), std::string("leave"));
    QCOMPARE(act(ab, "[('a','x'),('b',None)]", RaiseError, Current), std::string("P(x, -)"));
    QCOMPARE(act(ab, "[('a','x'),('b','x')]", RaiseError, Current), std::string("unmatched_axis"));
    QCOMPARE(act(ab, "[]", RaiseError, Current), std::string("leave"));
    QCOMPARE(act(std::nullopt, "[('a','x')]", RaiseError, Current), std::string("leave"));
    QCOMPARE(act(namesOf("- a"), "[('a','x')]", RaiseError, Current), std::string("P(-, x)"));
    QCOMPARE(act(namesOf("- a"), "[('a','x')]", RaiseError, Year2024), std::string("unmatched_axis"));
    QCOMPARE(act(namesOf("? a"), "[('a','x')]", NoConstraint, Year2024), std::string("not_a_logical_spec"));
    QCOMPARE(act(namesOf("? a"), "[('a','x')]", NoConstraint, Current), std::string("P(?, x)"));
    QCOMPARE(act(ab, "[('a',('x',('y',)))]", AxisIsUnsharded, Current), std::string("nested_tuple"));
    QCOMPARE(act(ab, "[('a',('x',('y',)))]", NoConstraint, Current), std::string("leave"));
    const Result<ConstraintAction> unmatched = logicalConstraint(ab, rulesOf("[('c','x')]"), RaiseError, Current);
    QCOMPARE(unmatched.error().list("dims"), (std::vector<std::string>{ "a", "b" }));

    QVERIFY(!constraintApplies({ "cpu", true, true }, Year2024));
    QVERIFY(constraintApplies({ "cpu", true, false }, Current));
    QVERIFY(!constraintApplies({ "tpu", false, false }, Current));
    QVERIFY(constraintApplies({ "tpu", false, true }, Year2024));
}

void TestRules::order()
{
    // The rules of a small transformer, given in T5X, with both embeddings.
    const QString rules = QString::fromStdString(toPython(*t5xStandardRules(2, 2, {})));
    QCOMPARE(outcome("embed mlp", rules, FlaxVersion::Current), QString("P(data, model)"));
    QCOMPARE(outcome("batch embed", rules, FlaxVersion::Current), QString("P(data, model)"));
}

void TestRules::noAxisTwice()
{
    const bool holds = test::propertyHolds(3000, "no mesh axis cuts two dimensions", [] {
        const LogicalNames names = arbitraryNames();
        const Result<Resolution> resolution = resolve(names, arbitraryRules(), anyVersion());
        RC_ASSERT(resolution.has_value());
        RC_ASSERT(resolution->entries.size() == names.size());
        std::set<std::string> seen;
        for (const SpecEntry& entry : resolution->spec().entries)
            for (const std::string& axis : entry.axes)
                RC_ASSERT(seen.insert(axis).second);
    });
    QVERIFY(holds);
}

void TestRules::unusedNamesChangeNothing()
{
    const bool holds = test::propertyHolds(3000, "names decide by equality alone", [] {
        const LogicalNames names = arbitraryNames();
        const LogicalRules rules = arbitraryRules();
        const FlaxVersion version = anyVersion();
        const Resolution before = *resolve(names, rules, version);

        LogicalRules more = rules; // rules for other dimensions, anywhere
        LogicalRule other;
        other.name = LogicalName::of("other");
        other.target = SpecEntry::axis("x");
        more.list.insert(more.list.begin()
                + *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(rules.list.size()) + 1),
            other);
        RC_ASSERT(resolve(names, more, version)->spec() == before.spec());

        LogicalRules renamed = rules; // mesh axes under other names
        for (LogicalRule& rule : renamed.list)
            for (std::string& axis : rule.target.axes)
                axis += "-renamed";
        PartitionSpec expected = before.spec();
        for (SpecEntry& entry : expected.entries)
            for (std::string& axis : entry.axes)
                axis += "-renamed";
        RC_ASSERT(resolve(names, renamed, version)->spec() == expected);

        LogicalRules twice = rules; // a second helping finds every dimension set or every axis busy
        twice.list.insert(twice.list.end(), rules.list.begin(), rules.list.end());
        RC_ASSERT(resolve(names, twice, version)->spec() == before.spec());
    });
    QVERIFY(holds);
}

void TestRules::unusedAxesMayBeRenamed()
{
    const bool holds = test::propertyHolds(3000, "axes that are not in the result may have any name", [] {
        const LogicalNames names = arbitraryNames();
        const LogicalRules rules = arbitraryRules();
        const FlaxVersion version = anyVersion();
        const Resolution before = *resolve(names, rules, version);
        std::set<std::string> used;
        for (const SpecEntry& entry : before.spec().entries)
            used.insert(entry.axes.begin(), entry.axes.end());
        LogicalRules renamed = rules;
        for (LogicalRule& rule : renamed.list)
            for (std::string& axis : rule.target.axes)
                if (used.count(axis) == 0)
                    axis = "other " + axis;
        const Resolution after = *resolve(names, renamed, version);
        RC_ASSERT(after.spec() == before.spec());
        RC_ASSERT(after.dims == before.dims);
        for (std::size_t i = 0; i < rules.list.size(); ++i)
            RC_ASSERT(after.rules[i].verdict == before.rules[i].verdict);
    });
    QVERIFY(holds);
}

void TestRules::traceExplainsTheResult()
{
    const bool holds = test::propertyHolds(3000, "verdicts and entries agree", [] {
        const LogicalNames names = arbitraryNames();
        const LogicalRules rules = arbitraryRules();
        const FlaxVersion version = anyVersion();
        const Resolution resolution = *resolve(names, rules, version);
        RC_ASSERT(resolution.rules.size() == rules.list.size());
        std::vector<int> setBy(names.size(), -1);
        for (const RuleTrace& trace : resolution.rules) {
            const LogicalRule& rule = rules.list[trace.rule];
            const bool present = std::find(names.begin(), names.end(), rule.name) != names.end();
            RC_ASSERT(present == (trace.verdict != Verdict::NoSuchDimension));
            if (!present)
                continue;
            const auto dimension = static_cast<std::size_t>(trace.dimension);
            RC_ASSERT(names[dimension] == rule.name);
            switch (trace.verdict) {
            case Verdict::Applied:
                RC_ASSERT(setBy[dimension] == -1);
                RC_ASSERT(resolution.entries[dimension].entry == rule.target);
                setBy[dimension] = static_cast<int>(trace.rule);
                break;
            case Verdict::DimensionSet:
            case Verdict::BlockedByNull:
                RC_ASSERT(setBy[dimension] == trace.byRule);
                RC_ASSERT((trace.verdict == Verdict::BlockedByNull)
                    == rules.list[static_cast<std::size_t>(trace.byRule)].target.axes.empty());
                break;
            case Verdict::AxisBusy: {
                RC_ASSERT(setBy[dimension] == -1);
                RC_ASSERT(setBy[static_cast<std::size_t>(trace.byDimension)] == trace.byRule);
                const std::vector<std::string>& busy = rules.list[static_cast<std::size_t>(trace.byRule)].target.axes;
                RC_ASSERT(std::find(busy.begin(), busy.end(), trace.busyAxis) != busy.end());
                for (const std::string& lost : trace.lostAxes)
                    for (std::size_t d = 0; d < names.size(); ++d)
                        if (setBy[d] >= 0) {
                            const auto& axes = rules.list[static_cast<std::size_t>(setBy[d])].target.axes;
                            RC_ASSERT(std::find(axes.begin(), axes.end(), lost) == axes.end());
                        }
                break;
            }
            case Verdict::NoSuchDimension:
                break;
            }
        }
        for (std::size_t d = 0; d < names.size(); ++d) {
            RC_ASSERT(resolution.entries[d].assigned == (setBy[d] >= 0));
            if (setBy[d] >= 0)
                RC_ASSERT(resolution.dims[d].rule == setBy[d]);
        }
    });
    QVERIFY(holds);
}

void TestRules::ruleSets()
{
    const auto combined = [](const QString& first, const QString& second) {
        const Result<LogicalRules> rules = compositeRules(rulesOf(first), rulesOf(second));
        return rules ? toPython(*rules) : std::string(rules.error().kind());
    };
    QCOMPARE(combined("[]", "[]"), std::string("()"));
    QCOMPARE(combined("[('a','x'),('a','y')]", "[]"), std::string("(('a', 'x'), ('a', 'y'))"));
    QCOMPARE(combined("[('a','x'),('b','z'),('a','y')]", "[('c','z'),('a','y')]"),
        std::string("(('a', 'y'), ('b', 'z'), ('c', 'z'))"));
    QCOMPARE(combined("[('a','x')]", "[('a',('x',))]"), std::string("inconsistent_rules"));
    QCOMPARE(combined("[('a','x')]", "[('b','x'),('b','y')]"), std::string("inconsistent_rules"));
    QCOMPARE(combined("[('a','x')]", "[('b',)]"), std::string("bad_rule_arity"));
    QCOMPARE(combined("{'a':'x'}", "[('b','y')]"), std::string("bad_rules_type"));

    for (const int dims : { -1, 0, 3 }) {
        QCOMPARE(t5xStandardRules(dims, 1, {}).error().code, Code::UnsupportedDims);
        QCOMPARE(t5xStandardRules(1, dims, {}).error().code, Code::UnsupportedDims);
    }
    QCOMPARE(t5xStandardRules(1, 1, rulesOf("[('mine','data')]"))->list.back().name, LogicalName::of("mine"));
}

REGISTER_TEST(TestRules)
#include "test_rules.moc"
