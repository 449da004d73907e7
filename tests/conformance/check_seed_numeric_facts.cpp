// SPDX-License-Identifier: GPL-3.0-or-later
// seed_numeric_facts: numbers that the notebooks print, computed on simulated devices and by the unsharded reference,
// as functions of the blocks of arrays (shard_map), and the list of devices that one prints.
#include <algorithm>
#include <array>
#include <cmath>

#include "conformance/forms.h"
#include "mesh/device_set.h"
#include "program/builder.h"
#include "simulate/block_program.h"
#include "simulate/blocks.h"
#include "simulate/mlp_plan.h"
#include "simulate/run/run.h"
#include "simulate/run/step_replay.h"

namespace shardscope::conformance {

namespace {

using Doubles = std::vector<double>;

/// "" or the first element that differs by more than `tolerance` of it.
std::string compare(const Doubles& expected, const Doubles& actual, double tolerance, const std::string& what)
{
    if (expected.size() != actual.size())
        return what + ": expected " + std::to_string(expected.size()) + " elements, got "
            + std::to_string(actual.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (!(std::fabs(actual[i] - expected[i]) <= std::max(tolerance * std::fabs(expected[i]), 1e-12)))
            return what + "/" + std::to_string(i) + ": expected " + Json(expected[i]).dump() + ", got "
                + Json(actual[i]).dump();
    return {};
}

/// A program after one step: on simulated devices, and whole.
struct Execution {
    test::ProgramOnDevices devices;
    std::unique_ptr<Run> run;
    std::shared_ptr<StepReplay> replay;

    [[nodiscard]] const Program& program() const { return *devices->program; }
    [[nodiscard]] Doubles gathered(const char* path) const { return run->gather(program().find(path)); }
    [[nodiscard]] Doubles full(const char* path) const { return **replay->reference(program().find(path), 1); }
    [[nodiscard]] Doubles shard(const char* path, std::int64_t position) const
    {
        return run->shard(program().find(path), position);
    }
    [[nodiscard]] PartitionSpec spec(const char* path) const
    {
        return toPartitionSpec(devices->values[program().find(path).index].sharding, *devices->mesh);
    }
};

Result<Execution> execute(Program program, const MeshPtr& mesh, const InitialValues& initial)
{
    Execution execution;
    execution.devices = test::onDevices(std::move(program), mesh);
    execution.replay = std::make_shared<StepReplay>(execution.devices, initial);
    ScheduleOptions keep;
    for (std::size_t v = 0; v < execution.program().values.size(); ++v)
        if (execution.program().values[v].role == Role::Activation)
            keep.keep.emplace_back(v);
    RunOptions options;
    options.initial = initial;
    options.threads = 2;
    Result<std::unique_ptr<Run>> run = Run::create(test::makePlan(execution.devices, keep), options);
    if (!run)
        return tl::unexpected(std::move(run.error()));
    execution.run = std::move(*run);
    execution.run->step();
    return execution;
}

/// sigmoid(x W + bias) with x and W cut along the contracted dimension, and the product of every part by itself.
Program sigmoidLayer(std::int64_t inputs, std::int64_t outputs, std::int64_t parts)
{
    const auto sharded = [](std::size_t rank) {
        PartitionSpec spec;
        spec.entries.resize(rank);
        spec.entries.front() = SpecEntry::axis("x");
        return DeviceAxes{ spec };
    };
    Builder b("sigmoid_layer");
    const ValueId x = b.argument({ DType::F64, { inputs } }, "x", Role::Input, {}, sharded(1));
    const ValueId weights = b.argument({ DType::F64, { inputs, outputs } }, "weights", Role::Input, {}, sharded(2));
    const ValueId bias = b.argument({ DType::F64, { outputs } }, "bias", Role::Input);
    const ValueId before = b.named(b.binary(OpKind::Add, b.dot(x, weights), bias), "before", Role::Activation);
    const ValueId y = b.named(b.unary(OpKind::Logistic, before), "y", Role::Activation);
    const std::int64_t part = inputs / parts;
    const ValueId products = b.named(b.dotGeneral(b.reshape(x, { parts, part }),
                                         b.reshape(weights, { parts, part, outputs }), { { 0 }, { 0 }, { 1 }, { 1 } }),
        "products", Role::Activation);
    b.result(y);
    b.result(products);
    return std::move(b).finish();
}

CaseResult checkSigmoidLayer(const Json& oneCase)
{
    const std::int64_t parts = oneCase.at("num_devices");
    const auto inputs = static_cast<std::int64_t>(oneCase.at("x").size());
    const auto outputs = static_cast<std::int64_t>(oneCase.at("bias").size());
    if (inputs % parts != 0)
        return CaseResult::failed("x does not divide over the devices");
    const MeshPtr mesh = test::makeMesh({ { "x", parts } });
    InitialValues initial;
    for (const char* argument : { "x", "weights", "bias" })
        initial.byPath[argument] = numbersIn(oneCase.at(argument));

    const auto exact = execute(sigmoidLayer(inputs, outputs, parts), mesh, initial);
    if (!exact)
        return unexpectedError(exact.error());
    std::vector<std::string> found;
    for (const auto& [member, path] : { std::pair{ "pre_activation", "before" }, std::pair{ "expected", "y" } }) {
        const Doubles expected = numbersIn(oneCase.at(member));
        found.push_back(compare(expected, exact->gathered(path), 1e-9, std::string("devices: /") + member));
        found.push_back(compare(expected, exact->full(path), 1e-9, std::string("reference: /") + member));
    }
    const Json& products = oneCase.at("per_shard_partial_products");
    for (std::int64_t device = 0; device < parts; ++device) {
        const auto row = static_cast<std::size_t>(device);
        found.push_back(compare(numbersIn(products.at(row)), exact->shard("products", device), 1e-9,
            "/per_shard_partial_products/" + std::to_string(device)));
    }
    for (const Json& printed : oneCase.value("printed_float32", Json::array()))
        found.push_back(compare(numbersIn(printed), exact->gathered("y"), 3e-6, "/printed_float32"));
    for (const std::string& difference : found)
        if (!difference.empty())
            return CaseResult::failed(difference);
    return CaseResult::passed();
}

CaseResult checkColumnSum(const Json& oneCase)
{
    const std::int64_t rows = oneCase.at("rows");
    const std::int64_t columns = oneCase.at("cols");
    const auto sizes = oneCase.at("mesh_shape").get<std::vector<std::int64_t>>();
    const MeshPtr mesh = test::makeMesh({ { "x", sizes.at(0) }, { "y", sizes.at(1) } });
    const Result<PartitionSpec> spec = toSpec(oneCase.at("in_spec"));
    const Result<PartitionSpec> constrained = toSpec(oneCase.at("constrained_output_spec"));
    if (!spec || !constrained)
        return unexpectedError(spec ? constrained.error() : spec.error());

    Builder b("column_sum");
    const ValueId x = b.argument({ DType::F64, { rows, columns } }, "x", Role::Input, {}, DeviceAxes{ *spec });
    const ValueId sum = b.named(b.reduce(ReduceKind::Sum, x, { 0 }), "sum", Role::Activation);
    const ValueId forced = b.named(
        b.constrain(b.reduce(ReduceKind::Sum, x, { 0 }), DeviceAxes{ *constrained }), "forced", Role::Activation);
    const ValueId blocks = b.reshape(x, { sizes.at(0), rows / sizes.at(0), columns });
    const ValueId partial = b.named(b.reduce(ReduceKind::Sum, blocks, { 1 }), "partial", Role::Activation);
    b.result(sum);
    b.result(forced);
    b.result(partial);
    InitialValues initial;
    initial.byPath["x"] = numbersIn(oneCase.at("input"));
    const auto execution = execute(std::move(b).finish(), mesh, initial);
    if (!execution)
        return unexpectedError(execution.error());

    Json partials = Json::array();
    for (std::int64_t i = 0; i < sizes.at(0); ++i) {
        partials.push_back(Json::array());
        for (std::int64_t j = 0; j < sizes.at(1); ++j)
            partials.back().push_back(execution->shard("partial", i * sizes.at(1) + j));
    }
    const PartitionSpec open = execution->spec("sum");
    Json replicated = Json::array();
    for (const std::string& axis : mesh->axisNames()) {
        bool used = false;
        for (const SpecEntry& entry : open.entries)
            used = used || std::find(entry.axes.begin(), entry.axes.end(), axis) != entry.axes.end();
        if (!used)
            replicated.push_back(axis);
    }
    if (execution->gathered("forced") != execution->gathered("sum")
        || execution->full("sum") != execution->gathered("sum"))
        return CaseResult::failed("the sum depends on where it is computed");
    return compareMembers(oneCase,
        { { "expected", execution->gathered("sum") }, { "local_partial_sums", partials },
            { "default_output_spec", toJson(open) }, { "default_output_replicated_over", replicated },
            { "constrained_output_spec", toJson(execution->spec("forced")) } });
}

/// The devices of one host, in the order of jax.devices().
CaseResult checkTpuDeviceList(const Json& oneCase)
{
    const auto chips = oneCase.at("chips").get<std::array<std::int32_t, 3>>();
    const Result<DeviceSet> set =
        DeviceSet::ofChips("TPU v3", chips, DeviceSet::usualHostChips(chips), oneCase.at("cores"));
    if (!set)
        return unexpectedError(set.error());
    Json devices = Json::array();
    DeviceList(*set).forEach([&](const DevicePlace& place) {
        devices.push_back({ { "id", place.id }, { "process_index", place.process }, { "coords", place.coordinates },
            { "core_on_chip", place.core } });
    });
    return compareMembers(oneCase, { { "devices", devices } });
}

std::vector<double> counted(std::int64_t count)
{
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < count; ++i)
        numbers.push_back(static_cast<double>(i));
    return numbers;
}

/// What the devices of a mesh make of the blocks of 0, 1, 2, ... in float64.
struct OverBlocks {
    MeshPtr mesh;
    TensorType type;
    PartitionSpec spec;
    BlockBuilder builder;
    ValueId block;

