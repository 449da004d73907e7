// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/common_mesh.h"

#include <numeric>

#include "base/codes.h"
#include "program/editor.h"
#include "program/op_row.h"
#include "program/over_mesh.h"
#include "program/value_shardings.h"
#include "program/verify_findings.h"
#include "propagation/pass_support.h"
#include "sharding/text.h"

namespace shardscope {

Result<Program> overCommonAxes(Program program)
{
    const std::optional<std::uint32_t> main = mainMesh(program);
    if (!main || program.meshes.size() == 1)
        return program;
    const std::vector<MeshUse> uses = meshUses(program);
    const Mesh& mesh = *program.meshes[*main].mesh;
    std::vector<MeshPtr> moved(program.meshes.size());
    std::vector<std::uint32_t> named(program.meshes.size()); // in place of each
    std::iota(named.begin(), named.end(), 0U);
    for (std::uint32_t i = 0; i < program.meshes.size(); ++i) {
        const ProgramMesh& other = program.meshes[i];
        if (i == *main || other.isMaximal() || other.mesh->rank() == 0)
            continue;
        if (uses[i] != MeshUse::Axes || *other.mesh == mesh) {
            named[i] = *main;
            continue;
        }
        moved[i] = inAxisOrderOf(mesh, *other.mesh);
        if (!moved[i]) {
            Where where;
            where.line = static_cast<int>(program.sources[other.source].line);
            where.column = static_cast<int>(program.sources[other.source].column);
            return fail(Code::MeshMismatch,
                { { "found", other.name }, { "expected", program.meshes[*main].name },
                    { "found_axes", toShardy(*other.mesh) }, { "expected_axes", toShardy(mesh) } },
                std::move(where));
        }
        for (std::uint32_t k = 0; k < i; ++k) // one for each order of devices
            if (k == *main ? *moved[i] == mesh : moved[k] && *moved[i] == *moved[k])
                named[i] = named[k];
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
