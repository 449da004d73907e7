// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/data_flow.h"

#include <algorithm>

#include "program/other_attributes.h"

namespace shardscope {

namespace {

bool isManual(const ManualView& view, AxisRef axis)
{
    return (view.axes >> axis.axis & 1U) != 0;
}

void dropManual(AxisList& axes, const ManualView& view)
{
    axes.erase(std::remove_if(axes.begin(), axes.end(), [&](AxisRef a) { return isManual(view, a); }), axes.end());
}

/// What the regions of the operation return in that place.
void addReturned(SmallVector<ValueId, 4>& sources, const Region& region, std::size_t index)
{
    if (index < region.results.size())
        sources.push_back(region.results[index]);
}

} // namespace

ManualView manualView(
    const ProgramSharding& boundary, const std::vector<std::string>& manualAxes, const MeshTable& meshes)
{
    ManualView view;
    view.mesh = boundary.mesh;
    if (boundary.mesh >= meshes.meshes().size())
        return view;
    const Mesh& mesh = meshes.mesh(boundary.mesh);
    for (const std::string& name : manualAxes)
        if (const auto axis = mesh.axisIndex(name))
            view.axes |= std::uint64_t{ 1 } << *axis;
    std::uint64_t inShardings = 0;
    for (const DimensionSharding& dim : boundary.sharding.dims) {
        AxisList& manual = view.dims.emplace_back();
        for (const AxisRef& axis : dim.axes) {
            if (!isManual(view, axis))
                continue;
            manual.push_back(axis);
            inShardings |= std::uint64_t{ 1 } << axis.axis;
        }
    }
    for (const AxisRef& axis : boundary.sharding.replicated)
        if (isManual(view, axis)) {
            view.replicated.push_back(axis);
            inShardings |= std::uint64_t{ 1 } << axis.axis;
        }
    for (const AxisRef& axis : boundary.sharding.unreduced)
        inShardings |= std::uint64_t{ 1 } << axis.axis;
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis)
        if ((view.axes & ~inShardings) >> axis & 1U)
            view.replicated.push_back(fullAxis(mesh, axis));
    std::sort(view.replicated.begin(), view.replicated.end());
    return view;
}

TensorSharding withoutManualAxes(TensorSharding sharding, const ManualView& view)
{
    for (DimensionSharding& dim : sharding.dims)
        dropManual(dim.axes, view);
    dropManual(sharding.replicated, view);
    return sharding;
}

TensorSharding withManualAxes(TensorSharding sharding, const ManualView& view)
{
    for (std::size_t d = 0; d < std::min(sharding.dims.size(), view.dims.size()); ++d) {
        AxisList axes = view.dims[d];
        for (const AxisRef& axis : sharding.dims[d].axes)
            appendMerged(axes, axis);
        sharding.dims[d].axes = axes;
    }
    for (const AxisRef& axis : view.replicated)
        sharding.replicated.push_back(axis);
    std::sort(sharding.replicated.begin(), sharding.replicated.end());
    return sharding;
}

bool isStaticTensor(const TensorType& type)
{
    return isTensor(type.dtype)
        && std::none_of(type.shape.begin(), type.shape.end(), [](std::int64_t size) { return size < 0; });
}

std::vector<DataFlowEdge> dataFlowEdges(
    const Program& program, OperationId id, const MeshTable& meshes, std::vector<ManualView>& views)
{
    const Operation& operation = program.operation(id);
    std::vector<DataFlowEdge> edges;
    const auto* manual = attributesAs<ManualComputationAttributes>(operation.attributes);
    const auto addView = [&](DataFlowEdge& edge, const std::vector<ProgramSharding>& boundaries, std::size_t index) {
        if (manual && index < boundaries.size() && !manual->manualAxes.empty()) {
            edge.view = static_cast<std::int32_t>(views.size());
            views.push_back(manualView(boundaries[index], manual->manualAxes, meshes));
            views.back().inside = edge.ofArgument;
        }
    };
    const auto region = [&](std::size_t index) -> const Region& {
        return program.regions[operation.regions[index].index];
    };
    const bool loop = operation.kind == OpKind::While && operation.regions.size() == 2;
    const bool branch = operation.kind == OpKind::Case || operation.kind == OpKind::If;
    const bool body = isComputation(operation.kind) && operation.regions.size() == 1;
    const bool barrier = operation.kind == OpKind::OptimizationBarrier;
    if (!loop && !branch && !body && !barrier)
        return edges;

    if (body) {
        const std::vector<ValueId>& arguments = region(0).arguments;
        for (std::size_t a = 0; a < std::min<std::size_t>(arguments.size(), operation.operands.size()); ++a) {
            if (!isStaticTensor(program.value(arguments[a]).type))
                continue;
            DataFlowEdge& edge = edges.emplace_back();
            edge.operation = id;
            edge.owner = arguments[a];
            edge.ofArgument = true;
            edge.sources.push_back(operation.operands[a]);
            if (manual)
                addView(edge, manual->in, a);
        }
    }
    for (std::size_t r = 0; r < operation.results.size(); ++r) {
        if (!isStaticTensor(program.value(operation.results[r]).type))
            continue;
        DataFlowEdge& edge = edges.emplace_back();
        edge.operation = id;
        edge.owner = operation.results[r];
        if ((loop || barrier) && r < operation.operands.size())
            edge.sources.push_back(operation.operands[r]);
        if (loop) {
            addReturned(edge.sources, region(1), r);
            for (std::size_t side = 0; side < 2; ++side)
                if (r < region(side).arguments.size())
                    edge.targets.push_back(region(side).arguments[r]);
        }
        if (branch || body)
            for (std::size_t i = 0; i < operation.regions.size(); ++i)
                addReturned(edge.sources, region(i), r);
        if (manual)
            addView(edge, manual->out, r);
    }
    return edges;
}

} // namespace shardscope
