// SPDX-License-Identifier: GPL-3.0-or-later
// What is chosen of few in a network: element types, optimizer, form of the layers; with how each is read and set.
#pragma once

#include <QString>
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
    const char* name; ///< "parameter_dtype", "compute_dtype", "optimizer", "form"
    QString title;
    std::vector<Option> options;
};

[[nodiscard]] std::vector<ModelChoice> modelChoices();
/// Nothing where the model has no such setting.
[[nodiscard]] std::optional<int> chosenOption(const Experiment& experiment, const std::string& name);
/// Errors: those of the edits in experiment/network_edits.h.
[[nodiscard]] Result<Experiment> withOption(const Experiment& experiment, const std::string& name, int value);

} // namespace shardscope
