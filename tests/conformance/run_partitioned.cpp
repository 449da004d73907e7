// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/run_partitioned.h"

#include <algorithm>
#include <random>

#include "base/codes.h"
#include "conformance/run_programs.h"
#include "partition/partition_program.h"
#include "program/editor.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "program/over_mesh.h"
#include "program/program_mesh.h"
#include "simulate/check/compare.h"
#include "simulate/executed.h"
#include "simulate/planned_run.h"

namespace shardscope::conformance {

namespace {

bool isBoundToDevices(OpKind kind)
{
    switch (kind) {
    case OpKind::AllGather:
    case OpKind::AllReduce:
    case OpKind::AllToAll:
    case OpKind::CollectiveBroadcast:
    case OpKind::CollectivePermute:
    case OpKind::ReduceScatter:
    case OpKind::PartitionId:
    case OpKind::ReplicaId:
    case OpKind::Send:
    case OpKind::Recv:
    case OpKind::Infeed:
    case OpKind::Outfeed:
        return true;
    default:
        return false;
    }
}

bool isCheck(const Operation& operation)
{
    return qualifiedName(operation).starts_with("check.")
        || (operation.kind == OpKind::CustomCall
            && attributesAs<CustomCallAttributes>(operation.attributes)->target.starts_with("check."));
}

/// Every axis in turn goes to the first dimension that it divides further.
TensorSharding cutFirstDimensions(const TensorType& type, const Mesh& mesh)
{
    TensorSharding sharding = TensorSharding::fullyReplicated(type.rank());
    Shape left = type.shape;
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis)
        for (std::size_t d = 0; d < left.size(); ++d)
            if (left[d] > 0 && left[d] % mesh.size(axis) == 0) {
                left[d] /= mesh.size(axis);
                sharding.dims[d].axes.push_back(fullAxis(mesh, axis));
                break;
            }
    return sharding;
}

/// Nothing if nothing can be cut.
std::optional<Program> cutInputs(Program program, std::int64_t devices)
{
    std::vector<MeshAxis> axes{ { "x", 2 } };
    if (devices > 2)
        axes.push_back({ "y", devices / 2 });
    program.meshes.push_back(declaredMesh("mesh", axes));
    const auto meshIndex = static_cast<std::uint32_t>(program.meshes.size() - 1);
    const MeshPtr mesh = program.meshes.back().mesh;
    Editor edit(std::move(program));
    bool any = false;
    const auto sharding = [&](ValueId value) {
        return ProgramSharding{ meshIndex, cutFirstDimensions(edit.value(value).type, *mesh) };
    };
    for (const ValueId argument : edit.program().main().arguments)
        if (isTensor(edit.value(argument).type.dtype)) {
            ProgramSharding sharded = sharding(argument);
            any |= !sharded.sharding.isFullyReplicated();
            edit.setSharding(argument, sharded);
        }
    for (const OperationId id : std::vector<OperationId>(edit.program().main().operations)) {
        const Operation operation = edit.operation(id);
        if (!operation.operands.empty() || isCheck(operation))
            continue;
        for (const ValueId result : operation.results) {
            const auto isComputation = [&](const Use& use) {
                return use.operation.valid() && !isCheck(edit.operation(use.operation));
            };
            const UseList& uses = edit.uses(result);
            if (!isTensor(edit.value(result).type.dtype) || std::none_of(uses.begin(), uses.end(), isComputation))
                continue;
            ProgramSharding sharded = sharding(result);
            if (sharded.sharding.isFullyReplicated())
                continue;
            any = true;
            const OperationId constraint = edit.addLike(OpKind::ShardingConstraint, { result },
                ConstraintAttributes{
                    ExplicitSharding{ std::make_shared<const ProgramSharding>(std::move(sharded)) } });
            edit.placeAfter(id, constraint);
            edit.replaceUsesIf(result, edit.result(constraint),
                [&](const Use& use) { return isComputation(use) && use.operation != constraint; });
        }
    }
    if (!any)
        return std::nullopt;
    return std::move(edit).finish();
}

kernels::Array randomArray(const TensorType& type, std::mt19937& random)
{
    kernels::Array array = kernels::Array::zeros(type);
    std::uniform_real_distribution<double> real(-1, 1);
    std::uniform_int_distribution<std::int64_t> full(0, 3);
    const bool real64 = isFloat(type.dtype);
    for (std::int64_t i = 0; i < array.count(); ++i)
        if (real64)
            kernels::setNumber(array, i, real(random));
        else
            kernels::setInteger(array, i, full(random));
    return array;
}

PartitionedOutcome failed(std::string why)
{
    return { PartitionedOutcome::Kind::Failed, std::move(why) };
}

bool sameBits(const kernels::Arrays& a, const kernels::Arrays& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const kernels::Array& x, const kernels::Array& y) {
        return x.type == y.type && std::equal(x.data(), x.data() + x.count() * x.elementBytes(), y.data());
    });
}

