// SPDX-License-Identifier: GPL-3.0-or-later
// Some devices, told in few numbers: all holders of a shard, a block of the mesh, or ids one by one. Asking whether a
// device belongs to it, how many they are and which is the n-th costs the same for eight devices and for a million.
//
//     Mesh {data=2, model=4}, P(None, 'model'): holders of shard 1 are 2 devices, d1 and d5
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "sharding/layout.h"
#include "sharding/position_digits.h"

namespace shardscope {

/// Rows and columns of the mesh, ends exclusive. Columns are the last axis, rows all others.
struct MeshBlock {
    std::int64_t firstRow = 0, endRow = 1, firstColumn = 0, endColumn = 1;
    [[nodiscard]] std::int64_t deviceCount() const { return (endRow - firstRow) * (endColumn - firstColumn); }
    bool operator==(const MeshBlock&) const = default;
};
/// Size of the last axis; 1 for the mesh without axes.
[[nodiscard]] std::int64_t columnsOf(const Mesh& mesh);

/// Which digits of a mesh position make up the number of the shard there.
class ShardDigits {
public:
    ShardDigits() = default;
    explicit ShardDigits(const Layout& layout);
    /// The one shard that all devices of a block hold, -1 if there are several.
    [[nodiscard]] std::int64_t shardOf(const MeshBlock& block) const;
    /// Whether devices of a block that differ in their row (in their column) alone hold different shards.
    [[nodiscard]] bool varyAlongRows(const MeshBlock& block) const;
    [[nodiscard]] bool varyAlongColumns(const MeshBlock& block) const;

private:
    struct Digit {
        std::int64_t stride, size, weight; ///< stride in rows or in columns, weight in the number of the shard
    };
    SmallVector<Digit, 8> m_rows, m_columns;
};

class DeviceGroup {
public:
    /// No devices.
    DeviceGroup() = default;
    DeviceGroup(std::vector<std::int32_t> ids); // NOLINT: a list of ids is a group
    DeviceGroup(std::initializer_list<std::int32_t> ids);
    /// Who holds a shard, ascending by mesh position.
    static DeviceGroup holders(const Layout& layout, std::int64_t shard);
    static DeviceGroup block(MeshPtr mesh, const MeshBlock& block);

    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] std::int64_t size() const;
    /// The n-th device, 0 <= n < size().
    [[nodiscard]] std::int32_t deviceAt(std::int64_t n) const;
    /// All of them; costs what it returns.
    [[nodiscard]] std::vector<std::int32_t> ids() const;
    /// The ids follow one another: d4, d5, d6.
    [[nodiscard]] bool isRange() const;

    /// What the positions below refer to; null for a list of ids, which has none.
    [[nodiscard]] const Mesh* mesh() const;
    [[nodiscard]] std::int64_t positionAt(std::int64_t n) const;
    /// How many of its devices are in a block of the mesh.
    [[nodiscard]] std::int64_t countIn(const MeshBlock& block) const;
    /// The shard of this layout that they hold, if the group was made as the holders of one.
    [[nodiscard]] std::optional<std::int64_t> shardIn(const Layout& layout) const;

    /// The same devices in the same order.
    bool operator==(const DeviceGroup& other) const;

private:
    struct Holders {
        std::shared_ptr<const Layout> layout;
        std::int64_t shard = 0, count = 0;
        PositionDigits digits;
        SmallVector<std::int64_t, 8> values; ///< of the digits; -1 for any
    };
    struct Block {
        MeshPtr mesh;
        MeshBlock block;
        std::int64_t columns = 1;
    };
    std::variant<std::vector<std::int32_t>, Holders, Block> m_what;
};

/// Where devices are in a mesh. Looks the order over once, when it is made, not for every device.
class DevicePositions {
public:
    DevicePositions() = default;
    explicit DevicePositions(const Mesh& mesh);
    /// Nothing for a device that is not in the mesh.
    [[nodiscard]] std::optional<std::int64_t> of(std::int32_t device) const;

private:
    std::int64_t m_count = 0;
    std::vector<std::pair<std::int32_t, std::int32_t>> m_byId; ///< (device, position); empty for the plain order
};

} // namespace shardscope
