// SPDX-License-Identifier: GPL-3.0-or-later
// Over which axes the arrays in the bodies of manual computations vary, and why.
#include <QtTest>

#include <numeric>

#include "partition/manual_values.h"
#include "program/name_values.h"
#include "registered_test.h"
#include "stablehlo/read.h"

using namespace shardscope;

namespace {

// %d and %q vary over both axes; a sum over y is the same along y, and what is computed from it as well. The inner
// computation adds z. The loop sends %k around along x, and counts with what is the same on all devices.
constexpr const char* manualText = R"(
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2]>
func.func @main(%a: tensor<8x16xf32>, %w: tensor<16x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a, %w) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%b: tensor<4x4xf32>, %c: tensor<4x8xf32>) {
    %d = stablehlo.dot_general %b, %c, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %s = "stablehlo.all_reduce"(%d) ({
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %t = stablehlo.add %l, %r : tensor<f32>
        stablehlo.return %t : tensor<f32>
    }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0,2,4,6],[1,3,5,7],[8,10,12,14],[9,11,13,15]]> : tensor<4x4xi64>, use_global_device_ids} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %n = stablehlo.negate %s : tensor<4x8xf32>
    %p = stablehlo.partition_id : tensor<ui32>
    %u8 = stablehlo.constant dense<8> : tensor<ui32>
    %u2 = stablehlo.constant dense<2> : tensor<ui32>
    %u4 = stablehlo.constant dense<4> : tensor<ui32>
    %px = stablehlo.divide %p, %u8 : tensor<ui32>
    %half = stablehlo.divide %p, %u2 : tensor<ui32>
    %py = stablehlo.remainder %half, %u4 : tensor<ui32>
    %ix = stablehlo.convert %px : (tensor<ui32>) -> tensor<i32>
    %same = func.call @number(%one) : (tensor<i32>) -> tensor<i32>
    %other = func.call @number(%ix) : (tensor<i32>) -> tensor<i32>
    %chosen = "stablehlo.case"(%same) ({
      stablehlo.return %c : tensor<4x8xf32>
    }, {
      stablehlo.return %s : tensor<4x8xf32>
    }) : (tensor<i32>) -> tensor<4x8xf32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %e = func.call @twice(%n) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %f = sdy.manual_computation(%e) in_shardings=[<@mesh, [{"z"}, {}]>] out_shardings=[<@mesh, [{"z"}, {}]>] manual_axes={"z"} (%g: tensor<2x8xf32>) {
      %h = stablehlo.negate %g : tensor<2x8xf32>
      sdy.return %h : tensor<2x8xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %loop:2 = stablehlo.while(%i = %zero, %k = %f) : tensor<i32>, tensor<4x8xf32>
    cond {
      %two = stablehlo.constant dense<2> : tensor<i32>
      %less = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %sent = "stablehlo.collective_permute"(%k) {source_target_pairs = dense<[[0,8],[8,0],[1,9],[9,1],[2,10],[10,2],[3,11],[11,3],[4,12],[12,4],[5,13],[13,5],[6,14],[14,6],[7,15],[15,7]]> : tensor<16x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
      stablehlo.return %next, %sent : tensor<i32>, tensor<4x8xf32>
    }
    sdy.return %loop#1 : tensor<4x8xf32>
  } : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %o = stablehlo.negate %0 : tensor<8x8xf32>
  return %o : tensor<8x8xf32>
}
func.func private @number(%v: tensor<i32>) -> tensor<i32> {
  %vv = stablehlo.add %v, %v : tensor<i32>
  return %vv : tensor<i32>
}
func.func private @twice(%m: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %q = stablehlo.add %m, %m : tensor<4x8xf32>
  return %q : tensor<4x8xf32>
}
)";

constexpr AxisSet alongX = 1, alongY = 2, alongZ = 4;

class Manual {
public:
    Manual()
        : program(named())
        , values(program)
    {
    }
    [[nodiscard]] ValueId find(const char* name) const
    {
        if (const ValueId found = valueNamed(program, name); found.valid())
            return found;
        qFatal("no %s", name);
    }
    [[nodiscard]] std::optional<ManualValue> of(const char* name) const { return values.of(find(name)); }
    [[nodiscard]] ValueId origin(const char* name, std::size_t axis) const { return values.origin(find(name), axis); }

