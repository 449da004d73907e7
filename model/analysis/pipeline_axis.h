// SPDX-License-Identifier: GPL-3.0-or-later
// Mesh axes that are meant for a pipeline, which nothing here models.
#pragma once

#include <string_view>

#include "experiment/experiment.h"

namespace shardscope {

/// The mesh axis has the name of a pipeline's stages ("stage" as in MaxText, "stages", "pipeline", "pipe", "pp"), and
/// the program is a network of ours, whose layers every device works out. A program in a text may well have a pipeline
/// of its own.
[[nodiscard]] bool isPipelineAxis(const Experiment& experiment, std::string_view axis);

} // namespace shardscope
