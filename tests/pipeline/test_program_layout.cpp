// SPDX-License-Identifier: GPL-3.0-or-later
// Programs read from a text, laid out: meshes with other devices, shared functions, axes of size 1, and what is said of
// shardings that cannot stay.
#include <QTest>

#include "analysis/analyse.h"
#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/edits.h"
#include "pipeline/tensor_rows.h"
#include "pipeline/value_meshes.h"
#include "registered_test.h"
#include "sharding/sharding_text.h"
#include "sharding/text.h"

using namespace shardscope;

namespace {

SnapshotPtr laidOut(const std::string& text)
{
    Result<Experiment> made =
        experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(text), {} }, "program");
    if (!made)
        qFatal("not read");
    AnalysisCache cache;
    return analyse(std::make_shared<const Experiment>(std::move(*made)), 1, cache);
}

std::string held(const Snapshot& snapshot, std::string_view path)
{
    const TensorRow* row = snapshot.row(path);
    return row ? toJax(row->spec) : "no row";
}

const Diagnostic* problem(const Snapshot& snapshot, Code code)
{
    for (const Problem& each : snapshot.problems)
        if (each.diagnostic.code == code)
            return &each.diagnostic;
    return nullptr;
}

/// main(a, b) = a + b with these shardings, over these meshes.
std::string sum(const std::string& meshes, const std::string& a, const std::string& b, const std::string& shape = "8x8")
{
    const std::string t = "tensor<" + shape + "xf32>";
    return meshes + "func.func @main(%a: " + t + " {sdy.sharding = #sdy.sharding<" + a + ">}, %b: " + t
        + " {sdy.sharding = #sdy.sharding<" + b + ">}) -> " + t + " {\n  %0 = stablehlo.add %a, %b : " + t
        + "\n  return %0 : " + t + "\n}\n";
}

const std::string twoByFour = "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n";

} // namespace

class TestProgramLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void otherOrdersOfDevicesStayThemselves()
    {
        const SnapshotPtr snapshot =
            laidOut(sum(twoByFour + "sdy.mesh @rev = <[\"x\"=2, \"y\"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>\n",
                "@mesh, [{\"x\", ?}, {?}]", "@rev, [{?}, {\"y\", ?}]"));
        QCOMPARE(held(*snapshot, "a"), std::string("P('x', None)"));
        QCOMPARE(held(*snapshot, "b"), std::string("P(None, 'y')"));
        QCOMPARE(held(*snapshot, "0"), std::string("P(None, None)")); // nothing passes from one mesh to another
        QCOMPARE(snapshot->row("b")->layout.mesh().deviceAt(0), 7);
        QCOMPARE(snapshot->row("a")->layout.mesh().deviceAt(0), 0);
        QVERIFY(!problem(*snapshot, Code::ProgramNotRun));
        QVERIFY(snapshot->ok());
    }
    /// Two names for one mesh become one before propagation; what was given still names the second.
    void oneMeshOfTwoNames()
    {
        const SnapshotPtr snapshot = laidOut(sum("sdy.mesh @mesh = <[\"x\"=2]>\nsdy.mesh @again = <[\"x\"=2]>\n",
            "@mesh, [{\"x\"}, {}]", "@again, [{\"x\"}, {}]"));
        QCOMPARE(held(*snapshot, "a"), std::string("P('x', None)"));
        QCOMPARE(held(*snapshot, "b"), std::string("P('x', None)"));
        const SnapshotPtr ofOne = laidOut(sum("sdy.mesh @mesh = <[\"x\"=2]>\nsdy.mesh @again = <[\"x\"=2]>\n",
            "@mesh, [{}, {\"x\"}]", "@again, [{}, {\"x\"}]", "8x1"));
        QVERIFY(problem(*ofOne, Code::SilentlyReplicated));
    }
    /// JAX refuses such arguments; here they are padded, and it is said.
    void unevenArgumentsAreNamed()
    {
        const SnapshotPtr snapshot =
            laidOut(sum("sdy.mesh @mesh = <[\"x\"=2]>\n", "@mesh, [{\"x\"}, {}]", "@mesh, [{}, {\"x\"}]", "7x4"));
        const Diagnostic* stated = problem(*snapshot, Code::UnevenArgument);
        QVERIFY(stated);
        QCOMPARE(stated->where.path, std::string("a"));
        QCOMPARE(stated->number("size"), std::int64_t{ 7 });
        QCOMPARE(stated->severity(), Severity::Warning); // so that `check` exits with 1
        QVERIFY(snapshot->ok());
        QVERIFY(
            !problem(*laidOut(sum("sdy.mesh @mesh = <[\"x\"=2]>\n", "@mesh, [{\"x\"}, {}]", "@mesh, [{}, {\"x\"}]")),
                Code::UnevenArgument));
    }
    void axesInAnotherOrderAreTheSameAxes()
    {
        const SnapshotPtr snapshot = laidOut(sum(twoByFour + "sdy.mesh @turned = <[\"y\"=4, \"x\"=2]>\n",
            "@mesh, [{\"x\", ?}, {?}]", "@turned, [{\"x\"}, {\"y\"}]"));
        QCOMPARE(held(*snapshot, "b"), std::string("P('x', 'y')"));
        // Position (x 1, y 0) of the first mesh is device 4, of the second device 1.
        QCOMPARE(snapshot->row("a")->layout.mesh().deviceAt(4), 4);
        QCOMPARE(snapshot->row("b")->layout.mesh().deviceAt(4), 1);
    }
    void meshesWithOtherAxesAreNamed()
    {
        const SnapshotPtr snapshot = laidOut(
            sum("sdy.mesh @a = <[\"x\"=2]>\nsdy.mesh @b = <[\"z\"=4]>\n", "@a, [{\"x\"}, {?}]", "@b, [{\"z\"}, {}]"));
        const Diagnostic* stated = problem(*snapshot, Code::ProgramNotRun);
        QVERIFY(stated && stated->arg("elsewhere"));
        QCOMPARE(stated->list("elsewhere"), std::vector<std::string>{ "b" });
    }
    void valuesOnOtherAxesAreDrawnWhereTheyAre_data()
    {
        QTest::addColumn<QString>("main");
        QTest::addColumn<QString>("other");
        QTest::addColumn<QString>("dims");
        QTest::addColumn<QString>("devices");
        const auto row = [](const char* main, const char* other, const char* dims, const char* devices = "") {
            QTest::addRow("%s %s %s %s", main, other, dims, devices)
                << QString::fromLatin1(main) << QString::fromLatin1(other) << QString::fromLatin1(dims)
                << QString::fromLatin1(devices);
        };
        row(R"("x"=2, "y"=4)", R"("d"=8)", R"([{"d"}, {}])");
        row(R"("x"=2, "y"=4)", R"("d"=8)", R"([{"d":(1)4}, {"d":(4)2}])");
        row(R"("x"=4, "y"=2)", R"("p"=2, "q"=4)", R"([{"p"}, {"q"}])");
        row(R"("x"=4, "y"=2)", R"("p"=2, "q"=4)", R"([{"q", ?}, {"p", ?}])");
        row(R"("x"=2, "y"=3)", R"("p"=3, "q"=2)", R"([{"p"}, {"q"}])");
        row(R"("x"=2, "y"=2, "z"=2)", R"("p"=4, "q"=2)", R"([{"p"}, {"q"}])", ", device_ids=[7, 1, 2, 3, 4, 5, 6, 0]");
    }
    /// Device by device against the mesh that the text has.
    void valuesOnOtherAxesAreDrawnWhereTheyAre()
    {
        QFETCH(const QString, main);
        QFETCH(const QString, other);
        QFETCH(const QString, dims);
        QFETCH(const QString, devices);
        const std::string meshes = "sdy.mesh @first = <[" + main.toStdString() + "]>\nsdy.mesh @other = <["
            + other.toStdString() + "]" + devices.toStdString() + ">\n";
        const SnapshotPtr snapshot =
            laidOut(sum(meshes, "@first, [{\"x\"}, {\"y\"}]", "@other, " + dims.toStdString(), "24x24"));
        QVERIFY(!problem(*snapshot, Code::ProgramNotRun));
        const Program& program = *snapshot->program;
        const TensorRow* row = snapshot->row("b");
        QVERIFY(row && !row->layout.sharding().isFullyReplicated());
        const ProgramMesh& own = program.meshes[1];
        const auto stated = parseDimensions(dims.toStdString(), *own.mesh);
        QVERIFY(stated);
        TensorSharding sharding = *stated;
        keepFullAxes(sharding, *own.mesh); // b enters the program here
        const Layout wanted(own.mesh, sharding, row->type.shape);
        for (std::int32_t device = 0; device < own.mesh->deviceCount(); ++device)
            QVERIFY(row->layout.rangesAt(row->layout.mesh().positionOf(device))
                == wanted.rangesAt(own.mesh->positionOf(device)));
    }
    void meshesAlongWhichNothingIsShardedDoNotCount()
    {
        const SnapshotPtr snapshot = laidOut(
            sum("sdy.mesh @a = <[\"x\"=2]>\nsdy.mesh @b = <[\"z\"=4]>\n", "@a, [{?}, {?}]", "@b, [{\"z\"}, {}]"));
        QCOMPARE(snapshot->mesh->deviceCount(), 4);
        QVERIFY(!problem(*snapshot, Code::ProgramNotRun));
        QVERIFY(snapshot->ok());
    }
    void axesOfSizeOneStandInNobodysWay()
    {
        const SnapshotPtr snapshot = laidOut(
            sum("sdy.mesh @mesh = <[\"x\"=2, \"o\"=1]>\n", "@mesh, [{\"o\", ?}, {?}]", "@mesh, [{\"x\", ?}, {?}]"));
        QCOMPARE(held(*snapshot, "0"), std::string("P('x', None)"));
    }
    void everyCallHasItsOwnBody()
    {
        const std::string t = "tensor<8x8xf32>";
        const SnapshotPtr snapshot = laidOut(twoByFour + "func.func @main(%a: " + t
            + " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, %b: " + t
            + " {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"y\"}]>}) -> (" + t + ", " + t
            + ") {\n  %0 = call @f(%a) : (" + t + ") -> " + t + "\n  %1 = call @f(%b) : (" + t + ") -> " + t
            + "\n  return %0, %1 : " + t + ", " + t + "\n}\nfunc.func private @f(%x: " + t + ") -> " + t
            + " {\n  %0 = stablehlo.tanh %x : " + t + "\n  return %0 : " + t + "\n}\n");
        const Region& main = snapshot->program->main();
        const auto sharding = [&](ValueId value) {
            return dimensionsText(snapshot->propagation->shardings[value.index], *snapshot->mesh);
        };
        QCOMPARE(sharding(main.results[0]), std::string("[{x, ?}, {?}]"));
        QCOMPARE(sharding(main.results[1]), std::string("[{?}, {y, ?}]"));
    }
    void whatDoesNotDivideIsPadded()
    {
        const SnapshotPtr snapshot =
            laidOut(sum(twoByFour, "@mesh, [{\"y\", ?}, {?}]", "@mesh, [{?}, {\"x\"}]", "6x8"));
        QVERIFY(!problem(*snapshot, Code::SilentlyReplicated));
        QCOMPARE(held(*snapshot, "a"), std::string("P('y', 'x')"));
    }
    void oneElementIsNotCut()
    {
        const SnapshotPtr snapshot =
            laidOut(sum(twoByFour, "@mesh, [{\"y\", ?}, {?}]", "@mesh, [{?}, {\"x\"}]", "1x8"));
        const Diagnostic* stated = problem(*snapshot, Code::SilentlyReplicated);
        QVERIFY(stated);
        QCOMPARE(stated->where.path, std::string("a"));
        QCOMPARE(stated->number("size"), 1);
        QCOMPARE(stated->number("partitions"), 4);
        QCOMPARE(held(*snapshot, "a"), std::string("P(None, 'x')"));
    }
    void groupsThatDisagreeAreStated()
    {
        std::string text = sum(twoByFour, "@mesh, [{\"x\", ?}, {?}]", "@mesh, [{\"y\", ?}, {?}]");
        text.insert(text.find("  %0 ="),
            "  sdy.sharding_group %a group_id=0 : tensor<8x8xf32>\n"
            "  sdy.sharding_group %b group_id=0 : tensor<8x8xf32>\n");
        QVERIFY(problem(*laidOut(text), Code::ShardingGroupConflict));
    }
    /// What JAX holds arguments like is asked of those of main. Those of a loop, of which there are more, are what
    /// propagation says, parts of axes among them.
    void argumentsOfLoopsAreNoneOfMain()
    {
        const SnapshotPtr snapshot = laidOut(twoByFour + R"(func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = sdy.sharding_constraint %a <@mesh, [{"y":(1)2}, {}]> : tensor<8x8xf32>
  %1:3 = stablehlo.while(%c = %0, %i = %zero, %d = %0) : tensor<8x8xf32>, tensor<i32>, tensor<8x8xf32>
  cond {
    %end = stablehlo.constant dense<4> : tensor<i32>
    %less = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %sum = stablehlo.add %c, %d : tensor<8x8xf32>
    stablehlo.return %sum, %next, %d : tensor<8x8xf32>, tensor<i32>, tensor<8x8xf32>
  }
  return %1#0 : tensor<8x8xf32>
}
)");
        QVERIFY(snapshot->propagation);
        const Program& program = *snapshot->program;
        int checked = 0;
        for (std::size_t region = 1; region < program.regions.size(); ++region)
            for (const ValueId argument : program.regions[region].arguments) {
                QCOMPARE(heldSharding(*snapshot, argument), snapshot->propagation->shardings[argument.index]);
                checked += snapshot->propagation->shardings[argument.index].isFullyReplicated() ? 0 : 1;
            }
        QVERIFY(checked >= 2);
    }
    void meshesInAnotherOrder()
    {
        const Mesh main = Mesh::create({ { "x", 2 }, { "y", 2 } }).value();
        const Mesh turned = Mesh::create({ { "y", 2 }, { "x", 2 } }).value();
        const MeshPtr made = inAxisOrderOf(main, turned);
        QVERIFY(made);
        QCOMPARE((std::vector<std::int32_t>(made->deviceOrder().begin(), made->deviceOrder().end())),
            (std::vector<std::int32_t>{ 0, 2, 1, 3 }));
        QVERIFY(!inAxisOrderOf(main, Mesh::create({ { "x", 4 } }).value()));
        QVERIFY(!inAxisOrderOf(main, Mesh::create({ { "x", 2 }, { "y", 4 } }).value()));
    }
};

REGISTER_TEST(TestProgramLayout)
#include "test_program_layout.moc"
