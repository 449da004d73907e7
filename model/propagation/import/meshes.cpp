// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in propagation/passes.h.
#include <algorithm>

#include "propagation/pass_support.h"
#include "propagation/passes.h"

namespace shardscope::passes {

namespace {

bool sameContent(const ProgramMesh& a, const ProgramMesh& b)
{
    const auto isLegal = [](const ProgramMesh& mesh) {
        return !mesh.undeclared && !mesh.illegal && mesh.invalidAxes.empty();
    };
    return *a.mesh == *b.mesh && a.onlyDevice == b.onlyDevice && isLegal(a) && isLegal(b);
}

std::string freeName(const std::vector<ProgramMesh>& meshes, const std::string& wanted)
{
    const auto isTaken = [&](const std::string& name) {
        return std::any_of(
            meshes.begin(), meshes.end(), [&](const ProgramMesh& mesh) { return !mesh.inlined && mesh.name == name; });
    };
    std::string name = wanted;
    for (int i = 0; isTaken(name); ++i)
        name = wanted + "_" + std::to_string(i);
    return name;
}

std::string nameOf(const ProgramMesh& mesh)
{
    if (mesh.onlyDevice)
        return "maximal_mesh_" + std::to_string(*mesh.onlyDevice);
    return mesh.mesh->rank() == 0 ? "empty_mesh" : "mesh";
}

} // namespace

Program liftInlinedMeshes(Program program)
{
    std::vector<ProgramMesh> lifted;
    std::vector<std::uint32_t> to(program.meshes.size());
    const auto place = [&](std::size_t from, bool inlined) {
        const ProgramMesh& mesh = program.meshes[from];
        if (mesh.inlined != inlined)
            return;
        const auto known = std::find_if(
            lifted.begin(), lifted.end(), [&](const ProgramMesh& other) { return sameContent(other, mesh); });
        to[from] = static_cast<std::uint32_t>(known - lifted.begin());
        if (known != lifted.end())
            return;
        lifted.push_back(mesh);
        if (inlined) {
            lifted.back().inlined = false;
            lifted.back().name = "";
            lifted.back().name = freeName(lifted, nameOf(mesh));
        }
    };
    for (const bool inlined : { false, true })
        for (std::size_t i = 0; i < program.meshes.size(); ++i)
            place(i, inlined);
    if (lifted == program.meshes)
        return program;
    program.meshes = std::move(lifted);
    mapShardings(program, [&](ProgramSharding sharding) {
        if (sharding.mesh < to.size())
            sharding.mesh = to[sharding.mesh];
        return sharding;
    });
    return program;
}

Program removeSizeOneAxes(Program program)
{
    const bool any = std::any_of(program.meshes.begin(), program.meshes.end(), [](const ProgramMesh& mesh) {
        return std::any_of(
            mesh.mesh->axes().begin(), mesh.mesh->axes().end(), [](const MeshAxis& axis) { return axis.size == 1; });
    });
    if (!any)
        return program;
    mapShardings(program, [](ProgramSharding sharding) {
        const auto drop = [](AxisList& axes) {
            // Parts between which such an axis stood are one part now.
            AxisList kept;
            for (const AxisRef& axis : axes)
                if (axis.size != 1)
                    appendMerged(kept, axis);
            axes = std::move(kept);
        };
        for (DimensionSharding& dim : sharding.sharding.dims) {
            drop(dim.axes);
            if (dim.axes.empty() && !dim.open)
                dim.priority = -1;
        }
        drop(sharding.sharding.replicated);
        drop(sharding.sharding.unreduced);
        return sharding;
    });
    return program;
}

} // namespace shardscope::passes
