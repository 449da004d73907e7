// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/write_provenance.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "program/other_attributes.h"
#include "program/program_mesh.h"

namespace shardscope {

namespace {

constexpr const char* edgesName = "sdy.propagation_edges";
constexpr const char* originsName = "sdy.sharding_origins";
constexpr const char* originNameName = "sdy.sharding_origin_name";

PropagationInput inputOf(const Provenance& provenance)
{
    PropagationInput input;
    input.program = ProgramPtr(&provenance.program, [](const Program*) {}); // lives longer than the input
    input.options = provenance.options;
    return input;
}

const ProgramMesh* meshAt(const Program& program, std::uint32_t index)
{
    if (index == 0)
        return program.meshes.empty() ? nullptr : &program.meshes.front();
    return &program.meshes[index - 1];
}

/// "x" or "x":(1)2
std::string axisInEdge(const ProgramMesh& mesh, AxisRef axis)
{
    const std::string text = axisText(mesh, axis);
    const std::size_t part = text.rfind(":(");
    return part == std::string::npos ? quotedPlain(text) : quotedPlain(text.substr(0, part)) + text.substr(part);
}

/// A key of a dictionary stands bare if it is a word.
std::string key(const std::string& text)
{
    const auto isWord = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.';
    };
    const bool bare = !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0
        && text.front() != '$' && text.front() != '.' && std::all_of(text.begin(), text.end(), isWord);
    return bare ? text : quotedPlain(text);
}

/// `meshOf` and `operandsOf` say of a step what its axes are of and how many of its numbers are operands.
template <class MeshOf, class OperandsOf>
std::string edgesText(const std::vector<StepEdges>& steps, const MeshOf& meshOf, const OperandsOf& operandsOf)
{
    std::string text = "#sdy.propagation_edges<[{";
    for (std::size_t s = 0; s < steps.size(); ++s) {
        const ProgramMesh& mesh = meshOf(steps[s]);
        const std::size_t operands = operandsOf(steps[s]);
        const auto tensor = [&](std::int16_t number) {
            const auto index = static_cast<std::size_t>(number);
            return index < operands ? "operand-" + std::to_string(index) : "result-" + std::to_string(index - operands);
        };
        text += (s == 0 ? "step-" : ", step-") + std::to_string(steps[s].step - 1) + " = [";
        for (std::size_t e = 0; e < steps[s].edges.size(); ++e) {
            const AxisEdge& edge = steps[s].edges[e];
            text += (e == 0 ? "{" : ", {") + axisInEdge(mesh, edge.axis) + " = " + tensor(edge.source) + " -> [";
            for (std::size_t t = 0; t < edge.targets.size(); ++t)
                text += (t == 0 ? "" : ", ") + tensor(edge.targets[t]);
            text += "]}";
        }
        text += ']';
    }
    return text + "}]>";
}

std::string originsText(const std::vector<AxisOrigin>& origins, const ProgramMesh& mesh)
{
    std::string text = "{";
    for (const AxisOrigin& origin : origins)
        text += (text.size() == 1 ? "" : ", ") + key(axisText(mesh, origin.axis)) + " = "
            + quotedPlain(origin.isSelf ? "self" : toString(origin.origin));
    return text + '}';
}

/// Puts an attribute into the dictionary that an index leads to; one of that name that was there goes.
void put(Program& program, std::uint32_t& extra, const char* name, std::string text)
{
    Dictionary dictionary = program.dictionaries[extra];
    std::erase_if(dictionary, [&](const NamedText& entry) { return entry.name == name; });
    dictionary.push_back({ name, std::move(text) });
    extra = static_cast<std::uint32_t>(program.dictionaries.size());
    program.dictionaries.push_back(std::move(dictionary));
}

void putAt(Program& program, std::vector<std::uint32_t>& extras, std::size_t index, std::size_t count, const char* name,
    std::string text)
{
    extras.resize(std::max(extras.size(), count), 0);
    put(program, extras[index], name, std::move(text));
}

} // namespace