    Program program;
    ManualValues values;

private:
    static Program named()
    {
        ReadProgram read = readStableHlo(manualText).value();
        declaredName(read, manualText);
        return std::move(read.program);
    }
};

} // namespace

class TestManualValues : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void axesThatValuesVaryOver_data()
    {
        QTest::addColumn<QString>("value");
        QTest::addColumn<AxisSet>("manual");
        QTest::addColumn<AxisSet>("varying");
        const auto row = [](const char* value, AxisSet manual, AxisSet varying) {
            QTest::newRow(value) << QString::fromLatin1(value) << manual << varying;
        };
        row("b", alongX | alongY, alongX | alongY);
        row("c", alongX | alongY, alongY);
        row("d", alongX | alongY, alongX | alongY);
        row("s", alongX | alongY, alongX);
        row("n", alongX | alongY, alongX);
        row("p", alongX | alongY, alongX | alongY);
        row("one", alongX | alongY, 0);
        row("q", alongX | alongY, alongX); // in the function that is called
        row("e", alongX | alongY, alongX);
        row("g", alongX | alongY | alongZ, alongX | alongZ); // in the inner one
        row("h", alongX | alongY | alongZ, alongX | alongZ);
        row("f", alongX | alongY, alongX);
        row("i", alongX | alongY, 0);
        row("next", alongX | alongY, 0);
        row("px", alongX | alongY, alongX); // the places along an axis
        row("py", alongX | alongY, alongY);
        row("ix", alongX | alongY, alongX);
        row("same", alongX | alongY, 0); // two calls of one function
        row("other", alongX | alongY, alongX);
        row("vv", alongX | alongY, alongX);
        row("chosen", alongX | alongY, alongX | alongY); // of %c and %s
        row("k", alongX | alongY, alongX);
        row("sent", alongX | alongY, alongX);
    }
    void axesThatValuesVaryOver()
    {
        QFETCH(QString, value);
        QFETCH(AxisSet, manual);
        QFETCH(AxisSet, varying);
        const Manual program;
        const std::optional<ManualValue> own = program.of(qPrintable(value));
        QVERIFY(own.has_value());
        QCOMPARE(own->manual, manual);
        QCOMPARE(own->varying, varying);
        QCOMPARE(own->mesh->axis(1).name, std::string("y"));
        QCOMPARE(own->computation, program.program.value(program.find("0")).definition);
    }

    /// Groups that are not alike in every row.
    void groupsThatAreUnlike()
    {
        const Mesh mesh = Mesh::create({ { "data", 2 }, { "model", 4 } }).value();
        const auto of = [&](std::vector<std::vector<std::int64_t>> groups, OpKind kind = OpKind::AllReduce) {
            CollectiveAttributes own;
            own.channelId = 1;
            own.useGlobalDeviceIds = true;
            own.groups = std::move(groups);
            return axesOfGroups(own, mesh, kind);
        };
        const GroupAxes rows = of({ { 0, 1, 2, 3 }, { 4, 5, 6, 7 } });
        QVERIFY(rows.full && rows.axes == 2 && rows.unlike == 0);
        const GroupAxes pairs = of({ { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 } });
        QVERIFY(!pairs.full && pairs.axes == 2 && pairs.unlike == 0);
        const GroupAxes others = of({ { 0, 1 }, { 2, 3 }, { 4, 6 }, { 5, 7 } });
        QVERIFY(!others.full && others.axes == 2 && others.unlike == 1);
        const GroupAxes oneRow = of({ { 0, 1, 2, 3 } });
        QVERIFY(oneRow.full && oneRow.axes == 2 && oneRow.unlike == 1);
        QCOMPARE(of({ { 0, 1, 2, 3 }, { 7, 6, 5, 4 } }).unlike, AxisSet{ 0 }); // the same sum
        QCOMPARE(of({ { 0, 1, 2, 3 }, { 7, 6, 5, 4 } }, OpKind::AllGather).unlike, AxisSet{ 1 });
        QCOMPARE(of({ { 0, 1 }, { 1, 0 }, { 4, 5 }, { 5, 4 } }, OpKind::CollectivePermute).unlike, AxisSet{ 0 });
        QCOMPARE(of({ { 0, 1 }, { 1, 0 } }, OpKind::CollectivePermute).unlike, AxisSet{ 1 });
        QCOMPARE(of({ { 0, 1 }, { 1, 2 }, { 4, 5 }, { 5, 7 } }, OpKind::CollectivePermute).unlike, AxisSet{ 1 });
    }

    /// Functions that call the next one twice, and a group of very many devices: neither takes long, or much memory.
    void manyCallsAndDevices()
    {
        constexpr int functions = 64;
        std::string chain = "sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                            "  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}]>] "
                            "out_shardings=[<@mesh, [{\"x\"}]>] manual_axes={\"x\"} (%b: tensor<2xf32>) {\n"
                            "    %c = func.call @f0(%b) : (tensor<2xf32>) -> tensor<2xf32>\n"
                            "    sdy.return %c : tensor<2xf32>\n  } : (tensor<4xf32>) -> tensor<4xf32>\n"
                            "  return %0 : tensor<4xf32>\n}\n";
        for (int i = 0; i < functions; ++i) {
            const std::string next = "@f" + std::to_string(i + 1);
            chain += "func.func private @f" + std::to_string(i) + "(%v: tensor<2xf32>) -> tensor<2xf32> {\n";
            chain += i + 1 == functions
                ? std::string("  return %v : tensor<2xf32>\n}\n")
                : "  %p = func.call " + next + "(%v) : (tensor<2xf32>) -> tensor<2xf32>\n  %q = func.call " + next
                    + "(%p) : (tensor<2xf32>) -> tensor<2xf32>\n  return %q : tensor<2xf32>\n}\n";
        }
        const Program program = readStableHlo(chain).value().program;
        const ManualValues values(program);
        const std::optional<ManualValue> last = values.of(program.functions.back().body.valid()
                ? program.regions[program.functions.back().body.index].arguments[0]
                : ValueId());
        QVERIFY(last && last->varying == 1);

        const Mesh mesh = Mesh::create({ { "x", 2 }, { "y", 32768 } }).value();
        CollectiveAttributes own;
        own.channelId = 1;
        own.useGlobalDeviceIds = true;
        for (std::int64_t row = 0; row < 2; ++row) {
            own.groups.emplace_back(32768);
            std::iota(own.groups.back().begin(), own.groups.back().end(), row * 32768);
        }
        QVERIFY(axesOfGroups(own, mesh, OpKind::AllReduce).full);
        QCOMPARE(axesOfGroups(own, mesh, OpKind::AllGather).unlike, AxisSet{ 0 });
    }

    void othersAreNone()
    {
        const Manual program;
        for (const char* name : { "a", "w", "0", "o" })
            QVERIFY2(!program.of(name), name);
        const Program plain = readStableHlo("func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
                                            "  return %a : tensor<f32>\n}\n")
                                  .value()
                                  .program;
        QVERIFY(!ManualValues(plain).of(plain.main().arguments[0]));
    }

    void theReasonIsFound()
    {
        const Manual program;
        QCOMPARE(program.origin("b", 0), program.find("b"));
        QCOMPARE(program.origin("d", 1), program.find("b"));
        QCOMPARE(program.origin("n", 0), program.find("b"));
        QCOMPARE(program.origin("p", 0), program.find("p"));
        QCOMPARE(program.origin("k", 0), program.find("b")); // from what the loop begins with
        QCOMPARE(program.origin("loop#1", 0), program.find("b"));
        QCOMPARE(program.origin("other", 0), program.find("p"));
        QCOMPARE(program.origin("vv", 0), program.find("p"));
        QCOMPARE(program.origin("chosen", 1), program.find("c"));
        const OperationId sum = program.program.value(program.find("s")).definition;
        for (const char* name : { "s", "n", "e", "f" })
            QCOMPARE(program.values.sum(program.find(name), 1), sum);
        for (const char* name : { "one", "i", "next" })
            QVERIFY2(!program.values.sum(program.find(name), 1).valid(), name);
    }
};

REGISTER_TEST(TestManualValues)
#include "test_manual_values.moc"
