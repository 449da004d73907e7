// SPDX-License-Identifier: GPL-3.0-or-later
// How a person wants shardings to spread: a strategy and its switches, as an experiment keeps them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

/// In the order in which each adds to the one before it; the last one is what a compiler does.
enum class StrategyChoice : std::uint8_t {
    Basic, ///< an axis moves only where no other one wants the place
    Aggressive, ///< where axes contend, the one that goes further wins
    OperationPriority, ///< aggressive, harmless operations first
    UserPriority, ///< that, once per priority that the program's shardings have
    Full, ///< that, after constants are split and constraints and groups are applied
};

struct PropagationSetting {
    StrategyChoice strategy = StrategyChoice::Full;
    /// Only full axes move through operations.
    bool conservative = false;
    /// Whether the priorities that dimensions have count. Without meaning for strategies that know none.
    bool userPriorities = true;
    bool operator==(const PropagationSetting&) const = default;
};

/// The words of files and of the command line: "basic", "aggressive", "op-priority", "user-priority", "full".
[[nodiscard]] const std::vector<std::string>& strategyNames();
[[nodiscard]] const std::string& name(StrategyChoice strategy);
[[nodiscard]] std::optional<StrategyChoice> strategyNamed(std::string_view name);
/// Whether the strategy takes notice of the priorities that dimensions have.
[[nodiscard]] bool knowsUserPriorities(StrategyChoice strategy);

} // namespace shardscope
