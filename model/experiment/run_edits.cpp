// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in experiment/edits.h.
#include <utility>
#include <vector>

#include "experiment/edits.h"

namespace shardscope {

Experiment withInitial(Experiment experiment, const std::string& argument, const std::optional<InitialValue>& value)
{
    std::vector<ChosenInitial>& all = experiment.run.initial;
    std::erase_if(all, [&](const ChosenInitial& chosen) { return chosen.argument == argument; });
    if (value)
        all.push_back({ argument, *value });
    return experiment;
}

Experiment withState(Experiment experiment, std::string state)
{
    experiment.run.state = std::move(state);
    return experiment;
}

Experiment withRole(Experiment experiment, const std::string& argument, std::optional<Role> role)
{
    std::vector<ChosenRole>& all = experiment.run.roles;
    std::erase_if(all, [&](const ChosenRole& chosen) { return chosen.argument == argument; });
    if (role)
        all.push_back({ argument, *role });
    return experiment;
}

} // namespace shardscope
