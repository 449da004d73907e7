// SPDX-License-Identifier: GPL-3.0-or-later
// Annotations inside a program: each at its place, over one mesh, and the program stays as it was.
#include <QTest>

#include "program/annotated_program.h"
#include "program/builder.h"
#include "program/verify_shardings.h"
#include "registered_test.h"

using namespace shardscope;

class TestAnnotatedProgram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyAnnotationAtItsPlace()
    {
        Builder b("small");
        const LogicalAxes names{ { LogicalName::of("batch"), LogicalName::none() } };
        const ValueId x = b.argument({ DType::F32, { 8, 16 } }, "x", Role::Input, {}, names);
        const ValueId y = b.argument({ DType::F32, { 8, 16 } }, "y", Role::Input);
        const ValueId sum = b.binary(OpKind::Add, x, y);
        const ValueId asked = b.constrain(sum, names);
        const ValueId idle = b.constrain(asked, names);
        b.result(idle);
        const Program before = std::move(b).finish();

        const auto mesh = std::make_shared<const Mesh>(*Mesh::create({ { "data", 2 }, { "model", 4 } }));
        const auto along = [&](std::size_t axis) {
            TensorSharding sharding = TensorSharding::fullyReplicated(2);
            sharding.dims[0].axes = { fullAxis(*mesh, axis) };
            return sharding;
        };
        AnnotationShardings shardings{ { along(0), std::nullopt }, { along(1) }, {} };
        shardings.constraints.resize(before.operations.size());
        shardings.constraints[before.value(sum).definition.index] = along(1);
        shardings.constraints[before.value(asked).definition.index] = along(0);
        const Program program = annotatedProgram(before, mesh, shardings);

        QVERIFY(verify(program).empty());
        QVERIFY(verifyShardings(program).empty());
        QCOMPARE(program.values.size(), before.values.size());
        QCOMPARE(program.meshes.size(), std::size_t{ 1 });
        QCOMPARE(program.meshes[0].mesh, mesh);
        QVERIFY(program.shardingOf(x)->sharding == along(0));
        QVERIFY(!program.shardingOf(y));
        QVERIFY(program.shardingOf(sum)->sharding == along(1));
        const auto constraintOf = [&](ValueId value) {
            const Annotation& annotation =
                std::get<ConstraintAttributes>(program.operation(program.value(value).definition).attributes)
                    .annotation;
            const auto* own = std::get_if<ExplicitSharding>(&annotation);
            return own ? own->specified : nullptr;
        };
        QVERIFY(constraintOf(asked)->sharding == along(0));
        QVERIFY(!constraintOf(idle)); // asks for nothing
        const ShardingIndex declared = program.functions.front().resultShardings[0];
        QVERIFY(declared > 0 && program.shardings[declared - 1].sharding == along(1));
    }
};

REGISTER_TEST(TestAnnotatedProgram)
#include "test_annotated_program.moc"
