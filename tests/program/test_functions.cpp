// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of several functions and with bodies in bodies: what may see what.
#include <QtTest>

#include <functional>

#include "base/codes.h"
#include "program/one_operation.h"
#include "registered_test.h"

using namespace shardscope;

namespace {

const TensorType vectorOfFour{ DType::F32, { 4 } };
const TensorType yes{ DType::Pred, {} };

ValueId valueId(std::size_t index)
{
    return ValueId(index);
}

/// main(x) = call f(x); f(y) = abs(y)
Program twoFunctions()
{
    OneOperation one(OpKind::Call, { vectorOfFour }, { vectorOfFour }, otherAttributes(CallAttributes{ "f" }));
    Program& p = one.program;
    p.regions.emplace_back();
    p.values.push_back({ vectorOfFour, {}, 0, {}, {}, {} });
    p.values.push_back({ vectorOfFour, OperationId(std::size_t{ 1 }), 0, {}, {}, {} });
    Operation abs;
    abs.kind = OpKind::Abs;
    abs.operands = { valueId(2) };
    abs.results = { valueId(3) };
    p.operations.push_back(abs);
    p.regions[1] = { { valueId(2) }, { OperationId(std::size_t{ 1 }) }, { valueId(3) } };
    p.functions.push_back({ "f", false, RegionId(std::size_t{ 1 }), {}, {}, {}, 0, {}, 0, {} });
    return p;
}

/// main(c, x) = if c then abs(x) else x: the branches use what stands around them.
Program branches()
{
    OneOperation one(OpKind::If, { yes }, { vectorOfFour });
    Program& p = one.program;
    p.values.push_back({ vectorOfFour, {}, 1, {}, {}, {} });
    p.regions[0].arguments.push_back(valueId(2));
    one.body({}, [](OneOperation& o, const std::vector<ValueId>&) {
        return std::vector{ o.inner(OpKind::Abs, { valueId(2) }, vectorOfFour) };
    });
    one.body({}, [](OneOperation&, const std::vector<ValueId>&) { return std::vector{ valueId(2) }; });
    return p;
}

} // namespace

