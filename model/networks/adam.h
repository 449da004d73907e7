// SPDX-License-Identifier: GPL-3.0-or-later
// The Adam optimizer as operations (Kingma and Ba, 2014), in the form of optax.adam:
//
//     t  = count + 1
//     m' = b1 m + (1 - b1) g          v' = b2 v + (1 - b2) g^2
//     p' = p - lr (m' / (1 - b1^t)) / (sqrt(v' / (1 - b2^t)) + eps)
//
// and with a weight decay w, as optax.adamw, - lr w p beside it. What depends on t alone is computed once per step, as
// scalars. Everything else is elementwise in p, m, v and g, so that the update of a parameter can be executed in one
// pass over its memory.
#pragma once

#include "networks/optimizer_settings.h"
#include "program/builder.h"

namespace shardscope {

/// Scalars of a step, of the parameters' element type.
struct AdamScalars {
    ValueId step; ///< -lr / (1 - b1^t)
    ValueId scale; ///< 1 / (1 - b2^t)
};
/// `count` is the new count t, an integer scalar. Computed in at least float32, as optax does.
[[nodiscard]] AdamScalars adamScalars(Builder& builder, const AdamSettings& adam, ValueId count, DType dtype);

struct AdamState {
    ValueId parameter, mu, nu;
};
/// The new values of a parameter and its moments, all of one type. `weightDecay` 0: Adam itself.
[[nodiscard]] AdamState adamUpdate(Builder& builder, const AdamSettings& adam, const AdamScalars& scalars,
    const AdamState& state, ValueId gradient, double weightDecay = 0);

} // namespace shardscope
