// SPDX-License-Identifier: GPL-3.0-or-later
// T5X' partitioner, and the contexts in which rules are bound.
#include <QtTest>

#include "base/codes.h"
#include "registered_test.h"
#include "rules/rule_context.h"
#include "rules/t5x_partitioner.h"
#include "sharding/text.h"

using namespace shardscope;

class TestPartitioner : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void hybridMeshes();
    void whatIsSpecified();
    void batchAxis();
    void parameters();
    void nestedContexts();
    void renaming();
};

namespace {

LogicalRules rulesOf(const char* text)
{
    return *parseRules(text);
}

LogicalNames namesOf(std::initializer_list<const char*> names)
{
    LogicalNames result;
    for (const char* name : names)
        result.push_back(name ? LogicalName::of(name) : LogicalName::none());
    return result;
}

PartitionerSettings hybrid(const char* rules)
{
    return { 2, std::nullopt, std::vector<std::int64_t>{ 1, 4, 2 }, std::vector<std::int64_t>{ 2, 1, 1 },
        rulesOf(rules) };
}

} // namespace

void TestPartitioner::hybridMeshes()
{
    const Partitioner both = *makePartitioner(hybrid("[('batch', None), ('embed', 'replica'), ('batch', 'model')]"));
    QCOMPARE(toPython(both.rules),
        std::string("(('batch', ('replica', 'data')), ('embed', 'replica'), ('batch', ('replica', 'data')))"));
    QCOMPARE(toColumn(both.dataSpec()), std::string("P((replica, data))"));

    PartitionerSettings onlyIci = hybrid("[('batch', 'data')]");
    onlyIci.dcnShape.reset();
    QCOMPARE(makePartitioner(onlyIci)->dataAxis, SpecEntry::axis("data"));
    PartitionerSettings onlyDcn = hybrid("[('batch', 'data')]");
    onlyDcn.iciShape.reset();
    QCOMPARE(makePartitioner(onlyDcn)->dataAxis, SpecEntry::axis("data"));
}

void TestPartitioner::whatIsSpecified()
{
    const auto code = [](const PartitionerSettings& settings) { return makePartitioner(settings).error().code; };
    QCOMPARE(code({}), Code::NoPartitionsAndNoSubmesh);
    QCOMPARE(code({ 0, std::vector<std::int64_t>{}, {}, {}, {} }), Code::NoPartitionsAndNoSubmesh);
    const auto logged = [](const PartitionerSettings& settings) {
        const Partitioner partitioner = *makePartitioner(settings);
        std::vector<Code> codes;
        for (const Diagnostic& diagnostic : partitioner.logged)
            codes.push_back(diagnostic.code);
        return codes;
    };
    using Sizes = std::vector<std::int64_t>;
    QCOMPARE(logged({ 2, {}, {}, {}, {} }), std::vector<Code>{});
    QCOMPARE(logged({ {}, Sizes{ 2, 2, 1, 2 }, {}, {}, {} }), std::vector<Code>{});
    QCOMPARE(logged({ {}, Sizes{ 2, 2, 1 }, {}, {}, {} }), std::vector<Code>{ Code::SubmeshNotFourSizes });
    QCOMPARE(logged({ 2, Sizes{ 1, 1, 1, 2 }, {}, {}, {} }), std::vector<Code>{ Code::PartitionsAndSubmesh });
    QCOMPARE(logged({ 2, Sizes{ 1 }, {}, {}, {} }),
        (std::vector<Code>{ Code::SubmeshNotFourSizes, Code::PartitionsAndSubmesh }));
    QCOMPARE(code({ 1, {}, {}, {}, rulesOf("[('batch',)]") }), Code::RuleArity);
    QCOMPARE(code({ 1, {}, {}, {}, rulesOf("{'batch': 'data'}") }), Code::RulesType);
    QCOMPARE(code(hybrid("[('batch', 'data', 'x')]")), Code::RuleArity);
}

void TestPartitioner::batchAxis()
{
    const auto axis = [](const char* rules) {
        return toColumn(makePartitioner({ 1, {}, {}, {}, rulesOf(rules) })->dataSpec());
    };
    QCOMPARE(axis("[('batch', 'data')]"), std::string("P(data)"));
    QCOMPARE(axis("[('batch', 'model'), ('batch', 'data')]"), std::string("P(model)"));
    QCOMPARE(axis("[]"), std::string("P(-)"));
    QCOMPARE(axis("[('batch', None), ('batch', 'data')]"), std::string("P(-)"));
    QCOMPARE(toPython(makePartitioner({ 1, {}, {}, {}, {} })->rules), toPython(*t5xStandardRules(1, 1, {})));
    // Into how many parts: only axes that the mesh has count, each once.
    const auto parts = [](const char* rules, const char* mesh) {
        return makePartitioner({ 1, {}, {}, {}, rulesOf(rules) })->dataParts(*parseMesh(mesh));
    };
    QCOMPARE(parts("[('batch', ('replica', 'data'))]", "replica=2,data=3,model=4"), std::int64_t{ 6 });
    QCOMPARE(parts("[('batch', ('replica', 'data', 'data'))]", "data=3,model=4"), std::int64_t{ 3 });
    QCOMPARE(parts("[]", "data=3"), std::int64_t{ 1 });
}

