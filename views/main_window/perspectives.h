// SPDX-License-Identifier: GPL-3.0-or-later
// Perspectives: which views of the window are open for one kind of work, and where they stand.
#pragma once

#include <QString>
#include <array>
#include <optional>
#include <vector>

#include "experiment/experiment.h"

namespace shardscope {

enum class Perspective : std::uint8_t { Learn, Plan, Program, Debug, Compare };
inline constexpr std::array perspectives{ Perspective::Learn, Perspective::Plan, Perspective::Program,
    Perspective::Debug, Perspective::Compare };

/// Ids of views, in the order in which they stand; in the centre and below the first one is in front of the others.
struct PerspectiveViews {
    std::vector<const char*> left;
    std::vector<const char*> centre;
    std::vector<const char*> below; ///< under the centre
    std::vector<const char*> right; ///< below each other
    std::vector<const char*> bottom; ///< over the width of the window
    const char* page = ""; ///< a part that is in front in its view
    /// How much of the window's width the right column gets; 0 = what its view needs.
    int rightPercent = 0;
};
[[nodiscard]] const PerspectiveViews& viewsOf(Perspective perspective);

/// "plan", for settings.
[[nodiscard]] QString idOf(Perspective perspective);
[[nodiscard]] std::optional<Perspective> perspectiveOf(const QString& id);

/// What an experiment opens with: an example its own where it has one, a program in a text Program, arrays with rules
/// alone Learn, whatever has a step Plan.
[[nodiscard]] Perspective firstPerspective(const Experiment& experiment);

} // namespace shardscope
