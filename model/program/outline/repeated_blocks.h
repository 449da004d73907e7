// SPDX-License-Identifier: GPL-3.0-or-later
// Stretches of a program that do the same thing again and again: the layers of a network, forwards and backwards, as
// they follow each other when a loop was written out. Found by what the operations are alone; names do not count.
//
//     dot add tanh  dot add tanh  dot add tanh  reduce   ->   three blocks of three operations, from the first one on
//
// What is called a repetition is the same in every operation and in its wiring (block_comparison.h, repeat_wiring.h).
#pragma once

#include <vector>

#include "program/outline/block_comparison.h"
#include "program/outline/repeat_wiring.h"

namespace shardscope {

/// What a list is made of: an operation, or operations that belong together because they bear one scope.
struct RepeatUnit {
    std::size_t first = 0, count = 1; ///< operations, from the beginning of the list
    const std::string* scope = nullptr;
};

/// `copies` blocks of `length` units, from unit `first` of the list on.
struct RepeatedBlocks {
    int first = 0, length = 0, copies = 0;
    int like = -1; ///< an earlier one of the list, whose first block these are copies of, too; else -1
    int run = -1; ///< number among all that the finder has found
    RepeatWiring::Mirror mirror = {};
};

class RepeatFinder {
public:
    explicit RepeatFinder(const Program& program);
    /// Blocks of at least four operations, or of scopes, that follow each other at least three times, or twice where
    /// they are like earlier ones; from the first to the last. Of several ways to see them the one that covers most.
    [[nodiscard]] std::vector<RepeatedBlocks> find(Stretch operations, const std::vector<RepeatUnit>& units);

private:
    struct Search;
    [[nodiscard]] int copiesAlike(const std::vector<Stretch>& blocks, Stretch model, int fewest);

    const Program& m_program;
    BlockComparison m_comparison;
    RepeatWiring m_wiring;
};

} // namespace shardscope