    static Result<OverBlocks> create(const MeshPtr& mesh, const TensorType& type, const PartitionSpec& spec)
    {
        Result<BlockBuilder> builder = BlockBuilder::over(mesh);
        if (!builder)
            return tl::unexpected(builder.error());
        const Result<ValueId> block = builder->input(type, spec);
        if (!block)
            return tl::unexpected(block.error());
        return OverBlocks{ mesh, type, spec, std::move(*builder), *block };
    }

    /// Runs what makes the value. The types of blocks agree with `out`: that is checked as shard_map does.
    [[nodiscard]] Result<test::BlockResults> run(ValueId result, const PartitionSpec& out) const
    {
        const BlockProgram program = BlockBuilder(builder).finish(result);
        if (auto fits = checkOutput(program, out); !fits)
            return tl::unexpected(fits.error());
        kernels::Array full = kernels::Array::make(type);
        for (std::int64_t i = 0; i < full.count(); ++i)
            kernels::setNumber(full, i, static_cast<double>(i));
        return test::runBlocks(program, { std::move(full) }, { spec }, out);
    }
};

Doubles numbersOf(const kernels::Array& array)
{
    Doubles numbers;
    for (std::int64_t i = 0; i < array.count(); ++i)
        numbers.push_back(kernels::numberAt(array, i));
    return numbers;
}

/// A function of blocks of a line of numbers. The gradient of what comes out, added up, is that of the whole function.
CaseResult checkBlocksOfALine(const Json& oneCase)
{
    const std::string kind = oneCase.at("kind");
    const std::int64_t n = oneCase.at("n");
    const MeshPtr mesh = test::makeMesh({ { "i", oneCase.at("num_devices") } });
    const PartitionSpec along{ { SpecEntry::axis("i") } };
    Result<OverBlocks> made = OverBlocks::create(mesh, { DType::F64, { n } }, along);
    if (!made)
        return unexpectedError(made.error());
    BlockBuilder& b = made->builder;
    const auto number = [&](double value) { return b.constant({ DType::F64, {} }, { value }); };
    ValueId result;
    PartitionSpec out = along;
    Doubles slopes;
    if (kind == "elementwise_2sin_plus_1") {
        result =
            b.binary(OpKind::Add, b.binary(OpKind::Multiply, b.unary(OpKind::Sine, made->block), number(2)), number(1));
        for (const double x : counted(n))
            slopes.push_back(2 * std::cos(x));
    } else if (kind == "times_two") {
        result = b.binary(OpKind::Multiply, made->block, number(2));
        slopes.assign(static_cast<std::size_t>(n), 2);
    } else {
        const ValueId sum = b.reduceLocally(ReduceKind::Sum, made->block, { 0 });
        slopes.assign(static_cast<std::size_t>(n), 1);
        if (kind == "psum_of_sum") {
            result = *b.reduce(ReduceKind::Sum, sum, { "i" });
            out = {};
        } else {
            result = b.reshape(sum, { 1 });
        }
    }
    const std::int64_t local = b.type(made->block).shape[0];
    const auto done = made->run(result, out);
    if (!done)
        return unexpectedError(done.error());
    std::vector<std::string> found;
    const Json& expected = oneCase.at("expected");
    found.push_back(compare(numbersIn(expected.is_number() ? Json::array({ expected }) : expected),
        numbersOf(done->full), 1e-9, "/expected"));
    if (oneCase.contains("printed_float32"))
        found.push_back(
            compare(numbersIn(oneCase.at("printed_float32")), numbersOf(done->full), 3e-6, "/printed_float32"));
    if (oneCase.contains("local_shape"))
        found.push_back(
            compare(numbersIn(oneCase.at("local_shape")), { static_cast<double>(local) }, 0, "/local_shape"));
    if (done->copiesDiffer)
        found.emplace_back("the copies differ");

    const auto gradients = b.gradients(result, out, std::span(&made->block, 1));
    if (!gradients)
        return unexpectedError(gradients.error());
    const auto gradient = made->run(gradients->front(), along);
    if (!gradient)
        return unexpectedError(gradient.error());
    found.push_back(compare(slopes, numbersOf(gradient->full), 1e-9, "gradient"));
    for (const std::string& difference : found)
        if (!difference.empty())
            return CaseResult::failed(difference);
    return CaseResult::passed();
}

/// Every device adds up its block, and then the devices along some axes add up that.
CaseResult checkLocalSumThenPsum(const Json& oneCase)
{
    const Result<Mesh> read =
        toMesh({ { "axis_names", oneCase.at("axis_names") }, { "mesh_shape", oneCase.at("mesh_shape") } });
    const Result<PartitionSpec> spec = toSpec(oneCase.at("in_spec"));
    if (!read || !spec)
        return unexpectedError(read ? spec.error() : read.error());
    const MeshPtr mesh = std::make_shared<const Mesh>(*read);
    TensorType type{ DType::F64, {} };
    Dimensions all;
    for (const Json& size : oneCase.at("shape")) {
        all.push_back(static_cast<std::int64_t>(all.size()));
        type.shape.push_back(size.get<std::int64_t>());
    }
    Result<OverBlocks> made = OverBlocks::create(mesh, type, *spec);
    if (!made)
        return unexpectedError(made.error());
    BlockBuilder& b = made->builder;
    const auto axes = oneCase.at("psum_axes").get<BlockBuilder::Axes>();
    const ValueId local = b.reduceLocally(ReduceKind::Sum, made->block, all);
    const Result<ValueId> sum = axes.empty() ? local : b.reduce(ReduceKind::Sum, local, axes);
    if (!sum)
        return unexpectedError(sum.error());

    // A line of one number for each device along the axes that are left.
    PartitionSpec out{ { SpecEntry::none() } };
    for (const std::string& axis : mesh->axisNames()) {
        const auto slices = [&](const SpecEntry& entry) {
            return std::find(entry.axes.begin(), entry.axes.end(), axis) != entry.axes.end();
        };
        if (std::any_of(spec->entries.begin(), spec->entries.end(), slices)
            && std::find(axes.begin(), axes.end(), axis) == axes.end())
            out.entries[0].axes.push_back(axis);
    }
    if (!out.entries[0].axes.empty())
        out.entries[0] = SpecEntry::tuple(out.entries[0].axes);
    std::vector<std::string> found;
    for (const auto& [member, value] :
        { std::pair{ "local_sums_in_mesh_order", local }, std::pair{ "after_psum_in_mesh_order", *sum } }) {
        PartitionSpec own = out;
        if (value == local) {
            own.entries.clear();
            std::vector<std::string> inShardings;
            for (const SpecEntry& entry : spec->entries)
                inShardings.insert(inShardings.end(), entry.axes.begin(), entry.axes.end());
            own.entries.push_back(inShardings.empty() ? SpecEntry::none() : SpecEntry::tuple(inShardings));
        }
        const auto done = made->run(b.reshape(value, { 1 }), own);
        if (!done)
            return unexpectedError(done.error());
        Doubles held;
        for (const kernels::Array& block : done->blocks)
            held.push_back(kernels::numberAt(block, 0));
        found.push_back(compare(numbersIn(oneCase.at(member)), held, 1e-9, std::string("/") + member));
        if (done->copiesDiffer)
            found.emplace_back("the copies differ");
    }
    // How often an element is counted in all the numbers that come out: what is whole over a summed axis, once for
    // each.
    const ValueId line = b.reshape(*sum, { 1 });
    const auto gradients = b.gradients(line, out, std::span(&made->block, 1));
    if (!gradients)
        return unexpectedError(gradients.error());
    const auto gradient = made->run(gradients->front(), *spec);
    if (!gradient)
        return unexpectedError(gradient.error());
    double times = 1;
    for (const std::string& axis : axes) {
        const auto slices = [&](const SpecEntry& entry) {
            return std::find(entry.axes.begin(), entry.axes.end(), axis) != entry.axes.end();
        };
        if (std::none_of(spec->entries.begin(), spec->entries.end(), slices))
            times *= static_cast<double>(mesh->size(*mesh->axisIndex(axis)));
    }
    found.push_back(compare(
        Doubles(static_cast<std::size_t>(type.elementCount()), times), numbersOf(gradient->full), 1e-12, "gradient"));
    if (gradient->copiesDiffer)
        found.emplace_back("the copies of the gradient differ");
    for (const std::string& difference : found)
        if (!difference.empty())
            return CaseResult::failed(difference);
    return CaseResult::passed();
}

} // namespace

CaseResult checkSeedNumericFacts(const Json& oneCase, const Json&)
{
    const std::string kind = oneCase.at("kind");
    if (kind == "sigmoid_layer")
        return checkSigmoidLayer(oneCase);
    if (kind == "column_sum_2d")
        return checkColumnSum(oneCase);
    if (kind == "tpu_device_list")
        return checkTpuDeviceList(oneCase);
    if (kind == "shard_map_local_sum_then_psum")
        return checkLocalSumThenPsum(oneCase);
    for (const char* line : { "elementwise_2sin_plus_1", "per_shard_sum_keepdims", "psum_of_sum", "times_two" })
        if (kind == line)
            return checkBlocksOfALine(oneCase);
    return CaseResult::unsupported("kind " + kind);
}

} // namespace shardscope::conformance
