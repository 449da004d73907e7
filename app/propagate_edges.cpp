// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagate_edges.h"

#include <nlohmann/json.hpp>

#include "program/over_mesh.h"
#include "sharding/text.h"

namespace shardscope::cli {

const Mesh& meshOf(const Program& program, const PropagationResult& result, ValueId value)
{
    static const Mesh none;
    const std::uint32_t mesh = result.meshes[value.index];
    if (mesh != 0)
        return *program.meshes[mesh - 1].mesh;
    const std::optional<std::uint32_t> main = mainMesh(program);
    return main ? *program.meshes[*main].mesh : none;
}

Json edgesJson(const Program& program, const PropagationResult& result, const PropagationOptions& options)
{
    PropagationInput input;
    input.program = ProgramPtr(&program, [](const Program*) {}); // lives longer than the input
    input.options = options;
    Json out = Json::array();
    const std::vector<std::vector<StepEdges>> all = propagationEdges(input, result);
    for (std::size_t o = 0; o < all.size(); ++o) {
        const Operation& operation = program.operations[o];
        for (const StepEdges& step : all[o]) {
            ValueId value = step.owner;
            if (!value.valid() && !operation.results.empty())
                value = operation.results[0];
            for (const AxisEdge& edge : step.edges) {
                Json targets = Json::array();
                for (const std::int16_t target : edge.targets)
                    targets.push_back(program.value(tensorOf(operation, step, target)).path);
                const ValueId first = tensorOf(operation, step, edge.targets.front());
                Json entry{ { "step", step.step }, { "op", qualifiedName(operation) },
                    { "axis", toString(meshOf(program, result, first), edge.axis) },
                    { "from", program.value(tensorOf(operation, step, edge.source)).path },
                    { "targets", std::move(targets) } };
                if (value.valid())
                    entry["value"] = program.value(value).path;
                out.push_back(std::move(entry));
            }
        }
    }
    return out;
}

} // namespace shardscope::cli
