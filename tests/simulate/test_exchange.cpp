// SPDX-License-Identifier: GPL-3.0-or-later
// StableHLO's collectives among random groups of devices, element by element, and reshards between random shardings:
// every device ends up with what its layout says.
#include <QtTest>

#include <cstring>
#include <numeric>
#include <random>

#include "base/codes.h"
#include "program/builder.h"
#include "random_cases.h"
#include "registered_test.h"
#include "simulate/collectives/exchange.h"
#include "simulate/executed.h"
#include "simulate/kernels/element.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/run.h"
#include "stablehlo/read.h"

using namespace shardscope;
using namespace shardscope::test;

namespace {

using Groups = std::vector<std::vector<std::int64_t>>;
using Elements = std::vector<double>;

std::string textOf(const Groups& groups)
{
    std::string text = "dense<[";
    for (std::size_t g = 0; g < groups.size(); ++g) {
        text += g == 0 ? "[" : ", [";
        for (std::size_t m = 0; m < groups[g].size(); ++m)
            text += (m == 0 ? "" : ", ") + std::to_string(groups[g][m]);
        text += "]";
    }
    return text + "]> : tensor<" + std::to_string(groups.size()) + "x" + std::to_string(groups.front().size())
        + "xi64>";
}

/// The plan of a program that every device runs as it is.
Result<PlanPtr> planOf(const std::string& text, std::int64_t devices)
{
    auto read = readStableHlo(text);
    if (!read)
        return tl::unexpected<Error>(read.error());
    const auto program = std::make_shared<const Program>(std::move(read->program));
    const auto parts = std::make_shared<const PartitionedProgram>(unsharded(*program, { 1, devices }).value());
    Result<FlatProgram> flat = flatten(program, parts, {});
    if (!flat)
        return tl::unexpected<Error>(flat.error());
    Result<Plan> plan = schedule(std::make_shared<const FlatProgram>(std::move(*flat)));
    if (!plan)
        return tl::unexpected<Error>(plan.error());
    return std::make_shared<const Plan>(std::move(*plan));
}

/// One collective of one array, executed on devices that hold arrays of their own.
struct OneCollective {
    std::string attributes; ///< "replica_groups = ..."
    std::string name; ///< "all_gather"
    std::string body = {}; ///< "add"
    DType dtype = DType::F32;
    Shape operand, result;

    [[nodiscard]] std::string text() const
    {
        const std::string element = toString(TensorType{ dtype, {} });
        const std::string type = toString(TensorType{ dtype, operand }), made = toString(TensorType{ dtype, result });
        const std::string region = body.empty() ? ""
                                                : " ({ ^bb0(%a: " + element + ", %b: " + element + "): %c = stablehlo."
                + body + " %a, %b : " + element + " stablehlo.return %c : " + element + " })";
        return "func.func @main(%x: " + type + ") -> " + made + " {\n  %y = \"stablehlo." + name + "\"(%x) <{"
            + attributes + "}>" + region + " : (" + type + ") -> " + made + "\n  return %y : " + made + "\n}\n";
    }
    /// What each device has in the end.
    Result<std::vector<Elements>> run(const std::vector<Elements>& source, int threads = 2) const
    {
        const Result<PlanPtr> plan = planOf(text(), static_cast<std::int64_t>(source.size()));
        if (!plan)
            return tl::unexpected<Error>(plan.error());
        RunOptions options;
        options.threads = threads;
        auto run = Run::create(*plan, options);
        if (!run)
            return tl::unexpected<Error>(run.error());
        const FlatProgram& program = *(*plan)->program;
        const ValueId x = program.program->main().arguments[0], y = program.program->main().results[0];
        for (std::size_t p = 0; p < source.size(); ++p) {
            const auto bytes = (*run)->bytes(x, static_cast<std::int64_t>(p));
            for (std::size_t i = 0; i < source[p].size(); ++i)
                storeElement(dtype, const_cast<std::byte*>(bytes.data()), static_cast<std::int64_t>(i), source[p][i]);
        }
        (*run)->step();
        if ((*run)->failure())
            return tl::unexpected<Error>(*(*run)->failure());
        std::vector<Elements> made;
        for (std::size_t p = 0; p < source.size(); ++p)
            made.push_back((*run)->shard(y, static_cast<std::int64_t>(p)));
        return made;
    }
};

constexpr const char* overDevices = ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";

/// Devices in random order, in groups of one size.
Groups randomGroups(std::mt19937& random, std::int64_t& devices)
{
    constexpr std::int64_t sizes[] = { 1, 2, 3, 4 };
    const std::int64_t members = sizes[random() % 4], count = 1 + static_cast<std::int64_t>(random() % 3);
    devices = members * count;
    std::vector<std::int64_t> order(static_cast<std::size_t>(devices));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    Groups groups;
    for (std::int64_t g = 0; g < count; ++g)
        groups.emplace_back(order.begin() + g * members, order.begin() + (g + 1) * members);
    return groups;
}

std::vector<Elements> randomNumbers(std::mt19937& random, std::int64_t devices, std::int64_t elements, DType dtype)
{
    std::vector<Elements> all;
    for (std::int64_t p = 0; p < devices; ++p) {
        Elements& own = all.emplace_back();
        for (std::int64_t i = 0; i < elements; ++i)
            own.push_back(isFloat(dtype)
                    ? static_cast<double>(static_cast<float>(std::uniform_real_distribution<float>(-1, 1)(random)))
                    : static_cast<double>(random() % (dtype == DType::Pred ? 2 : 9)));
    }
    return all;
}

std::int64_t product(const Shape& shape)
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{ 1 }, std::multiplies<>());
}

