// SPDX-License-Identifier: GPL-3.0-or-later
// Slices of what devices hold, by layout, and the reference beside them.
#include <QtTest>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/codes.h"
#include "registered_test.h"
#include "simulate/check/reference_steps.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/program_values.h"
#include "simulate/run/value_reader.h"
#include "simulate/small_mlp.h"
#include "stablehlo/read.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

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
            const std::vector<double> whole = run->gather(value);
            QCOMPARE(reader.held(value) == Held::Yes, !whole.empty());
            if (whole.empty())
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
                QCOMPARE(read[i], whole[static_cast<std::size_t>(element)]);
            }
            // And all of one device's shard.
            const std::int64_t position = devices->deviceCount() - 1;
            const std::vector<double> shard = run->shard(value, position);
            const Layout layout = reader.layout(value);
            const Sample all = boxSample(Shape(shape.size(), 0), layout.shardShape());
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
        int noMemory = 0, overwritten = 0;
        for (std::size_t v = 0; v < program->program->values.size(); ++v) {
            noMemory += reader.held(ValueId(v)) == Held::NoMemory;
            overwritten += reader.held(ValueId(v)) == Held::Overwritten;
        }
        QVERIFY(noMemory > 0);
        QVERIFY(overwritten > 0);
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
        const ProgramPtr& whole = program->program;
        const auto run = Run::create(makePlan(program), randomInputs()).value();
        ReferenceSteps reference(whole, randomValues());
        const ValueId weight = whole->find("params/layers.0/W1");
        for (int step = 1; step <= 3; ++step) {
            run->step();
            const auto array = reference.after(weight, step).value();
            const std::vector<double> ours = run->gather(weight);
            QCOMPARE(array->size(), ours.size());
            for (std::size_t i = 0; i < ours.size(); ++i)
                QVERIFY(std::abs((*array)[i] - ours[i]) < 1e-6);
        }
        // Back to an earlier one, and forward over several at once.
        const auto first = reference.after(weight, 1).value();
        const auto third = reference.after(weight, 3).value();
        QVERIFY(*first != *third);
        ReferenceSteps other(whole, randomValues());
        QVERIFY(*other.after(weight, 3).value() == *third);
        QVERIFY(*other.after(weight, 1).value() == *first);
    }

    void argumentsAndResultsOfAProgram()
    {
        // a is cut by rows, b by columns; what is contracted is cut, so that the devices add up.
        const auto read = readStableHlo(R"(
            module {
              sdy.mesh @mesh = <["x"=2, "y"=2]>
              func.func @main(%a: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                              %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
                  -> (tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
                %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
                return %0 : tensor<6x4xf32>
              }
            })");
        QVERIFY(read);
        const auto program = std::make_shared<const Program>(read->program);
        ProgramInputs inputs;
        inputs.initial.seed = 5;
        inputs.initial.defaults = InitialDefaults::ByUse;
        const auto parts = std::make_shared<const PartitionedProgram>(partitionProgram(*program).value());
        const ProgramValuesPtr values = computeProgramValues(*program, parts, inputs).value();
        const ProgramReader reader(program, values);
        const ValueId a = program->main().arguments[0], b = program->main().arguments[1];
        const ValueId product = program->main().results[0];
        const auto whole = [&](ValueId value) {
            const Shape shape = program->value(value).type.shape;
            const Sample all = boxSample(Shape(shape.size()), shape);
            std::vector<double> numbers(all.count());
            readGlobal(reader, value, all, numbers);
            return numbers;
        };
        for (const ValueId value : { a, b, product })
            QCOMPARE(reader.held(value), Held::Yes);
        QCOMPARE(reader.dtype(product), DType::F32);
        QVERIFY(reader.layout(a).shardShape() == (Shape{ 3, 4 }));
        QVERIFY(reader.layout(product).shardShape() == (Shape{ 3, 4 }));
        const std::vector<double> left = whole(a), right = whole(b), found = whole(product);
        QVERIFY(left == reader.reference(a));
        QVERIFY(left[0] != left[1]); // drawn at random
        const std::vector<double> reference = reader.reference(product);
        for (std::size_t row = 0; row < 6; ++row)
            for (std::size_t column = 0; column < 4; ++column) {
                double sum = 0;
                for (std::size_t k = 0; k < 8; ++k)
                    sum += left[8 * row + k] * right[4 * k + column];
                QVERIFY(std::abs(found[4 * row + column] - sum) < 1e-5);
                QVERIFY(std::abs(reference[4 * row + column] - sum) < 1e-5);
            }
        // The device at position 3 = (1, 1) holds rows 3 to 5 and columns 4 to 7 of a.
        double corner = 0;
        reader.readLocal(a, 3, Sample{ { { 1 }, { 2 } } }, { &corner, 1 });
        QCOMPARE(corner, left[8 * 4 + 6]);

        inputs.memoryLimit = 100;
        const auto refused = computeProgramValues(*program, parts, inputs);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, Code::OutOfMemory);
        inputs.memoryLimit = 0;
        std::stop_source stop;
        stop.request_stop();
        inputs.stop = stop.get_token();
        QVERIFY(!computeProgramValues(*program, parts, inputs).value());
    }

    void theReferenceStopsAndRefuses()
    {
        const ProgramOnDevices program = mlpOnDevices(smallMlp(), makeMesh({ { "data", 2 }, { "model", 2 } }));
        ReferenceSteps reference(program->program, randomValues());
        const ValueId weight = program->program->find("params/layers.0/W1");
        std::stop_source stop;
        ReferenceSteps::Limits limits;
        limits.stop = stop.get_token();
        std::int64_t told = 0;
        limits.progress = [&](std::int64_t done, std::int64_t all) {
            QVERIFY(done <= all);
            told = done;
            if (done == 5)
                stop.request_stop();
        };
        QVERIFY(!reference.after(weight, 2, limits).value());
        QCOMPARE(told, 5);
        const auto fresh = ReferenceSteps(program->program, randomValues()).after(weight, 2).value();
        QVERIFY(*reference.after(weight, 2).value() == *fresh); // what was broken off has left nothing behind

        ReferenceSteps::Limits small;
        small.bytes = 1000;
        const auto refused = ReferenceSteps(program->program, randomValues()).after(weight, 2, small);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, Code::OutOfMemory);
        QCOMPARE(refused.error().number("limit"), 1000);
        QVERIFY(refused.error().number("bytes") > 1000);
    }
};

REGISTER_TEST(TestValueReader)
#include "test_value_reader.moc"
