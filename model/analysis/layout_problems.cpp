// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in problems.h.
#include <algorithm>
#include <map>

#include "analysis/pipeline_axis.h"
#include "analysis/problems.h"
#include "analysis/sharded_dimensions.h"
#include "analysis/slow_links.h"
#include "base/bytes.h"
#include "base/codes.h"
#include "experiment/edits.h"
#include "experiment/mesh_order.h"
#include "mesh/device_places.h"
#include "pipeline/collective_list.h"
#include "pipeline/stage_results.h"

namespace shardscope {

namespace {

/// Marks the axes of a sharding, by index.
void markAxes(const TensorSharding& sharding, std::vector<bool>& used)
{
    const auto mark = [&](const AxisList& list) {
        for (const AxisRef& ref : list)
            used[static_cast<std::size_t>(ref.axis)] = true;
    };
    for (const DimensionSharding& dim : sharding.dims)
        mark(dim.axes);
    mark(sharding.unreduced);
}

bool isSharded(const TensorSharding& sharding)
{
    return std::any_of(
        sharding.dims.begin(), sharding.dims.end(), [](const DimensionSharding& dim) { return !dim.axes.empty(); });
}

Diagnostic about(const Value& value, Code code, std::vector<Arg> args)
{
    Diagnostic diagnostic{ code, std::move(args), {} };
    diagnostic.where.path = value.path;
    return diagnostic;
}

/// Every dimension of that name divides by the axis.
bool divides(const Program& program, const std::string& name, std::int64_t size)
{
    for (const Value& value : program.values)
        for (std::size_t d = 0; d < value.dimNames.size() && d < value.type.rank(); ++d)
            if (value.dimNames[d] == name && value.type.shape[d] % size != 0)
                return false;
    return true;
}

/// The axis that rules name where they do not name this one, but nearly so; else empty.
std::string meantAxis(const LogicalRules& rules, const std::string& axis)
{
    std::vector<std::string> named;
    for (const LogicalRule& rule : rules.list)
        named.insert(named.end(), rule.target.axes.begin(), rule.target.axes.end());
    return std::find(named.begin(), named.end(), axis) == named.end() ? nearestName(axis, named) : std::string();
}

/// W245: devices along the axis are meant for the stages of a pipeline, and all of them work on every layer.
Diagnostic pipelineAxis(const Snapshot& snapshot, std::size_t axis)
{
    const Mesh& mesh = *snapshot.mesh;
    std::vector<bool> used(mesh.rank());
    for (const ValueId argument : snapshot.program->main().arguments)
        if (snapshot.program->value(argument).role == Role::Parameter)
            markAxes(snapshot.propagation->shardings[argument.index], used);
    Diagnostic diagnostic{ Code::PipelineAxis, { { "axis", mesh.axis(axis).name }, { "size", mesh.size(axis) } }, {} };
    if (used[axis])
        diagnostic.args.push_back({ "parts", std::int64_t{ 1 } });
    return diagnostic;
}

/// W212: mesh axes along which nothing is sharded or added up; W245: others that are meant for a pipeline. A text of
/// what one device runs says nothing of that: every device has its own values.
void addUnusedAxes(const Snapshot& snapshot, std::vector<Problem>& problems)
{
    const Mesh& mesh = *snapshot.mesh;
    if (snapshot.program->main().arguments.empty() || isOfOneDevice(snapshot))
        return; // no arrays, no use
    std::vector<bool> used(mesh.rank());
    for (const TensorSharding& sharding : snapshot.propagation->shardings)
        markAxes(sharding, used);
    if (snapshot.collectives)
        for (const CollectiveEntry& entry : snapshot.collectives->entries)
            if (entry.mesh == snapshot.collectives->mesh) {
                markAxes(entry.before, used);
                markAxes(entry.after, used);
                for (const AxisRef& axis : entry.axes)
                    used[static_cast<std::size_t>(axis.axis)] = true;
            }
    for (std::size_t i = 0; i < mesh.rank(); ++i) {
        const bool isPipeline = isPipelineAxis(*snapshot.experiment, mesh.axis(i).name);
        if (mesh.size(i) == 1 || (used[i] && !isPipeline))
            continue;
        Diagnostic diagnostic{ Code::AxisUnused, { { "axis", mesh.axis(i).name }, { "size", mesh.size(i) } }, {} };
        if (used[i])
            diagnostic = pipelineAxis(snapshot, i);
        else if (isPipeline)
            diagnostic.args.push_back({ "pipeline", std::int64_t{ 1 } });
        diagnostic.where.pointer = "/mesh/axes/" + std::to_string(i);
        if (const std::string meant = meantAxis(snapshot.experiment->rules.rules, mesh.axis(i).name); !meant.empty())
            diagnostic.args.push_back({ "nearest", meant });
        std::vector<Fix> fixes;
        for (const auto& [name, count] : snapshot.namesWithoutRule)
            if (fixes.empty() && !isPipeline && divides(*snapshot.program, name, mesh.size(i)))
                fixes.push_back({ Fix::Kind::MapName, name, 0, 0, { mesh.axis(i).name } });
        const Result<Experiment> without = withAxisSize(*snapshot.experiment, i, 1, true);
        if (without && ShardedDimensions(*snapshot.program, mesh, *snapshot.annotations).divideOn(without->mesh.axes))
            fixes.push_back({ Fix::Kind::SetAxisSize, mesh.axis(i).name, 1, 0 });
        problems.push_back({ std::move(diagnostic), std::move(fixes), {} });
    }
}

/// A constraint that is written with device axes in a model of logical names, which would take another view of it.
bool isDeviceConstraint(const Snapshot& snapshot, const std::optional<Reason>& reason)
{
    const std::vector<ResolvedAnnotation>& constraints = snapshot.annotations->constraints;
    return reason && reason->kind == Reason::Kind::ConstraintReshard && snapshot.annotations->nameArguments()
        && std::any_of(constraints.begin(), constraints.end(), [](const ResolvedAnnotation& constraint) {
               return std::holds_alternative<DeviceAxes>(constraint.declared);
           });
}

/// W207: an array that was sharded becomes replicated, and is sharded again.
void addRematerialised(const Snapshot& snapshot, std::vector<Problem>& problems)
{
    const CollectiveList& list = *snapshot.collectives;
    std::map<std::uint32_t, const CollectiveEntry*> gathers; // by what they give
    for (const CollectiveEntry& entry : list.entries) {
        const Operation& operation = list.sharded->program.operation(entry.operation);
        if (entry.kind == CollectiveKind::AllGather && isSharded(entry.before) && !isSharded(entry.after)) {
            gathers.emplace(operation.results[0].index, &entry);
            continue;
        }
        const auto gather = gathers.find(operation.operands[0].index);
        if (entry.kind != CollectiveKind::AllSlice || gather == gathers.end())
            continue;
        const CollectiveEntry& first = *gather->second;
        gathers.erase(gather); // once, however often it is sliced
        const ValueId subject = first.value;
        const Value& value = list.program->value(subject);
        if (value.path.empty() || subject.index >= snapshot.program->values.size())
            continue; // part of a larger step: nothing that a person could mend by name
        std::vector<std::string> axes;
        for (const AxisRef& axis : first.axes)
            axes.push_back(toString(*snapshot.mesh, axis));
        std::vector<Fix> fixes;
        if (isDeviceConstraint(snapshot, first.reason) || isDeviceConstraint(snapshot, entry.reason))
            fixes.push_back({ Fix::Kind::UseLogicalNames, {}, 0, 0 });
        const auto known = std::find_if(problems.begin(), problems.end(), [&](const Problem& earlier) {
            return earlier.diagnostic.code == Code::FullRematerialise && earlier.diagnostic.list("axes") == axes
                && earlier.fixes == fixes;
        });
        if (known != problems.end() && !fixes.empty()) { // the same constraint in another layer
            known->values.push_back(subject);
            continue;
        }
        problems.push_back({ about(value, Code::FullRematerialise,
                                 { { "axes", std::move(axes) }, { "bytes", value.type.byteCount() } }),
            std::move(fixes), { subject } });
    }
}

/// Collectives that the step waits for. Those of gradients and of what is updated with them come once per step and can
/// run beside it; a scalar is nothing.
bool isWaitedFor(const Program& program, const CollectiveEntry& entry)
{
    const Value& value = program.value(entry.partOf.valid() ? entry.partOf : entry.value);
    switch (value.role) {
    case Role::Gradient:
    case Role::Mu:
    case Role::Nu:
    case Role::Master:
    case Role::Count:
    case Role::Step:
    case Role::Loss:
        return false;
    default:
        return !entry.scalarLoss && !value.path.starts_with("next(");
    }
}

struct WaitedFor {
    AxisList axes;
    std::int64_t times = 1;
    double bytes = 0; ///< of all times
    ValueId origin;
};

/// Bytes that collectives send between hosts, when the axes of the mesh stand in another order.
double slowBytes(const Experiment& experiment, const Mesh& before, const std::vector<WaitedFor>& uses)
{
    const Result<Mesh> mesh = makeMesh(experiment.hardware.devices, experiment.mesh);
    if (!mesh)
        return 0;
    const SlowLinks links(experiment.hardware.devices, *mesh);
    double bytes = 0;
    for (const WaitedFor& use : uses) {
        bool slow = false;
        for (AxisRef axis : use.axes) {
            axis.axis =
                static_cast<std::int32_t>(*mesh->axisIndex(before.axis(static_cast<std::size_t>(axis.axis)).name));
            slow = slow || links.cross(axis);
        }
        bytes += slow ? use.bytes : 0;
    }
    return bytes;
}

/// The place of an axis at which fewest of those bytes go between hosts; nothing where moving it does not help.
std::optional<std::size_t> betterPlace(const Snapshot& snapshot, std::size_t axis, const std::vector<WaitedFor>& uses)
{
    double least = slowBytes(*snapshot.experiment, *snapshot.mesh, uses);
    std::optional<std::size_t> best;
    for (std::size_t to = snapshot.mesh->rank(); to-- > 0;) {
        if (to == axis)
            continue;
        const Result<Experiment> moved = withAxisMoved(*snapshot.experiment, axis, to);
        if (!moved)
            continue;
        const double bytes = slowBytes(*moved, *snapshot.mesh, uses);
        if (bytes < least) {
            least = bytes;
            best = to;
        }
    }
    return best;
}

/// W208: mesh axes between hosts along which the step has to wait for data.
void addSlowCollectives(const Snapshot& snapshot, std::vector<Problem>& problems)
{
    const HardwareSetting& hardware = snapshot.experiment->hardware;
    const DevicePlaces places(hardware.devices);
    if (places.fastGroups() <= 1 || hardware.dcnBytesPerSecond >= hardware.iciBytesPerSecond)
        return;
    std::vector<WaitedFor> uses, others;
    for (const CollectiveEntry& entry : snapshot.collectives->entries)
        if (entry.mesh == snapshot.collectives->mesh && !entry.scalarLoss && entry.inSums)
            (isWaitedFor(*snapshot.collectives->program, entry) ? uses : others)
                .push_back({ entry.axes, entry.times, entry.sentPerStep().value(), entry.value });
    const Mesh& mesh = *snapshot.mesh;
    const SlowLinks links(hardware.devices, mesh);
    const auto isAlong = [&links](const WaitedFor& use, std::size_t i) {
        return std::any_of(use.axes.begin(), use.axes.end(),
            [&](const AxisRef& axis) { return axis.axis == static_cast<std::int32_t>(i) && links.cross(axis); });
    };
    for (std::size_t i = 0; i < mesh.rank(); ++i) {
        std::int64_t count = 0;
        double bytes = 0;
        std::vector<ValueId> values;
        if (mesh.size(i) == 1 || !links.cross(fullAxis(mesh, i)))
            continue;
        for (const WaitedFor& use : uses) {
            if (!isAlong(use, i))
                continue;
            count = saturatingSum(count, use.times);
            bytes += use.bytes;
            if (use.origin.index < snapshot.program->values.size()
                && std::find(values.begin(), values.end(), use.origin) == values.end())
                values.push_back(use.origin);
        }
        if (count == 0 || toBytes(bytes) == 0)
            continue;
        double all = bytes;
        for (const WaitedFor& other : others)
            all += isAlong(other, i) ? other.bytes : 0;
        Diagnostic diagnostic{ Code::SlowLinkCollective,
            { { "axis", mesh.axis(i).name }, { "collectives", count }, { "bytes", toBytes(bytes) },
                { "of", toBytes(all) }, { "size", mesh.size(i) },
                { "together", hardware.devices.count() / places.fastGroups() } },
            {} };
        if (places.slicesAreFast())
            diagnostic.args.push_back({ "slices", places.fastGroups() });
        diagnostic.where.pointer = "/mesh/axes/" + std::to_string(i);
        std::vector<Fix> fixes;
        const auto place = betterPlace(snapshot, i, uses);
        if (place) {
            diagnostic.args.push_back({ "place", static_cast<std::int64_t>(*place) });
            fixes.push_back({ Fix::Kind::MoveAxis, mesh.axis(i).name, static_cast<std::int64_t>(*place), 0 });
        }
        problems.push_back({ std::move(diagnostic), std::move(fixes), std::move(values) });
    }
}

} // namespace

std::vector<Problem> layoutProblems(const Snapshot& snapshot)
{
    std::vector<Problem> problems;
    if (!snapshot.propagation)
        return problems;
    addUnusedAxes(snapshot, problems);
    if (snapshot.collectives) {
        addRematerialised(snapshot, problems);
        addSlowCollectives(snapshot, problems);
    }
    return problems;
}

} // namespace shardscope
