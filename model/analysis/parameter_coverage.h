// SPDX-License-Identifier: GPL-3.0-or-later
// How far the parameters of a model are sharded, in bytes, and what is left replicated.
//
//     8 devices; wte (1024, 64) f32 over all 8, two norms (64) of layers 0 and 1 replicated:
//     bytes 262,656; folds { 8: 262,144 } { 1: 512 }; replicated { layers.*/norm/scale: 512 bytes, 2 arrays }
//     medianShards() 8, bytesSharded(8) 262,144
//
// An array of n different shards is sharded n ways: a device holds an n-th of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/snapshot.h"

namespace shardscope {

struct ParameterCoverage {
    struct Fold {
        std::int64_t shards = 1; ///< different ones of each array
        std::int64_t bytes = 0; ///< global, of all arrays that are sharded so
        std::int64_t arrays = 0;
        bool operator==(const Fold&) const = default;
    };
    /// Arrays that every device holds in full; those that differ in the numbers of layers alone stand together.
    struct Replicated {
        ValueId value; ///< the first of them
        std::string path; ///< its own; of several with a * for what differs: "params/decoder/layers.*/mlp_norm/scale"
        std::int64_t bytes = 0; ///< global, all together
        std::int64_t arrays = 0;
    };
    std::int64_t bytes = 0; ///< global, of all parameters
    std::int64_t arrays = 0;
    std::int64_t devices = 1;
    std::vector<Fold> folds; ///< the farthest sharded first
    std::vector<Replicated> replicated; ///< the largest first; empty on one device

    /// Global bytes of the arrays that have at least so many shards.
    [[nodiscard]] std::int64_t bytesSharded(std::int64_t shards) const;
    /// The median number of shards, weighted by bytes: the largest number that arrays with at least half of the bytes
    /// reach. 2 where less than half of the bytes are sharded at all.
    [[nodiscard]] std::int64_t medianShards() const;
};

/// Of a snapshot that is laid out; all zero for another, and where nothing is a parameter.
[[nodiscard]] ParameterCoverage parameterCoverage(const Snapshot& snapshot);

/// A path without the numbers of layers: "params/decoder/layers.*/mlp/wo" of "params/decoder/layers.3/mlp/wo".
[[nodiscard]] std::string withoutLayerNumbers(const std::string& path);

} // namespace shardscope
