// SPDX-License-Identifier: GPL-3.0-or-later
// The check against the unsharded reference: right runs pass, with what they cover counted here on its own, and every
// way to go wrong that is tried here is seen, at the right tensor, device and element.
#include <QtTest>

#include <cmath>
#include <set>

#include "partition/lower_collectives.h"
#include "program/builder.h"
#include "registered_test.h"
#include "simulate/faults.h"
#include "simulate/run/step_replay.h"
#include "simulate/small_mlp.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

const ValueCheck* firstFailure(const CheckReport& report)
{
    return report.firstDifference();
}

CheckReport checked(Run& run, const Program& right, const RunOptions& options)
{
    const auto reference = CheckReference::of(std::make_shared<const Program>(right), *run.plan().program).value();
    return checkRun(reference, run, options).value();
}

/// The largest difference of gradients, in units of the largest of their array, where neither side sees anything of the
/// other.
double apartFromEndToEnd(const ProgramOnDevices& program, const RunOptions& options)
{
    ScheduleOptions scheduling;
    scheduling.keep = gradientsOf(*program->program);
    const auto run = Run::create(makePlan(program, scheduling), options).value();
    run->step();
    StepReplay replay(program, options.initial);
    double apart = 0;
    for (const ValueId gradient : scheduling.keep) {
        const std::vector<double> ours = run->gather(gradient), right = **replay.reference(gradient, 1);
        double largest = 0, difference = 0;
        for (std::size_t i = 0; i < right.size(); ++i) {
            largest = std::max(largest, std::fabs(right[i]));
            difference = std::max(difference, std::fabs(ours[i] - right[i]));
        }
        apart = std::max(apart, largest > 0 ? difference / largest : 0);
    }
    return apart;
}

std::set<std::string> failedPaths(const CheckReport& report)
{
    std::set<std::string> paths;
    for (const ValueCheck& line : report.values)
        if (!line.passed())
            paths.insert(line.path);
    return paths;
}

/// A run of what `program` computes that can be compared with `right`.
std::unique_ptr<Run> runOf(const Program& right, const ProgramOnDevices& program, const RunOptions& options)
{
    ScheduleOptions scheduling;
    scheduling.keep = checkedValues(right);
    return Run::create(makePlan(program, scheduling), options).value();
}

/// The same program with other operations on the devices.
ProgramOnDevices changed(const FlatProgram& program, const std::function<void(Program&)>& change)
{
    Program local = *program.local;
    change(local);
    auto made = std::make_shared<FlatProgram>(program);
    made->local = std::make_shared<const Program>(std::move(local));
    return made;
}

/// Devices put together the greatest of their parts where they should add them up.
ProgramOnDevices withMaximums(const FlatProgram& program)
{
    return changed(program, [](Program& local) {
        for (const Operation& operation : std::vector(local.operations))
            if (operation.kind == OpKind::AllReduce)
                for (const OperationId inner : local.regions[operation.regions[0].index].operations)
                    local.operations[inner.index].kind = OpKind::Maximum;
    });
}

/// The axes over which an all-reduce adds up.
AxisList summedAxes(const FlatProgram& program, const FlatOp& op)
{
    return program.value(op.operands[0]).sharding.unreduced;
}

bool holds(const FlatProgram& program, ValueId value, std::int32_t device, std::int64_t element)
{
    const Layout layout = program.layout(FlatValueId(value.index));
    const auto ranges = layout.rangesAt(program.mesh->positionOf(device));
    bool inside = true;
    for (std::size_t d = ranges.size(); d-- > 0;) {
        const std::int64_t index = element % layout.shape()[d];
        inside = inside && ranges[d].begin <= index && index < ranges[d].end;
        element /= layout.shape()[d];
    }
    return inside;
}

/// QFETCHed in every test of a fault.
void addTypes()
{
    QTest::addColumn<int>("dtype");
    QTest::newRow("f32") << static_cast<int>(DType::F32);
    QTest::newRow("f64") << static_cast<int>(DType::F64);
}

const std::vector<MeshAxis> twoByFour{ { "data", 2 }, { "model", 4 } };

} // namespace

class TestCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void passesAndCoversEverything_data();
    void passesAndCoversEverything();
    void passesWithEqualRows();
    void passesWhereRelusTurn();
    void passesWhereNumbersUnderflow_data();
    void passesWhereNumbersUnderflow();
    void passesWhereDivisorsCancel();
    void seesWrongGradients_data() { addTypes(); }
    void seesWrongGradients();
    void seesOneWrongElement_data() { addTypes(); }
    void seesOneWrongElement();
    void seesDroppedAddends_data() { addTypes(); }
    void seesDroppedAddends();
    void seesAnotherReduction_data() { addTypes(); }
    void seesAnotherReduction();
    void seesOneBitOfOneReplica_data() { addTypes(); }
    void seesOneBitOfOneReplica();
    void seesAShardOfAnotherBlock_data() { addTypes(); }
    void seesAShardOfAnotherBlock();
    void seesTheOldCount_data() { addTypes(); }
    void seesTheOldCount();
    void namesTheHolderOfWhatIsWrong();
    void seesAnotherParameter();
    void seesAnotherOptimizer();
    void seesOverflow();
    void seesWhatIsNotHeld();
};

void TestCheck::passesAndCoversEverything_data()
{
    QTest::addColumn<QString>("mesh");
    for (const QString& mesh : meshesOfEight())
        QTest::newRow(qPrintable(mesh)) << mesh;
}

void TestCheck::passesAndCoversEverything()
{
    QFETCH(QString, mesh);
    for (const LossKind loss : { LossKind::SumOfOutputs, LossKind::HalfSumOfSquares }) {
        for (const DType dtype : { DType::F32, DType::F64 }) {
            MlpSettings settings = smallMlp(dtype);
            settings.loss = loss;
            const auto program = mlpOnDevices(settings, makeMesh(axesOf(mesh)));
            const auto report = checkAgainstReference(program, randomInputs(), 3);
            QVERIFY(report.has_value());
            std::set<std::string> paths;
            for (const ValueCheck& line : report->values) {
                QVERIFY2(line.passed(), describe(line).c_str());
                QCOMPARE(line.compared, program->program->value(line.value).type.elementCount());
                paths.insert(line.path);
            }
            QVERIFY(report->passed());
            QCOMPARE(paths.size(), report->values.size());

            std::vector<std::string> expected{ "loss", "next(step)", "next(opt/count)" };
            for (int layer = 0; layer < 3; ++layer) {
                const std::string name = "layers." + std::to_string(layer);
                expected.insert(expected.end(), { name + "/h", name + "/z" });
                for (const char* weight : { "/W1", "/W2" }) {
                    for (const char* form : { "grad(params/", "next(params/", "next(opt/mu/", "next(opt/nu/" })
                        expected.push_back(form + name + weight + ')');
                }
            }
            for (const std::string& path : expected)
                QVERIFY2(paths.contains(path), path.c_str());
            // and the cotangents of z, but the last one, and of y, one contraction each; half the sum is not the sum;
            // and two powers of Adam
            QCOMPARE(paths.size(), expected.size() + 2 + 3 + 2 + (loss == LossKind::HalfSumOfSquares ? 1 : 0));
            QVERIFY(apartFromEndToEnd(program, randomInputs()) <= (dtype == DType::F64 ? 1e-13 : 1e-5));
        }
    }
}

// Sums of equal terms round in one direction: statistics over roundings would refuse this right run.
void TestCheck::passesWithEqualRows()
{
    MlpSettings settings;
    settings.batch = 1 << 15;
    settings.embed = settings.hidden = 8;
    settings.layers = 2;
    const auto program = mlpOnDevices(settings, makeMesh(twoByFour));
    const auto report = checkAgainstReference(program, {});
    QVERIFY(report.has_value());
    for (const ValueCheck& line : report->values)
        QVERIFY2(line.passed(), describe(line).c_str());
    QVERIFY(apartFromEndToEnd(program, {}) > 1e-5); // far above the square root of the batch times eps
}

