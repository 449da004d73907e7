// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/pass_rows.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/codes.h"
#include "conformance/shardy_passes.h"
#include "partition/export/canonicalize_collectives.h"
#include "partition/export/explicit_reshards.h"
#include "partition/export/export_program.h"
#include "partition/reshard_to_collectives.h"
#include "program/verify_shardings.h"
#include "propagation/calls/call_graph.h"
#include "propagation/pass_pipelines.h"
#include "propagation/passes.h"
#include "propagation/propagate_program.h"

namespace shardscope::passes {

namespace {

/// What a pass may be told.
struct Options {
    bool dedupFunctionsFully = false;
    bool conservative = false;
    ConflictResolution resolution = ConflictResolution::Aggressive;
    // Of the passes around reshards and collectives.
    bool fullVersion = false;
    bool explicitCollectives = false;
    bool keepRedundantReshards = false;
    bool leaveCollectivesToProducts = false;
};
using Outcome = Result<PassOutcome>;

struct PassRow {
    std::string_view name;
    Outcome (*pass)(Program, const Options&);
};

/// With edges as operations.
PipelineOptions pipelineOptions(const Options& options)
{
    PipelineOptions result;
    result.dedupFunctionsFully = options.dedupFunctionsFully;
    result.propagation.conservative = options.conservative;
    result.propagation.resolution = options.resolution;
    result.propagation.implicitEdges = false;
    result.propagation.implicitCallEdges = false;
    return result;
}

template <Program (*pass)(Program)>
Outcome plain(Program program, const Options&)
{
    return PassOutcome{ pass(std::move(program)), {} };
}

Outcome checked(Result<Program> program)
{
    if (!program)
        return tl::unexpected<Error>(program.error());
    return PassOutcome{ std::move(*program), {} };
}
template <Result<Program> (*pass)(Program)>
Outcome checked(Program program, const Options&)
{
    return checked(pass(std::move(program)));
}

Outcome imported(Program program, const Options& options)
{
    return checked(importPipeline(std::move(program), pipelineOptions(options)));
}
Outcome pipeline(Program program, const Options& options)
{
    Result<PipelineOutcome> outcome = propagationPipeline(std::move(program), pipelineOptions(options));
    if (!outcome)
        return tl::unexpected<Error>(outcome.error());
    return PassOutcome{ std::move(outcome->program), std::move(outcome->warnings) };
}
Outcome unreducedVerified(Program program, const Options&)
{
    if (std::optional<Diagnostic> found = verifyUnreduced(program))
        return tl::unexpected<Error>(std::move(*found));
    return PassOutcome{ std::move(program), {} };
}
Program keepAllDivisors(Program program)
{
    return keepDivisors(std::move(program), DivisorBoundaries::All);
}
template <Strategy strategy>
Outcome propagated(Program program, const Options& options)
{
    PassOutcome outcome;
    outcome.warnings = groupConflicts(program);
    outcome.program = propagateProgram(program, strategy, pipelineOptions(options).propagation).program;
    return outcome;
}

constexpr std::array rows{
    PassRow{ "canonicalize", plain<canonicalize> },
    PassRow{ "sdy-add-data-flow-edges", plain<addDataFlowEdges> },
    PassRow{ "sdy-add-func-data-flow-edges", plain<addFunctionDataFlowEdges> },
    PassRow{ "sdy-aggressive-propagate", propagated<Strategy::Aggressive> },
    PassRow{ "sdy-apply-sharding-constraints", plain<applyShardingConstraints> },
    PassRow{ "sdy-basic-propagate", propagated<Strategy::Basic> },
    PassRow{ "sdy-close-shardings", plain<closeShardings> },
    PassRow{ "sdy-constant-or-scalar-merger", plain<mergeConstants> },
    PassRow{ "sdy-constant-or-scalar-splitter", plain<splitConstants> },
    PassRow{ "sdy-export-named-computations", plain<exportNamedComputations> },
    PassRow{ "sdy-flatten-call-graph", plain<flattenCallGraph> },
    PassRow{ "sdy-import-func-calls", plain<importFunctionCalls> },
    PassRow{ "sdy-import-pipeline", imported },
    PassRow{ "sdy-insert-func-call-reshards", plain<insertCallReshards> },
    PassRow{ "sdy-lift-inlined-meshes", plain<liftInlinedMeshes> },
    PassRow{ "sdy-manual-axes-cleanup", checked<cleanUpManualAxes> },
    PassRow{ "sdy-op-priority-propagate", propagated<Strategy::OperationPriority> },
    PassRow{ "sdy-pre-order-funcs", plain<orderFunctions> },
    PassRow{ "sdy-propagate-sharding-from-func-to-call", plain<propagateFromFunctionsToCalls> },
    PassRow{ "sdy-propagate-to-func-results", plain<propagateToFunctionResults> },
    PassRow{ "sdy-propagation-pipeline", pipeline },
    PassRow{ "sdy-remove-sharding-groups", plain<removeShardingGroups> },
    PassRow{ "sdy-remove-size-one-axes", plain<removeSizeOneAxes> },
    PassRow{ "sdy-remove-sub-axes-in-input-output-shardings", plain<removeSubAxes> },
    PassRow{ "sdy-sharding-constraint-to-reshard", plain<constraintsToReshards> },
    PassRow{ "sdy-sharding-group-import", checked<importShardingGroups> },
    PassRow{ "sdy-sink-data-flow-edges", plain<sinkDataFlowEdges> },
    PassRow{ "sdy-sink-func-data-flow-edges", plain<sinkFunctionDataFlowEdges> },
    PassRow{ "sdy-unflatten-call-graph", plain<unflattenCallGraph> },
    PassRow{ "sdy-update-non-divisible-input-output-shardings", plain<keepAllDivisors> },
    PassRow{ "sdy-user-priority-propagate", propagated<Strategy::Full> },
    PassRow{ "sdy-verify-unreduced-axes", unreducedVerified },
};

Outcome reshardsInserted(Program program, const Options& options)
{
    Result<ExplicitReshards> outcome = insertExplicitReshards(
        std::move(program), options.fullVersion ? ReshardVersion::Full : ReshardVersion::Minimal);
    if (!outcome)
        return tl::unexpected<Error>(std::move(outcome.error()));
    return PassOutcome{ std::move(outcome->program), {} };
}

Outcome collectivesMade(Program program, const Options& options)
{
    return PassOutcome{ reshardToCollectives(std::move(program), { .keepRedundant = options.keepRedundantReshards }),
        {} };
}

Outcome canonicalized(Program program, const Options&)
{
    return PassOutcome{ canonicalizeAll(std::move(program)), {} };
}

Outcome exported(Program program, const Options& options)
{
    Result<Program> final = exportPipeline(std::move(program));
    if (!final)
        return tl::unexpected<Error>(std::move(final.error()));
    Result<Exported> outcome = insertCollectives(std::move(*final),
        { .explicitCollectives = options.explicitCollectives, .keepRedundantReshards = options.keepRedundantReshards });
    if (!outcome)
        return tl::unexpected<Error>(std::move(outcome.error()));
    if (options.explicitCollectives && options.leaveCollectivesToProducts)
        outcome->program = leaveCollectivesToProducts(std::move(outcome->program));
    inlineMeshes(outcome->program);
    return PassOutcome{ std::move(outcome->program), {} };
}

Outcome pipelineWithReshards(Program program, const Options& options)
{
    Result<PipelineOutcome> propagated = propagationPipeline(std::move(program), pipelineOptions(options));
    if (!propagated)
        return tl::unexpected<Error>(std::move(propagated.error()));
    Result<Exported> outcome = insertCollectives(std::move(propagated->program));
    if (!outcome)
        return tl::unexpected<Error>(std::move(outcome.error()));
    return PassOutcome{ std::move(outcome->program), std::move(propagated->warnings) };
}

constexpr std::array collectiveRows{
    PassRow{ "canonicalize", canonicalized },
    PassRow{ "sdy-export-pipeline", exported },
    PassRow{ "sdy-insert-explicit-reshards", reshardsInserted },
    PassRow{ "sdy-propagation-pipeline", pipelineWithReshards },
    PassRow{ "sdy-reshard-to-collectives", collectivesMade },
};

tl::unexpected<Error> unknown(const char* key, const std::string& value, std::vector<std::string> known)
{
    const std::string nearest = nearestName(value, known);
    return fail(Code::UnknownValue,
        { { "key", key }, { "value", value }, { "known", std::move(known) }, { "nearest", nearest } });
}

struct Switch {
    std::string_view name;
    bool Options::*value;
};
constexpr std::array switches{
    Switch{ "conservative-propagation", &Options::conservative },
    Switch{ "dedup-functions-fully", &Options::dedupFunctionsFully },
    Switch{ "enable-full-version", &Options::fullVersion },
    Switch{ "enable-insert-explicit-collectives", &Options::explicitCollectives },
    Switch{ "keep-redundant-reshards", &Options::keepRedundantReshards },
    Switch{ "remove-all-gather-reduce-scatter-for-cmv1", &Options::leaveCollectivesToProducts },
};

Result<Options> optionsOf(const PassCall& call)
{
    Options options;
    for (const auto& [name, value] : call.options) {
        if (name == "propagation-strategy") {
            if (value == "basic")
                options.resolution = ConflictResolution::Basic;
            else if (value == "basic-then-aggressive")
                options.resolution = ConflictResolution::BasicThenAggressive;
            else if (value != "aggressive")
                return unknown("propagation-strategy", value, { "aggressive", "basic", "basic-then-aggressive" });
            continue;
        }
        const auto known =
            std::find_if(switches.begin(), switches.end(), [&](const Switch& one) { return one.name == name; });
        if (known == switches.end()) {
            std::vector<std::string> names{ "propagation-strategy" };
            for (const Switch& one : switches)
                names.emplace_back(one.name);
            return unknown("option", name, std::move(names));
        }
        if (value != "true" && value != "false")
            return unknown(name.c_str(), value, { "true", "false" });
        options.*known->value = value == "true";
    }
    return options;
}

/// Passes of `more` count before those of the same name.
Outcome runRows(Program program, const std::vector<PassCall>& calls, std::span<const PassRow> more)
{
    std::vector<Diagnostic> warnings;
    for (const PassCall& call : calls) {
        const auto isMeant = [&](const PassRow& known) { return known.name == call.name; };
        const auto added = std::find_if(more.begin(), more.end(), isMeant);
        const auto own = std::find_if(rows.begin(), rows.end(), isMeant);
        if (added == more.end() && own == rows.end()) {
            std::vector<std::string> known;
            for (const std::span<const PassRow> list : { std::span<const PassRow>(rows), more })
                for (const PassRow& other : list)
                    known.emplace_back(other.name);
            return unknown("pass", call.name, std::move(known));
        }
        const Result<Options> options = optionsOf(call);
        if (!options)
            return tl::unexpected<Error>(options.error());
        Outcome outcome = (added != more.end() ? *added : *own).pass(std::move(program), *options);
        if (!outcome)
            return outcome;
        program = std::move(outcome->program);
        warnings.insert(warnings.end(), outcome->warnings.begin(), outcome->warnings.end());
    }
    return PassOutcome{ std::move(program), std::move(warnings) };
}

} // namespace

Result<PassOutcome> run(Program program, const std::vector<PassCall>& calls)
{
    return runRows(std::move(program), calls, {});
}

Result<PassOutcome> runAny(Program program, const std::vector<PassCall>& calls)
{
    return runRows(std::move(program), calls, collectiveRows);
}

} // namespace shardscope::passes
