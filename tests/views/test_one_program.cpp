// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives, Memory, Shard grid, Values and a run show one device program: that of the experiment's strategy.
#include <QTest>

#include "document/run_controller.h"
#include "experiment_file/gallery.h"
#include "partition/partition_program.h"
#include "pipeline/planned_memory.h"
#include "pipeline/stage_results.h"
#include "registered_test.h"
#include "simulate/run/value_reader.h"
#include "views/collectives_view/collectives_model.h"
#include "views/collectives_view/collectives_view.h"
#include "views/memory_view/memory_view.h"
#include "views/panel_fixture.h"
#include "views/shard_grid_view/shard_grid_view.h"
#include "words/words.h"

using namespace shardscope;
using test::Fixture;

namespace {

/// A product of two arrays that are sharded along different mesh axes.
constexpr const char* contendedText = R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}
)";

Experiment experimentNamed(const QString& source)
{
    if (source == QLatin1String("text"))
        return experimentOf(ProgramModel{ {}, std::make_shared<const std::string>(contendedText) }, "text").value();
    Experiment experiment = findExample(source.toStdString())->experiment;
    if (auto* mlp = std::get_if<MlpModel>(&experiment.model)) {
        mlp->settings.layers = 2;
        mlp->settings.embed = 16;
        mlp->settings.hidden = 32;
    }
    return experiment;
}

} // namespace

class TestOneProgram : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { test::failOnWarnings(); }

    void docks_data()
    {
        QTest::addColumn<QString>("source");
        QTest::addColumn<int>("strategy");
        for (const char* source : { "flax-mlp-logical", "text", "jax-layer-program", "jax-contraction", "jax-layer" })
            for (const StrategyChoice strategy : { StrategyChoice::Basic, StrategyChoice::Aggressive,
                     StrategyChoice::OperationPriority, StrategyChoice::UserPriority, StrategyChoice::Full })
                QTest::addRow("%s, %s", source, name(strategy).c_str())
                    << QString::fromLatin1(source) << static_cast<int>(strategy);
    }

    void docks()
    {
        QFETCH(QString, source);
        QFETCH(int, strategy);
        Experiment experiment = experimentNamed(source);
        experiment.propagation.strategy = static_cast<StrategyChoice>(strategy);
        Fixture f(std::move(experiment));
        const Result<std::uint64_t> hash = deviceProgramHash(f.snapshot());
        QVERIFY(hash);
        const DeviceStages::Partitioned parts = *partitionedProgram(f.snapshot());

        CollectivesView collectives(&f.document, &f.selection);
        collectives.show();
        QTRY_VERIFY(!collectives.isWorking());
        if (const auto& list = collectives.model()->list()) {
            const auto device = partitionProgram(ShardedProgram(*list->sharded));
            QCOMPARE(shardscope::hash(device->device.program), *hash);
            QCOMPARE(collectives.model()->rowCount(), static_cast<int>(list->entries.size()));
        } else {
            QVERIFY(!collectives.emptyText().isEmpty());
        }

        MemoryView memory(&f.document, &f.selection);
        memory.show();
        const auto ready = plannedProgram(f.snapshot());
        QVERIFY(ready);
        const PlannedMemory planned = plannedMemory(**ready);
        QCOMPARE(shardscope::hash(*planned.program), *hash);
        QTRY_VERIFY2(memory.keyFigure().contains(words::bytes(static_cast<double>(planned.memory.peakBytes))),
            qPrintable(memory.keyFigure()));

        // The grid draws what a device takes of an argument.
        ShardGridView grid(&f.document, &f.selection);
        grid.resize(500, 400);
        grid.show();
        const Region& main = f.snapshot().program->main();
        for (std::size_t a = 0; a < main.arguments.size(); ++a) {
            const TensorRow* row = f.snapshot().row(main.arguments[a]);
            QVERIFY(row);
            f.selection.setTensor(QString::fromStdString(row->path));
            QVERIFY(grid.canvas()->subject());
            const ValueId local = parts->device.program.main().arguments[a];
            QVERIFY(grid.canvas()->subject()->layout.shardShape() == parts->device.program.value(local).type.shape);
        }

        // Steps are those of that program, and what is read of it lies as the program says.
        RunController controller(&f.document);
        controller.runStep();
        QTRY_VERIFY(controller.state() == RunController::State::Idle && controller.stepsDone() == 1);
        const std::shared_ptr<const Plan> plan = controller.begun().plan;
        QVERIFY(plan);
        QCOMPARE(shardscope::hash(*plan->program->local), *hash);
        QVERIFY(controller.read([&](const ValueReader& reader) {
            for (std::size_t a = 0; a < main.arguments.size(); ++a)
                if (reader.held(main.arguments[a]) == Held::Yes)
                    QCOMPARE(reader.layout(main.arguments[a]).shardShape(),
                        f.snapshot().row(main.arguments[a])->layout.shardShape());
        }));
    }
};

REGISTER_TEST(TestOneProgram)
#include "test_one_program.moc"
