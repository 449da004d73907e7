// SPDX-License-Identifier: GPL-3.0-or-later
// What keeps a step from running, in words: for every control that would run one. How to mend it stands in Problems.
#pragma once

#include <QString>
#include <optional>

#include "pipeline/snapshot.h"

namespace shardscope {

class Document;
class RunController;

/// "No step can run: hidden has size 1,024, …" is a cause, "Sizes that divide: 1,023 or 1,026" a remedy.
struct Obstacle {
    QString cause;
    QString remedy; ///< may be empty
    QString id = {}; ///< "E101" of what Problems lists; "" where it lists nothing
    /// Both as sentences.
    [[nodiscard]] QString text() const;
    /// For a page that waits for a step: what Problems lists is not said again, "No step can run: E102, see Problems."
    [[nodiscard]] QString stepText() const;
    /// For what shows arrays and runs no step: "There is nothing to show: E190, see Problems."
    [[nodiscard]] QString layoutText() const;
};

/// Of the newest analysis; none where a step can run, and before the first analysis has finished.
[[nodiscard]] std::optional<Obstacle> obstacleOf(const Document& document);
/// The same for what runs a step: also what this machine has no room for, once that was tried.
[[nodiscard]] std::optional<Obstacle> obstacleOf(const Document& document, const RunController& controller);

/// Whatever is mended, there is no step: arrays with rules.
[[nodiscard]] bool hasNoStep(const Snapshot& snapshot);

} // namespace shardscope
