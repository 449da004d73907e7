// SPDX-License-Identifier: GPL-3.0-or-later
// A level of hundreds of parts side by side, brought to so few groups of neighbours that it can be taken in.
//
//     a a a . a a b b b b b c a a a a a     ->     (a a a . a a) (b b b b b) (c a a a a a)
//
// Parts bear labels that say where they come from. Groups are stretches in the order of the program, so that they never
// depend on each other in circles; what is too small for a group of its own goes with its neighbours.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace shardscope {

/// More parts side by side than these are grouped.
constexpr std::size_t longLevel = 60;
constexpr int smallestGroup = 4; ///< operations

struct LevelPart {
    int label = -1; ///< -1: nothing is known
    int operations = 1;
    bool alone = false; ///< never in a group with others
};

struct LevelGroup {
    std::size_t first = 0, count = 0; ///< parts
    int label = -1; ///< that most of its operations bear; -1: its parts stand for themselves
};

/// All parts of the level in their order. One group of everything if the labels tell nothing apart.
[[nodiscard]] std::vector<LevelGroup> groupsOf(std::span<const LevelPart> parts);
/// Stretches that each begin alike, as what is done for one parameter after another; label 0 for all of them. Empty if
/// there are too many, too few or too small ones. Labels are numbered as they first come.
[[nodiscard]] std::vector<LevelGroup> turnsOf(std::span<const LevelPart> parts);
/// Shares of about the same size, for what nothing tells apart. `crossing`: by part, how many values pass from before
/// it to it and what comes after; shares begin where they are few.
[[nodiscard]] std::vector<LevelGroup> sharesOf(std::span<const LevelPart> parts, std::span<const int> crossing);

} // namespace shardscope
