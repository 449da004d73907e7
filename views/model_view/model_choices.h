// SPDX-License-Identifier: GPL-3.0-or-later
// What is chosen of few in a network: element types, optimizer, form of the layers; with how each is read and set.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"

namespace shardscope {

/// The size of that name: one that withDimension() sets, "expert", "microbatches", "sliding_window", "window_pattern".
/// Nothing where the model has none, as window_pattern of layers without a window.
[[nodiscard]] std::optional<std::int64_t> shownSize(const Experiment& experiment, const std::string& name);
/// Errors: those of the edits in experiment/network_edits.h.
[[nodiscard]] Result<Experiment> withSize(const Experiment& experiment, const std::string& name, std::int64_t size);
/// The rate of a transformer's train step; nothing without one.
[[nodiscard]] std::optional<double> shownDropout(const Experiment& experiment);

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
/// Nothing where the model has no such setting.
[[nodiscard]] std::optional<int> chosenOption(const Experiment& experiment, const std::string& name);
/// Errors: those of the edits in experiment/network_edits.h.
[[nodiscard]] Result<Experiment> withOption(const Experiment& experiment, const std::string& name, int value);
/// Of a choice that is free; "" for none.
[[nodiscard]] std::optional<QString> textOption(const Experiment& experiment, const std::string& name);
[[nodiscard]] Result<Experiment> withText(const Experiment& experiment, const std::string& name, const QString& text);

} // namespace shardscope
