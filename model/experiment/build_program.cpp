// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/builtin.h"

namespace shardscope {

Result<Program> buildProgram(const Experiment& experiment)
{
    if (const auto* mlp = std::get_if<MlpModel>(&experiment.model))
        return buildMlp(mlp->settings);
    return buildArrays(std::get<ArraysModel>(experiment.model).arrays);
}

} // namespace shardscope
