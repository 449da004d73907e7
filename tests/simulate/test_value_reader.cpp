// SPDX-License-Identifier: GPL-3.0-or-later
// Slices of what devices hold, by layout, and the reference beside them.
#include <QtTest>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/codes.h"
#include "registered_test.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/step_replay.h"
#include "simulate/run/value_reader.h"
#include "simulate/small_mlp.h"
#include "stablehlo/read.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

Sample allOf(const Shape& shape)
{
    Sample sample;
    for (const std::int64_t size : shape) {
        std::vector<std::int64_t>& list = sample.indices.emplace_back(static_cast<std::size_t>(size));
        std::iota(list.begin(), list.end(), 0);
    }
    return sample;
}

/// Devices that hold 100 * position + the local row-major index of every element.
class NumberedReader final : public ValueReader {
public:
    explicit NumberedReader(Layout layout)
        : m_layout(std::move(layout))
    {
    }
    [[nodiscard]] Held held(ValueId) const override { return Held::Yes; }
    [[nodiscard]] DType dtype(ValueId) const override { return DType::F32; }
    [[nodiscard]] Layout layout(ValueId) const override { return m_layout; }
    void readLocal(ValueId, std::int64_t position, const Sample& sample, std::span<double> out) const override
    {
        ++reads;
        std::size_t next = 0;
        for (const std::int64_t row : sample.indices[0])
            for (const std::int64_t column : sample.indices[1])
                out[next++] = static_cast<double>(100 * position + row * m_layout.shardShape()[1] + column);
    }
    mutable int reads = 0;

private:
    Layout m_layout;
};

Layout layoutOver(const MeshPtr& mesh, const PartitionSpec& spec, const Shape& shape, const AxisList& unreduced = {})
{
    TensorSharding sharding = toTensorSharding(spec, *mesh, shape.size());
    sharding.unreduced = unreduced;
    return { mesh, sharding, shape };
}

std::vector<double> globalOf(const ValueReader& reader, const Sample& sample)
{
    std::vector<double> numbers(sample.count(), -1);
    readGlobal(reader, ValueId(0), sample, numbers);
    return numbers;
}

} // namespace