// Where h is 0 up to rounding, the devices' relu and that of the reference decide differently: no sum is wrong then.
void TestCheck::passesWhereRelusTurn()
{
    MlpSettings settings = smallMlp(DType::F32);
    settings.layers = 2;
    const auto program = mlpOnDevices(settings, makeMesh(twoByFour));
    RunOptions options = randomInputs();
    // Every column of W1 is orthogonal to every row of x, in exact numbers: rounding alone decides.
    std::vector<double> x(16 * 24);
    std::vector<double> w(24 * 40);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i % 24 < 12 ? 1.1 + 0.01 * static_cast<double>(i % 12) : 0.7);
    for (std::size_t i = 0; i < w.size(); ++i) {
        const std::size_t row = i / 40;
        const double first = x[row % 12];
        w[i] = static_cast<float>((row < 12 ? 1 : -first / 0.7) * (0.01 + 0.001 * static_cast<double>(i % 40)));
    }
    options.initial.byPath = { { "x", x }, { "params/layers.0/W1", w } };
    const auto report = checkAgainstReference(program, options);
    QVERIFY(report.has_value());
    for (const ValueCheck& line : report->values)
        QVERIFY2(line.passed(), describe(line).c_str());
    QVERIFY(apartFromEndToEnd(program, options) > 1e-2); // they did decide differently
}

void TestCheck::passesWhereNumbersUnderflow_data()
{
    QTest::addColumn<int>("dtype");
    QTest::addColumn<double>("input"); ///< about the size of gradients, or its root where the loss is a square
    QTest::addColumn<bool>("squares");
    QTest::newRow("f32, sum of outputs") << static_cast<int>(DType::F32) << 1e-40 << false;
    QTest::newRow("f32, squares") << static_cast<int>(DType::F32) << 3e-20 << true;
    QTest::newRow("f64, sum of outputs") << static_cast<int>(DType::F64) << 1e-318 << false;
    QTest::newRow("f64, squares") << static_cast<int>(DType::F64) << 1e-159 << true;
}

// Inputs so small that sums, gradients and the optimizer's state are below the smallest normal number.
void TestCheck::passesWhereNumbersUnderflow()
{
    QFETCH(int, dtype);
    QFETCH(double, input);
    QFETCH(bool, squares);
    MlpSettings settings = smallMlp(static_cast<DType>(dtype));
    settings.loss = squares ? LossKind::HalfSumOfSquares : LossKind::SumOfOutputs;
    const auto program = mlpOnDevices(settings, makeMesh(twoByFour));
    RunOptions options = randomInputs();
    std::vector<double>& x = options.initial.byPath["x"];
    for (int i = 0; i < 16 * 24; ++i)
        x.push_back(input * (1 + 0.37 * (i % 11)));
    options.initial.byPath["params/layers.2/W2"] = std::vector<double>(40 * 24, 0); // begins with its change alone
    const auto report = checkAgainstReference(program, options, 2);
    QVERIFY(report.has_value());
    for (const ValueCheck& line : report->values)
        QVERIFY2(line.passed(), describe(line).c_str());
}

// A divisor that is left of two numbers of size 1 may be wrong by half; the quotient then is what it is.
void TestCheck::passesWhereDivisorsCancel()
{
    const auto mesh = makeMesh(twoByFour);
    Builder builder("quotient");
    const TensorType type{ DType::F32, { 8, 8 } };
    std::vector<ValueId> arguments;
    for (const char* name : { "x", "y", "z" })
        arguments.push_back(builder.argument(type, name, Role::Input));
    const ValueId product = builder.binary(OpKind::Multiply, arguments[0], arguments[1]);
    const ValueId divisor = builder.binary(OpKind::Subtract, product, arguments[2]);
    const ValueId one = builder.broadcastScalar(builder.constant({ DType::F32, {} }, 1), type.shape);
    const ValueId quotient = builder.binary(OpKind::Divide, one, divisor);
    builder.result(builder.named(quotient, "quotient", Role::Activation));
    const Program program = std::move(builder).finish();
    RunOptions options = randomInputs();
    auto& source = options.initial.byPath;
    for (int i = 0; i < 64; ++i) {
        const float x = 1 + static_cast<float>(i) / 777;
        const float y = 1 + static_cast<float>(i) / 333;
        source["x"].push_back(x);
        source["y"].push_back(y);
        source["z"].push_back(x * y - 2.5e-7F); // a rounding or two away
    }
    const auto report = checkAgainstReference(onDevices(program, mesh), options);
    QVERIFY(report.has_value());
    for (const ValueCheck& line : report->values)
        QVERIFY2(line.passed(), describe(line).c_str());
}

