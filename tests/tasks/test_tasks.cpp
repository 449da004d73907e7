// SPDX-License-Identifier: GPL-3.0-or-later
// Every task has a solution that is one, and an example that is none; its figures are those of formulas.
#include <QTest>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "analysis/analyse.h"
#include "experiment/edits.h"
#include "experiment/rule_edits.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/gallery.h"
#include "registered_test.h"
#include "tasks/tasks.h"

using namespace shardscope;

namespace {

using Kind = Condition::Kind;

SnapshotPtr analysedTask(Experiment experiment)
{
    AnalysisCache cache;
    return analyse(std::make_shared<const Experiment>(std::move(experiment)), 1, cache);
}

Experiment exampleNamed(const char* id)
{
    const GalleryExample* example = findExample(std::string_view(id));
    if (!example)
        qFatal("no such example");
    return example->experiment;
}

ConditionState check(const Condition& condition, const Experiment& start, const Experiment& now)
{
    return checkCondition(condition, start, *analysedTask(now));
}

QByteArray textOf(std::string_view text)
{
    return QByteArray(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

class TestTasks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyDocumentHasSome()
    {
        QVERIFY(tasks().size() >= 12);
        std::set<std::string_view> ids;
        for (const Task& task : tasks()) {
            QVERIFY2(ids.insert(task.id).second, textOf(task.id).constData());
            QCOMPARE(findTask(task.id), &task);
            const GalleryExample* example = findExample(task.example);
            QVERIFY2(example && example->group == task.group, textOf(task.id).constData());
            QVERIFY(task.question.ends_with('?') && task.hint.ends_with('.'));
            QVERIFY(!task.goal.empty() && task.solution);
            const std::vector<const Task*> beside = tasksOf(task.example);
            QVERIFY(std::find(beside.begin(), beside.end(), &task) != beside.end());
        }
        for (const char* group : { "flax-notebook", "flax-spmd", "penzai", "t5x", "jax" }) {
            const auto count = std::count_if(
                tasks().begin(), tasks().end(), [group](const Task& task) { return task.group == group; });
            QVERIFY2(count >= 2, group);
        }
        QVERIFY(!findTask("no such task"));
        QVERIFY(tasksOf("no such example").empty());
    }

    void everyTaskCanBeSolved_data()
    {
        QTest::addColumn<QByteArray>("id");
        for (const Task& task : tasks())
            QTest::newRow(textOf(task.id).constData()) << textOf(task.id);
    }
    void everyTaskCanBeSolved()
    {
        QFETCH(QByteArray, id);
        const Task* task = findTask(id.toStdString());
        QVERIFY(task);
        const Experiment& start = startOf(*task);
        const SnapshotPtr before = analysedTask(start);
        QCOMPARE(before->errorCount(), 0);
        const TaskState unsolved = checkTask(*task, *before);
        QVERIFY(!unsolved.isSolved());
        QCOMPARE(unsolved.conditions.size(), task->goal.size());
        QVERIFY(unsolved.metCount() < task->goal.size());

        const Result<Experiment> edited = task->solution(start);
        QVERIFY(edited.has_value());
        const SnapshotPtr after = analysedTask(*edited);
        QCOMPARE(after->errorCount(), 0);
        const TaskState solved = checkTask(*task, *after);
        for (std::size_t i = 0; i < solved.conditions.size(); ++i)
            QVERIFY2(solved.conditions[i].met, QByteArray::number(static_cast<int>(i)).constData());
        QVERIFY(solved.isSolved());

        // A file keeps what solves it.
        const auto read = readExperiment(writeExperiment(*edited));
        QVERIFY(read.has_value());
        QVERIFY(checkTask(*task, *analysedTask(read->experiment)).isSolved());
    }

    /// Of an analysis that stopped there are no figures, and no condition on one is met.
    void errorsSolveNothing()
    {
        const Task* task = findTask("fit-the-step");
        QVERIFY(task);
        Experiment wrong = startOf(*task);
        wrong.mesh.axes = { { "data", 2 }, { "data", 4 } };
        const TaskState state = checkTask(*task, *analysedTask(wrong));
        QVERIFY(!state.isSolved());
        QVERIFY(!state.conditions[0].met && !state.conditions[0].found);
        QVERIFY(!TaskState{}.isSolved());
    }

    /// 8 weights of 1024 x 1024 with gradient and two moments, in float32; collectives and bytes as the ring model has
    /// them: 2 (n - 1) / n of what is held for an all-reduce among n.
    void figuresOfTheNotebook()
    {
        const Experiment start = exampleNamed("flax-mlp-logical");
        constexpr std::int64_t weight = 4 * 1024 * 1024;
        for (const std::int64_t data : { 1, 2, 4, 8 }) {
            const std::int64_t model = 8 / data;
            const Result<Experiment> edited = withAxisSizes(start, { data, model });
            QVERIFY(edited.has_value());
            const ConditionState peak = check({ Kind::PeakAtMost, {}, 32 * weight / model }, start, *edited);
            QVERIFY(peak.found && Rational(32 * weight / model) < *peak.found);
            QVERIFY(!peak.met && *peak.found < Rational(32 * weight / model + 128 * 1024));

            // Forward: z of each layer; backward: the gradient of each layer's input but the first; along data: the
            // gradients of 8 weights and the loss.
            const std::int64_t along = (model > 1 ? 7 : 0) + (data > 1 ? 9 : 0);
            const ConditionState reduces = check({ Kind::CollectivesAtMost, "all_reduce", along }, start, *edited);
            QVERIFY(reduces.found && *reduces.found == Rational(along));
            QVERIFY(reduces.met);
            QVERIFY(!check({ Kind::CollectivesAtMost, "all_reduce", along - 1 }, start, *edited).met);

            const std::int64_t activation = 8 / data * 1024 * 4;
            const Rational sent = Rational(7 * 2 * (model - 1) * activation, model)
                + Rational(8 * 2 * (data - 1) * (weight / model), data);
            const ConditionState bytes = check({ Kind::SentAtMost, {}, 0 }, start, *edited);
            QVERIFY(bytes.found && *bytes.found == sent && !bytes.met);

            const ConditionState copies = check({ Kind::CopiesAtMost, {}, data }, start, *edited);
            QVERIFY(copies.met && *copies.found == Rational(data));
            QCOMPARE(check({ Kind::CopiesAtMost, {}, 1 }, start, *edited).met, data == 1);
            QCOMPARE(check({ Kind::NoneReplicated }, start, *edited).met, data < 8);
            QVERIFY(check({ Kind::DevicesKept }, start, *edited).met);
            QCOMPARE(check({ Kind::MeshKept }, start, *edited).met, data == 2);
        }
    }

    void whatIsKept()
    {
        const Experiment start = exampleNamed("flax-mlp-logical");
        const Result<Experiment> batch = withDimension(start, "batch", 16), hidden = withDimension(start, "hidden", 64);
        QVERIFY(batch && hidden);
        QVERIFY(!check({ Kind::ModelKept }, start, *batch).met);
        QVERIFY(check({ Kind::ModelKept, "batch" }, start, *batch).met);
        QVERIFY(!check({ Kind::ModelKept, "batch" }, start, *hidden).met);
        QVERIFY(!check({ Kind::ModelKept, "no such size" }, start, start).met);
        QVERIFY(!check({ Kind::ModelKept }, start, exampleNamed("rule-lab")).met);
        QVERIFY(check({ Kind::SizeAtLeast, "batch", 16 }, start, *batch).met);
        QVERIFY(!check({ Kind::SizeAtLeast, "batch", 17 }, start, *batch).met);
        QVERIFY(!check({ Kind::SizeAtLeast, "no such size", 1 }, start, *batch).met);

        const Result<Experiment> moved = withRuleMoved(start, RuleList{}, 1, 0);
        const Result<Experiment> removed = withRuleRemoved(start, RuleList{}, 1);
        QVERIFY(moved && removed);
        QVERIFY(check({ Kind::RulesKept }, start, *moved).met);
        QVERIFY(!check({ Kind::RulesKept }, start, *removed).met);
        Experiment twice = *removed; // as many rules, but one of them twice
        twice.rules.rules.list.push_back(twice.rules.rules.list.front());
        QVERIFY(!check({ Kind::RulesKept }, start, twice).met);

        // Shardings of values are no other model, another text is.
        const Experiment program = exampleNamed("jax-contraction");
        const Result<Experiment> sharded = withValueSharding(program, "arg0", "[{}, {\"y\"}]");
        QVERIFY(sharded.has_value());
        QVERIFY(check({ Kind::ModelKept }, program, *sharded).met);
        QVERIFY(!check({ Kind::ModelKept }, program, exampleNamed("jax-elementwise")).met);
    }

    void arraysRulesAndAxes()
    {
        const Experiment lab = exampleNamed("rule-lab");
        const ConditionState spec = check({ Kind::ArrayLaidOut, "array", 0, "P(X, -, Y, -)" }, lab, lab);
        QVERIFY(spec.met);
        QVERIFY(!check({ Kind::ArrayLaidOut, "array", 0, "P(X, -, Y, Z)" }, lab, lab).met);
        QVERIFY(!check({ Kind::ArrayLaidOut, "no such array", 0, "P(X)" }, lab, lab).met);
        // 8 x 128 x 4 x 64 float32 over X and Y, two each.
        constexpr std::int64_t bytes = 8 * 128 * 4 * 64 * 4 / 4;
        QVERIFY(check({ Kind::ArrayAtMost, "array", bytes }, lab, lab).met);
        QVERIFY(!check({ Kind::ArrayAtMost, "array", bytes - 1 }, lab, lab).met);
        QVERIFY(check({ Kind::ShardedByRule, "array", 0, {}, "batch", "X" }, lab, lab).met);
        QVERIFY(!check({ Kind::ShardedByRule, "array", 0, {}, "batch", "Z" }, lab, lab).met);
        QVERIFY(!check({ Kind::ShardedByRule, "array", 0, {}, "features", "X" }, lab, lab).met);
        QVERIFY(!check({ Kind::ShardedByRule, "array", 0, {}, "no such name", "X" }, lab, lab).met);
        const ConditionState axes = check({ Kind::AxesUsed }, lab, lab);
        QVERIFY(!axes.met && axes.found && *axes.found == Rational(1));
        QCOMPARE(axes.foundText, "Z");

        // What is written as a mesh axis is sharded by no rule.
        const Experiment device = exampleNamed("flax-mlp-device");
        QVERIFY(!check({ Kind::ShardedByRule, "params/layers.0/W1", 0, {}, "hidden", "model" }, device, device).met);
        const Experiment logical = exampleNamed("flax-mlp-logical");
        QVERIFY(check({ Kind::ShardedByRule, "params/layers.0/W1", 0, {}, "hidden", "model" }, logical, logical).met);
    }

    void constraints()
    {
        const Experiment cpu = exampleNamed("rule-lab-cpu");
        QVERIFY(!check({ Kind::ConstraintsApply }, cpu, cpu).met);
        // A model without any does not meet it.
        const Experiment lab = exampleNamed("rule-lab");
        QVERIFY(!check({ Kind::ConstraintsApply }, lab, lab).met);
        QVERIFY(!check({ Kind::CopiesAtMost, {}, 100 }, lab, lab).found); // no parameters
    }
};

REGISTER_TEST(TestTasks)
#include "test_tasks.moc"
