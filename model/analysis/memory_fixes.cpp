// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/memory_fixes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <new>

#include "analysis/fixes.h"
#include "base/codes.h"
#include "experiment/model_settings.h"
#include "experiment/network_edits.h"
#include "pipeline/memory_placement.h"
#include "schedule/plan.h"

namespace shardscope {

namespace {

constexpr std::size_t maximumMappings = 2, maximumTried = 6, maximumFixes = 2;
/// The layers of a network are alike: what saves most for this many of them saves most for more.
constexpr std::int64_t maximumLayersTried = 64; ///< so that several variants can be analysed

bool uses(const TensorSharding& sharding, int axis)
{
    return std::any_of(sharding.dims.begin(), sharding.dims.end(), [axis](const DimensionSharding& dim) {
        return std::any_of(dim.axes.begin(), dim.axes.end(), [axis](const AxisRef& ref) { return ref.axis == axis; });
    });
}

/// What mapping a name to an axis would take from each device, as far as the arrays' own bytes tell.
struct Mapping {
    std::string name;
    int axis = -1;
    double saved = 0;
};

/// The most saving first. Names that are sharded somewhere, or that do not divide, are left alone.
std::vector<Mapping> mappings(const Snapshot& snapshot)
{
    const Mesh& mesh = *snapshot.mesh;
    std::map<std::string, std::vector<double>> saved; // by name and axis; empty for names that are left alone
    for (const TensorRow& row : snapshot.tensors) {
        if (isOnHost(snapshot, row))
            continue;
        const TensorSharding& sharding = row.layout.sharding();
        for (std::size_t d = 0; d < std::min(row.dimNames.size(), sharding.dims.size()); ++d) {
            if (row.dimNames[d].empty())
                continue;
            const auto [at, added] = saved.try_emplace(row.dimNames[d], mesh.rank(), 0.0);
            std::vector<double>& byAxis = at->second;
            if (!sharding.dims[d].axes.empty())
                byAxis.clear();
            for (std::size_t axis = 0; axis < byAxis.size(); ++axis) {
                const std::int64_t size = mesh.size(axis);
                if (row.type.shape[d] % size != 0)
                    byAxis[axis] = -std::numeric_limits<double>::infinity();
                else if (!uses(sharding, static_cast<int>(axis)))
                    byAxis[axis] += static_cast<double>(row.bytesPerDevice) * (1 - 1 / static_cast<double>(size));
            }
        }
    }
    std::vector<Mapping> all;
    for (const auto& [name, byAxis] : saved)
        for (std::size_t axis = 0; axis < byAxis.size(); ++axis)
            if (byAxis[axis] > 0)
                all.push_back({ name, static_cast<int>(axis), byAxis[axis] });
    std::stable_sort(all.begin(), all.end(), [](const Mapping& a, const Mapping& b) { return a.saved > b.saved; });
    return all;
}

std::vector<Fix> candidates(const Snapshot& snapshot)
{
    const Mesh& mesh = *snapshot.mesh;
    std::vector<Fix> fixes;
    if (const auto remat = rematOf(*snapshot.experiment); remat && remat != RematPolicy::Full)
        fixes.push_back({ Fix::Kind::Rematerialise, {}, 0, 0 });
    if (rematOf(*snapshot.experiment) && layerFormOf(*snapshot.experiment) == LayerForm::Unrolled)
        fixes.push_back({ Fix::Kind::ScanLayers, {}, 0, 0 });
    const std::size_t before = fixes.size();
    for (const Mapping& mapping : mappings(snapshot)) {
        if (fixes.size() == before + maximumMappings)
            break;
        fixes.push_back(
            { Fix::Kind::MapName, mapping.name, 0, 0, { mesh.axis(static_cast<std::size_t>(mapping.axis)).name } });
    }
    if (snapshot.experiment->placement.paramsOnDevices)
        fixes.push_back({ Fix::Kind::ParamsOnHost, {}, 0, 0 });
    for (std::size_t axis = mesh.rank(); axis-- > 0;)
        fixes.push_back({ Fix::Kind::SetAxisSize, mesh.axis(axis).name, mesh.size(axis) * 2, 0 });
    constexpr const char* batch = "batch";
    for (const TensorRow& row : snapshot.tensors) {
        const auto at = std::find(row.dimNames.begin(), row.dimNames.end(), batch);
        if (at == row.dimNames.end())
            continue;
        const std::int64_t size = row.type.shape[static_cast<std::size_t>(at - row.dimNames.begin())];
        if (size > 1 && size % 2 == 0)
            fixes.push_back({ Fix::Kind::SetDimension, batch, size / 2, 0 });
        break;
    }
    return fixes;
}

/// Peak bytes of a device; nothing where the experiment cannot be laid out.
std::optional<std::int64_t> peakBytes(
    Experiment experiment, std::uint64_t revision, AnalysisCache& cache, const std::stop_token& stop)
{
    const SnapshotPtr result =
        analyse(std::make_shared<const Experiment>(std::move(experiment)), revision, cache, stop, LastStage::Plan);
    if (!result || !result->ok())
        return std::nullopt;
    return result->plan->memory.peakBytes;
}

std::vector<Fix> fixesOf(const Snapshot& snapshot, AnalysisCache& cache, const std::stop_token& stop)
{
    struct Tried {
        Fix fix;
        std::int64_t bytes;
    };
    Experiment tried = withLayersAtMost(*snapshot.experiment, maximumLayersTried);
    tried.hardware.memoryPerDevice = std::numeric_limits<std::int64_t>::max(); // how much, not whether too much
    std::optional<std::int64_t> before = snapshot.plan->memory.peakBytes;
    if (tried.model != snapshot.experiment->model) {
        before = peakBytes(tried, snapshot.revision, cache, stop);
        if (!before) { // a setting names a layer that is not among those
            tried.model = snapshot.experiment->model;
            before = snapshot.plan->memory.peakBytes;
        }
    }
    std::vector<Tried> better;
    std::size_t count = 0;
    for (const Fix& fix : candidates(snapshot)) {
        if (count == maximumTried || stop.stop_requested())
            break;
        Result<Experiment> after = applyFix(tried, fix);
        if (!after || *after == tried)
            continue;
        ++count;
        const std::optional<std::int64_t> bytes = peakBytes(std::move(*after), snapshot.revision, cache, stop);
        if (bytes && *bytes < *before)
            better.push_back({ fix, *bytes });
    }
    std::stable_sort(better.begin(), better.end(), [](const Tried& a, const Tried& b) { return a.bytes < b.bytes; });
    std::vector<Fix> fixes;
    for (Tried& each : better)
        if (fixes.size() < maximumFixes)
            fixes.push_back(std::move(each.fix));
    return fixes;
}

} // namespace

std::vector<Fix> memoryFixes(const Snapshot& snapshot, AnalysisCache& cache, const std::stop_token& stop)
{
    try {
        if (snapshot.plan)
            return fixesOf(snapshot, cache, stop);
    } catch (const std::bad_alloc&) { // somebody else needs the memory more
    }
    return {};
}

bool asksForMemoryFixes(const Snapshot& snapshot, const Problem& problem)
{
    const Diagnostic& found = problem.diagnostic;
    const bool isOver = found.code == Code::OverMemoryLimit
        || (found.code == Code::Acknowledged && found.text("finding") == codeRow(Code::OverMemoryLimit).id);
    return isOver && snapshot.plan && !snapshot.isPartitioned();
}

} // namespace shardscope
