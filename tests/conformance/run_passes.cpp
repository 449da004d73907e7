// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/run_passes.h"

#include "conformance/pass_rows.h"

namespace shardscope::conformance {

namespace {

/// Recording needs no switch: the log is always there.
bool isRecording(const std::string& option)
{
    return option.find("debug-") != std::string::npos || option == "keep-sharding-rules";
}

Strategy strategyOf(const std::string& pass)
{
    if (pass == "sdy-basic-propagate")
        return Strategy::Basic;
    if (pass == "sdy-aggressive-propagate")
        return Strategy::Aggressive;
    return pass == "sdy-op-priority-propagate" ? Strategy::OperationPriority : Strategy::Full;
}

/// Edges are those that stand in the program.
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

tl::expected<PropagationRun, std::string> runPasses(const Json& oneCase, Program program)
{
    PropagationRun run;
    for (const Json& pass : oneCase.at("passes")) {
        const std::string name = pass.at("pass").get<std::string>();
        if (name.ends_with("-propagate")) {
            run.input = program;
            run.options = optionsOf(pass.at("options"));
            run.propagated = propagateProgram(program, strategyOf(name), run.options);
            program = run.propagated.program;
            continue;
        }
        passes::PassCall call{ name, {} };
        for (const auto& [option, value] : pass.at("options").items())
            if (!isRecording(option))
                call.options.emplace_back(option, value.is_string() ? value.get<std::string>() : value.dump());
        auto done = passes::run(std::move(program), { call });
        if (!done)
            return tl::unexpected<std::string>("the pass " + name + " fails");
        program = std::move(done->program);
    }
    run.output = std::move(program);
    return run;
}

} // namespace shardscope::conformance
