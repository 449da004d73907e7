// SPDX-License-Identifier: GPL-3.0-or-later
// The check of the notebook's MLP against its reference: as a network, as its own export, and as one whose layers are a
// loop. All pass, and a value that somebody has falsified is named in each.
#include <QtTest>

#include <cmath>

#include "analysis/analysed.h"
#include "analysis/initial_setting.h"
#include "experiment_file/gallery.h"
#include "pipeline/stage_results.h"
#include "registered_test.h"
#include "simulate/check/check.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

/// Adds to an element of what one operation gives, on all devices.
class Falsifier final : public Observer {
public:
    explicit Falsifier(OperationId operation)
        : m_operation(operation)
    {
    }
    void computed(OperationId operation, std::int64_t, std::span<const kernels::Array>,
        std::span<kernels::Array> results) override
    {
        if (operation != m_operation)
            return;
        const double number = kernels::numberAt(results[0], 5);
        kernels::setNumber(results[0], 5, number + std::fabs(number) / 16 + 1);
        ++times;
    }
    int times = 0;

private:
    OperationId m_operation;
};

/// The product of main that comes last, and the value of the program that it gives a form of.
std::pair<OperationId, ValueId> lastProduct(const FlatProgram& program)
{
    std::pair<OperationId, ValueId> last;
    for (const FlatOp& op : program.main().ops)
        if (program.operation(op).kind == OpKind::DotGeneral)
            last = { op.operation, op.origin };
    return last;
}

} // namespace

class TestCheckPrograms : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void namesWhatIsFalsified_data()
    {
        QTest::addColumn<QString>("example");
        for (const char* id : { "flax-mlp-logical", "flax-mlp-program", "flax-mlp-scan-program" })
            QTest::newRow(id) << QString::fromLatin1(id);
    }
    void namesWhatIsFalsified()
    {
        QFETCH(QString, example);
        const SnapshotPtr snapshot = analysed(findExample(example.toStdString())->experiment);
        const auto plan = snapshot->plan ? snapshot->plan : plannedProgram(*snapshot).value_or(nullptr);
        QVERIFY(plan);
        RunOptions options;
        options.threads = 2;
        options.initial = initialValuesOf(*snapshot);
        const auto program = plan->program;
        const auto report = checkAgainstReference(program, options);
        QVERIFY2(report, report ? "" : std::string(report.error().id()).c_str());
        for (const ValueCheck& line : report->values)
            QVERIFY2(line.passed(), line.path.c_str());
        QVERIFY(report->passed());
        QVERIFY(report->values.size() >= 3 && report->compared() > 0);

        // An operation.
        const auto [operation, value] = lastProduct(*program);
        if (operation.valid()) {
            Falsifier falsifier(operation);
            RunOptions falsified = options;
            falsified.observers = { &falsifier };
            const auto wrong = checkAgainstReference(program, falsified);
            QVERIFY(wrong && falsifier.times > 0);
            const ValueCheck* first = wrong->firstDifference();
            QVERIFY(first);
            // By its own name, or by that of the constraint on it.
            const Operation& by = program->program->operation(program->program->value(first->value).definition);
            QVERIFY2(first->value == value || by.operands[0] == value, first->path.c_str());
        }
        // What an argument begins with.
        const ScheduleOptions keep{ true, checkedValues(*program->program), false };
        RunOptions other = options;
        other.initial.seed += 1;
        const auto run = Run::create(std::make_shared<const Plan>(schedule(program, keep).value()), other).value();
        const auto begun = checkRun(CheckReference::of(program->program, *program).value(), *run, options);
        QVERIFY(begun && begun->firstDifference());
        QVERIFY(!program->program->value(begun->firstDifference()->value).definition.valid());
    }
};

REGISTER_TEST(TestCheckPrograms)
#include "test_check_programs.moc"
