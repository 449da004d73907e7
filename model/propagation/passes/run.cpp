// SPDX-License-Identifier: GPL-3.0-or-later
// Passes by their names.
#include <algorithm>
#include <array>

#include "base/codes.h"
#include "propagation/passes/passes.h"

namespace shardscope::passes {

namespace {

using Plain = Program (*)(Program);
using Checked = Result<Program> (*)(Program);
using Configured = Result<Program> (*)(Program, PipelineOptions);

struct PassRow {
    std::string_view name;
    Plain plain = nullptr;
    Checked checked = nullptr;
    Configured configured = nullptr;
};

constexpr std::array rows{
    PassRow{ "canonicalize", canonicalize },
    PassRow{ "sdy-add-data-flow-edges", addDataFlowEdges },
    PassRow{ "sdy-add-func-data-flow-edges", addFunctionDataFlowEdges },
    PassRow{ "sdy-apply-sharding-constraints", applyShardingConstraints },
    PassRow{ "sdy-close-shardings", closeShardings },
    PassRow{ "sdy-constant-or-scalar-merger", mergeConstants },
    PassRow{ "sdy-constant-or-scalar-splitter", splitConstants },
    PassRow{ "sdy-export-named-computations", exportNamedComputations },
    PassRow{ "sdy-flatten-call-graph", flattenCallGraph },
    PassRow{ "sdy-import-func-calls", importFunctionCalls },
    PassRow{ "sdy-import-pipeline", nullptr, nullptr, importPipeline },
    PassRow{ "sdy-insert-func-call-reshards", insertCallReshards },
    PassRow{ "sdy-lift-inlined-meshes", liftInlinedMeshes },
    PassRow{ "sdy-manual-axes-cleanup", nullptr, cleanUpManualAxes },
    PassRow{ "sdy-pre-order-funcs", orderFunctions },
    PassRow{ "sdy-propagate-sharding-from-func-to-call", propagateFromFunctionsToCalls },
    PassRow{ "sdy-propagate-to-func-results", propagateToFunctionResults },
    PassRow{ "sdy-remove-sharding-groups", removeShardingGroups },
    PassRow{ "sdy-remove-size-one-axes", removeSizeOneAxes },
    PassRow{ "sdy-remove-sub-axes-in-input-output-shardings", removeSubAxes },
    PassRow{ "sdy-sharding-constraint-to-reshard", constraintsToReshards },
    PassRow{ "sdy-sharding-group-import", nullptr, importShardingGroups },
    PassRow{ "sdy-sink-data-flow-edges", sinkDataFlowEdges },
    PassRow{ "sdy-sink-func-data-flow-edges", sinkFunctionDataFlowEdges },
    PassRow{ "sdy-unflatten-call-graph", unflattenCallGraph },
    PassRow{ "sdy-update-non-divisible-input-output-shardings", cutToDivisors },
};

tl::unexpected<Error> unknown(const char* key, const std::string& value, std::vector<std::string> known)
{
    const std::string nearest = nearestName(value, known);
    return fail(Code::UnknownValue, { { "key", key }, { "value", value }, { "known", known }, { "nearest", nearest } });
}

Result<PipelineOptions> optionsOf(const PassCall& call)
{
    PipelineOptions options;
    for (const auto& [name, value] : call.options) {
        if (name != "dedup-functions-fully")
            return unknown("option", name, { "dedup-functions-fully" });
        if (value != "true" && value != "false")
            return unknown("dedup-functions-fully", value, { "true", "false" });
        options.dedupFunctionsFully = value == "true";
    }
    return options;
}

} // namespace

Result<Program> run(Program program, const std::vector<PassCall>& calls)
{
    for (const PassCall& call : calls) {
        const auto row =
            std::find_if(rows.begin(), rows.end(), [&](const PassRow& known) { return known.name == call.name; });
        if (row == rows.end()) {
            std::vector<std::string> known;
            for (const PassRow& other : rows)
                known.emplace_back(other.name);
            return unknown("pass", call.name, std::move(known));
        }
        if (!row->configured && !call.options.empty())
            return unknown("option", call.options.front().first, {});
        if (row->plain) {
            program = row->plain(std::move(program));
            continue;
        }
        const Result<PipelineOptions> options = optionsOf(call);
        if (!options)
            return tl::unexpected<Error>(options.error());
        Result<Program> changed =
            row->checked ? row->checked(std::move(program)) : row->configured(std::move(program), *options);
        if (!changed)
            return changed;
        program = std::move(*changed);
    }
    return program;
}

} // namespace shardscope::passes
