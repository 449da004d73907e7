// SPDX-License-Identifier: GPL-3.0-or-later
// Why XLA exchanges other weights than are predicted of a network, and the setting with which the network does the
// same.
//
//     predicted  all-gather of 224 weights, once each         14 GiB
//     compiled   the same 224 weights, twice each             28 GiB
//     ->         GathersAgain, 14 GiB more, /model/remat "full": the network keeps what its forward pass has gathered
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/compare_compiled.h"
#include "experiment/experiment.h"

namespace shardscope {

struct CompiledReason {
    enum class Kind : std::uint8_t {
        GathersAgain, ///< the backward pass gathers weights again
        KeepsGathered, ///< the backward pass uses what the forward pass has gathered
        EmbedsByProduct, ///< rows of the embedding are found by a product with one-hot vectors, which needs all of it
        EmbedsByLookup,
        KeysGoRound, ///< keys and values go from device to device (ring attention) in place of being gathered
    };
    Kind kind = Kind::GathersAgain;
    std::int64_t predictedBytes = 0, compiledBytes = 0; ///< of the arrays that it is about, per step and device
    std::string pointer; ///< of the setting in the experiment's file, "/model/remat"; "" where there is none
    std::string value; ///< that it has to have, as the file writes it
};

/// Those with the most bytes first. Of programs in a text only what holds without settings.
[[nodiscard]] std::vector<CompiledReason> reasonsFor(
    const CompiledComparison& comparison, const Experiment& experiment);

} // namespace shardscope
