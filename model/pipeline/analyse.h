// SPDX-License-Identifier: GPL-3.0-or-later
// The stages in a row: experiment -> program -> annotations -> propagation -> per-device program -> plan -> summary.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "pipeline/snapshot.h"

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

/// The last stage that an analysis runs.
enum class LastStage : std::uint8_t {
    Propagation, ///< no per-device program, plan or memory of a built-in network, and no problems of these
    Summary,
};

/// Never fails as a whole: stages stop at the first error, which is among the problems. Null if stopped. Where there is
/// not enough memory the snapshot has no results, and OutOfMemory as its only problem.
[[nodiscard]] SnapshotPtr analyse(ExperimentPtr experiment, std::uint64_t revision, AnalysisCache& cache,
    std::stop_token stop = {}, LastStage last = LastStage::Summary);

/// Resolves the annotations of a program (the `annotate` stage), problems included.
[[nodiscard]] std::shared_ptr<const Annotations> annotate(
    const Program& program, const Mesh& mesh, const Experiment& experiment);

} // namespace shardscope
