// SPDX-License-Identifier: GPL-3.0-or-later
// propagation_*: programs propagated by one pass. Edges that the passes before it would add are implicit here; with
// edge operations in the input these count.
#include "conformance/program_compare.h"
#include "propagation/written.h"

namespace shardscope::conformance {

namespace {

Strategy strategyOf(const std::string& pass)
{
    if (pass == "sdy-basic-propagate")
        return Strategy::Basic;
    if (pass == "sdy-aggressive-propagate")
        return Strategy::Aggressive;
    return pass == "sdy-op-priority-propagate" ? Strategy::OperationPriority : Strategy::Full;
}

PropagationOptions optionsOf(const Json& options)
{
    PropagationOptions result;
    result.conservative = options.value("conservative-propagation", false);
    const std::string strategy = options.value("propagation-strategy", "aggressive");
    if (strategy == "basic")
        result.resolution = ConflictResolution::Basic;
    else if (strategy == "basic-then-aggressive")
        result.resolution = ConflictResolution::BasicThenAggressive;
    result.implicitEdges = false;
    result.implicitCallEdges = false;
    return result;
}

} // namespace

CaseResult checkPropagation(const Json& oneCase, const Json&)
{
    auto input = buildProgram(oneCase);
    if (!input)
        return CaseResult::failed(input.error());
    Program program = input->program;
    bool edges = false;
    for (const Json& pass : oneCase.at("passes")) {
        const std::string name = pass.at("pass").get<std::string>();
        if (name == "sdy-add-data-flow-edges") {
            edges = true;
            continue;
        }
        if (name == "sdy-sink-data-flow-edges")
            continue;
        if (!name.ends_with("-propagate"))
            return CaseResult::unsupported("pass " + name);
        PropagationOptions options = optionsOf(pass.at("options"));
        options.implicitEdges = edges;
        program = propagateProgram(program, strategyOf(name), options).program;
    }
    return compareProgram(oneCase, *input, program);
}

} // namespace shardscope::conformance