/// Runs `program` on the devices and `specified` unsharded, with 1, 2 and 4 threads each, and compares them bit by bit.
PartitionedOutcome runOnDevices(const Program& specified, Program program)
{
    using Kind = PartitionedOutcome::Kind;
    auto parts = partitionProgram(std::move(program));
    if (!parts)
        return PartitionedOutcome{ parts.error().code == Code::NotExecutable ? Kind::Unsupported : Kind::Failed,
            sentenceOf(parts.error()) };
    const std::int64_t count = parts->device.mesh->deviceCount();
    if (const auto refused = notExecutable(parts->device.program, { 1, count }); !refused.empty())
        return PartitionedOutcome{ Kind::Unsupported, sentenceOf(refused[0]) };
    std::mt19937 random(1);
    kernels::Arrays arguments;
    for (const ShardedArray& input : parts->device.inputs)
        arguments.push_back(randomArray(input.type, random));
    const auto full = test::executeInFull(specified, arguments);
    if (!full)
        return PartitionedOutcome{ Kind::Unsupported, "unsharded: " + sentenceOf(full.error()) };
    const auto done = test::executeParts(*parts, arguments);
    if (!done)
        return failed(sentenceOf(done.error()));
    for (const ExpectationFinding& finding : done->findings)
        if (!finding.passed())
            return failed("device " + std::to_string(finding.device) + ", element " + std::to_string(finding.element)
                + ": " + finding.value + " instead of " + finding.expected);
    if (done->findings.size() < full->findings.size())
        return failed("checks are lost");
    if (!done->differences.empty())
        return failed("copies of output " + std::to_string(done->differences[0].output) + " differ");
    for (std::size_t i = 0; i < done->outputs.size(); ++i)
        if (isTensor(done->outputs[i].type.dtype))
            if (const std::string differs = arrayDifference(done->outputs[i], full->outputs[i]); !differs.empty())
                return failed("output " + std::to_string(i) + ", " + differs);
    // By its plan, with fused instructions and without, and with several threads.
    const auto shared = std::make_shared<const PartitionedProgram>(std::move(*parts));
    for (const bool fuse : { true, false }) {
        std::optional<kernels::Arrays> first;
        for (const int threads : { 1, 2, 4 }) {
            const auto planned = test::runPlanned(shared, arguments, threads, fuse);
            if (!planned)
                return failed("by its plan: " + sentenceOf(planned.error()));
            if (!planned->differences.empty())
                return failed("by its plan: copies differ");
            for (std::size_t i = 0; i < planned->outputs.size(); ++i)
                if (isTensor(planned->outputs[i].type.dtype))
                    if (const std::string differs = arrayDifference(planned->outputs[i], full->outputs[i]);
                        !differs.empty())
                        return failed("by its plan: output " + std::to_string(i) + ", " + differs);
            if (!first)
                first = planned->outputs;
            else if (!sameBits(planned->outputs, *first))
                return failed("other bits with " + std::to_string(threads) + " threads");
        }
    }
    return PartitionedOutcome{};
}

} // namespace

std::string arrayDifference(const kernels::Array& found, const kernels::Array& wanted)
{
    const ArrayComparison comparison = compareWithReference(found, wanted);
    if (comparison.passed())
        return {};
    return "element " + std::to_string(comparison.first) + ": "
        + std::to_string(kernels::numberAt(found, comparison.first)) + " instead of "
        + std::to_string(kernels::numberAt(wanted, comparison.first)) + ", more than "
        + std::to_string(comparison.tolerance) + " apart";
}

Program withMain(Program program, std::size_t function)
{
    if (program.functions.empty())
        return program;
    std::swap(program.functions[0], program.functions[function]);
    const RegionId body = program.functions[0].body;
    if (body.index != 0) {
        std::swap(program.regions[0], program.regions[body.index]);
        for (Function& other : program.functions)
            if (other.body.index == 0)
                other.body = body;
        program.functions[0].body = RegionId{ 0 };
    }
    for (Function& other : program.functions)
        if (other.name == "main")
            other.name = "main_of_the_text";
    program.functions[0].name = "main";
    program.functions[0].isPublic = true;
    program.argumentAnnotations.clear();
    program.resultAnnotations.clear();
    return program;
}

std::optional<PartitionedOutcome> runPartitioned(const Program& specified, std::int64_t devices)
{
    std::optional<Program> program = specified;
    if (const auto mesh = mainMesh(specified)) {
        if (devices != 2)
            return std::nullopt; // its own mesh, once
        devices = specified.meshes[*mesh].mesh->deviceCount();
    } else {
        // Without a mesh, devices that it speaks of are those that all of it runs on.
        if (std::any_of(specified.operations.begin(), specified.operations.end(),
                [](const Operation& operation) { return isBoundToDevices(operation.kind); }))
            return std::nullopt;
        program = cutInputs(specified, devices);
        if (!program)
            return std::nullopt;
    }
    PartitionedOutcome outcome = runOnDevices(specified, std::move(*program));
    outcome.devices = devices;
    return outcome;
}

} // namespace shardscope::conformance
