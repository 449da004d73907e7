// SPDX-License-Identifier: GPL-3.0-or-later
// Where two systems part that read the same rules.
#include <QtTest>

#include "base/codes.h"
#include "random_properties.h"
#include "registered_test.h"
#include "rules/dialect_comparison.h"
#include "sharding/text.h"

using namespace shardscope;

namespace {

const Mesh& mesh()
{
    static const Mesh instance = *Mesh::create({ { "data", 2 }, { "model", 4 }, { "expert", 1 } });
    return instance;
}

LogicalRules rules(const char* text)
{
    const auto parsed = parseRules(text);
    if (!parsed)
        qFatal("rules that cannot be read");
    return *parsed;
}

NamedShape array(std::vector<std::string> names, Shape shape)
{
    NamedShape result{ "w", {}, std::move(shape) };
    for (std::string& name : names)
        result.names.push_back(name.empty() ? LogicalName::none() : LogicalName::of(std::move(name)));
    return result;
}

constexpr RuleSystem flax2024{ Dialect::FlaxLinen, FlaxVersion::Year2024 };
constexpr RuleSystem flaxNow{ Dialect::FlaxLinen, FlaxVersion::Current };
constexpr RuleSystem maxText{ Dialect::MaxText, FlaxVersion::Current };

} // namespace

class TestDialectComparison : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everySystemOnce()
    {
        QCOMPARE(ruleSystems().size(), std::size_t{ 8 });
        for (std::size_t i = 0; i < ruleSystems().size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY(!(ruleSystems()[i] == ruleSystems()[j]));
    }

    void whatDoesNotDivide()
    {
        const auto compared =
            compareIn(flaxNow, maxText, array({ "kv_heads", "" }, { 2, 64 }), rules("[('kv_heads', 'model')]"), mesh());
        QCOMPARE(toColumn(*compared.first.spec), std::string("P(model, -)"));
        QCOMPARE(toColumn(*compared.second.spec), std::string("P(-, -)"));
        QVERIFY(compared.step && compared.step->kind == DifferingStep::Kind::Dropped && compared.step->bySecond);
        QCOMPARE(compared.step->dropped->dimension, std::size_t{ 0 });
        QVERIFY(compared.step->dropped->reason == DroppedAxes::Reason::Indivisible);
        QCOMPARE(compared.step->dropped->partitions, 4);
        // The other way round it is still MaxText that drops.
        const auto turned =
            compareIn(maxText, flaxNow, array({ "kv_heads", "" }, { 2, 64 }), rules("[('kv_heads', 'model')]"), mesh());
        QVERIFY(turned.step && !turned.step->bySecond);
        // Enough heads: no difference.
        QVERIFY(
            !compareIn(flaxNow, maxText, array({ "kv_heads", "" }, { 8, 64 }), rules("[('kv_heads', 'model')]"), mesh())
                 .step);
    }

    void axesOfOneDevice()
    {
        const auto compared = compareIn(flaxNow, maxText, array({ "batch", "exp" }, { 8, 8 }),
            rules("[('batch', ('data', 'expert')), ('exp', None)]"), mesh());
        QVERIFY(compared.step && compared.step->kind == DifferingStep::Kind::Dropped);
        QVERIFY(compared.step->dropped->reason == DroppedAxes::Reason::SizeOne);
        QCOMPARE(compared.step->dropped->axes, std::vector<std::string>{ "expert" });
    }

    void versionsOfFlax()
    {
        // A rule for None took the first dimension without a name in 2024; today such dimensions are settled before.
        const auto compared = compareIn(
            flax2024, flaxNow, array({ "", "embed" }, { 8, 8 }), rules("[(None, 'data'), ('embed', 'data')]"), mesh());
        QVERIFY(compared.step && compared.step->kind == DifferingStep::Kind::Rule);
        QCOMPARE(compared.step->rule, std::size_t{ 0 });
        QCOMPARE(toColumn(*compared.first.spec), std::string("P(data, -)"));
        QCOMPARE(toColumn(*compared.second.spec), std::string("P(-, data)"));
    }

    void errorsOfOneAlone()
    {
        // Both refuse a name that occurs twice: no difference.
        const auto both = compareIn(flax2024, maxText, array({ "a", "a" }, { 8, 8 }), rules("[('a', 'data')]"), mesh());
        QVERIFY(!both.first.spec && !both.second.spec && !both.step);
        QVERIFY(both.first.error->code == Code::DuplicateDimension);
    }

    /// T5X differs from Flax in nothing, and comparing a system with itself finds nothing; whatever differs has a step.
    void everyDifferenceHasItsStep()
    {
        const bool passed = test::propertyHolds(2000, "specs differ where and only where there is a step", [] {
            const std::vector<std::string> words{ "a", "b", "c", "" };
            NamedShape subject;
            LogicalRules list;
            const auto rank = *rc::gen::inRange<std::size_t>(0, 4);
            for (std::size_t i = 0; i < rank; ++i) {
                const std::string word = *rc::gen::elementOf(words);
                subject.names.push_back(word.empty() ? LogicalName::none() : LogicalName::of(word));
                subject.shape.push_back(*rc::gen::inRange<std::int64_t>(1, 9));
            }
            const auto count = *rc::gen::inRange<std::size_t>(0, 6);
            for (std::size_t i = 0; i < count; ++i) {
                const std::string word = *rc::gen::elementOf(words);
                std::vector<std::string> axes;
                for (const char* axis : { "data", "model", "expert", "nowhere" })
                    if (*rc::gen::inRange(0, 3) == 0)
                        axes.emplace_back(axis);
                LogicalRule rule;
                rule.name = word.empty() ? LogicalName::none() : LogicalName::of(word);
                rule.target = axes.empty() ? SpecEntry::none() : SpecEntry::tuple(std::move(axes));
                list.list.push_back(std::move(rule));
            }
            const RuleSystem a = *rc::gen::elementOf(ruleSystems());
            const RuleSystem b = *rc::gen::elementOf(ruleSystems());
            const ArrayInDialects compared = compareIn(a, b, subject, list, mesh());
            if (a == b || (a.version == b.version && a.dialect != Dialect::MaxText && b.dialect != Dialect::MaxText))
                RC_ASSERT(!compared.step);
            if (compared.first.spec && compared.second.spec)
                RC_ASSERT(
                    compared.step.has_value() == (canonical(*compared.first.spec) != canonical(*compared.second.spec)));
            else
                RC_ASSERT(
                    compared.step.has_value() == (compared.first.spec.has_value() != compared.second.spec.has_value()));
        });
        QVERIFY(passed);
    }
};

REGISTER_TEST(TestDialectComparison)
#include "test_dialect_comparison.moc"
