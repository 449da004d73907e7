// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/run_edits.h"

#include <utility>
#include <vector>

namespace shardscope {

Experiment withInitial(Experiment experiment, const std::string& argument, const std::optional<InitialValue>& value)
{
    std::vector<ChosenInitial>& all = experiment.run.initial;
    std::erase_if(all, [&](const ChosenInitial& chosen) { return chosen.argument == argument; });
    if (value)
        all.push_back({ argument, *value });
    return experiment;
}

} // namespace shardscope