/// Calls f(index, number of the element) for all elements of an array.
template <class F>
void forEachIndex(const Shape& shape, const F& f)
{
    for (std::int64_t i = 0; i < product(shape); ++i) {
        Shape index(shape.size());
        std::int64_t rest = i;
        for (std::size_t d = shape.size(); d-- > 0;) {
            index[d] = rest % shape[d];
            rest /= shape[d];
        }
        f(index, i);
    }
}
std::int64_t numberOf(const Shape& shape, const Shape& index)
{
    std::int64_t number = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
        number = number * shape[d] + index[d];
    return number;
}

PlanPtr allGather(std::int64_t devices)
{
    Builder builder("gather");
    const ValueId x =
        builder.argument({ DType::F32, { devices } }, "x", Role::Input, {}, onAxes({ SpecEntry::axis("data") }));
    builder.result(builder.binary(OpKind::Add, x, x), onAxes({ SpecEntry::none() }));
    return makePlan(onDevices(std::move(builder).finish(), makeMesh({ { "data", devices } })));
}

const Instruction& collectiveOf(const Plan& plan)
{
    return *std::find_if(plan.instructions.begin(), plan.instructions.end(),
        [](const Instruction& i) { return std::holds_alternative<CollectiveInstruction>(i.action); });
}

Mesh randomMesh(std::mt19937& random)
{
    std::vector<MeshAxis> axes;
    const std::size_t rank = 1 + random() % 3;
    constexpr std::int64_t sizes[] = { 2, 4, 3, 2 };
    for (std::size_t a = 0; a < rank; ++a)
        axes.push_back({ std::string(1, static_cast<char>('a' + a)), sizes[random() % 4] });
    return Mesh::create(axes).value();
}

Annotation randomAnnotation(std::mt19937& random, const Mesh& mesh, std::size_t rank)
{
    std::vector<std::vector<std::string>> axes(rank);
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis)
        if (const std::size_t d = random() % (rank + 1); d < rank)
            axes[d].insert(random() % 2 == 0 ? axes[d].begin() : axes[d].end(), mesh.axis(axis).name);
    std::vector<SpecEntry> entries;
    for (const std::vector<std::string>& names : axes)
        entries.push_back(names.empty() ? SpecEntry::none() : SpecEntry::tuple(names));
    return onAxes(std::move(entries));
}

} // namespace

