// SPDX-License-Identifier: GPL-3.0-or-later
// PositionalSharding: a grid of sets of devices, matched with the dimensions of an array by position
// (jax.sharding.PositionalSharding, in JAX until 0.6).
//
//     devices 0..7 in a grid (2, 4), replicated along axis 0: a grid (1, 4) with the cells {0 4} {1 5} {2 6} {3 7}.
//     An array [8, 8] is sharded in 4 along dimension 1, two copies of each shard.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sharding/hlo_sharding.h"
#include "sharding/memory_kind.h"

namespace shardscope {

class PositionalSharding {
public:
    /// One device per cell, in row-major order. Errors: BadReshape where the grid does not have as many cells as there
    /// are devices, or none; DeviceTwice; TooLarge. `platform` is "cpu", "gpu" or "tpu".
    static Result<PositionalSharding> create(std::vector<std::int32_t> devices, Shape shape,
        std::string platform = "cpu", std::optional<MemoryKind> memoryKind = {});
    /// Sets of devices, as they are printed: one per cell, all of the same size. `devices` are those of the sets, in
    /// the order in which HLO numbers them. Errors: as above; BadReshape where sets differ in size.
    static Result<PositionalSharding> ofSets(std::vector<std::int32_t> devices, Shape shape,
        const std::vector<std::vector<std::int32_t>>& sets, std::string platform = "cpu",
        std::optional<MemoryKind> memoryKind = {});

    /// The cells in a grid of other sizes; one size may be -1. Error: BadReshape.
    [[nodiscard]] Result<PositionalSharding> reshape(std::span<const std::int64_t> shape) const;
    /// Joins the cells along some axes (all of them: nullopt) into one each, which stays as an axis of size 1 or goes.
    /// Negative axes count from the end. Error: BadAxis.
    [[nodiscard]] Result<PositionalSharding> replicate(
        const std::optional<std::vector<std::int64_t>>& axes = {}, bool keepAxes = true) const;
    /// Axis i of the result is axis `order[i]`; no order at all reverses them. Error: BadAxis.
    [[nodiscard]] Result<PositionalSharding> transpose(std::span<const std::int64_t> order = {}) const;
    [[nodiscard]] PositionalSharding withMemoryKind(std::optional<MemoryKind> kind) const;

    [[nodiscard]] const Shape& shape() const { return m_shape; }
    [[nodiscard]] std::size_t rank() const { return m_shape.size(); }
    [[nodiscard]] const std::string& platform() const { return m_platform; }
    [[nodiscard]] std::optional<MemoryKind> memoryKind() const { return m_memoryKind; }
    /// As they were given: the number that HLO has for a device is its place here.
    [[nodiscard]] const std::vector<std::int32_t>& devices() const { return m_devices; }
    [[nodiscard]] std::int64_t cellCount() const { return static_cast<std::int64_t>(m_members.size()) / m_copies; }
    /// Devices per cell.
    [[nodiscard]] std::int64_t copies() const { return m_copies; }
    /// Ids of the devices of a cell, ascending. Cells count row-major.
    [[nodiscard]] std::vector<std::int32_t> devicesOf(std::int64_t cell) const;
    /// Every device holds everything: all axes have size 1.
    [[nodiscard]] bool isFullyReplicated() const;

    /// For an array of that rank. Error: RankMismatch; a fully replicated one fits every rank, and leading axes of size
    /// 1 may be more than the array has dimensions.
    [[nodiscard]] Result<HloSharding> toHloSharding(std::size_t rank) const;

    /// JAX's `==`: same devices in the same order, same cells in the same grid, same memory kind.
    bool operator==(const PositionalSharding&) const = default;

private:
    PositionalSharding() = default;

    std::vector<std::int32_t> m_devices;
    std::string m_platform;
    Shape m_shape;
    std::vector<std::int32_t> m_members; ///< indices into m_devices: m_copies per cell, ascending in each
    std::int64_t m_copies = 1;
    std::optional<MemoryKind> m_memoryKind;
};

} // namespace shardscope
