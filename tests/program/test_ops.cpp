// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the operations: completeness, type inference and factor rules.
#include <QtTest>

#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "base/codes.h"
#include "program/builder.h"
#include "program/f32.h"
#include "program/factor_rule_text.h"
#include "program/op_row.h"
#include "registered_test.h"

using namespace shardscope;
using test::f32;

namespace {

TensorType pred(Shape shape)
{
    return { DType::Pred, std::move(shape) };
}

} // namespace

class TestOps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyKindHasItsOwnRow()
    {
        std::set<std::string> names;
        for (std::size_t i = 0; i < opKindCount; ++i) {
            const auto kind = static_cast<OpKind>(i);
            const OpRow& row = opRow(kind);
            QCOMPARE(row.kind, kind);
            QVERIFY2(row.inferType || row.check, row.name.data());
            QVERIFY2(bool(row.factors) != bool(row.rule), row.name.data()); // one of them has the say
            QVERIFY2(row.cost || row.work, row.name.data());
            if (kind == OpKind::Opaque)
                continue; // goes by the name that it has in the text
            const std::string name = std::string(prefix(row.dialect)) + '.' + std::string(row.name);
            const bool general = kind != OpKind::Reduce; // by its full name reduce means the one of n operands
            QCOMPARE(names.insert(name).second, kind != OpKind::VariadicReduce);
            QVERIFY2(parseOpKind(name) == (general ? kind : OpKind::VariadicReduce), name.c_str());
            if (row.dialect == OpDialect::StableHlo && kind != OpKind::VariadicReduce)
                QVERIFY2(parseOpKind(row.name) == kind, name.c_str());
            Operation operation;
            operation.kind = kind;
            QCOMPARE(qualifiedName(operation), name);
        }
        QVERIFY(!parseOpKind("stablehlo.no_such_operation"));
        QVERIFY(!parseOpKind("opaque"));
    }

    void factorRules_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QVector<QVector<qint64>>>("operands");
        QTest::addColumn<QVector<qint64>>("shape");
        QTest::addColumn<QVector<QVector<qint64>>>("dims");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* tag, OpKind kind, QVector<QVector<qint64>> operands, QVector<qint64> shape,
                             QVector<QVector<qint64>> dims, const char* expected) {
            QTest::newRow(tag) << static_cast<int>(kind) << operands << shape << dims << QString(expected);
        };
        using enum OpKind;
        // The cases of Shardy's registry test that our operations have, with its expectations.
        row("pointwise", Add, { { 2, 1, 4 }, { 2, 1, 4 } }, { 2, 1, 4 }, {},
            "([i, j, k], [i, j, k])->([i, j, k]) {i=2, j=1, k=4}");
        row("scalar", Add, { {}, {} }, {}, {}, "([], [])->([])");
        row("broadcast expanded", BroadcastInDim, { { 2, 1, 13 } }, { 2, 64, 13 }, { { 0, 1, 2 } },
            "([i, j, l])->([i, k, l]) {i=2, j=1, k=64, l=13}");
        row("dot vectors", DotGeneral, { { 32 }, { 32 } }, {}, { {}, {}, { 0 }, { 0 } },
            "([i], [i])->([]) {i=32} reduction={i}");
        row("dot vector matrix", DotGeneral, { { 32 }, { 32, 16 } }, { 16 }, { {}, {}, { 0 }, { 0 } },
            "([j], [j, i])->([i]) {i=16, j=32} reduction={j}");
        row("dot matrices", DotGeneral, { { 8, 32 }, { 32, 16 } }, { 8, 16 }, { {}, {}, { 1 }, { 0 } },
            "([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}");
        row("dot batch", DotGeneral, { { 4, 8, 32 }, { 4, 32, 16 } }, { 4, 8, 16 }, { { 0 }, { 0 }, { 2 }, { 1 } },
            "([i, j, l], [i, l, k])->([i, j, k]) {i=4, j=8, k=16, l=32} reduction={l}");
        row("dot mixed", DotGeneral, { { 2, 4, 8, 4, 64, 32 }, { 16, 32, 64, 4, 2 } }, { 2, 4, 8, 4, 16 },
            { { 0, 1 }, { 4, 3 }, { 5, 4 }, { 1, 2 } },
            "([i, j, k, l, o, n], [m, n, o, j, i])->([i, j, k, l, m]) "
            "{i=2, j=4, k=8, l=4, m=16, n=32, o=64} reduction={n, o}");
        row("reduce", Reduce, { { 2, 64, 1, 13 } }, { 2, 1, 13 }, { { 1 } },
            "([i, j, k, l])->([i, k, l]) {i=2, j=64, k=1, l=13} reduction={j}");
        row("transpose", Transpose, { { 256, 32, 64, 100 } }, { 100, 32, 256, 64 }, { { 3, 1, 0, 2 } },
            "([k, j, l, i])->([i, j, k, l]) {i=100, j=32, k=256, l=64}");
        row("reshape split", Reshape, { { 8 } }, { 2, 4 }, {}, "([ij])->([i, j]) {i=2, j=4}");
        row("reshape split three", Reshape, { { 4, 12 } }, { 4, 2, 3, 2 }, {},
            "([i, jkl])->([i, j, k, l]) {i=4, j=2, k=3, l=2}");
        row("reshape swap", Reshape, { { 3, 2 } }, { 2, 3 }, {}, "([i, l])->([j, k]) {i=3, j=2, k=3, l=2}");
        row("reshape swap between", Reshape, { { 5, 2, 5, 3 } }, { 5, 3, 5, 2 }, {},
            "([i, j, l, n])->([i, k, m, o]) {i=5, j=2, k=3, l=5, m=5, n=3, o=2}");
        row("reshape swap merge", Reshape, { { 2, 3, 8 } }, { 3, 4, 4 }, {},
            "([i, k, mn])->([j, lm, n]) {i=2, j=3, k=3, l=2, m=2, n=4}");
        row("reshape split swap merge", Reshape, { { 4, 7, 5, 8 } }, { 14, 10, 8 }, {},
            "([ij, l, n, o])->([ik, mn, o]) {i=2, j=2, k=7, l=7, m=2, n=5, o=8}");
        row("reshape merge one", Reshape, { { 8, 4 } }, { 32, 1 }, {}, "([i, j])->([ij, k]) {i=8, j=4, k=1}");
        row("reshape split one", Reshape, { { 32, 1 } }, { 8, 4 }, {}, "([ij, k])->([i, j]) {i=8, j=4, k=1}");
        row("reshape one between", Reshape, { { 32 } }, { 8, 1, 4 }, {}, "([ik])->([i, j, k]) {i=8, j=1, k=4}");
        // Read off the same rules by hand.
        row("reshape empty", Reshape, { { 0, 4 } }, { 4, 0 }, {}, "");
        row("broadcast scalar", BroadcastInDim, { {} }, { 3, 4 }, { {} }, "([])->([i, j]) {i=3, j=4}");
        row("broadcast swapped", BroadcastInDim, { { 4, 3 } }, { 3, 5, 4 }, { { 2, 0 } },
            "([k, i])->([i, j, k]) {i=3, j=5, k=4}");
        row("constraint", ShardingConstraint, { { 4, 8 } }, { 4, 8 }, {}, "([i, j])->([i, j]) {i=4, j=8}");
        row("iota", Iota, {}, { 4 }, { { 0 } }, "");
        row("constant", Constant, {}, { 4, 2 }, {}, "");
        row("select scalar", Select, { {}, { 4, 8 }, { 4, 8 } }, { 4, 8 }, {},
            "([], [i, j], [i, j])->([i, j]) {i=4, j=8}");
        row("clamp scalar", Clamp, { {}, { 4 }, {} }, { 4 }, {}, "([], [i], [])->([i]) {i=4}");
    }

    void factorRules()
    {
        QFETCH(int, kind);
        QFETCH(QVector<QVector<qint64>>, operands);
        QFETCH(QVector<qint64>, shape);
        QFETCH(QVector<QVector<qint64>>, dims);
        QFETCH(QString, expected);
        const auto list = [&](int i) { return Dimensions(dims[i].begin(), dims[i].end()); };
        const auto op = static_cast<OpKind>(kind);
        const TensorType result = f32(Shape(shape.begin(), shape.end()));
        std::vector<TensorType> types;
        for (const auto& operand : operands)
            types.push_back(f32(Shape(operand.begin(), operand.end())));
        Attributes attributes;
        switch (op) {
        case OpKind::BroadcastInDim:
            attributes = BroadcastAttributes{ list(0) };
            break;
        case OpKind::DotGeneral:
            attributes = DotGeneralAttributes{ list(0), list(1), list(2), list(3) };
            break;
        case OpKind::Reduce:
            attributes = ReduceAttributes{ list(0), ReduceKind::Sum };
            break;
        case OpKind::Transpose:
            attributes = TransposeAttributes{ list(0) };
            break;
        case OpKind::Iota:
            attributes = IotaAttributes{ dims[0][0] };
            break;
        case OpKind::Constant:
            attributes = ConstantAttributes{ { 1.0 } };
            break;
        case OpKind::ShardingConstraint:
            attributes = ConstraintAttributes{};
            break;
        case OpKind::Select:
            types[0].dtype = DType::Pred;
            break;
        default:
            break;
        }
        const auto inferred = opRow(op).inferType(types, attributes, result);
        QVERIFY(inferred.has_value());
        QVERIFY(*inferred == result);
        QCOMPARE(QString::fromStdString(toString(opRow(op).factors(types, result, attributes))), expected);
    }

    void typesThatDoNotFit()
    {
        const auto code = [](OpKind kind, std::vector<TensorType> operands, Attributes attributes = {},
                              TensorType hint = {}) {
            const auto inferred = opRow(kind).inferType(operands, attributes, hint);
            return inferred ? 0 : static_cast<int>(inferred.error().code);
        };
        constexpr int type = static_cast<int>(Code::TypeMismatch), attribute = static_cast<int>(Code::InvalidAttribute);
        using enum OpKind;
        QCOMPARE(code(Add, { f32({ 2 }), f32({ 3 }) }), type);
        QCOMPARE(code(Add, { f32({ 2 }), f32({}) }), type);
        QCOMPARE(code(Add, { f32({ 2 }), f32({ 2 }) }, IotaAttributes{}), attribute);
        QCOMPARE(code(Add, { f32({ 2 }), { DType::F64, { 2 } } }), type);
        QCOMPARE(code(Exponential, { { DType::I32, { 2 } } }), type);
        QCOMPARE(code(And, { f32({ 2 }), f32({ 2 }) }), type);
        QCOMPARE(code(Not, { f32({ 2 }) }), type);
        QCOMPARE(code(Negate, { pred({ 2 }) }), type);
        QCOMPARE(code(Compare, { f32({ 2 }), f32({ 2 }) }), attribute);
        QCOMPARE(code(Select, { f32({ 2 }), f32({ 2 }), f32({ 2 }) }), type);
        QCOMPARE(code(Select, { pred({ 3 }), f32({ 2 }), f32({ 2 }) }), type);
        QCOMPARE(code(Clamp, { f32({ 1 }), f32({ 2 }), f32({}) }), type);
        QCOMPARE(code(Convert, { f32({ 2 }) }, {}, { DType::I32, { 3 } }), type);
        QCOMPARE(code(BroadcastInDim, { f32({ 2 }) }, BroadcastAttributes{ { 0 } }, f32({ 3 })), type);
        QCOMPARE(code(BroadcastInDim, { f32({ 2 }) }, BroadcastAttributes{ { 1 } }, f32({ 2 })), attribute);
        QCOMPARE(code(BroadcastInDim, { f32({ 2 }) }, BroadcastAttributes{ {} }, f32({ 2 })), attribute);
        QCOMPARE(code(BroadcastInDim, { f32({ 2, 2 }) }, BroadcastAttributes{ { 0, 0 } }, f32({ 2, 2 })), attribute);
        QCOMPARE(code(Reshape, { f32({ 2, 3 }) }, {}, f32({ 5 })), type);
        QCOMPARE(code(Transpose, { f32({ 2, 3 }) }, TransposeAttributes{ { 0 } }), attribute);
        QCOMPARE(code(Transpose, { f32({ 2, 3 }) }, TransposeAttributes{ { 1, 1 } }), attribute);
        QCOMPARE(code(Iota, {}, IotaAttributes{ 1 }, f32({ 2 })), attribute);
        QCOMPARE(code(Iota, {}, IotaAttributes{ 0 }, pred({ 2 })), type);
        QCOMPARE(code(Constant, {}, ConstantAttributes{ { 1, 2 } }, f32({ 3 })), attribute);
        QCOMPARE(code(Constant, {}, ConstantAttributes{ { 1.5 } }, { DType::I32, {} }), attribute);
        QCOMPARE(code(Constant, {}, ConstantAttributes{ { 3e9 } }, { DType::I32, {} }), attribute);
        // 2^63 and 2^64 do not fit; the doubles before them do, and so do the lowest values.
        const auto integer = [&](double value, DType dtype) {
            return code(Constant, {}, ConstantAttributes{ { value } }, { dtype, {} });
        };
        for (const auto& [dtype, lowest, end] : { std::tuple{ DType::I64, -0x1p63, 0x1p63 },
                 std::tuple{ DType::U64, 0.0, 0x1p64 }, std::tuple{ DType::I8, -128.0, 128.0 },
                 std::tuple{ DType::U8, 0.0, 256.0 }, std::tuple{ DType::Pred, 0.0, 2.0 } }) {
            QCOMPARE(integer(end, dtype), attribute);
            QCOMPARE(integer(std::max(std::floor(std::nextafter(end, 0)), 0.0), dtype), 0);
            QCOMPARE(integer(lowest, dtype), 0);
            QCOMPARE(integer(std::min(std::nextafter(lowest, -0x1p70), lowest - 1), dtype), attribute);
        }
        QCOMPARE(
            code(DotGeneral, { f32({ 2, 3 }), f32({ 4, 5 }) }, DotGeneralAttributes{ {}, {}, { 1 }, { 0 } }), type);
        QCOMPARE(
            code(DotGeneral, { f32({ 2, 3 }), f32({ 3, 5 }) }, DotGeneralAttributes{ {}, {}, { 1 }, {} }), attribute);
        QCOMPARE(code(DotGeneral, { f32({ 2, 3 }), f32({ 3, 5 }) }, DotGeneralAttributes{ {}, {}, { 2 }, { 0 } }),
            attribute);
        QCOMPARE(code(DotGeneral, { f32({ 3, 3 }), f32({ 3, 3 }) }, DotGeneralAttributes{ { 0 }, { 0 }, { 0 }, { 1 } }),
            attribute);
        QCOMPARE(code(Reduce, { f32({ 2, 3 }) }, ReduceAttributes{ { 2 }, ReduceKind::Sum }), attribute);
        QCOMPARE(code(Reduce, { f32({ 2, 3 }) }, ReduceAttributes{ { 0 }, ReduceKind::And }), type);
        QCOMPARE(
            code(ShardingConstraint, { f32({ 2 }) }, ConstraintAttributes{ LogicalAxes{ { {}, {} } } }), attribute);
    }

    void costs()
    {
        const std::vector<TensorType> operands{ f32({ 8, 32 }), f32({ 32, 16 }) };
        const OperationCost dot =
            opRow(OpKind::DotGeneral).cost(operands, f32({ 8, 16 }), DotGeneralAttributes{ {}, {}, { 1 }, { 0 } });
        QCOMPARE(dot.flops, 2.0 * 8 * 16 * 32);
        QCOMPARE(dot.bytesRead, std::int64_t{ 4 * (8 * 32 + 32 * 16) });
        QCOMPARE(dot.bytesWritten, std::int64_t{ 4 * 8 * 16 });
        const OperationCost sum =
            opRow(OpKind::Reduce).cost({ operands.data(), 1 }, f32({ 32 }), ReduceAttributes{ { 0 }, ReduceKind::Sum });
        QCOMPARE(sum.flops, 256.0);
        const std::vector<TensorType> huge(3, f32({ std::int64_t{ 1 } << 60 }));
        QCOMPARE(opRow(OpKind::Add).cost({ huge.data(), 2 }, huge[2], {}).bytesRead,
            std::numeric_limits<std::int64_t>::max());
        QCOMPARE(saturatingSum(3, 4), std::int64_t{ 7 });
    }
};

REGISTER_TEST(TestOps)
#include "test_ops.moc"
