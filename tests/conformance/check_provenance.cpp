// SPDX-License-Identifier: GPL-3.0-or-later
// debug_edges, debug_origins: what propagation records of itself, beside the shardings.
#include <algorithm>

#include "conformance/program_compare.h"
#include "conformance/run_passes.h"
#include "propagation/write_provenance.h"

namespace shardscope::conformance {

namespace {

/// Edges of steps in one order: within a step neither edges nor targets have any.
Json withSortedEdges(Json steps)
{
    for (Json& step : steps) {
        for (Json& edge : step["edges"])
            std::sort(edge["targets"].begin(), edge["targets"].end());
        std::sort(step["edges"].begin(), step["edges"].end(),
            [](const Json& a, const Json& b) { return a.dump() < b.dump(); });
    }
    return steps;
}

class ProvenanceCheck {
public:
    ProvenanceCheck(const PropagationRun& run, const Program& before)
        : m_run(run)
        , m_program(run.propagated.program)
    {
        m_input.program = ProgramPtr(&m_program, [](const Program*) {});
        m_input.options = run.options;
        const ShardingOrigins names(m_input, run.propagated.result);
        m_origins.emplace(m_input, run.propagated.result, copiedOrigins(before, run.input, names));
    }

    [[nodiscard]] CaseExtras extras() const
    {
        CaseExtras extras;
        extras.operation = [this](const Json& attrs, OperationId operation, RegionId) {
            return operation.valid() ? ofOperation(attrs, operation) : std::string();
        };
        extras.argument = [this](const Json& attrs, const Function& function, std::size_t argument) {
            return originsDifference(attrs, ofValue(m_program.regions[function.body.index].arguments[argument]));
        };
        extras.result = [this](const Json& attrs, const Function&, std::size_t result) {
            const PropagationResult& propagated = m_run.propagated.result;
            std::string found;
            if (attrs.contains("sdy.propagation_edges"))
                found = edgesDifference(attrs, resultEdges(propagated, result), 1, propagated.resultMeshes[result]);
            if (found.empty())
                found = originsDifference(attrs, json(m_origins->ofResult(result), propagated.resultMeshes[result]));
            return found;
        };
        return extras;
    }

private:
    [[nodiscard]] std::uint32_t meshOf(ValueId value) const
    {
        const std::uint32_t mesh = m_run.propagated.result.meshes[value.index];
        return mesh == 0 ? 0 : mesh - 1;
    }
    [[nodiscard]] Json json(const std::vector<AxisOrigin>& origins, std::uint32_t mesh) const
    {
        Json result = Json::object();
        for (const AxisOrigin& origin : origins)
            result[axisText(m_program, mesh == 0 ? 0 : mesh - 1, origin.axis)] =
                origin.isSelf ? "self" : toString(origin.origin);
        return result;
    }
    [[nodiscard]] Json ofValue(ValueId value) const { return json(m_origins->ofValue(value), meshOf(value) + 1); }

    [[nodiscard]] static std::string originsDifference(const Json& attrs, const Json& got)
    {
        if (!attrs.contains("sdy.sharding_origins"))
            return {};
        return difference(attrs["sdy.sharding_origins"], got, "origins");
    }
    [[nodiscard]] std::string edgesDifference(
        const Json& attrs, const std::vector<StepEdges>& steps, std::size_t operands, std::uint32_t mesh) const
    {
        const auto tensor = [&](std::int16_t number) {
            const auto index = static_cast<std::size_t>(number);
            return index < operands ? "operand-" + std::to_string(index) : "result-" + std::to_string(index - operands);
        };
        Json expected = attrs["sdy.propagation_edges"].at(0);
        for (Json& step : expected)
            for (Json& edge : step["edges"])
                edge["axis"] = axisText(m_program, meshName(mesh), edge["axis"]);
        Json got = Json::array();
        for (const StepEdges& step : steps) {
            Json edges = Json::array();
            for (const AxisEdge& edge : step.edges) {
                Json targets = Json::array();
                for (const std::int16_t target : edge.targets)
                    targets.push_back(tensor(target));
                edges.push_back({ { "axis", axisText(m_program, mesh == 0 ? 0 : mesh - 1, edge.axis) },
                    { "source", tensor(edge.source) }, { "targets", targets } });
            }
            got.push_back({ { "step", step.step - 1 }, { "edges", edges } });
        }
        return difference(withSortedEdges(expected), withSortedEdges(got), "edges");
    }
    [[nodiscard]] Json meshName(std::uint32_t mesh) const { return m_program.meshes[mesh == 0 ? 0 : mesh - 1].name; }