class TestExchange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countsManyDevices();
    void stopsAmongManyDevices();
    void reshards();
    void sums_data();
    void sums();
    void reduceScatters();
    void moves();
    void permutes();
    void exceedsCaches_data();
    void exceedsCaches();
    void refusesWhatDoesNotFit();
};

// Every device gets what every other one holds: a table of 65536 x 65536 moves, which is refused before
// the test's time is over.
void TestExchange::countsManyDevices()
{
    const PlanPtr plan = allGather(65536);
    RunOptions options;
    options.threads = 2;
    options.memoryLimit = std::int64_t{ 16 } << 30;
    const auto refused = Run::create(plan, options);
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().code, Code::OutOfMemory);
    QVERIFY(refused.error().number("bytes") > std::int64_t{ 65536 } * 65536 * 64);
}

void TestExchange::stopsAmongManyDevices()
{
    const PlanPtr plan = allGather(256);
    const Instruction& instruction = collectiveOf(*plan);
    MemoryBudget budget(1e9);
    std::stop_source source;
    QCOMPARE(Exchange::prepare(*plan, instruction, 0, kernelSet(), budget, source.get_token())->taskCount(),
        std::int64_t(256));
    source.request_stop();
    QCOMPARE(Exchange::prepare(*plan, instruction, 0, kernelSet(), budget, source.get_token())->taskCount(),
        std::int64_t(0));
}

// From one sharding to another, uneven ones too, by whatever collectives: every element where the layout wants it.
void TestExchange::reshards()
{
    std::mt19937 random(31);
    for (int round = 0; round < test::randomCases(150); ++round) {
        const auto mesh = std::make_shared<const Mesh>(randomMesh(random));
        const std::size_t rank = 1 + random() % 3;
        TensorType type{ round % 3 == 0 ? DType::F64 : round % 3 == 1 ? DType::F32 : DType::I32, {} };
        for (std::size_t d = 0; d < rank; ++d)
            type.shape.push_back(static_cast<std::int64_t>(12 << (random() % 2)));
        Builder builder("reshard");
        const ValueId x = builder.argument(type, "x", Role::Input, {}, randomAnnotation(random, *mesh, rank));
        builder.result(builder.unary(OpKind::Negate, x), randomAnnotation(random, *mesh, rank));
        Program program = std::move(builder).finish();
        RunOptions options;
        options.threads = 1 + round % 2;
        Elements source(static_cast<std::size_t>(type.elementCount()));
        std::iota(source.begin(), source.end(), 1);
        options.initial.byPath["x"] = source;
        auto run = Run::create(makePlan(onDevices(std::move(program), mesh)), options);
        QVERIFY(run.has_value());
        (*run)->step();
        for (double& number : source)
            number = -number;
        QCOMPARE((*run)->gatherResult(0), source);
        QVERIFY(!(*run)->replicaDifferenceOfResult(0));
    }
}

void TestExchange::sums_data()
{
    QTest::addColumn<QString>("body");
    QTest::addColumn<int>("dtype");
    for (const char* body : { "add", "maximum", "minimum", "multiply", "and", "or" })
        for (const DType dtype : { DType::F32, DType::F64, DType::I32, DType::Pred, DType::BF16, DType::I8 })
            if (!(isFloat(dtype) && (body == std::string("and") || body == std::string("or"))))
                QTest::addRow("%s %s", body, name(dtype).data()) << body << static_cast<int>(dtype);
}