void TestPartitioner::parameters()
{
    const LogicalRules rules = rulesOf("[('batch', 'data'), ('embed', None), ('vocab', 'model'), ('mlp', 'model')]");
    const auto resolved = [&](const LogicalNames& names) { return resolve(names, rules, FlaxVersion::Current); };
    QCOMPARE(toColumn(resolved(namesOf({ "vocab", "embed" }))->spec()), std::string("P(model, -)"));
    QCOMPARE(toColumn(resolved(namesOf({ "embed", "mlp" }))->spec()), std::string("P(-, model)"));
    QCOMPARE(toColumn(resolved(LogicalNames())->spec()), std::string("P()"));

    const Error failed = failedToMap("encoder/layer_3/kernel", resolved(namesOf({ "mlp", "mlp" })).error());
    QCOMPARE(failed.code, Code::FailedToMap);
    QCOMPARE(failed.text("parameter"), std::string("encoder/layer_3/kernel"));
    QCOMPARE(failed.text("cause"), std::string("duplicate_dimension"));
    QCOMPARE(failed.list("dims"), std::vector<std::string>{ "mlp" });
    QCOMPARE(failed.where.path, std::string("encoder/layer_3/kernel"));
    // What the cause says of itself stays with it.
    const Error arity = failedToMap("w", Error{ Code::RuleArity, { { "rule", 2 }, { "length", 3 } }, {} });
    QCOMPARE(arity.text("cause"), std::string("bad_rule_arity"));
    QCOMPARE(arity.number("rule"), std::int64_t{ 2 });
}

void TestPartitioner::nestedContexts()
{
    const LogicalRules outer = rulesOf("[('batch', 'data'), ('embed', 'model')]");
    const LogicalRules inner = rulesOf("[('batch', 'x')]");
    const auto spec = [](const RuleContext& context) {
        return toColumn(resolve(namesOf({ "batch", "embed" }), context.rules(), FlaxVersion::Current)->spec());
    };
    RuleContext context;
    QCOMPARE(spec(context), std::string("P(-, -)"));
    context.set(outer);
    QCOMPARE(spec(context), std::string("P(data, model)"));
    {
        const RuleContext::Scope first(context, inner);
        QCOMPARE(spec(context), std::string("P(x, -)")); // replaced, not added to
        {
            const RuleContext::Scope second(context, LogicalRules());
            QCOMPARE(spec(context), std::string("P(-, -)"));
            context.set(outer); // lasts as long as the scope
        }
        QCOMPARE(spec(context), std::string("P(x, -)"));
    }
    QCOMPARE(context.rules(), outer);
}

void TestPartitioner::renaming()
{
    const auto apply = [](const LogicalNames& names, const char* context, const char* own) {
        const Result<PartitionSpec> spec = applyRules(names, rulesOf(context), rulesOf(own));
        return spec ? toColumn(*spec) : std::string(spec.error().kind());
    };
    const LogicalNames names = namesOf({ "a", nullptr, "b" });
    QCOMPARE(apply(names, "[('a', 'x')]", "[]"), std::string("P(x, -, b)"));
    QCOMPARE(apply(names, "[('a', 'x'), ('a', 'y')]", "[]"), std::string("P(y, -, b)"));
    QCOMPARE(apply(names, "[('a', 'x')]", "[('b', 'x')]"), std::string("P(x, -, x)"));
    QCOMPARE(apply(names, "[('a', None)]", "[('b', ('x', 'y'))]"), std::string("P(-, -, (x, y))"));
    QCOMPARE(apply(names, "[('a', 'x')]", "[('a', 'y')]"), std::string("inconsistent_rules"));
    QCOMPARE(apply(names, "[('a',)]", "[]"), std::string("bad_rule_arity"));
    QCOMPARE(apply(names, "{'a': 'x'}", "[]"), std::string("bad_rules_type"));
    QCOMPARE(apply({ LogicalName::unconstrained() }, "[]", "[]"), std::string("P(?)"));
}

REGISTER_TEST(TestPartitioner)
#include "test_partitioner.moc"