std::vector<std::pair<ValueId, ShardingOrigin>> copiedOrigins(
    const Program& before, const Program& prepared, const ShardingOrigins& names)
{
    std::vector<std::pair<ValueId, ShardingOrigin>> copied;
    for (const Operation& operation : prepared.operations) {
        const auto* manual = attributesAs<ManualComputationAttributes>(operation.attributes);
        for (std::size_t i = 0; i < operation.operands.size(); ++i) {
            const ValueId value = operation.operands[i];
            const bool isNew =
                value.index < before.values.size() && !before.shardingOf(value) && prepared.shardingOf(value);
            if (!isNew)
                continue;
            if (operation.kind == OpKind::ShardingConstraint)
                copied.emplace_back(value, names.nameOf(operation.results[0]));
            else if (manual)
                copied.emplace_back(value, names.nameOf(prepared.regions[operation.regions[0].index].arguments[i]));
        }
    }
    return copied;
}

std::vector<std::pair<ValueId, ShardingOrigin>> copiedOrigins(
    const Program& before, const Program& prepared, const Provenance& provenance)
{
    return copiedOrigins(before, prepared, originsOf(provenance, {}));
}

ShardingOrigins originsOf(const Provenance& provenance, const std::vector<std::pair<ValueId, ShardingOrigin>>& copied)
{
    return ShardingOrigins(inputOf(provenance), provenance.result, copied);
}

Program withEdges(Program program, const Provenance& provenance)
{
    const PropagationInput input = inputOf(provenance);
    const PropagationResult& result = provenance.result;
    const std::vector<std::vector<StepEdges>> edges = propagationEdges(input, result);
    for (std::size_t o = 0; o < program.operations.size(); ++o) {
        if (edges[o].empty() || program.meshes.empty())
            continue;
        Operation& operation = program.operations[o];
        // The axes are those of what took them.
        const auto meshOf = [&](const StepEdges& step) -> const ProgramMesh& {
            const ValueId value = tensorOf(operation, step, step.edges.front().targets.front());
            return *meshAt(provenance.program, result.meshes[value.index]);
        };
        put(program, operation.extra, edgesName,
            edgesText(edges[o], meshOf, [&](const StepEdges& step) { return operandCount(operation, step); }));
    }
    if (program.functions.empty())
        return program;
    const std::size_t results = program.main().results.size();
    for (std::size_t r = 0; r < results; ++r) {
        const std::vector<StepEdges> steps = resultEdges(result, r);
        const ProgramMesh* mesh = meshAt(provenance.program, result.resultMeshes[r]);
        if (steps.empty() || !mesh)
            continue;
        putAt(program, program.functions.front().resultExtras, r, results, edgesName,
            edgesText(
                steps, [&](const StepEdges&) -> const ProgramMesh& { return *mesh; },
                [](const StepEdges&) { return std::size_t{ 1 }; }));
    }
    return program;
}

Program withOrigins(
    Program program, const Provenance& provenance, const std::vector<std::pair<ValueId, ShardingOrigin>>& copied)
{
    const PropagationResult& result = provenance.result;
    const ShardingOrigins origins = originsOf(provenance, copied);
    const auto textOf = [&](const std::vector<AxisOrigin>& list, std::uint32_t mesh) {
        const ProgramMesh* of = meshAt(provenance.program, mesh);
        return of ? originsText(list, *of) : std::string();
    };
    for (Operation& operation : program.operations) {
        if (operation.results.empty())
            continue;
        const bool isConstraint = operation.kind == OpKind::ShardingConstraint;
        if (isConstraint)
            put(program, operation.extra, originNameName, quotedPlain(toString(origins.nameOf(operation.results[0]))));
        std::string text;
        bool any = false;
        for (const ValueId value : operation.results) {
            const std::vector<AxisOrigin> list = origins.ofValue(value);
            any = any || !list.empty();
            text += (text.empty() ? "" : ", ") + textOf(list, result.meshes[value.index]);
        }
        if (any)
            put(program, operation.extra, originsName, isConstraint ? text : '[' + text + ']');
    }
    for (Function& function : program.functions) {
        const std::vector<ValueId>& arguments = program.regions[function.body.index].arguments;
        for (std::size_t a = 0; a < arguments.size(); ++a)
            if (const std::vector<AxisOrigin> list = origins.ofValue(arguments[a]); !list.empty())
                putAt(program, function.argumentExtras, a, arguments.size(), originsName,
                    textOf(list, result.meshes[arguments[a].index]));
    }
    if (program.functions.empty())
        return program;
    const std::size_t results = program.main().results.size();
    for (std::size_t r = 0; r < results; ++r)
        if (const std::vector<AxisOrigin> list = origins.ofResult(r); !list.empty())
            putAt(program, program.functions.front().resultExtras, r, results, originsName,
                textOf(list, result.resultMeshes[r]));
    return program;
}

} // namespace shardscope
