// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/cache.h"

namespace shardscope {

AnalysisCache::AnalysisCache()
    : m_impl(std::make_unique<Impl>())
{
}

AnalysisCache::~AnalysisCache() = default;

void AnalysisCache::Impl::clear()
{
    sources.clear();
    annotated.clear();
    layouts.clear();
}

} // namespace shardscope
