// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of a network that fields of the model's form show, each with how it is read and set.
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

} // namespace shardscope