void TestCheck::seesWrongGradients()
{
    QFETCH(int, dtype);
    const auto mesh = makeMesh(twoByFour);
    const Program right = mlpFor(smallMlp(static_cast<DType>(dtype)), *mesh);
    const RunOptions options = randomInputs();
    for (const ValueId gradient : gradientsOf(right)) {
        for (const double factor : { 1.05, 0.95 }) {
            const auto run = runOf(right, onDevices(scaled(right, gradient, factor), mesh), options);
            const auto report = checked(*run, right, options);
            QVERIFY(!report.passed());
            const ValueCheck* found = firstFailure(report);
            QCOMPARE(found->path, right.value(gradient).path);
            QVERIFY(std::fabs(found->ours - factor * found->reference) <= 1e-4 * std::fabs(found->reference));
            QVERIFY(holds(*run->plan().program, gradient, found->worstDevice, found->worstElement));
            QVERIFY(!found->copiesDiffer);
        }
        // a right one passes through the same machinery
        const auto run = runOf(right, onDevices(scaled(right, gradient, 1), mesh), options);
        QVERIFY(checked(*run, right, options).passed());
    }
}

// One element of all, on all devices that hold it: 5 % are seen wherever there is a gradient.
void TestCheck::seesOneWrongElement()
{
    QFETCH(int, dtype);
    const auto mesh = makeMesh(twoByFour);
    const Program right = mlpFor(smallMlp(static_cast<DType>(dtype)), *mesh);
    const ValueId gradient = right.find("grad(params/layers.1/W1)"); // shards of [24, 10], on devices d and d + 4
    const RunOptions options = randomInputs();
    int seen = 0;
    for (std::size_t element = 0; element < 240; element += 7) {
        double number = 0;
        FaultyRun run(runOf(right, onDevices(right, mesh), options), [&](Run& inner) {
            number = inner.shard(gradient, 2)[element];
            for (const std::int64_t position : { 2, 6 }) {
                if (static_cast<DType>(dtype) == DType::F32)
                    scaleElement(inner, gradient, position, element, 1.05F);
                else
                    scaleElement(inner, gradient, position, element, 1.05);
            }
        });
        const auto report = checked(run, right, options);
        QCOMPARE(report.passed(), number == 0); // a relu that nothing gets through
        if (number == 0)
            continue;
        const ValueCheck* found = firstFailure(report);
        QCOMPARE(found->path, std::string("grad(params/layers.1/W1)"));
        QCOMPARE(found->worstDevice, 2);
        const auto row = static_cast<std::int64_t>(element) / 10;
        const auto column = static_cast<std::int64_t>(element) % 10;
        QCOMPARE(found->worstElement, row * 40 + 20 + column);
        ++seen;
    }
    QVERIFY(seen >= 20);
}

// Every sum of the step in turn lacks the addends of one mesh axis.
void TestCheck::seesDroppedAddends()
{
    QFETCH(int, dtype);
    for (const char* mesh : { "data=2 model=4", "pod=2 data=2 model=2" }) {
        const auto program = mlpOnDevices(smallMlp(static_cast<DType>(dtype)), makeMesh(axesOf(QLatin1String(mesh))));
        QVERIFY(checkAgainstReference(program, randomInputs())->passed());
        int tried = 0;
        for (const FlatOp& op : program->main().ops) {
            if (program->operation(op).kind != OpKind::AllReduce)
                continue;
            const AxisList axes = summedAxes(*program, op);
            for (std::size_t axis = 0; axis < axes.size(); ++axis) {
                AxisList fewer = axes;
                fewer.erase(fewer.begin() + axis);
                const auto wrong = changed(*program, [&](Program& local) {
                    Operation& operation = local.operations[op.operation.index];
                    CollectiveAttributes attributes = *attributesAs<CollectiveAttributes>(operation.attributes);
                    attributes.groups = deviceGroups(*program->mesh, fewer);
                    operation.attributes = otherAttributes(std::move(attributes));
                });
                const auto report = checkAgainstReference(wrong, randomInputs());
                QVERIFY(report.has_value());
                const ValueCheck* found = firstFailure(*report);
                QVERIFY(found != nullptr);
                // It begins where the sum is: at the value that the all-reduce gives, or the constraint on it.
                const ValueId summed = program->value(op.results[0]).origin;
                const Operation& by = program->program->operation(program->program->value(found->value).definition);
                QVERIFY2(found->value == summed || by.operands[0] == summed, describe(*found).c_str());
                ++tried;
            }
        }
        QVERIFY(tried >= 3 + 6 + 2); // outputs, gradients of weights, cotangents of outputs
    }
}

