// SPDX-License-Identifier: GPL-3.0-or-later
// The sharding of every value of a program as a number: equal shardings have equal ones.
#pragma once

#include <optional>
#include <vector>

#include "program/program.h"
#include "propagation/sharding_table.h"

namespace shardscope::passes {

class ValueNumbers {
public:
    /// Takes shardings where the program keeps them: with the value, in the operation that makes it, in the lists of a
    /// computation with a border (inside without its manual axes), with the result of a loop for its arguments.
    explicit ValueNumbers(const Program& program);

    static constexpr ShardingNumber none = 0;
    [[nodiscard]] ShardingNumber of(ValueId value) const { return m_numbers[value.index]; }
    void set(ValueId value, ShardingNumber number);

    [[nodiscard]] ShardingNumber number(const ProgramSharding& sharding);
    /// Nothing for `none`.
    [[nodiscard]] std::optional<ProgramSharding> sharding(ShardingNumber number) const;
    /// The same without a copy. Of `none`: without dimensions. Holds until a number is added.
    [[nodiscard]] const TensorSharding& tensor(ShardingNumber number) const { return m_table[number]; }
    [[nodiscard]] std::uint32_t mesh(ShardingNumber number) const { return (m_table.mesh(number) - 1) / kinds; }
    /// Some dimension is sharded.
    [[nodiscard]] bool hasAxes(ShardingNumber number) const { return m_table.hasAxes(number); }
    [[nodiscard]] bool isPartial(ShardingNumber number) const { return !m_table[number].unreduced.empty(); }

private:
    static constexpr std::uint32_t kinds = 8; ///< of reductions: they count with the mesh
    ShardingTable m_table;
    std::vector<ShardingNumber> m_numbers; ///< per ValueId
};

} // namespace shardscope::passes
