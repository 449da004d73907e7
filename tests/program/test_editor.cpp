// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "program/builder.h"
#include "program/editor.h"
#include "program/op_row.h"
#include "random_properties.h"
#include "registered_test.h"

using namespace shardscope;

class TestEditor : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void places();
    void replacesUses();
    void moves();
    void erases();
    void copiesRegions();
    void internsShardings();
    void keepsProgramsLegal();
};

namespace {

const TensorType eightByFour{ DType::F32, { 8, 4 } };

// x -> abs -> tanh -> result
Program chain()
{
    Builder builder("chain");
    const ValueId x = builder.argument(eightByFour, "x", Role::Input);
    builder.result(builder.unary(OpKind::Tanh, builder.unary(OpKind::Abs, x)));
    return std::move(builder).finish();
}

OperationId addUnary(Editor& edit, OpKind kind, ValueId operand)
{
    return edit.addLike(kind, { operand }, {});
}

std::string kinds(const Program& program, RegionId region = RegionId(std::size_t{ 0 }))
{
    std::string text;
    for (const OperationId id : program.regions[region.index].operations)
        text += (text.empty() ? "" : " ") + std::string(name(program.operation(id).kind));
    return text;
}

/// What the editor says of uses is what the program says.
void assertUses(const Editor& edit)
{
    std::vector<std::size_t> counted(edit.program().values.size(), 0);
    walk(edit.program(), RegionId(std::size_t{ 0 }), [&](OperationId id) {
        for (const ValueId operand : edit.operation(id).operands)
            ++counted[operand.index];
        for (const RegionId inner : edit.operation(id).regions)
            for (const ValueId returned : edit.region(inner).results)
                ++counted[returned.index];
    });
    for (const ValueId returned : edit.program().main().results)
        ++counted[returned.index];
    for (std::size_t v = 0; v < counted.size(); ++v)
        RC_ASSERT(edit.uses(ValueId(v)).size() == counted[v]);
}

} // namespace

void TestEditor::places()
{
    Editor edit(chain());
    const RegionId main(std::size_t{ 0 });
    const ValueId x = edit.region(main).arguments[0];
    const OperationId abs = edit.region(main).operations[0];
    const auto make = [&](OpKind kind) { return addUnary(edit, kind, x); };
    const OperationId cosine = make(OpKind::Cosine);
    edit.placeBefore(cosine, make(OpKind::Sign)); // beside one that stands nowhere yet
    edit.placeAfter(abs, cosine);
    edit.placeAfter(abs, make(OpKind::Sine));
    edit.placeBefore(abs, make(OpKind::Log));
    edit.placeBefore(abs, make(OpKind::Sqrt));
    edit.placeFirst(main, make(OpKind::Negate));
    edit.placeFirst(main, make(OpKind::Exponential));
    edit.placeLast(main, make(OpKind::Rsqrt));
    const Program program = std::move(edit).finish();
    QCOMPARE(kinds(program), std::string("negate exponential log sqrt abs sign cosine sine tanh rsqrt"));
    QVERIFY(verify(program).empty());
    QCOMPARE(program.main().operations[4], abs); // ids are kept
}

void TestEditor::replacesUses()
{
    Editor edit(chain());
    const RegionId main(std::size_t{ 0 });
    const OperationId abs = edit.region(main).operations[0], tanh = edit.region(main).operations[1];
    const ValueId between = edit.result(abs);
    QCOMPARE(edit.uses(between).size(), 1U);
    QCOMPARE(edit.uses(between)[0].operation, tanh);
    const OperationId negate = addUnary(edit, OpKind::Negate, between);
    edit.placeAfter(abs, negate);
    edit.replaceUses(between, edit.result(negate), negate);
    QCOMPARE(edit.operation(tanh).operands[0], edit.result(negate));
    QCOMPARE(edit.operation(negate).operands[0], between);
    QCOMPARE(edit.uses(between).size(), 1U);

    const ValueId last = edit.result(tanh);
    QVERIFY(!edit.uses(last)[0].operation.valid()); // the function returns it
    edit.replaceUses(last, between);
    QCOMPARE(edit.region(main).results[0], between);
    QVERIFY(edit.uses(last).empty());
    QVERIFY(verify(std::move(edit).finish()).empty());
}

void TestEditor::moves()
{
    Editor edit(chain());
    const RegionId main(std::size_t{ 0 });
    const OperationId abs = edit.region(main).operations[0];
    const OperationId sine = addUnary(edit, OpKind::Sine, edit.region(main).arguments[0]);
    edit.placeLast(main, sine);
    edit.commit();
    edit.detach(sine);
    edit.placeBefore(abs, sine);
    QCOMPARE(kinds(std::move(edit).finish()), std::string("sine abs tanh"));
}