void TestCheck::seesAnotherReduction()
{
    QFETCH(int, dtype);
    const auto program = mlpOnDevices(smallMlp(static_cast<DType>(dtype)), makeMesh(twoByFour));
    const auto wrong = withMaximums(*program); // instead of sums
    const auto report = checkAgainstReference(wrong, randomInputs());
    QVERIFY(report.has_value());
    QVERIFY(!report->passed());
}

// The last bit of one element on one device of those that hold it, in an activation, a gradient and a parameter.
void TestCheck::seesOneBitOfOneReplica()
{
    QFETCH(int, dtype);
    const auto mesh = makeMesh(twoByFour);
    const Program right = mlpFor(smallMlp(static_cast<DType>(dtype)), *mesh);
    const RunOptions options = randomInputs();
    struct Case {
        const char* changed;
        const char* line;
        std::int64_t position; ///< not the first holder
        std::int32_t first;
    };
    for (const Case& one : { Case{ "layers.1/z", "layers.1/z", 5, 4 },
             Case{ "grad(params/layers.2/W2)", "grad(params/layers.2/W2)", 7, 3 },
             Case{ "params/layers.0/W1", "next(params/layers.0/W1)", 4, 0 },
             Case{ "opt/nu/layers.0/W2", "next(opt/nu/layers.0/W2)", 6, 2 } }) {
        const ValueId value = right.find(one.changed);
        FaultyRun run(runOf(right, onDevices(right, mesh), options), [&](Run& inner) {
            const std::span<std::byte> memory = memoryOf(inner, value, one.position);
            const std::size_t size = static_cast<DType>(dtype) == DType::F32 ? 4 : 8;
            memory[3 * size] ^= std::byte{ 1 };
        });
        const auto report = checked(run, right, options);
        QCOMPARE(failedPaths(report), std::set<std::string>{ one.line });
        const ReplicaDifference found = firstFailure(report)->copiesDiffer.value();
        QCOMPARE(found.device, one.first);
        QCOMPARE(static_cast<std::int64_t>(found.other), one.position);
        QVERIFY(found.value != found.otherValue);
        const Layout layout = run.plan().program->layout(FlatValueId(value.index));
        const auto ranges = layout.rangesAt(one.position);
        QCOMPARE(found.element, ranges[0].begin * layout.shape()[1] + ranges[1].begin + 3);
    }
}

// A device holds the block of its neighbour: before the step, so that everything follows from it, or after.
void TestCheck::seesAShardOfAnotherBlock()
{
    QFETCH(int, dtype);
    const auto mesh = makeMesh(twoByFour);
    const Program right = mlpFor(smallMlp(static_cast<DType>(dtype)), *mesh);
    const RunOptions options = randomInputs();
    const ValueId weight = right.find("params/layers.1/W2");
    const ValueId gradient = right.find("grad(params/layers.1/W2)");
    const auto names = [](const ValueCheck& line, std::int32_t device) {
        return line.worstDevice == device || (line.copiesDiffer && line.copiesDiffer->other == device);
    };
    for (const std::int32_t device : { 1, 6 }) { // the first and the second holder of their blocks
        const auto run = runOf(right, onDevices(right, mesh), options);
        copyShard(*run, weight, device - 1, device);
        const auto before = checked(*run, right, options);
        QVERIFY(!before.passed());
        QCOMPARE(firstFailure(before)->path, std::string("params/layers.1/W2"));
        QVERIFY(names(*firstFailure(before), device));

        FaultyRun later(runOf(right, onDevices(right, mesh), options),
            [&](Run& inner) { copyShard(inner, gradient, device - 1, device); });
        const auto after = checked(later, right, options);
        QVERIFY(!after.passed());
        QCOMPARE(firstFailure(after)->path, std::string("grad(params/layers.1/W2)"));
        QVERIFY(names(*firstFailure(after), device));
    }
}