// In the order of the group, element by element: the same bits as a loop over the members.
void TestExchange::sums()
{
    QFETCH(QString, body);
    QFETCH(int, dtype);
    const auto type = static_cast<DType>(dtype);
    std::mt19937 random(37);
    for (int round = 0; round < test::randomCases(20); ++round) {
        std::int64_t devices = 0;
        const Groups groups = randomGroups(random, devices);
        const auto elements = static_cast<std::int64_t>(1 + random() % (round % 10 == 0 ? 20000 : 50));
        const OneCollective one{ "replica_groups = " + textOf(groups) + overDevices + ", use_global_device_ids",
            "all_reduce", body.toStdString(), type, { elements }, { elements } };
        std::vector<Elements> source = randomNumbers(random, devices, elements, type);
        if (type == DType::BF16) // all sums are exact
            for (Elements& own : source)
                for (double& number : own)
                    number = std::round(number * 8) / 8;
        const auto made = one.run(source, 1 + round % 3);
        QVERIFY2(made.has_value(), one.text().c_str());
        const auto combined = [&](double a, double b) -> double {
            if (body == QLatin1String("add"))
                return type == DType::Pred ? std::max(a, b) : a + b;
            if (body == QLatin1String("multiply"))
                return a * b;
            if (body == QLatin1String("maximum"))
                return std::max(a, b);
            if (body == QLatin1String("minimum"))
                return std::min(a, b);
            return body == QLatin1String("and") ? static_cast<double>(static_cast<int>(a) & static_cast<int>(b))
                                                : static_cast<double>(static_cast<int>(a) | static_cast<int>(b));
        };
        for (const auto& group : groups)
            for (std::int64_t i = 0; i < elements; ++i) {
                const auto at = static_cast<std::size_t>(i);
                double expected = source[static_cast<std::size_t>(group[0])][at];
                for (std::size_t m = 1; m < group.size(); ++m) {
                    expected = combined(expected, source[static_cast<std::size_t>(group[m])][at]);
                    std::array<std::byte, 8> rounded{};
                    storeElement(type, rounded.data(), 0,
                        type == DType::I8 ? static_cast<double>(static_cast<std::int8_t>(static_cast<int>(expected)))
                                          : expected);
                    expected = loadElement(type, rounded.data(), 0);
                }
                for (const std::int64_t member : group)
                    QCOMPARE((*made)[static_cast<std::size_t>(member)][at], expected);
            }
    }
}

void TestExchange::reduceScatters()
{
    std::mt19937 random(41);
    for (int round = 0; round < test::randomCases(60); ++round) {
        std::int64_t devices = 0;
        const Groups groups = randomGroups(random, devices);
        const auto members = static_cast<std::int64_t>(groups.front().size());
        Shape part;
        for (std::size_t d = 0; d < 1 + random() % 3; ++d)
            part.push_back(static_cast<std::int64_t>(1 + random() % 6));
        const std::size_t dimension = random() % part.size();
        Shape full = part;
        full[dimension] *= members;
        const OneCollective one{ "replica_groups = " + textOf(groups) + overDevices + ", use_global_device_ids"
                + ", scatter_dimension = " + std::to_string(dimension) + " : i64",
            "reduce_scatter", "add", DType::I32, full, part };
        const std::vector<Elements> source = randomNumbers(random, devices, product(full), DType::I32);
        const auto made = one.run(source);
        QVERIFY2(made.has_value(), one.text().c_str());
        for (const auto& group : groups)
            for (std::size_t rank = 0; rank < group.size(); ++rank)
                forEachIndex(part, [&](Shape index, std::int64_t element) {
                    index[dimension] += static_cast<std::int64_t>(rank) * part[dimension];
                    double expected = 0;
                    for (const std::int64_t member : group)
                        expected +=
                            source[static_cast<std::size_t>(member)][static_cast<std::size_t>(numberOf(full, index))];
                    QCOMPARE(
                        (*made)[static_cast<std::size_t>(group[rank])][static_cast<std::size_t>(element)], expected);
                });
    }
}

