// SPDX-License-Identifier: GPL-3.0-or-later
// Factor rules of operations with attributes, bodies and neighbours, and what holds of all rules.
#include <QtTest>

#include <functional>
#include <set>
#include <stdexcept>

#include "program/body.h"
#include "program/custom_calls.h"
#include "program/declared_rule.h"
#include "program/f32.h"
#include "program/factor_rule_text.h"
#include "program/identity_rule.h"
#include "program/one_operation.h"
#include "program/sample_operations.h"
#include "registered_test.h"

using namespace shardscope;
using test::f32;

namespace {

TensorType i32(Shape shape)
{
    return { DType::I32, std::move(shape) };
}

QString text(const FactorRule& rule)
{
    return QString::fromStdString(toString(rule));
}

Attributes customCall(std::string target)
{
    CustomCallAttributes call;
    call.target = std::move(target);
    return otherAttributes(std::move(call));
}

/// What is wrong with a rule of an operation; "" for a sound one.
QString wrongWith(const Program& program, const Operation& operation, const FactorRule& rule)
{
    std::set<std::int32_t> used;
    const auto look = [&](const std::vector<FactorRule::TensorMapping>& mappings, const auto& values, bool results) {
        if (mappings.size() != values.size())
            return QString("number of tensors");
        for (std::size_t t = 0; t < mappings.size(); ++t) {
            const Shape& shape = program.value(values[t]).type.shape;
            if (mappings[t].size() != shape.size())
                return QString("rank");
            std::set<std::int32_t> here;
            for (std::size_t d = 0; d < shape.size(); ++d) {
                if (mappings[t][d].empty())
                    return QString("a dimension without a factor");
                std::int64_t product = 1;
                bool exact = true;
                for (const std::int32_t f : mappings[t][d]) {
                    const FactorRule::Factor& factor = rule.factors.at(static_cast<std::size_t>(f));
                    product *= factor.size;
                    exact = exact && factor.kind == FactorKind::PassThrough && !factor.blocked;
                    if (factor.size == 1 && mappings[t][d].size() > 1)
                        return QString("a factor of size 1 beside others");
                    if (!here.insert(f).second)
                        return QString("a factor twice in a tensor");
                    if (results && factor.kind == FactorKind::Reduction)
                        return QString("a reduction in a result");
                    used.insert(f);
                }
                // What passes through has the size of the dimension, or is one of size 1 for a dimension of which
                // nothing is known.
                if (exact && product != shape[d] && product != 1)
                    return QString("size %1 of a dimension of %2").arg(product).arg(shape[d]);
            }
        }
        return QString();
    };
    if (QString wrong = look(rule.operands, operation.operands, false); !wrong.isEmpty())
        return wrong;
    if (QString wrong = look(rule.results, operation.results, true); !wrong.isEmpty())
        return wrong;
    return used.size() == rule.factors.size() ? QString() : QString("a factor without a dimension");
}

} // namespace

class TestRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// All samples, both ways: sound rules, and the same again from their text.
    void allRulesAreSound()
    {
        std::set<OpKind> seen;
        for (const SampleOperation& sample : sampleOperations()) {
            const Operation& operation = sample.one.program.operations[0];
            seen.insert(operation.kind);
            for (const bool conservative : { false, true }) {
                const FactorRule rule = sample.one.rule({ conservative });
                if (!rule.exists())
                    continue;
                const QString wrong = wrongWith(sample.one.program, operation, rule);
                QVERIFY2(wrong.isEmpty(), qPrintable(sample.name + ": " + wrong + " in " + text(rule)));
                const auto declared = parseDeclaredRule("#sdy.op_sharding_rule<" + toString(rule) + '>');
                QVERIFY2(declared && toFactorRule(*declared) == rule, qPrintable(sample.name + ": " + text(rule)));
            }
        }
        for (std::size_t i = 0; i < opKindCount; ++i) { // no operation with a rule of its own is forgotten
            const OpRow& row = opRow(static_cast<OpKind>(i));
            if (row.rule)
                QVERIFY2(seen.count(row.kind) || row.dialect == OpDialect::Chlo, row.name.data());
        }
    }

    /// Where an operation is said to have the identity rule, it is its rule; another rank, an attached rule or a size
    /// that only a run knows makes it none.
    void identityRules()
    {
        int found = 0;
        for (const SampleOperation& sample : sampleOperations()) {
            const Operation& operation = sample.one.program.operations[0];
            if (!hasIdentityRule(sample.one.program, operation))
                continue;
            ++found;
            const TensorType& type = sample.one.program.value(operation.results[0]).type;
            for (const bool conservative : { false, true })
                QVERIFY2(sample.one.rule({ conservative }) == identityRule(type, operation.operands.size()),
                    qPrintable(sample.name));
        }
        QVERIFY(found > 0);
        const auto isIdentity = [](OpKind kind, const std::vector<TensorType>& operands, const TensorType& result,
                                    std::uint32_t extra = 0) {
            OneOperation one(kind, operands, { result });
            one.operation().extra = extra;
            const bool is = hasIdentityRule(one.program, one.operation());
            return !is || one.rule() == identityRule(result, operands.size()) ? is
                                                                              : throw std::logic_error("another rule");
        };
        const TensorType pred{ DType::Pred, {} };
        QVERIFY(isIdentity(OpKind::Add, { f32({ 8, 4 }), f32({ 8, 4 }) }, f32({ 8, 4 })));
        QVERIFY(isIdentity(OpKind::Tanh, { f32({ 3 }) }, f32({ 3 })));
        QVERIFY(isIdentity(OpKind::Convert, { i32({ 8, 4 }) }, f32({ 8, 4 })));
        QVERIFY(!isIdentity(OpKind::Select, { pred, f32({ 8 }), f32({ 8 }) }, f32({ 8 })));
        QVERIFY(!isIdentity(OpKind::Add, { f32({ 8 }), f32({ 8 }) }, f32({ 8 }), 1));
        QVERIFY(!isIdentity(OpKind::Tanh, { f32({ dynamicSize }) }, f32({ dynamicSize })));
        QVERIFY(!isIdentity(OpKind::BitcastConvert, { i32({ 8, 4 }) }, { DType::I8, { 8, 4, 4 } }));
    }

    void neighboursCount()
    {
        // An update at constant places.
        OneOperation update(OpKind::DynamicUpdateSlice, { f32({ 8 }), f32({ 2 }), i32({}) }, { f32({ 8 }) });
        QCOMPARE(text(update.rule()), QString("([i], [j], [])->([i]) {i=8, j=2} need_replication={j}"));
        update.operation().operands[2] =
            update.addBefore(OpKind::SdyConstant, {}, i32({}), ConstantAttributes{ { 3 } });
        QCOMPARE(text(update.rule()), QString("([i], [j], [])->([i]) {i=8, j=2}"));

        // Pieces of one tensor, of several, and parts that are no slices.
        OneOperation joined(
            OpKind::Concatenate, { f32({ 4 }), f32({ 4 }) }, { f32({ 8 }) }, otherAttributes(DimensionAttributes{}));
        QCOMPARE(text(joined.rule()), QString("([i], [i])->([i]) {i=8} need_replication={i}"));
        const auto slice = [&](ValueId from) {
            return joined.addBefore(
                OpKind::Slice, { from }, f32({ 4 }), otherAttributes(SliceAttributes{ { 0 }, { 4 }, { 1 } }));
        };
        const ValueId first = joined.operation().operands[0], second = joined.operation().operands[1];
        joined.operation().operands[0] = slice(first);
        QCOMPARE(text(joined.rule()), QString("([i], [i])->([i]) {i=8} need_replication={i}"));
        joined.operation().operands[1] = slice(second);
        QCOMPARE(text(joined.rule()), QString("([i], [i])->([i]) {i=8} permutation={i}"));
        joined.operation().operands[1] = first;
        QCOMPARE(text(joined.rule()), QString("([i], [i])->([i]) {i=8} permutation={i}"));
        QVERIFY(verify(joined.program).empty());

        // A state for random numbers is needed as a whole.
        const TensorType half{ DType::U32, { 2 } }, full{ DType::U64, { 2 } };
        OneOperation generator(OpKind::RngBitGenerator, { half, half }, { full, { DType::U32, { 6 } } },
            otherAttributes(RngBitGeneratorAttributes{}));
        const ValueId state = generator.addBefore(OpKind::CustomCall,
            { generator.operation().operands[0], generator.operation().operands[1] }, full, customCall("X64Combine"));
        generator.operation().operands = { state };
        QVERIFY(verify(generator.program).empty());
        QCOMPARE(text(generator.rule()),
            QString("([i])->([i], [j]) {i=2, j=6} need_replication={i} blocked_propagation={i}"));
        const Operation& combine = generator.program.operations[1];
        QCOMPARE(text(factorRule(generator.program, combine)),
            QString("([i], [i])->([i]) {i=2} need_replication={i} blocked_propagation={i}"));
        generator.operation().kind = OpKind::Opaque;
        QCOMPARE(text(factorRule(generator.program, combine)), QString("([i], [i])->([i]) {i=2}"));
    }

    void bodiesCount()
    {
        using enum OpKind;
        const auto rule = [](OpKind combine, DType dtype) {
            OneOperation scatter(Scatter, { { dtype, { 8 } }, i32({ 4, 1 }), { dtype, { 4 } } }, { { dtype, { 8 } } },
                otherAttributes(ScatterAttributes{ {}, { 0 }, {}, {}, { 0 }, 1 }));
            scatter.reducer(combine, { dtype });
            const std::vector<Diagnostic> found = verify(scatter.program);
            return found.empty() ? text(scatter.rule()) : QString::fromStdString(found[0].text("detail"));
        };
        const QString reduces = "([j], [i, k], [i])->([j]) {i=4, j=8, k=1} reduction={i} need_replication={k}";
        const QString cannot = "([j], [i, k], [i])->([j]) {i=4, j=8, k=1} need_replication={i, k}";
        for (const OpKind combine : { Add, Multiply, Maximum, Minimum })
            QCOMPARE(rule(combine, DType::F32), reduces);
        QCOMPARE(rule(Subtract, DType::F32), cannot);
        QCOMPARE(rule(And, DType::Pred), reduces);
        QCOMPARE(rule(Or, DType::Pred), reduces);
        QCOMPARE(rule(And, DType::I32), cannot);

        OneOperation both(VariadicReduce, { f32({ 4 }), i32({ 4 }), f32({}), i32({}) }, { f32({}), i32({}) },
            otherAttributes(VariadicReduceAttributes{ { 0 }, {} }));
        both.reducer(Maximum, { DType::F32, DType::I32 });
        QVERIFY(verify(both.program).empty());
        QVERIFY(reductionOf(both.program, both.operation()) == ReduceKind::Max);
        Operation& second = both.program.operations[2];
        std::swap(second.operands[0], second.operands[1]);
        QVERIFY(reductionOf(both.program, both.operation()) == ReduceKind::Max);
        second.kind = Add; // another one
        QVERIFY(!reductionOf(both.program, both.operation()));
        second.kind = Maximum;
        second.operands[0] = second.operands[1]; // not both numbers
        QVERIFY(!reductionOf(both.program, both.operation()));
    }

    void usersRulesWin()
    {
        OneOperation call(OpKind::CustomCall, { f32({ 4, 2 }) }, { f32({ 2, 4 }) }, customCall("foo"));
        QVERIFY(!call.rule().exists());
        const auto attach = [&](const char* rule) {
            call.program.dictionaries.push_back({ { "other", "1" }, { "sdy.sharding_rule", rule } });
            call.operation().extra = static_cast<std::uint32_t>(call.program.dictionaries.size() - 1);
            return text(call.rule());
        };
        const QString plain = "([i, j])->([j, i]) {i=4, j=2}";
        QCOMPARE(attach("#sdy.op_sharding_rule<([i, j])->([j, i]) {i=4, j=2}, custom>"), plain + ", custom");
        QVERIFY(call.rule().custom);
        QCOMPARE(attach("([i,j]) -> ([j,i]) {i=4,j=2} need_replication={i} permutation={j} blocked_propagation={i,j}"),
            plain + " need_replication={i} permutation={j} blocked_propagation={i, j}");
        // What does not fit the operation is not used.
        for (const char* wrong : { "([i])->([i]) {i=4}", "([i, j])->([j, k]) {i=4, j=2}",
                 "([i, j], [])->([j, i]) {i=4, j=2}", "([i, ])->([i, i]) {i=4}", "nonsense", "" })
            QCOMPARE(attach(wrong), QString());
        OneOperation pointwise(OpKind::Add, { f32({ 4 }), f32({ 4 }) }, { f32({ 4 }) });
        pointwise.program.dictionaries.push_back({ { "sdy.sharding_rule", "([i], [j])->([i]) {i=4, j=4}" } });
        pointwise.operation().extra = 1;
        QCOMPARE(text(pointwise.rule()), QString("([i], [j])->([i]) {i=4, j=4}"));
        QCOMPARE(text(registryRule(pointwise.program, pointwise.operation())), QString("([i], [i])->([i]) {i=4}"));
    }

    void manyLetters()
    {
        FactorRule rule;
        rule.results.emplace_back();
        for (std::int32_t f = 0; f < 21; ++f) {
            rule.factors.push_back({ f + 2 });
            rule.results[0].push_back({ f });
        }
        const QString shown = text(rule);
        QVERIFY2(shown.startsWith("()->([i, j, k") && shown.contains("y, z, z_1, z_2, z_3]"), qPrintable(shown));
        QVERIFY(shown.endsWith("z=19, z_1=20, z_2=21, z_3=22}"));
    }

    void customCalls()
    {
        QCOMPARE(customCallFamily("Sharding"), CustomCallFamily::Pointwise);
        QCOMPARE(customCallFamily("xla_ffi_python_gpu_callback"), CustomCallFamily::Silent);
        QCOMPARE(customCallFamily("cu_threefry2x32_ffi"), CustomCallFamily::Silent);
        QCOMPARE(customCallFamily("a_kernel_of_ones_own"), CustomCallFamily::Unknown);
        // A known target on operands that it cannot have: nothing propagates, nothing breaks.
        for (const char* target : { "Eigh", "Qr", "ApproxTopK", "mhlo.topk", "ProductOfElementaryHouseholderReflectors",
                 "X64Combine", "MoveToHost" }) {
            OneOperation scalar(OpKind::CustomCall, { f32({}) }, { f32({}) }, customCall(target));
            QVERIFY(scalar.rule().factors.empty());
            OneOperation nothing(OpKind::CustomCall, {}, {}, customCall(target));
            QVERIFY(!nothing.rule().exists());
        }
        OneOperation ranks(OpKind::CustomCall, { f32({ 4, 4 }) }, { f32({ 4 }), i32({ 4 }) }, customCall("mhlo.topk"));
        QVERIFY(!ranks.rule().exists());
    }

    void costs()
    {
        for (const SampleOperation& sample : sampleOperations()) {
            const OperationCost cost = operationCost(sample.one.program, sample.one.program.operations[0]);
            QVERIFY2(cost.flops >= 0 && cost.bytesRead >= 0 && cost.bytesWritten >= 0, qPrintable(sample.name));
            if (sample.flops >= 0)
                QVERIFY2(qAbs(cost.flops - sample.flops) <= 1e-9 * sample.flops,
                    qPrintable(QString("%1: %2").arg(sample.name).arg(cost.flops)));
        }
    }
};

REGISTER_TEST(TestRules)
#include "test_rules.moc"
