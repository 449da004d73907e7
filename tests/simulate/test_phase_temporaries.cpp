// SPDX-License-Identifier: GPL-3.0-or-later
// Values that nothing reads after the phase that computes them lie in memory of the worker meanwhile: only those, never
// two in one place, and nobody can tell by the bits.
#include <QtTest>

#include <map>
#include <set>

#include "registered_test.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/phase_temporaries.h"
#include "simulate/run/run.h"
#include "simulate/run/slots_used.h"
#include "simulate/small_mlp.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

Phases phasesWithTemporariesOf(const Plan& plan, bool workerMemory = true)
{
    ReplicaSharing sharing;
    MemoryBudget budget(1e12);
    PhaseOptions options;
    options.workerMemory = workerMemory;
    return preparePhases(plan, sharing, budget, options, {}).value();
}

PlanPtr smallMlpOn(const QString& mesh, MlpSettings settings = smallMlp())
{
    return makePlan(mlpOnDevices(settings, makeMesh(axesOf(mesh))));
}

std::size_t temporaryCount(const Phases& phases)
{
    std::size_t count = 0;
    for (const Phase& phase : phases.main.phases)
        count += phase.temporaries.size();
    return count;
}

} // namespace

class TestPhaseTemporaries : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void areOfTheirPhaseAlone_data()
    {
        QTest::addColumn<QString>("mesh");
        for (const QString& mesh : meshesOfEight())
            if (mesh != QLatin1String("data=1 model=1"))
                QTest::addRow("%s", qPrintable(mesh)) << mesh;
    }
    void areOfTheirPhaseAlone()
    {
        QFETCH(QString, mesh);
        const PlanPtr plan = smallMlpOn(mesh);
        const Phases phases = phasesWithTemporariesOf(*plan);
        QVERIFY(temporaryCount(phases) > 0);
        // Per slot all instructions that touch it, and those that are a phase's own actions.
        std::map<std::uint32_t, std::set<std::uint32_t>> touching;
        for (std::uint32_t i = 0; i < plan->instructions.size(); ++i)
            forEachSlot(*plan, plan->instructions[i], [&](SlotId slot, bool) { touching[slot.index].insert(i); });
        std::set<std::uint32_t> lasting;
        for (const std::vector<SlotId>& list : { plan->arguments, plan->results })
            for (const SlotId slot : list)
                if (slot.valid())
                    lasting.insert(slot.index);
        for (const Phase& phase : phases.main.phases) {
            std::map<std::uint32_t, std::size_t> actionOf; // of an instruction
            for (std::size_t action = 0; action < phase.actions.size(); ++action)
                actionOf[phase.actions[action].instruction] = action;
            struct Placed {
                std::int64_t begin, end;
                std::size_t first, last;
            };
            std::vector<Placed> all;
            for (const Phase::Temporary& temporary : phase.temporaries) {
                QVERIFY(!lasting.contains(temporary.slot));
                for (std::size_t v = 0; v < plan->slotOf.size(); ++v)
                    QVERIFY(plan->slotOf[v] != SlotId(std::size_t{ temporary.slot }) || !plan->observable(ValueId(v)));
                Placed placed{ temporary.offset, temporary.offset + plan->slots[temporary.slot].bytes, SIZE_MAX, 0 };
                for (const std::uint32_t instruction : touching[temporary.slot]) {
                    QVERIFY2(actionOf.contains(instruction), "something outside of the phase reads it");
                    placed.first = std::min(placed.first, actionOf[instruction]);
                    placed.last = std::max(placed.last, actionOf[instruction]);
                }
                bool isWritten = false; // by the first action that touches it
                forEachSlot(*plan, plan->instructions[phase.actions[placed.first].instruction],
                    [&](SlotId slot, bool writes) { isWritten |= writes && slot.index == temporary.slot; });
                QVERIFY(isWritten);
                QVERIFY(placed.begin >= 0 && placed.end <= temporaryBytes && placed.begin % 64 == 0);
                for (const Placed& other : all)
                    QVERIFY(placed.end <= other.begin || other.end <= placed.begin || placed.last < other.first
                        || other.last < placed.first);
                all.push_back(placed);
            }
        }
        QCOMPARE(temporaryCount(phasesWithTemporariesOf(*plan, false)), std::size_t{ 0 });
    }

    /// What is kept for whoever reads it after the step stays where the device has it.
    void keptValuesStay()
    {
        const ProgramOnDevices program = mlpOnDevices(smallMlp(), makeMesh(axesOf(QStringLiteral("data=2 model=4"))));
        ScheduleOptions options;
        for (const Operation& operation : program->program->operations)
            for (const ValueId result : operation.results)
                options.keep.push_back(result);
        const PlanPtr plan = makePlan(program, options);
        const Phases phases = phasesWithTemporariesOf(*plan);
        for (const Phase& phase : phases.main.phases)
            for (const Phase::Temporary& temporary : phase.temporaries)
                for (std::size_t v = 0; v < plan->slotOf.size(); ++v)
                    QVERIFY(plan->slotOf[v] != SlotId(std::size_t{ temporary.slot }) || !plan->observable(ValueId(v)));
        RunOptions run = randomInputs(2);
        auto own = Run::create(plan, run).value(), other = Run::create(makePlan(program), run).value();
        own->step();
        other->step();
        for (const StatePair& pair : program->program->state)
            QVERIFY(own->gather(pair.argument) == other->gather(pair.argument));
        std::size_t read = 0;
        for (const ValueId value : options.keep)
            read += own->gather(value).empty() ? 0U : 1U;
        QVERIFY(read > 10);
    }

    /// More than the workers have room for: the rest has the device's memory.
    void roomIsLimited()
    {
        MlpSettings large = smallMlp();
        large.batch = 8192;
        const Phases phases = phasesWithTemporariesOf(*smallMlpOn(QStringLiteral("data=2 model=4"), large));
        const Phases small = phasesWithTemporariesOf(*smallMlpOn(QStringLiteral("data=2 model=4")));
        QVERIFY(temporaryCount(phases) < temporaryCount(small));
        QVERIFY(temporaryCount(phases) > 0); // what is small enough
    }

    /// One thread for all devices, and one for each: only the first one has temporaries in its memory.
    void sameBits_data() { areOfTheirPhaseAlone_data(); }
    void sameBits()
    {
        QFETCH(QString, mesh);
        const PlanPtr plan = smallMlpOn(mesh);
        QVERIFY(usesWorkerMemory(*plan, 1) && usesWorkerMemory(*plan, 3) && !usesWorkerMemory(*plan, 8));
        auto plain = Run::create(plan, randomInputs(8)).value();
        for (const int threads : { 1, 3 }) {
            auto run = Run::create(plan, randomInputs(threads)).value();
            plain->reset();
            for (int step = 0; step < 2; ++step) {
                run->step();
                plain->step();
            }
            for (const StatePair& pair : plan->program->program->state)
                for (std::int64_t position = 0; position < plan->program->mesh->deviceCount(); ++position) {
                    const auto own = run->bytes(pair.argument, position), other = plain->bytes(pair.argument, position);
                    QVERIFY(!own.empty());
                    QVERIFY(std::equal(own.begin(), own.end(), other.begin(), other.end()));
                }
        }
    }
};

REGISTER_TEST(TestPhaseTemporaries)
#include "test_phase_temporaries.moc"
