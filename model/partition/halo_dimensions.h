// SPDX-License-Identifier: GPL-3.0-or-later
// Operations that read beyond their device's block of a sharded dimension: slice, pad, reverse, concatenate, windows
// and convolutions whose operand and result are sharded there by the same axes.
//
//     pad x, low 4    x: 12 elements, {x=4}; result: 16, {x=4}
//     haloDimensions(...)[0]: dimension 0, axes {x}; device d reads 4 d - 4 .. 4 d, of blocks of 3
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "partition/halo_plan.h"
#include "program/program.h"

namespace shardscope {

/// What an operation reads and makes, as far as halos go: global types, and how they lie on one mesh.
struct HaloTensors {
    std::vector<TensorType> operandTypes;
    std::vector<TensorSharding> operands;
    TensorType resultType; ///< of the first result; others have its shape
    std::vector<TensorSharding> results;
    std::uint32_t mesh = 0; ///< of the program
};
/// None for operations of other kinds, and where shardings are over several meshes or partial. `shardingOf` gives null
/// for what is replicated.
[[nodiscard]] std::optional<HaloTensors> haloTensors(const Program& program, const Operation& operation,
    const std::function<TensorType(ValueId)>& typeOf, const std::function<const ProgramSharding*(ValueId)>& shardingOf);

struct HaloDimension {
    std::size_t dimension = 0; ///< of the operands
    AxisList axes;
    HaloPlan plan;
    std::int64_t spatial = -1; ///< of a convolution: which of its spatial dimensions
    /// Of a convolution whose kernel is sharded as well: every device sums over its part of the window, and the sums
    /// are to be added up.
    bool splitsWindow = false;
};
/// In order of dimensions.
[[nodiscard]] std::vector<HaloDimension> haloDimensions(const Operation& operation, const HaloTensors& tensors);
/// The operands that are read through halos: the first ones.
[[nodiscard]] std::size_t haloInputs(const Operation& operation);

/// What the exchange of these dimensions, one after the other, sends per device, in bytes.
[[nodiscard]] std::int64_t haloBytes(
    const Operation& operation, const HaloTensors& tensors, const std::vector<HaloDimension>& dimensions);
/// What it would take to have the operands full in these dimensions instead, likewise.
[[nodiscard]] std::int64_t gatheredBytes(
    const Operation& operation, const HaloTensors& tensors, const std::vector<HaloDimension>& dimensions);
/// Of haloDimensions(), those that are best not gathered: together they send the fewest bytes, and of as many bytes
/// the fewest messages.
[[nodiscard]] std::vector<HaloDimension> worthwhileHalos(const Operation& operation, const HaloTensors& tensors);

} // namespace shardscope
