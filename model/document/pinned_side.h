// SPDX-License-Identifier: GPL-3.0-or-later
// What is pinned as A: an analysis with its name.
#pragma once

#include <QString>
#include <stop_token>
#include <vector>

#include "analysis/analyse.h"
#include "base/diagnostics.h"

namespace shardscope {

struct PinnedSide {
    SnapshotPtr snapshot; ///< null where there are errors, or nothing is pinned
    QString name; ///< "mlp.json", "4x2"
    std::vector<Diagnostic> errors = {};
};

/// Analyses it, which may take seconds for a large one.
[[nodiscard]] PinnedSide pinnedSide(ExperimentPtr experiment, const QString& name, const std::stop_token& stop = {});
/// Of an experiment's file or a program's. Errors: those of reading.
[[nodiscard]] PinnedSide pinnedFile(const QString& path, const std::stop_token& stop = {});

} // namespace shardscope
