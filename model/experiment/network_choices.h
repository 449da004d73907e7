// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of a network by their names: sizes, and what is chosen of few, as element types, optimizer and form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiment/experiment.h"

namespace shardscope {

/// The size of that name: one that withDimension() sets, "expert", "microbatches", "sliding_window", "window_pattern".
/// Nothing where the model has none, as window_pattern of layers without a window.
[[nodiscard]] std::optional<std::int64_t> shownSize(const Experiment& experiment, const std::string& name);
/// Errors: those of the edits in experiment/network_edits.h.
[[nodiscard]] Result<Experiment> withSize(const Experiment& experiment, const std::string& name, std::int64_t size);
/// The rate of a transformer's train step; nothing without one.
[[nodiscard]] std::optional<double> shownDropout(const Experiment& experiment);

/// The value of the enumeration: "parameter_dtype", "compute_dtype", "optimizer", "step", "form". Nothing where the
/// model has no such setting.
[[nodiscard]] std::optional<int> chosenOption(const Experiment& experiment, const std::string& name);
/// Errors: UnknownValue for another name, OutOfRange for what is no value of the enumeration, and those of the edits in
/// experiment/network_edits.h.
[[nodiscard]] Result<Experiment> withOption(const Experiment& experiment, const std::string& name, int value);
/// Of a choice that is free, "layers_name"; "" for none.
[[nodiscard]] std::optional<std::string> textOption(const Experiment& experiment, const std::string& name);
/// Errors: UnknownValue for another name.
[[nodiscard]] Result<Experiment> withText(
    const Experiment& experiment, const std::string& name, const std::string& text);

} // namespace shardscope
