// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replicated_parameters.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/fixes.h"
#include "analysis/parameter_coverage.h"
#include "analysis/parameter_tree.h"
#include "base/codes.h"
#include "experiment/model_settings.h"
#include "experiment/rule_lists.h"
#include "pipeline/memory_placement.h"
#include "program/types.h"

namespace shardscope {

namespace {

constexpr std::size_t maximumNamesTried = 3;
constexpr std::int64_t layersToTry = 4; ///< layers are alike

/// Sizes of dimensions beyond the first one (of batches, as a rule) along which some value is sharded.
std::set<std::int64_t> shardedSizes(const Snapshot& snapshot)
{
    std::set<std::int64_t> sizes;
    const std::vector<TensorSharding>& shardings = snapshot.propagation->shardings;
    for (std::size_t i = 0; i < std::min(shardings.size(), snapshot.program->values.size()); ++i)
        for (std::size_t d = 1; d < shardings[i].dims.size(); ++d)
            if (!shardings[i].dims[d].axes.empty())
                sizes.insert(snapshot.program->values[i].type.shape[d]);
    return sizes;
}

/// What findings of their own say is not sharded.
std::set<std::uint32_t> explained(const Snapshot& snapshot)
{
    std::set<std::uint32_t> values;
    for (const Problem& problem : snapshot.problems)
        if (problem.diagnostic.code == Code::SilentlyReplicated || problem.diagnostic.code == Code::Indivisible
            || problem.diagnostic.code == Code::AtomSplit)
            for (const ValueId value : problem.values)
                values.insert(value.index);
    return values;
}

struct NameToMap {
    std::size_t dim = 0, axis = 0;
    bool disturbs = false; ///< another parameter of that name uses the axis for another dimension
};

bool usesAxisAt(const TensorRow& row, std::size_t axis)
{
    const std::vector<DimensionSharding>& dims = row.layout.sharding().dims;
    return std::any_of(dims.begin(), dims.end(), [axis](const DimensionSharding& dim) {
        return std::any_of(dim.axes.begin(), dim.axes.end(),
            [axis](const AxisRef& ref) { return ref.axis == static_cast<std::int32_t>(axis); });
    });
}

/// Those that leave others as they are come first, then larger axes.
std::vector<NameToMap> namesToMap(const Snapshot& snapshot, const TensorRow& row)
{
    const Mesh& mesh = *snapshot.mesh;
    std::vector<NameToMap> all;
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis)
        for (std::size_t d = 0; d < std::min(row.dimNames.size(), row.type.rank()); ++d) {
            const std::string& name = row.dimNames[d];
            if (name.empty() || mesh.size(axis) == 1 || row.type.shape[d] % mesh.size(axis) != 0)
                continue;
            const bool disturbs =
                std::any_of(snapshot.tensors.begin(), snapshot.tensors.end(), [&](const TensorRow& other) {
                    return isParameter(snapshot, other) && usesAxisAt(other, axis)
                        && std::find(other.dimNames.begin(), other.dimNames.end(), name) != other.dimNames.end();
                });
            all.push_back({ d, axis, disturbs });
        }
    std::stable_sort(all.begin(), all.end(), [&](const NameToMap& a, const NameToMap& b) {
        return std::pair(a.disturbs, -mesh.size(a.axis)) < std::pair(b.disturbs, -mesh.size(b.axis));
    });
    return all;
}

std::vector<Fix> fixesFor(
    const Snapshot& snapshot, const TensorRow& row, AnalysisCache& cache, const std::stop_token& stop)
{
    const std::vector<ResolvedAnnotation>& arguments = snapshot.annotations->arguments;
    const auto annotation = std::find_if(arguments.begin(), arguments.end(),
        [&](const ResolvedAnnotation& argument) { return argument.value == row.value; });
    if (annotation == arguments.end() || !annotation->resolution)
        return {};
    const Experiment tried = withLayersAtMost(*snapshot.experiment, layersToTry);
    std::size_t count = 0;
    for (const NameToMap& mapping : namesToMap(snapshot, row)) {
        if (count++ == maximumNamesTried || stop.stop_requested())
            break;
        Fix fix{ Fix::Kind::MapName, row.dimNames[mapping.dim], ruleNumber({ { annotation->innerRules }, 0 }), 0,
            { snapshot.mesh->axis(mapping.axis).name } };
        Result<Experiment> after = applyFix(tried, fix);
        if (!after)
            continue;
        const SnapshotPtr result = analyse(std::make_shared<const Experiment>(std::move(*after)), snapshot.revision,
            cache, stop, LastStage::Propagation);
        if (!result || !result->laidOut() || result->errorCount() > 0)
            continue;
        if (const TensorRow* now = result->row(row.path); now && now->layout.distinctShards() > 1)
            return { std::move(fix) };
    }
    return {};
}

} // namespace

std::vector<Problem> replicatedParameterProblems(
    const Snapshot& snapshot, AnalysisCache& cache, const std::stop_token& stop)
{
    const ParameterCoverage coverage = parameterCoverage(snapshot);
    if (coverage.replicated.empty() || coverage.replicated.front().bytes < leastReplicatedBytes)
        return {};
    std::int64_t perDevice = 0;
    for (const TensorRow& row : snapshot.tensors)
        if (isParameter(snapshot, row) && !isOnHost(snapshot, row))
            perDevice = saturatingSum(perDevice, row.bytesPerDevice);
    std::map<std::string, std::int64_t> large; // bytes of those that are alike
    for (const ParameterCoverage::Replicated& alike : coverage.replicated)
        if (alike.bytes >= std::max(leastReplicatedBytes, perDevice / 100))
            large.emplace(withoutLayerNumbers(alike.path), alike.bytes);

    const bool shardsOthers = coverage.bytesSharded(2) > 0;
    const std::set<std::int64_t> sizes = shardsOthers ? std::set<std::int64_t>() : shardedSizes(snapshot);
    const std::set<std::uint32_t> known = explained(snapshot);
    std::int64_t bytes = 0, largestBytes = 0;
    std::vector<ValueId> values;
    const TensorRow* first = nullptr;
    for (const TensorRow& row : snapshot.tensors) {
        if (!isParameter(snapshot, row) || row.layout.distinctShards() > 1 || isOnHost(snapshot, row)
            || known.contains(row.value.index))
            continue;
        const auto alike = large.find(withoutLayerNumbers(row.path));
        if (alike == large.end())
            continue;
        const bool couldBe = shardsOthers
            || std::any_of(
                row.type.shape.begin(), row.type.shape.end(), [&](std::int64_t size) { return sizes.contains(size); });
        if (!couldBe)
            continue;
        bytes = saturatingSum(bytes, row.bytesPerDevice);
        values.push_back(row.value);
        if (alike->second > largestBytes) {
            largestBytes = alike->second;
            first = &row;
        }
    }
    if (!first || bytes < perDevice / 4)
        return {};
    // The one that is named stands first.
    std::iter_swap(values.begin(), std::find(values.begin(), values.end(), first->value));
    Diagnostic diagnostic{ Code::LargeReplicated,
        { { "tensors", static_cast<std::int64_t>(values.size()) }, { "bytes", bytes }, { "of", perDevice },
            { "devices", coverage.devices } },
        {} };
    diagnostic.where.path = first->path;
    std::vector<Problem> problems;
    problems.push_back({ std::move(diagnostic), fixesFor(snapshot, *first, cache, stop), std::move(values) });
    return problems;
}

} // namespace shardscope
