// SPDX-License-Identifier: GPL-3.0-or-later
// Which optimizer a train step has, and its numbers. All formulas are those of optax (google-deepmind/optax): sgd,
// adam, adamw, adafactor, add_decayed_weights, clip_by_global_norm. networks/optimizer.h has them as operations.
//
//     OptimizerSettings s;                     // optax.adam(0.001)
//     s.kind = OptimizerKind::AdamW;
//     s.weightDecay = 0.1; s.clipNorm = 1;     // optax.chain(clip_by_global_norm(1), adamw(0.001, weight_decay=0.1))
//     s.masterWeights = true;                  // bf16 parameters are updated as float32 copies
#pragma once

#include <cstdint>
#include <optional>

#include "program/types.h"

namespace shardscope {

enum class OptimizerKind : std::uint8_t {
    Sgd, ///< p - lr g
    Momentum, ///< trace' = g + m trace; p - lr trace', or with Nesterov p - lr (g + m trace')
    Adam, ///< Kingma and Ba, 2014
    AdamW, ///< Loshchilov and Hutter, 2017: Adam with p - lr w p beside it
    Adafactor, ///< Shazeer and Stern, 2018: second moments as means of rows and of columns
};

/// What Adam needs: the numbers that an experiment of the MLP has.
struct AdamSettings {
    double learningRate = 0.001;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    bool operator==(const AdamSettings&) const = default;
};

/// What Adafactor has beside the numbers of all optimizers.
struct AdafactorSettings {
    double decayExponent = 0.8; ///< means decay by 1 - t^-exponent in step t
    std::int64_t factoredSize = 128; ///< arrays are factored whose two largest dimensions are at least this long
    double clipRms = 1; ///< an update of a larger root mean square is scaled down to it; 0 = none
    bool scaleByParameter = true; ///< relative steps: updates are multiplied by max(0.001, rms(p))
    bool operator==(const AdafactorSettings&) const = default;
};

/// Learning rate, betas and epsilon are those of AdamSettings. Adafactor adds epsilon to squares of gradients, all
/// others to denominators.
struct OptimizerSettings : AdamSettings {
    OptimizerKind kind = OptimizerKind::Adam;
    /// w. AdamW: lr w p is subtracted; Adafactor: w p is. All others add w p to the gradient.
    double weightDecay = 0;
    double momentum = 0.9; ///< m, of Momentum alone
    bool nesterov = false; ///< of Momentum alone
    double clipNorm = 0; ///< gradients of a larger norm, all together, are scaled down to it; 0 = none
    AdafactorSettings adafactor = {};
    bool masterWeights = false; ///< parameters of less than 32 bits have a float32 copy in the state, which is updated
    std::optional<DType> stateDtype = {}; ///< of all other state; nothing: that of what is updated

    OptimizerSettings() = default;
    explicit OptimizerSettings(const AdamSettings& adam)
        : AdamSettings(adam)
    {
    }
    bool operator==(const OptimizerSettings&) const = default;
};

} // namespace shardscope
