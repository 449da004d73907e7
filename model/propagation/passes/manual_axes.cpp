// SPDX-License-Identifier: GPL-3.0-or-later
// Manual computations say of every manual axis what it does at each border.
#include <algorithm>

#include "base/codes.h"
#include "program/op_row.h"
#include "propagation/passes/passes.h"
#include "propagation/passes/support.h"

namespace shardscope::passes {

namespace {

/// The mesh of the borders; nothing where all are on meshes without axes.
std::optional<std::uint32_t> commonMesh(const Program& program, const ManualComputationAttributes& manual)
{
    for (const auto* list : { &manual.in, &manual.out })
        for (const ProgramSharding& sharding : *list)
            if (program.meshes[sharding.mesh].mesh->rank() > 0)
                return sharding.mesh;
    return {};
}

void complete(ProgramSharding& border, const TensorType& type, std::uint32_t mesh, const AxisList& manualAxes)
{
    if (!isTensor(type.dtype))
        return;
    TensorSharding& sharding = border.sharding;
    AxisList missing = manualAxes;
    for (const DimensionSharding& dim : sharding.dims)
        missing = axesWithout(missing, dim.axes);
    missing = axesWithout(missing, sharding.replicated);
    missing = axesWithout(missing, sharding.unreduced);
    for (const AxisRef axis : missing)
        sharding.replicated.push_back(axis);
    sortAndMerge(sharding.replicated);
    if (!missing.empty())
        border.mesh = mesh;
}

} // namespace

Result<Program> cleanUpManualAxes(Program program)
{
    for (Operation& operation : program.operations) {
        const auto* found = wideAs<ManualComputationAttributes>(operation.attributes);
        if (!found || found->manualAxes.empty())
            continue;
        const std::optional<std::uint32_t> index = commonMesh(program, *found);
        if (!index) {
            const bool hasBody = std::any_of(operation.regions.begin(), operation.regions.end(),
                [&](RegionId region) { return !program.regions[region.index].operations.empty(); });
            if (found->in.empty() && found->out.empty() && hasBody)
                return fail(Code::InvalidAttribute,
                    { { "op", qualifiedName(operation) }, { "wrong", "manual_axes_without_shardings" } });
            continue;
        }
        ManualComputationAttributes manual = *found;
        const Mesh& mesh = *program.meshes[*index].mesh;
        AxisList axes;
        for (const std::string& name : manual.manualAxes)
            if (const auto axis = mesh.axisIndex(name))
                axes.push_back(wholeAxis(mesh, *axis));
        std::stable_sort(
            manual.manualAxes.begin(), manual.manualAxes.end(), [&](const std::string& a, const std::string& b) {
                return mesh.axisIndex(a).value_or(mesh.rank()) < mesh.axisIndex(b).value_or(mesh.rank());
            });
        for (std::size_t i = 0; i < std::min<std::size_t>(manual.in.size(), operation.operands.size()); ++i)
            complete(manual.in[i], program.value(operation.operands[i]).type, *index, axes);
        for (std::size_t i = 0; i < std::min<std::size_t>(manual.out.size(), operation.results.size()); ++i)
            complete(manual.out[i], program.value(operation.results[i]).type, *index, axes);
        operation.attributes = wide(std::move(manual));
    }
    return program;
}

} // namespace shardscope::passes
