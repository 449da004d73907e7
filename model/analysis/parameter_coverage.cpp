// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/parameter_coverage.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>

#include "analysis/parameter_tree.h"
#include "program/types.h"

namespace shardscope {

std::int64_t ParameterCoverage::bytesSharded(std::int64_t shards) const
{
    std::int64_t sum = 0;
    for (const Fold& fold : folds)
        if (fold.shards >= shards)
            sum = saturatingSum(sum, fold.bytes);
    return sum;
}

std::int64_t ParameterCoverage::medianShards() const
{
    std::int64_t sum = 0;
    for (const Fold& fold : folds) {
        if (fold.shards < 2)
            break;
        sum = saturatingSum(sum, fold.bytes);
        if (sum >= bytes - sum)
            return fold.shards;
    }
    return 2;
}

std::string withoutLayerNumbers(const std::string& path)
{
    std::string result;
    for (std::size_t i = 0; i < path.size(); ++i) {
        result += path[i];
        if (path[i] != '.')
            continue;
        std::size_t end = i + 1;
        while (end < path.size() && path[end] >= '0' && path[end] <= '9')
            ++end;
        if (end == i + 1 || (end < path.size() && path[end] != '/'))
            continue;
        result += '*';
        i = end - 1;
    }
    return result;
}

ParameterCoverage parameterCoverage(const Snapshot& snapshot)
{
    ParameterCoverage coverage;
    if (!snapshot.laidOut() || !snapshot.mesh)
        return coverage;
    coverage.devices = snapshot.mesh->deviceCount();
    std::map<std::int64_t, ParameterCoverage::Fold, std::greater<>> folds;
    std::unordered_map<std::string, std::size_t> places;
    for (const TensorRow& row : snapshot.tensors) {
        if (!isParameter(snapshot, row))
            continue;
        const std::int64_t shards = row.layout.distinctShards();
        coverage.bytes = saturatingSum(coverage.bytes, row.bytesInAll);
        ++coverage.arrays;
        ParameterCoverage::Fold& fold = folds[shards];
        fold.shards = shards;
        fold.bytes = saturatingSum(fold.bytes, row.bytesInAll);
        ++fold.arrays;
        if (shards > 1 || coverage.devices == 1)
            continue;
        std::string alike = withoutLayerNumbers(row.path);
        const auto [place, isNew] = places.try_emplace(alike, coverage.replicated.size());
        if (isNew) {
            coverage.replicated.push_back({ row.value, row.path, row.bytesInAll, 1 });
            continue;
        }
        ParameterCoverage::Replicated& known = coverage.replicated[place->second];
        known.path = std::move(alike);
        known.bytes = saturatingSum(known.bytes, row.bytesInAll);
        ++known.arrays;
    }
    for (const auto& [shards, fold] : folds)
        coverage.folds.push_back(fold);
    std::stable_sort(coverage.replicated.begin(), coverage.replicated.end(),
        [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    return coverage;
}

} // namespace shardscope
