// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/pipeline_axis.h"

#include <algorithm>
#include <array>

#include "experiment/model_settings.h"

namespace shardscope {

bool isPipelineAxis(const Experiment& experiment, std::string_view axis)
{
    constexpr std::array<std::string_view, 5> names{ "stage", "stages", "pipeline", "pipe", "pp" };
    return isNetwork(experiment) && std::find(names.begin(), names.end(), axis) != names.end();
}

} // namespace shardscope
