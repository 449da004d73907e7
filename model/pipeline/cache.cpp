// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/cache.h"

namespace shardscope {

AnalysisCache::AnalysisCache()
    : m_impl(std::make_unique<Impl>())
{
}

AnalysisCache::~AnalysisCache() = default;

std::vector<StageCount> AnalysisCache::counts() const
{
    const std::lock_guard lock(m_impl->countMutex);
    return m_impl->counts;
}

void AnalysisCache::Impl::count(const std::vector<StageTime>& times)
{
    const std::lock_guard lock(countMutex);
    for (const StageTime& time : times) {
        auto known = std::find_if(
            counts.begin(), counts.end(), [&](const StageCount& each) { return each.stage == time.stage; });
        if (known == counts.end()) {
            known = counts.insert(counts.end(), StageCount());
            known->stage = time.stage;
        }
        (time.fromCache ? known->hits : known->misses) += 1;
        (time.fromCache ? known->hitSeconds : known->missSeconds) += time.seconds;
        known->lastSeconds = time.seconds;
        known->lastHit = time.fromCache;
    }
}

void AnalysisCache::Impl::clear()
{
    sources.clear();
    annotated.clear();
    layouts.clear();
}

} // namespace shardscope