// The powers of Adam's decays are the first that depend on it; what follows from them is right.
void TestCheck::seesTheOldCount()
{
    QFETCH(int, dtype);
    const auto mesh = makeMesh(twoByFour);
    const Program right = mlpFor(smallMlp(static_cast<DType>(dtype)), *mesh);
    for (const double count : { 0.0, 1.0, 9.0, 400.0 }) {
        RunOptions options = randomInputs();
        if (count > 0) {
            options.initial.byPath["opt/count"] = { count };
            for (const ValueId argument : right.main().arguments) {
                const Value& value = right.value(argument);
                if (value.role != Role::Mu && value.role != Role::Nu)
                    continue;
                std::vector<double>& source = options.initial.byPath[value.path];
                for (std::int64_t i = 0; i < value.type.elementCount(); ++i)
                    source.push_back((value.role == Role::Mu ? 0.01 : 1e-4) * static_cast<double>(i % 7 + 1));
            }
        }
        QVERIFY(checkAgainstReference(onDevices(right, mesh), options, 2)->passed());
        const auto run = runOf(right, onDevices(withOldCount(right), mesh), options);
        const auto report = checked(*run, right, options);
        QVERIFY(!report.passed());
        QCOMPARE(failedPaths(report).size(), std::size_t{ 2 });
        for (const ValueCheck& line : report.values)
            QCOMPARE(line.passed(), right.operation(right.value(line.value).definition).kind != OpKind::Power);
        QVERIFY(firstFailure(report)->worstDevice >= 0 && firstFailure(report)->worstElement >= 0);
    }
}

// A result goes out in another form than it is worked out in; only there an element is wrong.
void TestCheck::namesTheHolderOfWhatIsWrong()
{
    const auto mesh = makeMesh(twoByFour);
    Builder builder("result");
    const ValueId x = builder.argument(
        { DType::F32, { 8, 8 } }, "x", Role::Input, {}, onAxes({ SpecEntry::axis("data"), SpecEntry::none() }));
    const ValueId square = builder.binary(OpKind::Multiply, x, x);
    const ValueId y = builder.named(
        builder.constrain(square, onAxes({ SpecEntry::axis("data"), SpecEntry::none() })), "y", Role::Activation);
    builder.result(y, onAxes({ SpecEntry::none(), SpecEntry::axis("model") }));
    const Program program = std::move(builder).finish();
    FaultyRun run(runOf(program, onDevices(program, mesh), randomInputs()), [](Run&) {});
    constexpr std::int64_t element =
        7 * 8 + 3; // in the lower rows, on devices from 4 on; in columns 2 and 3, on 1 and 5
    run.ofResult = [](std::size_t, kernels::Arrays& shards) {
        for (const std::size_t device : { std::size_t{ 1 }, std::size_t{ 5 } })
            shards[device].as<float>()[7 * 2 + 1] += 1;
    };
    const FlatProgram& device = *run.plan().program;
    QCOMPARE(device.layout(FlatValueId(y.index)).shardGrid()[0], std::int64_t(2));
    QCOMPARE(device.layout(device.main().results[0]).shardGrid(), (Shape{ 1, 4 }));
    const auto report = checked(run, program, randomInputs());
    QVERIFY(!report.passed());
    QCOMPARE(firstFailure(report)->worstElement, element);
    QCOMPARE(firstFailure(report)->worstDevice, 1);
}

