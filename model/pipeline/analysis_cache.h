// SPDX-License-Identifier: GPL-3.0-or-later
// What has been worked out already, for whoever analyses several experiments.
#pragma once

#include <memory>

namespace shardscope {

/// Results of stages by the hash of their inputs; the newest few of each stage, fewer where they are large. Owned by
/// the caller; safe to use from several threads.
class AnalysisCache {
public:
    AnalysisCache();
    ~AnalysisCache();
    AnalysisCache(const AnalysisCache&) = delete;
    AnalysisCache& operator=(const AnalysisCache&) = delete;

    struct Impl;
    [[nodiscard]] Impl& impl() { return *m_impl; }

private:
    std::unique_ptr<Impl> m_impl;
};

} // namespace shardscope