// all_gather, all_to_all and collective_broadcast, elements of 1 to 8 bytes.
void TestExchange::moves()
{
    std::mt19937 random(43);
    constexpr DType types[] = { DType::Pred, DType::BF16, DType::F32, DType::F64 };
    for (int round = 0; round < test::randomCases(90); ++round) {
        std::int64_t devices = 0;
        const Groups groups = randomGroups(random, devices);
        const auto members = static_cast<std::int64_t>(groups.front().size());
        const DType dtype = types[random() % 4];
        Shape part;
        for (std::size_t d = 0; d < 1 + random() % 3; ++d)
            part.push_back(static_cast<std::int64_t>(1 + random() % 5));
        const std::size_t from = random() % part.size(), to = random() % part.size();
        const std::string start = "replica_groups = " + textOf(groups) + overDevices;
        OneCollective one{ start, "collective_broadcast", {}, dtype, part, part };
        if (round % 3 == 1) {
            one.name = "all_gather";
            one.attributes = start + ", use_global_device_ids, all_gather_dim = " + std::to_string(to) + " : i64";
            one.result[to] *= members;
        } else if (round % 3 == 2) {
            one.name = "all_to_all";
            one.attributes = start + ", split_dimension = " + std::to_string(from) + " : i64, concat_dimension = "
                + std::to_string(to) + " : i64, split_count = " + std::to_string(members) + " : i64";
            one.operand[from] *= members;
            one.result = one.operand;
            one.result[from] /= members;
            one.result[to] *= members;
        }
        std::vector<Elements> source = randomNumbers(random, devices, product(one.operand), DType::I32);
        if (dtype == DType::Pred)
            source = randomNumbers(random, devices, product(one.operand), DType::Pred);
        const auto made = one.run(source);
        QVERIFY2(made.has_value(), one.text().c_str());
        for (const auto& group : groups)
            for (std::size_t rank = 0; rank < group.size(); ++rank)
                forEachIndex(one.result, [&](Shape index, std::int64_t element) {
                    std::size_t owner = 0;
                    if (round % 3 != 0) {
                        const std::int64_t block = one.result[to] / members;
                        owner = static_cast<std::size_t>(index[to] / block);
                        index[to] %= block;
                    }
                    if (round % 3 == 2)
                        index[from] += static_cast<std::int64_t>(rank) * (one.operand[from] / members);
                    const auto sender = static_cast<std::size_t>(group[owner]);
                    QCOMPARE((*made)[static_cast<std::size_t>(group[rank])][static_cast<std::size_t>(element)],
                        source[sender][static_cast<std::size_t>(numberOf(one.operand, index))]);
                });
    }
}

// Who is sent nothing has zeros.
void TestExchange::permutes()
{
    std::mt19937 random(47);
    for (int round = 0; round < test::randomCases(40); ++round) {
        const auto devices = static_cast<std::int64_t>(2 + random() % 7);
        std::vector<std::int64_t> targets(static_cast<std::size_t>(devices));
        std::iota(targets.begin(), targets.end(), 0);
        std::shuffle(targets.begin(), targets.end(), random);
        Groups pairs;
        for (std::int64_t d = 0; d < devices; ++d)
            if (d == 0 || random() % 4 != 0)
                pairs.push_back({ d, targets[static_cast<std::size_t>(d)] });
        const OneCollective one{ "source_target_pairs = " + textOf(pairs) + overDevices, "collective_permute", {},
            DType::F32, { 3 }, { 3 } };
        const std::vector<Elements> source = randomNumbers(random, devices, 3, DType::F32);
        const auto made = one.run(source);
        QVERIFY2(made.has_value(), one.text().c_str());
        std::vector<Elements> expected(static_cast<std::size_t>(devices), Elements(3, 0));
        for (const auto& pair : pairs)
            expected[static_cast<std::size_t>(pair[1])] = source[static_cast<std::size_t>(pair[0])];
        QCOMPARE(*made, expected);
    }
}

void TestExchange::exceedsCaches_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("dtype");
    for (const char* name : { "all_reduce", "all_gather", "all_to_all", "collective_broadcast" })
        QTest::newRow(name) << name << static_cast<int>(DType::F64);
    QTest::newRow("of two bytes") << "all_gather" << static_cast<int>(DType::I16);
    QTest::newRow("sums of one") << "alone" << static_cast<int>(DType::F32);
}

