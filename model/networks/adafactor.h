// SPDX-License-Identifier: GPL-3.0-or-later
// The Adafactor optimizer as operations (Shazeer and Stern, 2018), in the form of optax.adafactor without momentum:
//
//     d     = 1 - t^-0.8                       t the new count
//     row'  = d row + (1 - d) mean(g^2 + eps)  over the largest dimension; column' likewise over the second largest
//     u     = g / sqrt(row' / mean(row')) / sqrt(column')
//     u     = u / max(1, rms(u) / clip);  u = lr u;  u = u max(0.001, rms(p));  u = u + w p;  p' = p - u
//
// Arrays with fewer than two dimensions, or short ones, keep full moments: v' = d v + (1 - d) (g^2 + eps), u = g /
// sqrt(v'). A parameter of 512 x 2048 elements has a row of 512 and a column of 2048.
#pragma once

#include "networks/optimizer_settings.h"
#include "program/builder.h"

namespace shardscope {

/// The two dimensions of an array that moments are factored over, as in optax' scale_by_factored_rms.
struct FactoredDimensions {
    std::int64_t largest = 0; ///< the row is a mean over it; of equal ones the last
    std::int64_t second = 0; ///< the column is a mean over it
    bool operator==(const FactoredDimensions&) const = default;
};
/// Nothing where an array of that shape keeps full moments.
[[nodiscard]] std::optional<FactoredDimensions> factoredDimensions(
    const AdafactorSettings& settings, const Shape& shape);

/// Scalars of a step.
struct AdafactorScalars {
    ValueId decay; ///< 1 - t^-exponent
    ValueId gain; ///< t^-exponent
};
/// `count` is the new count t, an integer scalar.
[[nodiscard]] AdafactorScalars adafactorScalars(
    Builder& builder, const AdafactorSettings& settings, ValueId count, DType dtype);

struct AdafactorState {
    ValueId parameter;
    ValueId row, column; ///< where factoredDimensions() has any
    ValueId full; ///< where it has none
};
/// The new values, all of one element type.
[[nodiscard]] AdafactorState adafactorUpdate(Builder& builder, const OptimizerSettings& settings,
    const AdafactorScalars& scalars, const AdafactorState& state, ValueId gradient);

} // namespace shardscope
