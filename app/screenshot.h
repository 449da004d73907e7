// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of the window and of its parts, as the commands screenshot and export write them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report.h"

namespace shardscope::cli {

struct PictureOptions {
    std::string file;
    std::string output;
    std::string theme = "light";
    std::string size = "1600x1000";
    std::string tensor;
    std::string dock;
    std::string perspective;
    std::string axis;
    bool viewAlone = false;
    bool sideBySide = false;
    double scale = 1;
    std::optional<int> steps;
    std::optional<int> operations;
    JsonTarget json;
};

/// Ids of the window's parts and views: what `dock` may be.
[[nodiscard]] const std::vector<std::string>& partsOfWindow();
/// Its result is the exit code. Throws a UsageError.
[[nodiscard]] int screenshot(const PictureOptions& options);

} // namespace shardscope::cli
