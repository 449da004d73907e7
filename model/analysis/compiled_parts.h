// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a step compiled each by itself, as jit around a layer does: every part is a program of its own with the
// shardings of its values at its boundary, goes through all stages, and is looked up in the cache first. Parts that are
// the same program are compiled once.
//
//     AnalysisCache cache;
//     const auto parts = compiledParts(snapshot, "layers.*", cache);
//     parts[0]    // layers.0: compiled anew
//     parts[1]    // layers.1: isHit, sameAs 0
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/analysis_cache.h"
#include "pipeline/snapshot.h"

namespace shardscope {

struct CompiledPart {
    std::string name; ///< "layers.0", "backward/layers.0"
    std::int64_t operations = 0; ///< of main
    std::int64_t arguments = 0, results = 0;
    bool isHit = false; ///< every stage that is cached was there already
    int sameAs = -1; ///< the first of the parts that is the same program; -1: it is the first
    std::vector<StageTime> times; ///< by stage
    Rational sentBytes; ///< of a device
    std::vector<Diagnostic> errors; ///< why it cannot be compiled by itself
    [[nodiscard]] double seconds() const; ///< all stages
};

/// Parts of main by the scopes of their operations: a glob for each name of the scope, "layers.*" or
/// "decoder/layers.*/mlp". Operations of one scope that do not follow each other are several parts. Errors: the
/// snapshot's first, where nothing is laid out; UnknownValue {key: part, value, known} where no scope fits;
/// InvalidAttribute where the program has functions besides main. Fewer parts if stopped.
[[nodiscard]] Result<std::vector<CompiledPart>> compiledParts(
    const Snapshot& snapshot, std::string_view glob, AnalysisCache& cache, const std::stop_token& stop = {});

} // namespace shardscope