// One new parameter that is off by more than its rounding, on all devices that hold it, or by less.
void TestCheck::seesAnotherParameter()
{
    const auto mesh = makeMesh(twoByFour);
    const Program right = mlpFor(smallMlp(), *mesh);
    const ValueId weight = right.find("params/layers.1/W2"); // shards of [10, 24], on devices d and d + 4
    const ValueId gradient = right.find("grad(params/layers.1/W2)");
    const RunOptions options = randomInputs();
    int seen = 0;
    for (std::size_t element = 0; element < 240; element += 11) {
        for (const float error : { 4e-5F, 3e-7F }) {
            bool counts = false;
            FaultyRun run(runOf(right, onDevices(right, mesh), options), [&](Run& inner) {
                counts = std::fabs(inner.shard(weight, 2)[element]) > 0.01
                    && std::fabs(inner.shard(gradient, 2)[element]) > 1e-4;
                for (const std::int64_t position : { 2, 6 })
                    scaleElement(inner, weight, position, element, 1 + error);
            });
            const CheckReport report = checked(run, right, options);
            if (!counts)
                continue; // about as large as its change, or with a gradient that may be nothing but rounding
            QCOMPARE(report.passed(), error < 1e-5F);
            if (!report.passed())
                QCOMPARE(failedPaths(report), std::set<std::string>{ "next(params/layers.1/W2)" });
            ++seen;
        }
    }
    QVERIFY(seen >= 20);
}

// A learning rate that is off by a percent, and gradients of the other sign.
void TestCheck::seesAnotherOptimizer()
{
    const auto mesh = makeMesh(twoByFour);
    MlpSettings settings = smallMlp();
    const Program right = mlpFor(settings, *mesh);
    const RunOptions options = randomInputs();
    settings.adam.learningRate *= 1.01;
    const auto faster = runOf(right, onDevices(mlpFor(settings, *mesh), mesh), options);
    std::set<std::string> parameters;
    for (const StatePair& pair : right.state)
        if (right.value(pair.argument).role == Role::Parameter)
            parameters.insert("next(" + right.value(pair.argument).path + ')');
    QCOMPARE(failedPaths(checked(*faster, right, options)), parameters);
    Program uphill = right;
    for (const ValueId gradient : gradientsOf(right))
        uphill = scaled(std::move(uphill), gradient, -1);
    const auto other = runOf(right, onDevices(std::move(uphill), mesh), options);
    const CheckReport sign = checked(*other, right, options);
    QCOMPARE(right.value(firstFailure(sign)->value).role, Role::Gradient);
}

// Where the reference overflows there is no tolerance, so that nothing can agree with it.
void TestCheck::seesOverflow()
{
    MlpSettings settings = smallMlp(DType::F64);
    settings.layers = 1;
    settings.embed = 2;
    settings.hidden = 8;
    const auto program = mlpOnDevices(settings, makeMesh(twoByFour));
    const auto wrong = withMaximums(*program); // which stay finite where sums do not
    RunOptions options = randomInputs();
    options.initial.byPath["x"] = std::vector<double>(16 * 2, 3e307);
    options.initial.byPath["params/layers.0/W1"] = std::vector<double>(2 * 8, 1);
    options.initial.byPath["params/layers.0/W2"] = std::vector<double>(8 * 2, 1);
    const auto report = checkAgainstReference(wrong, options);
    QVERIFY(report.has_value());
    QVERIFY(!report->passed());
    const ValueCheck* found = firstFailure(*report);
    QVERIFY(std::isinf(found->reference) && std::isfinite(found->ours));
    QVERIFY(found->worstElement >= 0 && found->beyond > 0);
}

// A plan that keeps nothing: what cannot be compared has not passed.
void TestCheck::seesWhatIsNotHeld()
{
    const auto mesh = makeMesh(twoByFour);
    const Program right = mlpFor(smallMlp(DType::F32), *mesh);
    const RunOptions options = randomInputs();
    const auto run = Run::create(makePlan(onDevices(right, mesh)), options).value();
    const auto report = checked(*run, right, options);
    QVERIFY(!report.passed());
    QVERIFY(std::any_of(report.values.begin(), report.values.end(), [](const ValueCheck& line) { return !line.held; }));
}

REGISTER_TEST(TestCheck)
#include "test_check.moc"
