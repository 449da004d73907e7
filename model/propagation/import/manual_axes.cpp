// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in propagation/passes.h.
#include <algorithm>

#include "base/codes.h"
#include "program/verify_findings.h"
#include "propagation/pass_support.h"
#include "propagation/passes.h"

namespace shardscope::passes {

namespace {

/// The mesh of the boundaries; nothing where all are on meshes without axes.
std::optional<std::uint32_t> commonMesh(const Program& program, const ManualComputationAttributes& manual)
{
    for (const auto* list : { &manual.in, &manual.out })
        for (const ProgramSharding& sharding : *list)
            if (program.meshes[sharding.mesh].mesh->rank() > 0)
                return sharding.mesh;
    return {};
}

void complete(ProgramSharding& boundary, const TensorType& type, std::uint32_t mesh, const AxisList& manualAxes)
{
    if (!isTensor(type.dtype))
        return;
    TensorSharding& sharding = boundary.sharding;
    AxisList missing = manualAxes;
    for (const DimensionSharding& dim : sharding.dims)
        missing = axesMinus(missing, dim.axes);
    missing = axesMinus(missing, sharding.replicated);
    missing = axesMinus(missing, sharding.unreduced);
    for (const AxisRef axis : missing)
        sharding.replicated.push_back(axis);
    sortAndMerge(sharding.replicated);
    if (!missing.empty())
        boundary.mesh = mesh;
}

} // namespace

Result<Program> cleanUpManualAxes(Program program)
{
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
        Operation& operation = program.operations[i];
        const auto* found = attributesAs<ManualComputationAttributes>(operation.attributes);
        if (!found || found->manualAxes.empty())
            continue;
        const std::optional<std::uint32_t> index = commonMesh(program, *found);
        if (!index) {
            const bool hasBody = std::any_of(operation.regions.begin(), operation.regions.end(),
                [&](RegionId region) { return !program.regions[region.index].operations.empty(); });
            if (found->in.empty() && found->out.empty() && hasBody)
                return tl::unexpected<Error>(verification::diagnosticAt(program, Code::BadManualComputation,
                    { { "wrong", "meshes" } }, { .operation = OperationId(i), .role = "axes" }));
            continue;
        }
        ManualComputationAttributes manual = *found;
        const Mesh& mesh = *program.meshes[*index].mesh;
        AxisList axes;
        for (const std::string& name : manual.manualAxes)
            if (const auto axis = mesh.axisIndex(name))
                axes.push_back(fullAxis(mesh, *axis));
        std::stable_sort(
            manual.manualAxes.begin(), manual.manualAxes.end(), [&](const std::string& a, const std::string& b) {
                return mesh.axisIndex(a).value_or(mesh.rank()) < mesh.axisIndex(b).value_or(mesh.rank());
            });
        for (std::size_t k = 0; k < std::min<std::size_t>(manual.in.size(), operation.operands.size()); ++k)
            complete(manual.in[k], program.value(operation.operands[k]).type, *index, axes);
        for (std::size_t k = 0; k < std::min<std::size_t>(manual.out.size(), operation.results.size()); ++k)
            complete(manual.out[k], program.value(operation.results[k]).type, *index, axes);
        operation.attributes = otherAttributes(std::move(manual));
    }
    return program;
}

} // namespace shardscope::passes