class TestValueReader : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void slicesAreThoseOfTheGatheredArray_data()
    {
        QTest::addColumn<QString>("mesh");
        for (const QString& mesh : meshesOfEight())
            QTest::newRow(qPrintable(mesh)) << mesh;
    }
    void slicesAreThoseOfTheGatheredArray()
    {
        QFETCH(QString, mesh);
        const MeshPtr devices = makeMesh(axesOf(mesh));
        const ProgramOnDevices program = mlpOnDevices(smallMlp(), devices);
        ScheduleOptions options;
        options.keep = gradientsOf(*program->program);
        const auto run = Run::create(makePlan(program, options), randomInputs()).value();
        const RunReader reader(*run);
        const ValueId first = program->program->main().arguments.front();
        QCOMPARE(reader.held(first), Held::NoStep);
        run->step();
        int compared = 0;
        for (std::size_t v = 0; v < program->program->values.size(); ++v) {
            const ValueId value(v);
            const std::vector<double> full = run->gather(value);
            QCOMPARE(reader.held(value) == Held::Yes, !full.empty());
            if (full.empty())
                continue;
            const Shape& shape = program->program->value(value).type.shape;
            QCOMPARE(reader.dtype(value), program->program->value(value).type.dtype);
            // Every second index and the last one, in every dimension.
            Sample sample;
            for (const std::int64_t size : shape) {
                std::vector<std::int64_t>& list = sample.indices.emplace_back();
                for (std::int64_t i = 0; i < size; i += 2)
                    list.push_back(i);
                if (list.back() != size - 1)
                    list.push_back(size - 1);
            }
            std::vector<double> read(sample.count());
            readGlobal(reader, value, sample, read);
            for (std::size_t i = 0; i < read.size(); ++i) {
                std::size_t rest = i;
                std::int64_t element = 0, stride = 1;
                for (std::size_t d = shape.size(); d-- > 0;) {
                    element += sample.indices[d][rest % sample.indices[d].size()] * stride;
                    rest /= sample.indices[d].size();
                    stride *= shape[d];
                }
                QCOMPARE(read[i], full[static_cast<std::size_t>(element)]);
            }
            // And all of one device's shard.
            const std::int64_t position = devices->deviceCount() - 1;
            const std::vector<double> shard = run->shard(value, position);
            const Layout layout = reader.layout(value);
            const Sample all = allOf(layout.shardShape());
            std::vector<double> local(all.count());
            reader.readLocal(value, position, all, local);
            QVERIFY(local == shard);
            ++compared;
        }
        QVERIFY(compared > 10);
    }

    void whyAValueCannotBeRead()
    {
        const ProgramOnDevices program = mlpOnDevices(smallMlp(), makeMesh(axesOf(QStringLiteral("data=2 model=4"))));
        const auto run = Run::create(makePlan(program), randomInputs()).value();
        const RunReader reader(*run);
        run->step();
        int noMemory = 0, notKept = 0;
        for (std::size_t v = 0; v < program->program->values.size(); ++v) {
            noMemory += reader.held(ValueId(v)) == Held::NoMemory;
            notKept += reader.held(ValueId(v)) == Held::NotKept;
        }
        QVERIFY(noMemory > 0);
        QVERIFY(notKept > 0);
    }

    void unevenShardsAreReadWhereTheirElementsAre()
    {
        // 7 rows on 4 devices: 2 each, the last has one and a row of padding.
        const MeshPtr mesh = makeMesh({ { "x", 4 } });
        const NumberedReader reader(layoutOver(mesh, { { SpecEntry::axis("x"), SpecEntry::none() } }, { 7, 3 }));
        const Sample sample{ { { 1, 2, 6 }, { 0, 2 } } };
        const std::vector<double> expected{ 3, 5, 100, 102, 300, 302 };
        QVERIFY(globalOf(reader, sample) == expected);
        QCOMPARE(reader.reads, 3);
        const Layout layout = reader.layout(ValueId(0));
        QVERIFY(validExtent(layout, 3) == (Shape{ 1, 3 }));
        QVERIFY(validExtent(layout, 0) == (Shape{ 2, 3 }));
        QCOMPARE(shardOfElement(layout, Shape{ 6, 1 }), 3);
        QVERIFY(globalOf(reader, { { {}, { 0 } } }).empty());
    }

    void partsAreAddedUp()
    {
        // Rows over x; what stands on the two devices of y is still to be added up.
        const MeshPtr mesh = makeMesh({ { "x", 2 }, { "y", 2 } });
        const NumberedReader reader(
            layoutOver(mesh, { { SpecEntry::axis("x"), SpecEntry::none() } }, { 4, 2 }, { AxisRef{ 1, 1, 2 } }));
        // Positions 0 and 1 hold rows 0 and 1, positions 2 and 3 the others.
        const std::vector<double> expected{ 0 + 100, 1 + 101, 200 + 300, 201 + 301 };
        QVERIFY(globalOf(reader, { { { 0, 2 }, { 0, 1 } } }) == expected);
    }

    void differences()
    {
        const double infinite = std::numeric_limits<double>::infinity(), none = std::nan("");
        QCOMPARE(differenceFrom(2, 3), 1.0);
        QCOMPARE(differenceFrom(infinite, infinite), 0.0);
        QCOMPARE(differenceFrom(none, none), 0.0);
        QVERIFY(std::isnan(differenceFrom(1, none)));
        QCOMPARE(differenceFrom(infinite, 1), -infinite);
        std::vector<double> reference(12), ours{ 10, 20 };
        std::iota(reference.begin(), reference.end(), 0.0);
        subtractReference(reference, { 3, 4 }, { { { 2 }, { 0, 3 } } }, ours);
        QVERIFY(ours == (std::vector<double>{ 2, 9 }));
    }

    void theReferenceOfEveryStep()
    {
        const ProgramOnDevices program =
            mlpOnDevices(smallMlp(DType::F64), makeMesh(axesOf(QStringLiteral("data=2 model=4"))));
        const ProgramPtr& full = program->program;
        const auto run = Run::create(makePlan(program), randomInputs()).value();
        StepReplay replay(program, randomValues());
        const ValueId weight = full->find("params/layers.0/W1");
        for (int step = 1; step <= 3; ++step) {
            run->step();
            const auto array = replay.reference(weight, step).value();
            const std::vector<double> ours = run->gather(weight);
            QCOMPARE(array->size(), ours.size());
            for (std::size_t i = 0; i < ours.size(); ++i)
                QVERIFY(std::abs((*array)[i] - ours[i]) < 1e-6);
        }
        // Back to an earlier one, and forward over several at once.
        const auto first = replay.reference(weight, 1).value();
        const auto third = replay.reference(weight, 3).value();
        QVERIFY(*first != *third);
        StepReplay other(program, randomValues());
        QVERIFY(*other.reference(weight, 3).value() == *third);
        QVERIFY(*other.reference(weight, 1).value() == *first);
    }

    void aStepOperationByOperation()
    {
        // a is sharded by rows, b by columns; what is contracted is sharded, so that the devices add up. The argument b
        // of the next step is half of this one's.
        const auto read = readStableHlo(R"(
            module {
              sdy.mesh @mesh = <["x"=2, "y"=2]>
              func.func @main(%a: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                              %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
                  -> (tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                      tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
                %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
                %half = stablehlo.constant dense<0.5> : tensor<8x4xf32>
                %1 = stablehlo.multiply %b, %half : tensor<8x4xf32>
                return %0, %1 : tensor<6x4xf32>, tensor<8x4xf32>
              }
            })");
        QVERIFY(read);
        const auto program = std::make_shared<const Program>(read->program);
        const ValueId a = program->main().arguments[0], b = program->main().arguments[1];
        const ValueId product = program->main().results[0], half = program->main().results[1];
        const auto flat = std::make_shared<const FlatProgram>(flatten(program,
            std::make_shared<const PartitionedProgram>(partitionProgram(*program).value()),
            { StateSource::Stated, { { b, 1 } } }).value());
        InitialValues initial;
        initial.seed = 5;
        initial.defaults = InitialDefaults::ByUse;
        StepReplay replay(flat, initial);
        const auto numbersOf = [&](const RecordedStepPtr& step, const RecordedArray* array) {
            const RecordedReader reader(step, *array);
            const Shape shape = array->array.type.shape;
            const Sample all = allOf(shape);
            std::vector<double> numbers(all.count());
            readGlobal(reader, {}, all, numbers);
            return numbers;
        };
        const RecordedStepPtr first = replay.record(1).value(), third = replay.record(3).value();
        for (const RecordedStepPtr& step : { first, third }) {
            const std::size_t count = step->operations.size();
            QVERIFY(count >= 3);
            const RecordedArray* const left = step->after(0, a);
            const RecordedArray* const right = step->after(count, b);
            const RecordedArray* const sum = step->after(count, product);
            QVERIFY(left && right && sum && sum->hasReference() && right->hasReference());
            QVERIFY(!step->after(0, product) && *step->firstOf(product) < count);
            const std::vector<double> x = numbersOf(step, left), w = numbersOf(step, right), y = numbersOf(step, sum);
            QVERIFY(x == left->referenceNumbers() && w == right->referenceNumbers());
            const std::vector<double> reference = sum->referenceNumbers();
            for (std::size_t row = 0; row < 6; ++row)
                for (std::size_t column = 0; column < 4; ++column) {
                    double expected = 0;
                    for (std::size_t k = 0; k < 8; ++k)
                        expected += x[8 * row + k] * w[4 * k + column];
                    QVERIFY(std::abs(y[4 * row + column] - expected) < 1e-5);
                    QVERIFY(std::abs(reference[4 * row + column] - expected) < 1e-5);
                }
            // Right after the product devices hold values that are still to be added up.
            const RecordedArray& parts = *step->after(*step->firstOf(product) + 1, product);
            QCOMPARE(RecordedReader(step, parts).layout({}).addends(), 2);
            // The device at position 3 = (1, 1) holds rows 3 to 5 and columns 4 to 7 of a.
            double corner = 0;
            RecordedReader(step, *left).readLocal({}, 3, Sample{ { { 1 }, { 2 } } }, { &corner, 1 });
            QCOMPARE(corner, x[8 * 4 + 6]);
            QCOMPARE(numbersOf(step, step->after(count, half))[0], w[0] / 2);
        }
        QCOMPARE(numbersOf(third, third->after(0, b))[7], numbersOf(first, first->after(0, b))[7] / 4);
        // An earlier step again, and the reference of the last one recorded.
        QVERIFY(numbersOf(replay.record(1).value(), first->after(0, b)) == numbersOf(first, first->after(0, b)));
        QCOMPARE((*replay.reference(b, 2).value())[7], numbersOf(third, third->after(0, b))[7]);
    }

    void theReferenceStopsAndRefuses()
    {
        const ProgramOnDevices program = mlpOnDevices(smallMlp(), makeMesh({ { "data", 2 }, { "model", 2 } }));
        StepReplay replay(program, randomValues());
        const ValueId weight = program->program->find("params/layers.0/W1");
        std::stop_source stop;
        StepReplay::Limits limits;
        limits.stop = stop.get_token();
        std::int64_t told = 0;
        limits.progress = [&](std::int64_t done, std::int64_t all) {
            QVERIFY(done <= all);
            told = done;
            if (done == 5)
                stop.request_stop();
        };
        QVERIFY(!replay.reference(weight, 2, limits).value());
        QCOMPARE(told, 5);
        const auto fresh = StepReplay(program, randomValues()).reference(weight, 2).value();
        QVERIFY(*replay.reference(weight, 2).value() == *fresh); // nothing is left of what was broken off
        QVERIFY(!replay.record(1, limits).value()); // it has been asked to stop already

        StepReplay::Limits small;
        small.bytes = 1000;
        QCOMPARE(StepReplay(program, randomValues()).record(1, small).error().code, Code::OutOfMemory);
        const auto refused = StepReplay(program, randomValues()).reference(weight, 2, small);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, Code::OutOfMemory);
        QCOMPARE(refused.error().number("limit"), 1000);
        QVERIFY(refused.error().number("bytes") > 1000);
    }
};

REGISTER_TEST(TestValueReader)
#include "test_value_reader.moc"