class TestFunctions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void legal()
    {
        QVERIFY(verify(twoFunctions()).empty());
        QVERIFY(verify(branches()).empty());
    }

    void illegal_data()
    {
        QTest::addColumn<bool>("functions");
        QTest::addColumn<std::function<void(Program&)>>("damage");
        QTest::addColumn<QString>("expected");
        using P = Program&;
        const auto row = [](bool functions, const char* expected, std::function<void(P)> damage) {
            QTest::newRow(expected) << functions << std::move(damage) << QString(expected);
        };
        row(true, "there is no function @g",
            [](P p) { p.operations[0].attributes = otherAttributes(CallAttributes{ "g" }); });
        row(true, "argument 0 of the call is tensor<4xf32> and should be tensor<5xf32>", [](P p) {
            p.values[2].type = p.values[3].type = { DType::F32, { 5 } };
        });
        row(true, "@f has 2 arguments, the call 1", [](P p) {
            p.values.push_back({ vectorOfFour, {}, 1, {}, {}, {} });
            p.regions[1].arguments.push_back(valueId(4));
        });
        row(true, "two functions have this name", [](P p) { p.functions[1].name = "main"; });
        row(true, "the first function is not main", [](P p) { std::swap(p.functions[0], p.functions[1]); });
        row(true, "its body does not exist", [](P p) { p.functions[1].body = RegionId(std::size_t{ 9 }); });
        row(true, "a body belongs to two operations", [](P p) {
            p.functions.push_back({ "g", true, RegionId(std::size_t{ 1 }), {}, {}, {}, 0, {}, 0, {} });
        });
        row(true, "2 shardings of results instead of 1", [](P p) { p.functions[1].resultShardings = { 0, 0 }; });
        row(true, "return: value 0 is not defined before its use", [](P p) { p.regions[1].results = { valueId(0) }; });
        row(true, "it calls itself", [](P p) {
            p.operations[1].kind = OpKind::Call;
            p.operations[1].attributes = otherAttributes(CallAttributes{ "f" });
        });
        row(true, "it calls itself by way of main", [](P p) {
            p.operations[1].kind = OpKind::Call;
            p.operations[1].attributes = otherAttributes(CallAttributes{ "main" });
        });
        row(false, "return: value 3 is not defined",
            [](P p) { p.regions[2].results = { valueId(3) }; }); // of the other branch
        row(false, "is not defined before its use",
            [](P p) { p.operations[1].operands = { p.operations[0].results[0] }; }); // of the if itself
        row(false, "3 bodies instead of 2", [](P p) {
            p.regions.emplace_back();
            p.operations[0].regions.push_back(RegionId(std::size_t{ 3 }));
        });
        row(false, "a body does not exist", [](P p) { p.operations[0].regions[1] = RegionId(std::size_t{ 30 }); });
        row(false, "stands in the program twice",
            [](P p) { p.regions[2].operations = { OperationId(std::size_t{ 1 }) }; });
        row(false, "result 0 of its branch 1 is tensor<i1> and should be tensor<4xf32>",
            [](P p) { p.regions[2].results = { valueId(0) }; });
    }

    void illegal()
    {
        QFETCH(bool, functions);
        QFETCH(std::function<void(Program&)>, damage);
        QFETCH(QString, expected);
        Program program = functions ? twoFunctions() : branches();
        damage(program);
        expected.remove(" by way of main");
        QStringList found;
        for (const Diagnostic& one : verify(program))
            found += QString::fromStdString(one.text("op") + ": " + one.text("detail"));
        QVERIFY2(!found.filter(expected).isEmpty(), qPrintable(found.join("; ")));
    }

    /// The body of a manual computation uses its arguments only.
    void isolated()
    {
        OneOperation one(OpKind::ManualComputation, { vectorOfFour }, { vectorOfFour },
            otherAttributes(ManualComputationAttributes{}));
        one.body({ vectorOfFour }, [](OneOperation& o, const std::vector<ValueId>& own) {
            return std::vector{ o.inner(OpKind::Abs, { own[0] }, vectorOfFour) };
        });
        QVERIFY(verify(one.program).empty());
        Operation& inside = one.program.operations[1];
        inside.operands[0] = valueId(0);
        const std::vector<Diagnostic> found = verify(one.program);
        QVERIFY(!found.empty());
        QVERIFY(QString::fromStdString(found[0].text("detail")).contains("may only use its arguments"));
    }

    /// Findings bear the place at which the operation stands in the text.
    void places()
    {
        Program program = twoFunctions();
        program.sources.push_back({ 12, 7, {} });
        program.operations[1].source = 1;
        program.values[3].type.dtype = DType::F64;
        const std::vector<Diagnostic> found = verify(program);
        QVERIFY(!found.empty());
        QCOMPARE(found[0].code, Code::TypeMismatch);
        QCOMPARE(found.back().where.line, 12);
        QCOMPARE(found.back().where.column, 7);
    }

    /// A body in a body in a body: no end of the stack.
    void deep()
    {
        Program program = branches();
        constexpr std::size_t depth = 100'000;
        for (std::size_t i = 0; i < depth; ++i) {
            const OperationId outer(program.operations.size() - 1);
            Operation inner;
            inner.kind = OpKind::Opaque;
            inner.attributes = otherAttributes(OpaqueAttributes{ "a.b" });
            program.operations.push_back(inner);
            const RegionId region(program.regions.size());
            program.regions.push_back({ {}, { OperationId(program.operations.size() - 1) }, {} });
            program.operations[outer.index].kind = OpKind::Opaque;
            program.operations[outer.index].attributes = inner.attributes;
            program.operations[outer.index].regions.push_back(region);
        }
        QVERIFY(!verify(program).empty());
    }
};

REGISTER_TEST(TestFunctions)
#include "test_functions.moc"