void TestEditor::erases()
{
    Editor edit(chain());
    const RegionId main(std::size_t{ 0 });
    const OperationId abs = edit.region(main).operations[0], tanh = edit.region(main).operations[1];
    edit.replaceUses(edit.result(tanh), edit.result(abs));
    edit.erase(tanh);
    QVERIFY(edit.isErased(tanh));
    QVERIFY(!edit.isErased(abs));
    QCOMPARE(edit.uses(edit.result(abs)).size(), 1U);
    const Program program = std::move(edit).finish();
    QCOMPARE(kinds(program), std::string("abs"));
    QCOMPARE(program.operations.size(), 2U); // what is dropped keeps its id
    QVERIFY(verify(program).empty());
}

void TestEditor::copiesRegions()
{
    Editor edit(chain());
    const RegionId main(std::size_t{ 0 });
    const ValueId x = edit.region(main).arguments[0];
    const OperationId computation = edit.add(OpKind::NamedComputation, { &x, 1 }, { &eightByFour, 1 },
        otherAttributes(NamedComputationAttributes{ "f", {}, {} }));
    const RegionId body = edit.addRegion(computation);
    const ValueId argument = edit.addArgument(body, eightByFour);
    const OperationId inner = addUnary(edit, OpKind::Sine, argument);
    edit.placeLast(body, inner);
    edit.raw().regions[body.index].results = { edit.result(inner) };
    edit.placeFirst(main, computation);
    Editor again(std::move(edit).finish());
    QCOMPARE(again.ownerOf(body), computation);
    ValueMap map;
    const OperationId copy = again.copy(computation, map);
    again.placeAfter(computation, copy);
    again.replaceUses(x, again.result(copy), computation);
    again.setOperand(copy, 0, x);
    const RegionId copied = again.operation(copy).regions[0];
    QVERIFY(copied != body);
    QCOMPARE(again.region(copied).arguments[0], map.at(argument));
    QCOMPARE(again.operation(again.region(copied).operations[0]).operands[0], map.at(argument));
    QCOMPARE(again.region(copied).results[0], map.at(again.result(inner)));
    QCOMPARE(again.operation(inner).operands[0], argument);
    const Program program = std::move(again).finish();
    QCOMPARE(kinds(program), std::string("named_computation named_computation abs tanh"));
    QCOMPARE(kinds(program, copied), std::string("sine"));
    QVERIFY(verify(program).empty());
}

void TestEditor::internsShardings()
{
    Editor edit(chain());
    const RegionId main(std::size_t{ 0 });
    const ValueId x = edit.region(main).arguments[0];
    const ProgramSharding open{ 0, TensorSharding::open(2) }, closed{ 0, TensorSharding::fullyReplicated(2) };
    const ShardingIndex first = edit.intern(open);
    QVERIFY(edit.intern(closed) != first);
    QCOMPARE(edit.intern(open), first);
    QVERIFY(edit.sharding(x) == nullptr);
    edit.setSharding(x, closed);
    QVERIFY(*edit.sharding(x) == closed);
    edit.clearSharding(x);
    QVERIFY(edit.sharding(x) == nullptr);
    QCOMPARE(edit.program().shardings.size(), 2U);
}

void TestEditor::keepsProgramsLegal()
{
    QVERIFY(test::propertyHolds(100, "random edits", [] {
        Editor edit(chain());
        const RegionId main(std::size_t{ 0 });
        const int edits = *rc::gen::inRange(1, 12);
        for (int i = 0; i < edits; ++i) {
            const std::vector<OperationId> operations = edit.region(main).operations;
            const OperationId id = *rc::gen::elementOf(operations);
            const ValueId made = edit.result(id);
            switch (*rc::gen::inRange(0, 4)) {
            case 0: { // a new operation behind it takes over its uses
                const OperationId added = addUnary(edit, OpKind::Negate, made);
                edit.placeAfter(id, added);
                edit.replaceUses(made, edit.result(added), added);
                break;
            }
            case 1: { // a copy before it takes over one of them
                ValueMap map;
                const OperationId copy = edit.copy(id, map);
                edit.placeBefore(id, copy);
                bool first = true;
                edit.replaceUsesIf(made, edit.result(copy), [&](const Use&) { return std::exchange(first, false); });
                break;
            }
            case 2: // users read its operand instead, and it goes
                if (operations.size() > 1) {
                    edit.replaceUses(made, edit.operation(id).operands[0]);
                    edit.erase(id);
                }
                break;
            default: // the operation after that reads the argument
                edit.setOperand(id, 0, edit.region(main).arguments[0]);
            }
            edit.commit();
            assertUses(edit);
        }
        RC_ASSERT(verify(std::move(edit).finish()).empty());
    }));
}

REGISTER_TEST(TestEditor)
#include "test_editor.moc"
