// SPDX-License-Identifier: GPL-3.0-or-later
// What is chosen of few in a network, as the form says it; how each is read and set is in experiment/network_choices.h.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"

namespace shardscope {

struct ModelChoice {
    struct Option {
        QString title;
        int value = 0; ///< of the enumeration
    };
    const char* section; ///< of the form: "blocks", "training"
    const char* name; ///< "parameter_dtype", "compute_dtype", "optimizer", "form", "layers_name", "step"
    QString title;
    std::vector<Option> options;
    bool isFree = false; ///< a name that can be any; options propose some
};

[[nodiscard]] std::vector<ModelChoice> modelChoices();

} // namespace shardscope