// More than most caches hold on all devices together; rows of an odd number of elements begin anywhere in a cache line.
void TestExchange::exceedsCaches()
{
    QFETCH(QString, name);
    QFETCH(int, dtype);
    const auto type = static_cast<DType>(dtype);
    constexpr std::int64_t devices = 3;
    const std::int64_t columns = 3003, rows = 8'000'000 / columns * 3 / byteSize(type);
    const bool isAlone = name == QLatin1String("alone"), sums = isAlone || name == QLatin1String("all_reduce");
    const std::string groups =
        isAlone ? "dense<[[0], [1], [2]]> : tensor<3x1xi64>" : "dense<[[2, 0, 1]]> : tensor<1x3xi64>";
    OneCollective one{ "replica_groups = " + groups + overDevices, isAlone ? "all_reduce" : name.toStdString(),
        sums ? "add" : "", type, { rows, columns }, { rows, columns } };
    if (sums || name == QLatin1String("all_gather"))
        one.attributes += ", use_global_device_ids";
    if (name == QLatin1String("all_gather")) {
        one.attributes += ", all_gather_dim = 1 : i64";
        one.result[1] *= devices;
    } else if (name == QLatin1String("all_to_all")) {
        one.attributes += ", split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 3 : i64";
        one.result = { rows * devices, columns / devices };
    }
    std::vector<Elements> source;
    for (std::size_t device = 0; device < devices; ++device) {
        Elements& own = source.emplace_back(static_cast<std::size_t>(rows * columns));
        for (std::size_t i = 0; i < own.size(); ++i)
            own[i] = static_cast<double>((i * 2654435761U + device * 40503U) % (type == DType::I16 ? 9973U : 1000003U));
    }
    const auto made = one.run(source);
    QVERIFY2(made.has_value(), one.text().c_str());
    constexpr std::size_t order[] = { 2, 0, 1 };
    const auto width = static_cast<std::size_t>(columns), part = width / devices;
    for (std::size_t device = 0; device < devices; ++device) {
        const Elements& own = (*made)[device];
        QCOMPARE(own.size(), static_cast<std::size_t>(product(one.result)));
        const std::size_t rank = device == 2 ? 0 : device + 1;
        const auto resultWidth = static_cast<std::size_t>(one.result[1]);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < own.size(); ++i) {
            const std::size_t row = i / resultWidth, column = i % resultWidth;
            double expected = source[device][i % source[device].size()];
            if (name == QLatin1String("all_reduce"))
                expected = source[0][i] + source[1][i] + source[2][i];
            else if (name == QLatin1String("all_gather"))
                expected = source[order[column / width]][row * width + column % width];
            else if (name == QLatin1String("collective_broadcast"))
                expected = source[2][i];
            else if (name == QLatin1String("all_to_all")) {
                const auto each = static_cast<std::size_t>(rows);
                expected = source[order[row / each]][row % each * width + rank * part + column];
            }
            if (own[i] != expected)
                ++wrong;
        }
        QCOMPARE(wrong, std::size_t(0));
    }
}

void TestExchange::refusesWhatDoesNotFit()
{
    const auto refused = [](const Groups& groups, const Shape& result) {
        const OneCollective one{ "replica_groups = " + textOf(groups) + overDevices
                + ", use_global_device_ids, all_gather_dim = 0 : i64",
            "all_gather", {}, DType::F32, { 4 }, result };
        const auto made = one.run(std::vector<Elements>(4, Elements(4, 1)));
        return !made.has_value();
    };
    QVERIFY(!refused({ { 0, 1 }, { 2, 3 } }, { 8 }));
    QVERIFY(refused({ { 0, 1, 2, 3 } }, { 8 })); // four members make 16
    QVERIFY(refused({ { 0, 1 }, { 2, 7 } }, { 8 })); // no such device
    // Memory that operand and result share.
    Plan plan = *allGather(4);
    const Instruction& instruction = collectiveOf(plan);
    MemoryBudget budget(1e9);
    QVERIFY(Exchange::prepare(plan, instruction, 0, kernelSet(), budget).has_value());
    plan.slots[instruction.results[0].index].offset = plan.slots[instruction.operands[0].index].offset;
    QCOMPARE(Exchange::prepare(plan, instruction, 0, kernelSet(), budget).error().code, Code::VersionMismatch);
}

REGISTER_TEST(TestExchange)
#include "test_exchange.moc"
