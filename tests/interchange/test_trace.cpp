// SPDX-License-Identifier: GPL-3.0-or-later
// Times of instructions, as a run records them and as they are written.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <cmath>
#include <map>
#include <set>

#include "interchange/trace.h"
#include "registered_test.h"
#include "schedule/plan.h"
#include "stablehlo/read.h"

using namespace shardscope;

namespace {

/// A loop of three trips with an all-reduce in each, and one of two trips in which devices exchange nothing.
const char* const loops = R"(sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<8x8xf32>
   cond {
    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %p = stablehlo.dot_general %v, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n, %p : tensor<i32>, tensor<8x8xf32>
  }
  %q:2 = stablehlo.while(%k = %zero, %u = %r#1) : tensor<i32>, tensor<8x8xf32>
   cond {
    %c = stablehlo.compare LT, %k, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %t = stablehlo.tanh %u : tensor<8x8xf32>
    %n = stablehlo.add %k, %one : tensor<i32>
    stablehlo.return %n, %t : tensor<i32>, tensor<8x8xf32>
  }
  return %q#1 : tensor<8x8xf32>
})";

std::unique_ptr<Run> tracedRun(std::size_t room)
{
    const auto program = std::make_shared<const Program>(readStableHlo(loops).value().program);
    auto parts = std::make_shared<const PartitionedProgram>(partitionProgram(*program).value());
    const auto flat = std::make_shared<const FlatProgram>(flatten(program, std::move(parts), {}).value());
    RunOptions options;
    options.threads = 2;
    options.tracedInstructions = room;
    return Run::create(std::make_shared<const Plan>(schedule(flat).value()), options).value();
}

} // namespace

class TestTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyInstructionIsThere()
    {
        const auto run = tracedRun(1000);
        QVERIFY(run->trace(0).empty());
        run->step();
        const StepTiming timing = run->step();
        QCOMPARE(run->untraced(), 0);
        const Plan& plan = run->plan();
        for (std::int64_t position = 0; position < 4; ++position) {
            std::map<std::pair<std::uint32_t, std::uint32_t>, int> times;
            double before = 0, compute = 0, communication = 0, wait = 0;
            int exchanges = 0;
            for (const InstructionTime& time : run->trace(position)) {
                QVERIFY(time.start <= time.end && time.wait >= 0);
                QVERIFY(time.end >= before); // in the order in which they ended
                before = time.end;
                ++times[{ time.block, time.instruction }];
                const auto& action = plan.instructionsOf(time.block)[time.instruction].action;
                if (std::holds_alternative<ControlInstruction>(action))
                    continue;
                const bool isExchange = std::holds_alternative<CollectiveInstruction>(action);
                exchanges += isExchange;
                (isExchange ? communication : compute) += time.end - time.start;
                wait += time.wait;
            }
            // Main once; bodies as often as their loops make trips. What computes nothing is not there.
            std::set<int> trips;
            for (std::uint32_t i = 0; i < plan.instructions.size(); ++i) {
                QVERIFY((times[{ 0, i }]) <= 1);
                const auto* control = std::get_if<ControlInstruction>(&plan.instructions[i].action);
                if (!control)
                    continue;
                QCOMPARE((times[{ 0, i }]), 1);
                std::set<int> ofBody;
                for (std::uint32_t k = 0; k < plan.blocks[control->blocks[1]].instructions.size(); ++k)
                    ofBody.insert(times[{ control->blocks[1], k }]);
                ofBody.erase(0);
                QCOMPARE(ofBody.size(), 1U);
                trips.insert(*ofBody.begin());
            }
            QVERIFY(trips == (std::set<int>{ 2, 3 }));
            QVERIFY(exchanges >= 3);
            // They are what the device's times are made of.
            const DeviceTimes& device = timing.devices[static_cast<std::size_t>(position)];
            QVERIFY(std::abs(communication - device.communication) < 1e-9);
            QVERIFY(std::abs(wait - device.wait) < 1e-9);
            QVERIFY(compute <= device.compute && compute > 0);
        }
    }

    void whatHasNoRoomIsCounted()
    {
        const auto all = tracedRun(1000), few = tracedRun(3);
        all->step();
        few->step();
        std::int64_t count = 0;
        for (std::int64_t position = 0; position < 4; ++position) {
            count += static_cast<std::int64_t>(all->trace(position).size());
            QCOMPARE(few->trace(position).size(), 3U);
        }
        QCOMPARE(few->untraced(), count - 12);
        few->reset();
        QVERIFY(few->trace(0).empty() && few->untraced() == 0);
        const auto none = tracedRun(0);
        none->step();
        QVERIFY(none->trace(0).empty() && none->untraced() == 0);
    }

    void itIsWritten()
    {
        const auto run = tracedRun(1000);
        run->step();
        QJsonParseError error{};
        const QJsonObject file = QJsonDocument::fromJson(QByteArray::fromStdString(chromeTrace(*run)), &error).object();
        QCOMPARE(error.error, QJsonParseError::NoError);
        QCOMPARE(file[QStringLiteral("left_out")].toInt(), 0);
        std::map<QString, int> byCategory, byPhase;
        std::map<int, std::size_t> byDevice;
        QStringList names;
        for (const QJsonValue& each : file[QStringLiteral("traceEvents")].toArray()) {
            const QJsonObject event = each.toObject();
            ++byPhase[event[QStringLiteral("ph")].toString()];
            if (event[QStringLiteral("ph")].toString() == QStringLiteral("M"))
                continue;
            const QString category = event[QStringLiteral("cat")].toString();
            ++byCategory[category];
            byDevice[event[QStringLiteral("tid")].toInt()] += category != QStringLiteral("wait");
            names << event[QStringLiteral("name")].toString();
            QVERIFY(event[QStringLiteral("ts")].toDouble() >= 0 && event[QStringLiteral("dur")].toDouble() >= 0);
        }
        QCOMPARE(byPhase[QStringLiteral("M")], 5); // the process and its four devices
        QCOMPARE(byDevice.size(), 4U);
        for (const auto& [device, events] : byDevice)
            QCOMPARE(events, run->trace(device).size());
        QVERIFY(byCategory[QStringLiteral("communication")] >= 12);
        QCOMPARE(byCategory[QStringLiteral("control")], 8);
        QVERIFY(!names.filter(QStringLiteral("dot_general")).empty());
    }
};

REGISTER_TEST(TestTrace)
#include "test_trace.moc"
