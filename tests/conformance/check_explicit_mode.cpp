// SPDX-License-Identifier: GPL-3.0-or-later
// explicit_mode_ops: JAX's explicit mode as a check.
#include <algorithm>
#include <array>
#include <numeric>

#include "conformance/plain_shardings.h"
#include "program/explicit_mode.h"

namespace shardscope::conformance {

namespace {

ExplicitArray arrayOf(const Mesh& mesh, const Json& shape, const Json& spec)
{
    return { plainShape(shape), plainSharding(mesh, spec, shape.size()) };
}

CaseResult compareOutcome(const Json& c, const Mesh& mesh, const ExplicitOutcome& outcome)
{
    if (c.contains("outcome") && (c.at("outcome") == "ok") != (outcome.problem == ExplicitProblem::None))
        return CaseResult::failed("/outcome: got " + std::string(kindName(outcome.problem)));
    if (outcome.problem != ExplicitProblem::None)
        return compareMembers(c, { { "error_kind", kindName(outcome.problem) } });
    Json actual{ { "out_spec", specJson(mesh, outcome.sharding) } };
    if (c.contains("out_shape"))
        actual["out_shape"] = std::vector<std::int64_t>(outcome.shape.begin(), outcome.shape.end());
    return compareMembers(c, actual);
}

CaseResult checkReduce(const Json& c, const Mesh& mesh)
{
    const ExplicitArray operand = arrayOf(mesh, c.at("shape"), c.at("spec"));
    std::vector<std::int64_t> dimensions(operand.shape.size());
    std::iota(dimensions.begin(), dimensions.end(), 0);
    if (!c.at("reduce_axes").is_null())
        dimensions = c.at("reduce_axes").get<std::vector<std::int64_t>>();
    const ExplicitOutcome outcome = explicitReduce(operand, dimensions);
    AxisList expected = plainAxes(mesh, c.at("all_reduce_over"));
    std::sort(expected.begin(), expected.end());
    if (!(expected == outcome.reduced))
        return CaseResult::failed("/all_reduce_over: got " + axesJson(mesh, outcome.reduced).dump());
    return compareOutcome(c, mesh, outcome);
}

CaseResult checkReshape(const Json& c, const Mesh& mesh)
{
    const ExplicitOutcome outcome =
        explicitReshape(arrayOf(mesh, c.at("in_shape"), c.at("in_spec")), plainShape(c.at("out_shape")));
    const Json collectives = c.value("collectives", Json());
    if (collectives.is_array() && !collectives.empty())
        return CaseResult::unsupported("a reshape with collectives");
    return compareOutcome(c, mesh, outcome);
}

} // namespace

CaseResult checkExplicitMode(const Json& oneCase, const Json& /*file*/)
{
    const std::string kind = oneCase.value("kind", "");
    if (kind != "binary" && kind != "reduce" && kind != "reshape")
        return CaseResult::unsupported("rules in words");
    const MeshPtr mesh = plainMesh(oneCase.at("mesh"));
    if (kind == "reduce")
        return checkReduce(oneCase, *mesh);
    if (kind == "reshape")
        return checkReshape(oneCase, *mesh);
    const std::array operands{ arrayOf(*mesh, oneCase.at("lhs").at("shape"), oneCase.at("lhs").at("spec")),
        arrayOf(*mesh, oneCase.at("rhs").at("shape"), oneCase.at("rhs").at("spec")) };
    return compareOutcome(oneCase, *mesh, explicitElementwise(operands));
}

} // namespace shardscope::conformance
