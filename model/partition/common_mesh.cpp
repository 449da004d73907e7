// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/common_mesh.h"

#include <algorithm>
#include <numeric>

#include "base/codes.h"
#include "mesh/mesh_in_axes.h"
#include "program/editor.h"
#include "program/op_row.h"
#include "program/other_attributes.h"
#include "program/over_mesh.h"
#include "program/value_shardings.h"
#include "program/verify_findings.h"
#include "propagation/pass_support.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

/// Writes what is sharded along the axes of some meshes along those of the main one.
class AxisRewriter {
public:
    /// Per mesh what it is in the axes of the main one; nothing where it stays.
    AxisRewriter(Program& program, const std::vector<std::optional<MeshInAxes>>& meshes)
        : m_program(program)
        , m_meshes(meshes)
    {
    }

    /// The first mesh with something that cannot be written so.
    std::optional<std::uint32_t> run()
    {
        for (Operation& operation : m_program.operations) {
            if (const auto* collective = attributesAs<SdyCollectiveAttributes>(operation.attributes))
                rewrite(operation, *collective);
            else if (const auto* manual = attributesAs<ManualComputationAttributes>(operation.attributes))
                rewrite(operation, *manual);
        }
        passes::mapShardings(m_program, [&](ProgramSharding sharding) {
            if (const MeshInAxes* mesh = meshOf(sharding)) {
                for (DimensionSharding& dim : sharding.sharding.dims)
                    inOrder(dim.axes, *mesh, sharding.mesh);
                sorted(sharding.sharding.replicated, *mesh, sharding.mesh);
                sorted(sharding.sharding.unreduced, *mesh, sharding.mesh);
            }
            return sharding;
        });
        return m_wrong;
    }

private:
    [[nodiscard]] const MeshInAxes* meshOf(const ProgramSharding& sharding) const
    {
        return sharding.mesh < m_meshes.size() && m_meshes[sharding.mesh] ? &*m_meshes[sharding.mesh] : nullptr;
    }
    void refuse(std::uint32_t mesh)
    {
        if (!m_wrong)
            m_wrong = mesh;
    }
    void inOrder(AxisList& axes, const MeshInAxes& mesh, std::uint32_t number)
    {
        if (std::optional<AxisList> parts = partsOf(mesh, axes))
            axes = std::move(*parts);
        else
            refuse(number);
    }
    /// Of lists that go by the order of the mesh.
    void sorted(AxisList& axes, const MeshInAxes& mesh, std::uint32_t number)
    {
        AxisList parts, merged;
        for (const AxisRef& ref : axes) {
            const std::optional<AxisList> own = partsOf(mesh, ref);
            if (!own)
                return refuse(number);
            for (const AxisRef& each : *own)
                parts.push_back(each);
        }
        std::sort(parts.begin(), parts.end());
        for (const AxisRef& each : parts)
            appendMerged(merged, each);
        axes = std::move(merged);
    }

    void rewrite(Operation& operation, SdyCollectiveAttributes changed)
    {
        const MeshInAxes* mesh = meshOf(changed.out);
        if (!mesh)
            return;
        for (AxisList& axes : changed.axesPerDimension)
            inOrder(axes, *mesh, changed.out.mesh);
        sorted(changed.axes, *mesh, changed.out.mesh);
        for (AxisMove& move : changed.moves)
            inOrder(move.axes, *mesh, changed.out.mesh);
        operation.attributes = otherAttributes(std::move(changed));
    }

    /// Manual axes are full ones, of the main mesh as well.
    void rewrite(Operation& operation, ManualComputationAttributes changed)
    {
        const std::vector<ProgramSharding>& shardings = changed.in.empty() ? changed.out : changed.in;
        const MeshInAxes* mesh = shardings.empty() ? nullptr : meshOf(shardings.front());
        if (!mesh || changed.manualAxes.empty())
            return;
        const std::uint32_t number = shardings.front().mesh;
        const Mesh& before = *m_program.meshes[number].mesh;
        AxisList parts;
        for (const std::string& name : changed.manualAxes)
            if (const std::optional<std::size_t> axis = before.axisIndex(name))
                parts.push_back(fullAxis(before, *axis));
        sorted(parts, *mesh, number);
        changed.manualAxes.clear();
        for (const AxisRef& part : parts) {
            if (!isFull(*mesh->mesh, part))
                refuse(number);
            changed.manualAxes.push_back(mesh->mesh->axis(static_cast<std::size_t>(part.axis)).name);
        }
        operation.attributes = otherAttributes(std::move(changed));
    }

    Program& m_program;
    const std::vector<std::optional<MeshInAxes>>& m_meshes;
    std::optional<std::uint32_t> m_wrong;
};

