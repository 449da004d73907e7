// SPDX-License-Identifier: GPL-3.0-or-later
// seed_numeric_facts: numbers that the notebooks print, computed on simulated devices and by the unsharded reference,
// and the list of devices that one prints.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "conformance/forms.h"
#include "mesh/device_set.h"
#include "program/builder.h"
#include "simulate/mlp_plan.h"
#include "simulate/reference.h"
#include "simulate/run.h"
#include "simulate/whole_reference.h"

namespace shardscope::conformance {

namespace {

using Numbers = std::vector<double>;

Numbers flat(const Json& json)
{
    Numbers numbers;
    for (const Json& item : json) {
        if (item.is_number())
            numbers.push_back(item.get<double>());
        else
            for (const double inner : flat(item))
                numbers.push_back(inner);
    }
    return numbers;
}

/// "" or the first element that differs by more than `tolerance` of it.
std::string compare(const Numbers& expected, const Numbers& actual, double tolerance, const std::string& what)
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
    ReferenceState reference;

    [[nodiscard]] const Program& program() const { return *devices->program; }
    [[nodiscard]] Numbers gathered(const char* path) const { return run->gather(program().find(path)); }
    [[nodiscard]] Numbers whole(const char* path) const { return reference.values[program().find(path).index]; }
    [[nodiscard]] Numbers shard(const char* path, std::int64_t position) const
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
    execution.reference = referenceArguments(program, initial, ReferencePrecision::AsTyped);
    test::computeAll(program, execution.reference);
    execution.devices = test::onDevices(std::move(program), mesh);
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
    const auto cut = [](std::size_t rank) {
        PartitionSpec spec;
        spec.entries.resize(rank);
        spec.entries.front() = SpecEntry::axis("x");
        return DeviceAxes{ spec };
    };
    Builder b("sigmoid_layer");
    const ValueId x = b.argument({ DType::F64, { inputs } }, "x", Role::Input, {}, cut(1));
    const ValueId weights = b.argument({ DType::F64, { inputs, outputs } }, "weights", Role::Input, {}, cut(2));
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
        initial.given[argument] = flat(oneCase.at(argument));

    const auto exact = execute(sigmoidLayer(inputs, outputs, parts), mesh, initial);
    if (!exact)
        return unexpectedError(exact.error());
    std::vector<std::string> found;
    for (const auto& [member, path] : { std::pair{ "pre_activation", "before" }, std::pair{ "expected", "y" } }) {
        const Numbers expected = flat(oneCase.at(member));
        found.push_back(compare(expected, exact->gathered(path), 1e-9, std::string("devices: /") + member));
        found.push_back(compare(expected, exact->whole(path), 1e-9, std::string("reference: /") + member));
    }
    const Json& products = oneCase.at("per_shard_partial_products");
    for (std::int64_t device = 0; device < parts; ++device) {
        const auto row = static_cast<std::size_t>(device);
        found.push_back(compare(flat(products.at(row)), exact->shard("products", device), 1e-9,
            "/per_shard_partial_products/" + std::to_string(device)));
    }
    for (const Json& printed : oneCase.value("printed_float32", Json::array()))
        found.push_back(compare(flat(printed), exact->gathered("y"), 3e-6, "/printed_float32"));
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
    initial.given["x"] = flat(oneCase.at("input"));
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
        || execution->whole("sum") != execution->gathered("sum"))
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

/// Every device computes on its own shard what it is told, which this model's programs, global as they are, cannot say.
bool needsShardMap(const std::string& kind)
{
    static constexpr std::array<std::string_view, 5> kinds{ "shard_map_local_sum_then_psum", "elementwise_2sin_plus_1",
        "per_shard_sum_keepdims", "psum_of_sum", "times_two" };
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
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
    if (needsShardMap(kind))
        return CaseResult::unsupported(kind + " needs shard_map, which the model does not have");
    return CaseResult::unsupported("kind " + kind);
}

} // namespace shardscope::conformance
