// SPDX-License-Identifier: GPL-3.0-or-later
// Optimizers as operations: what they keep for each parameter, and one update of it. The formulas are optax' (see
// networks/optimizer_settings.h); networks/adam.h and networks/adafactor.h have the longer ones.
//
//     kind          arrays of a parameter (512, 2048)                        count
//     Sgd           none                                                     no
//     Momentum      trace (512, 2048)                                        no
//     Adam, AdamW   mu (512, 2048), nu (512, 2048)                           yes
//     Adafactor     v_row (512), v_col (2048); of a vector v, of its shape   yes
//     and with masterWeights, of a bf16 parameter: master, float32 (512, 2048)
//
// An update is computed in the widest of the parameter's and the state's types (float32, if there is a master), and
// every new value converted to the type that it is stored in.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "networks/adafactor.h"
#include "networks/adam.h"

namespace shardscope {

/// An array that an optimizer keeps for a parameter.
struct OptimizerArray {
    std::string_view name; ///< "mu"
    Role role = Role::Mu;
    TensorType type;
    Dimensions dimensions; ///< dimension of the parameter for each of its own, ascending
};
/// In a fixed order, the master last.
[[nodiscard]] std::vector<OptimizerArray> optimizerArrays(
    const OptimizerSettings& settings, const TensorType& parameter);
/// Names of arrays in the order in which a train state has them.
[[nodiscard]] std::span<const std::string_view> optimizerArrayNames();
/// Whether the state has a count of steps.
[[nodiscard]] bool countsSteps(OptimizerKind kind);
/// The type that updates of parameters of a type are computed in.
[[nodiscard]] DType updateType(const OptimizerSettings& settings, DType parameter);

/// What depends on the step alone, of one element type; what the kind does not need is invalid.
struct OptimizerScalars {
    AdamScalars adam;
    AdafactorScalars adafactor;
};
/// `count` is the new count t, an integer scalar; `dtype` an updateType().
[[nodiscard]] OptimizerScalars optimizerScalars(
    Builder& builder, const OptimizerSettings& settings, ValueId count, DType dtype);

/// A parameter with its arrays, in the order of optimizerArrays().
struct OptimizerState {
    ValueId parameter;
    std::vector<ValueId> arrays;
};
/// The new values, of the types that the old ones have. The gradient may have the parameter's type or updateType().
[[nodiscard]] OptimizerState optimizerUpdate(Builder& builder, const OptimizerSettings& settings,
    const OptimizerScalars& scalars, const OptimizerState& state, ValueId gradient);

/// optax.clip_by_global_norm: all times min(1, clipNorm / norm), the norm being the square root of the sum of all
/// squared elements. Squares are added in at least float32, array after array. Of (3), (0, 4) and clipNorm 1: (0.6),
/// (0, 0.8).
[[nodiscard]] std::vector<ValueId> clippedByGlobalNorm(
    Builder& builder, double clipNorm, std::span<const ValueId> gradients);

} // namespace shardscope
