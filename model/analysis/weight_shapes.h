// SPDX-License-Identifier: GPL-3.0-or-later
// Which arrays that devices exchange are weights, or gradients of them, by what a device holds of them then.
//
//     embedding [128256, 4096] as P(None, fsdp) on {fsdp=8}: gathered along fsdp a device has [128256, 4096], and so
//     has the gradient before it is added up along fsdp; the logits' [4096, 128256] is told apart by its order
#pragma once

#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/snapshot.h"

namespace shardscope {

class WeightShapes {
public:
    /// Of the parameters, as the program names them or as they were guessed.
    explicit WeightShapes(const Snapshot& snapshot);
    /// The path of a parameter of which a device has an array of these sizes, once nothing of it is sharded along
    /// `axes`: in this order, else in another one, as gradients come; also one layer of stacked ones. "" for none.
    /// `global`: the sizes of the array over all devices, where they are known; they have to be the parameter's as
    /// well, so that activations [4, 64, 256] of a batch of 16 are not taken for a weight [256, 4, 64]. Dimensions of
    /// size 1 do not count.
    [[nodiscard]] std::string find(
        const AxisList& axes, std::span<const std::int64_t> sizes, std::span<const std::int64_t> global = {});

    /// Whether the program works any out; what a forward pass adds up are activations.
    [[nodiscard]] bool hasGradients() const { return m_hasGradients; }

private:
    struct Weight {
        std::string path;
        Shape shape;
        TensorSharding sharding;
    };
    /// What a device has of a weight, and the same sizes ascending.
    struct Held {
        Shape shape, sorted;
    };
    const std::vector<Held>& heldAlong(const AxisList& axes);

    std::vector<Weight> m_weights;
    bool m_hasGradients = false;
    std::deque<std::pair<AxisList, std::vector<Held>>> m_held; ///< of the axes that were asked for
};

} // namespace shardscope