    [[nodiscard]] std::string ofOperation(const Json& attrs, OperationId id) const
    {
        const Operation& operation = m_program.operation(id);
        std::string found;
        if (attrs.contains("sdy.propagation_edges"))
            found = edgesDifference(attrs, propagationEdges(m_input, m_run.propagated.result)[id.index],
                operation.operands.size(), meshOf(operation.results[0]) + 1);
        if (found.empty() && attrs.contains("sdy.sharding_origin_name"))
            found = difference(
                attrs["sdy.sharding_origin_name"], Json(toString(m_origins->nameOf(operation.results[0]))), "name");
        if (!found.empty() || !attrs.contains("sdy.sharding_origins"))
            return found;
        if (attrs["sdy.sharding_origins"].is_object())
            return originsDifference(attrs, ofValue(operation.results[0]));
        Json all = Json::array();
        for (const ValueId result : operation.results)
            all.push_back(ofValue(result));
        return originsDifference(attrs, all);
    }

    const PropagationRun& m_run;
    const Program& m_program;
    PropagationInput m_input;
    std::optional<ShardingOrigins> m_origins;
};

/// A result takes its origins over from the value that it returns, unless it has a sharding of its own. Not empty where
/// a case expects other ones of the two: the place of one of them was not found right when the case was made.
std::string originsContradiction(const Json& oneCase)
{
    for (const Json& function : oneCase.at("functions")) {
        const std::string name = function.at("name");
        const Json expected = oneCase.at("expect").at("functions").value(name, Json::object());
        const Json& returned = function.at("ops").back();
        if (!expected.contains("results") || returned.at("op") != "func.return")
            continue;
        for (std::size_t i = 0; i < expected.at("results").size() && i < function.at("results").size(); ++i) {
            const Json ofResult = expected.at("results")[i].value("attrs", Json::object());
            const std::string value = returned.at("operands")[i];
            if (!function.at("results")[i].at("sharding").is_null() || !ofResult.contains("sdy.sharding_origins")
                || !value.starts_with('v'))
                continue;
            // "v3.0": the first result of operation 3.
            const int operation = std::stoi(value.substr(1));
            const std::size_t number = std::stoul(value.substr(value.find('.') + 1));
            for (const Json& one : expected.at("ops")) {
                const Json ofOperation = one.value("attrs", Json::object());
                if (one.at("match") != operation || !ofOperation.contains("sdy.sharding_origins"))
                    continue;
                const Json& origins = ofOperation.at("sdy.sharding_origins");
                const Json& ofValue = origins.is_array() ? origins.at(number) : origins;
                for (const auto& [axis, origin] : ofResult.at("sdy.sharding_origins").items())
                    if (ofValue.contains(axis) && ofValue.at(axis) != origin)
                        return "/" + name + ": of axis " + axis + " result " + std::to_string(i)
                            + " is expected to have another origin than the value that it returns";
            }
        }
    }
    return {};
}

CaseResult checkOrigins(const Json& oneCase)
{
    auto input = buildProgram(oneCase);
    if (!input)
        return CaseResult::failed(input.error());
    const auto run = runPasses(oneCase, input->program);
    if (!run)
        return CaseResult::unsupported(run.error());
    const ProvenanceCheck provenance(*run, input->program);
    return compareProgram(oneCase, *input, run->output, provenance.extras());
}

} // namespace

CaseResult checkProvenance(const Json& oneCase, const Json&)
{
    CaseResult result = checkOrigins(oneCase);
    if (result.status != CaseResult::Status::Failed)
        return result;
    // What contradicts itself cannot be met everywhere. How many such cases there may be has a maximum.
    const std::string contradiction = originsContradiction(oneCase);
    return contradiction.empty() ? result : CaseResult::unsupported(contradiction);
}

} // namespace shardscope::conformance
