// SPDX-License-Identifier: GPL-3.0-or-later
// reshard: both planners, executed on index ranges; Shardy's sequences; bytes; the fusion to a reduce_scatter.
#include <algorithm>

#include "conformance/plain_shardings.h"
#include "partition/export/canonicalize_collectives.h"
#include "partition/reshard_bytes.h"
#include "partition/reshard_simulation.h"
#include "program/other_attributes.h"
#include "program/unreduced_axes.h"
#include "stablehlo/read.h"

namespace shardscope::conformance {

namespace {

Json perDimension(const Mesh& mesh, const std::vector<AxisList>& lists)
{
    Json json = Json::array();
    for (const AxisList& list : lists)
        json.push_back(axesJson(mesh, list));
    return json;
}

/// A step in the form of `known_good`, with the members that stand there.
Json stepJson(const Json& expected, const Mesh& mesh, const ReshardStep& step)
{
    const Collective& collective = step.collective;
    Json json{ { "op", name(collective.kind) }, { "result", listsJson(mesh, step.after) },
        { "sent_bytes_per_device", numberJson(collective.sentBytes) } };
    if (!collective.perDimension.empty())
        json["axes_per_dim"] = perDimension(mesh, collective.perDimension);
    if (collective.kind == CollectiveKind::AllToAll)
        json["moves"] = Json::array({ { { "axes", axesJson(mesh, collective.moved) },
            { "from_dim", collective.sourceDimension }, { "to_dim", collective.targetDimension } } });
    if (expected.contains("group_size"))
        json["group_size"] = product(axesOf(collective));
    if (!step.after.unreduced.empty())
        json["unreduced"] = axesJson(mesh, step.after.unreduced);
    return json;
}

std::string wrongSequence(const Json& expected, const Mesh& mesh, const std::vector<ReshardStep>& steps)
{
    Json json = Json::array();
    for (std::size_t i = 0; i < steps.size(); ++i)
        json.push_back(stepJson(i < expected.size() ? expected[i] : Json::object(), mesh, steps[i]));
    // A permute's group is of no account, and what follows from the layouts is not said of a step.
    Json known = expected;
    for (Json& step : known)
        for (const char* member : { "devices_receiving_from_other", "result_mesh_device_ids" })
            step.erase(member);
    for (Json& step : known)
        if (step.at("op") == "all_slice")
            step.erase("group_size");
    for (Json& step : json)
        if (step.at("op") == "all_slice")
            step.erase("group_size");
    return difference(known, json, "/known_good");
}

/// `{"x", "z":(2)2}`
std::string shardyAxes(const Json& axes)
{
    std::string text;
    for (const Json& one : axes) {
        const std::string axis = one.get<std::string>();
        const std::size_t colon = std::min(axis.find(':'), axis.size());
        text += (text.empty() ? "\"" : ", \"") + axis.substr(0, colon) + '"' + axis.substr(colon);
    }
    return '{' + text + '}';
}

/// An all-reduce and the slice of its result, as a program.
Result<Program> reducedAndSliced(const Json& oneCase)
{
    std::string mesh, type, full, sliced;
    for (const Json& axis : oneCase.at("mesh"))
        mesh += (mesh.empty() ? "\"" : ", \"") + axis.at(0).get<std::string>() + "\"=" + axis.at(1).dump();
    for (const Json& size : oneCase.at("shape")) {
        type += size.dump() + 'x';
        full += full.empty() ? "{}" : ", {}";
    }
    for (const Json& axes : oneCase.at("then_all_slice"))
        sliced += (sliced.empty() ? "" : ", ") + shardyAxes(axes);
    type = "tensor<" + type + "f32>";
    return readStableHlo("sdy.mesh @mesh = <[" + mesh + "]>\nfunc.func @main(%a: " + type + ") -> " + type
        + " {\n  %r = sdy.all_reduce " + shardyAxes(oneCase.at("all_reduce_axes")) + " %a out_sharding=<@mesh, [" + full
        + "]> : " + type + "\n  %s = sdy.all_slice [" + sliced + "] %r out_sharding=<@mesh, [" + sliced + "]> : " + type
        + "\n  return %s : " + type + "\n}\n")
        .map([](ReadProgram read) { return std::move(read.program); });
}

CaseResult checkFusion(const Json& oneCase)
{
    Result<Program> specified = reducedAndSliced(oneCase);
    if (!specified)
        return CaseResult::failed(std::string(specified.error().id()));
    const Program program = passes::canonicalizeCollectives(std::move(*specified)).program;
    Json found = Json::object();
    for (const OperationId id : program.main().operations) {
        const Operation& operation = program.operation(id);
        const char* member = operation.kind == OpKind::SdyReduceScatter ? "fused_reduce_scatter"
            : operation.kind == OpKind::SdyAllSlice                     ? "remaining_all_slice"
                                                                        : nullptr;
        if (!member)
            return CaseResult::failed("not fused");
        found[member] = perDimension(*program.meshes.front().mesh,
            attributesAs<SdyCollectiveAttributes>(operation.attributes)->axesPerDimension);
    }
    return compareMembers(oneCase, found);
}

} // namespace

CaseResult checkReshard(const Json& oneCase, const Json& /*file*/)
{
    if (oneCase.contains("all_reduce_axes"))
        return checkFusion(oneCase);
    const MeshPtr source = plainMesh(oneCase.at("mesh"), oneCase.value("device_ids", Json()));
    MeshPtr target = source;
    if (oneCase.contains("target_mesh"))
        target = plainMesh(oneCase.at("target_mesh"), oneCase.value("target_device_ids", Json()));
    const Shape shape = plainShape(oneCase.at("shape"));
    const Json& known = oneCase.value("known_good", Json());
    const bool bothFull = [&] {
        for (const char* spec : { "in_spec", "out_spec" })
            for (const Json& dim : oneCase.at(spec))
                if (!dim.empty())
                    return false;
        return true;
    }();
    if (oneCase.contains("expected")) {
        const bool resolvable = haveSameAxes(*source, *target);
        return resolvable ? CaseResult::failed("the meshes are taken for one") : CaseResult::passed();
    }
    // What is whole on both sides needs nothing, whatever the meshes.
    if (!haveSameAxes(*source, *target))
        return bothFull && known.empty() ? CaseResult::passed() : CaseResult::failed("meshes of other axes");

    Reshard reshard;
    reshard.type.dtype = plainType(oneCase);
    reshard.type.shape = shape;
    reshard.from = plainSharding(*source, oneCase.at("in_spec"), shape.size());
    reshard.to = plainSharding(*target, oneCase.at("out_spec"), shape.size());
    reshard.mesh = target.get();
    reshard.sourceMesh = source.get();
    reshard.blocks = Blocks::AsIfEven;
    if (oneCase.contains("unreduced")) {
        reshard.from.unreduced = plainAxes(*source, oneCase.at("unreduced"));
        std::sort(reshard.from.unreduced.begin(), reshard.from.unreduced.end());
        // Shardy's own cases keep them.
        if (known.is_array())
            reshard.to.unreduced = reshard.from.unreduced;
    }
    bool uneven = false;
    for (std::size_t d = 0; d < shape.size(); ++d)
        for (const TensorSharding* sharding : { &reshard.from, &reshard.to })
            uneven = uneven || shape[d] % shardCount(sharding->dims[d]) != 0;
    if (oneCase.contains("uneven") && oneCase.at("uneven") != uneven)
        return CaseResult::failed("/uneven");

    const MissingBytes missing = missingBytes(reshard);
    for (const bool optimal : { false, true }) {
        const std::string which = optimal ? "optimal: " : "Shardy: ";
        const std::vector<ReshardStep> steps = optimal ? optimalSteps(reshard) : shardySteps(reshard);
        // Blocks of dimensions that do not divide do not nest: what Shardy writes needs elements from elsewhere there.
        const Simulated done = simulate(reshard, steps, uneven);
        if (!done.wrong.empty())
            return CaseResult::failed(which + done.wrong);
        if (uneven) {
            Reshard exact = reshard;
            exact.blocks = Blocks::Exact;
            const Simulated alone = simulate(exact, optimal ? optimalSteps(exact) : shardySteps(exact));
            if (!alone.wrong.empty())
                return CaseResult::failed(which + "as executed: " + alone.wrong);
        }
        if (!optimal && known.is_array())
            if (std::string wrong = wrongSequence(known, *target, steps); !wrong.empty())
                return CaseResult::failed(std::move(wrong));
        const Rational sent = sentBytes(steps);
        for (const char* bound : { "total_sent_bytes_per_device", "min_sent_bytes_per_device" })
            if (oneCase.contains(bound) && (optimal || known.is_array()) && !isAtMost(sent, oneCase.at(bound)))
                return CaseResult::failed(
                    which + bound + ": at most " + oneCase.at(bound).dump() + ", got " + numberJson(sent).dump());
        const Json lower = oneCase.value("lower_bound_recv_bytes_max_device", Json());
        if (lower.is_number()) {
            if (missing.neediestDevice != lower
                || missing.allDevices != oneCase.at("lower_bound_recv_bytes_all_devices"))
                return CaseResult::failed("/lower_bound_recv_bytes: got " + std::to_string(missing.neediestDevice)
                    + ", " + std::to_string(missing.allDevices));
            if (done.maxReceived < missing.neediestDevice
                || (!uneven && sent.value() < static_cast<double>(missing.neediestDevice)))
                return CaseResult::failed(which + "less is sent than is missing");
        }
    }
    const Json naive = oneCase.value("replicate_then_slice_bytes_per_device", Json());
    if (naive.is_number() && !isNumber(naive, replicateThenSliceBytes(reshard)))
        return CaseResult::failed("/replicate_then_slice_bytes_per_device: expected " + naive.dump() + ", got "
            + numberJson(replicateThenSliceBytes(reshard)).dump());
    return CaseResult::passed();
}

} // namespace shardscope::conformance