/// What a person calls the first array that lies along the axes of the mesh; empty where only operations do.
std::string arrayOn(const Program& program, std::uint32_t mesh)
{
    const ValueShardings shardings(program);
    for (std::size_t v = 0; v < program.values.size(); ++v) {
        const ProgramSharding* found = shardings.of(ValueId(v));
        if (found && found->mesh == mesh && !found->sharding.isFullyReplicated())
            return program.values[v].path.empty() ? "%" + std::to_string(v) : std::string(*program.values[v].path);
    }
    return {};
}

tl::unexpected<Error> otherMesh(const Program& program, std::uint32_t main, std::uint32_t other)
{
    const ProgramMesh &found = program.meshes[other], &expected = program.meshes[main];
    Where where;
    where.line = static_cast<int>(program.sources[found.source].line);
    where.column = static_cast<int>(program.sources[found.source].column);
    std::vector<Arg> args{ { "found", found.name }, { "expected", expected.name },
        { "found_axes", toShardy(*found.mesh) }, { "expected_axes", toShardy(*expected.mesh) },
        { "found_devices", found.mesh->deviceCount() }, { "expected_devices", expected.mesh->deviceCount() } };
    if (std::string value = arrayOn(program, other); !value.empty())
        args.emplace_back("value", std::move(value));
    return fail(Code::MeshMismatch, std::move(args), std::move(where));
}

} // namespace

Result<Program> overCommonAxes(Program program)
{
    const std::optional<std::uint32_t> main = mainMesh(program);
    if (!main || program.meshes.size() == 1)
        return program;
    const std::vector<MeshUse> uses = meshUses(program);
    const MeshPtr mesh = program.meshes[*main].mesh;
    std::vector<MeshPtr> moved(program.meshes.size());
    std::vector<std::optional<MeshInAxes>> written(program.meshes.size());
    std::vector<std::uint32_t> named(program.meshes.size()); // in place of each
    std::iota(named.begin(), named.end(), 0U);
    for (std::uint32_t i = 0; i < program.meshes.size(); ++i) {
        const ProgramMesh& other = program.meshes[i];
        if (i == *main || other.isMaximal() || other.mesh->rank() == 0)
            continue;
        if (uses[i] != MeshUse::Axes || *other.mesh == *mesh) {
            named[i] = *main;
            continue;
        }
        MeshPtr made = moved[i] = inAxisOrderOf(*mesh, *other.mesh);
        if (!made) {
            written[i] = inAxesOf(*mesh, *other.mesh);
            if (!written[i])
                return otherMesh(program, *main, i);
            made = written[i]->mesh;
        }
        const auto isSame = [&](std::uint32_t k) {
            return k == *main ? *made == *mesh
                : moved[k]    ? *made == *moved[k]
                              : written[k] && *made == *written[k]->mesh;
        };
        for (std::uint32_t k = 0; k < program.meshes.size() && named[i] == i; ++k) // one for each order of devices
            if ((k < i || k == *main) && isSame(k))
                named[i] = named[k];
    }
    if (std::any_of(written.begin(), written.end(), [](const auto& one) { return one.has_value(); })) {
        Program before = program; // for what is said of it
        if (const std::optional<std::uint32_t> wrong = AxisRewriter(program, written).run())
            return otherMesh(before, *main, *wrong);
        for (std::uint32_t i = 0; i < written.size(); ++i)
            if (written[i])
                program.meshes[i].mesh = written[i]->mesh;
    }
    program = overMeshes(std::move(program), moved);
    passes::mapShardings(program, [&](ProgramSharding sharding) {
        if (sharding.mesh < named.size())
            sharding.mesh = named[sharding.mesh];
        return sharding;
    });
    return program;
}

Result<void> checkSingleDevices(const Program& program)
{
    if (!mainMesh(program))
        return {}; // there is no other device
    const ValueShardings shardings(program);
    std::optional<Error> wrong;
    for (const RegionId body : bodies(program))
        walk(program, body, [&](OperationId id) {
            const Operation& operation = program.operation(id);
            for (std::size_t i = 0; !wrong && i < operation.results.size(); ++i) {
                const ProgramSharding* sharding = shardings.of(operation.results[i]);
                if (!sharding || !program.meshes[sharding->mesh].isMaximal())
                    continue;
                const ProgramMesh& mesh = program.meshes[sharding->mesh];
                wrong = verification::diagnosticAt(program, Code::NotExecutable,
                    { { "wrong", "single_device" }, { "mesh", mesh.name }, { "device", *mesh.onlyDevice } },
                    { .operation = id, .role = "result", .value = operation.results[i] });
            }
        });
    if (wrong)
        return tl::unexpected<Error>(std::move(*wrong));
    return {};
}

} // namespace shardscope
