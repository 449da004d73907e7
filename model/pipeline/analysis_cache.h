// SPDX-License-Identifier: GPL-3.0-or-later
// What has been worked out already, for whoever analyses several experiments.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace shardscope {

/// How often a stage's result was there already, and how long it took.
struct StageCount {
    std::string stage; ///< as StageTime::stage
    std::int64_t hits = 0, misses = 0;
    double hitSeconds = 0, missSeconds = 0; ///< in all
    double lastSeconds = 0; ///< of the analysis that was asked for last
    bool lastHit = false;
    bool operator==(const StageCount&) const = default;
};

/// Results of stages by the hash of their inputs; the newest few of each stage, fewer where they are large. Owned by
/// the caller; safe to use from several threads.
class AnalysisCache {
public:
    AnalysisCache();
    ~AnalysisCache();
    AnalysisCache(const AnalysisCache&) = delete;
    AnalysisCache& operator=(const AnalysisCache&) = delete;

    /// Of all analyses that were not broken off, in the order of the stages: those of edits, and those that were made
    /// to find out what an edit would change.
    [[nodiscard]] std::vector<StageCount> counts() const;

    struct Impl;
    [[nodiscard]] Impl& impl() { return *m_impl; }

private:
    std::unique_ptr<Impl> m_impl;
};

} // namespace shardscope
