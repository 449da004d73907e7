// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of where arrays lie: in the memory of their devices or on the host.
#pragma once

#include <optional>
#include <string>

#include "experiment/experiment.h"
#include "sharding/memory_kind.h"

namespace shardscope {

/// The memory of one array; none: the default of the platform. Errors: InvalidAttribute for a model that is not made of
/// arrays alone, UnknownTensor for a path that it lacks, UnknownMemoryKind where the platform lacks the kind.
[[nodiscard]] Result<Experiment> withMemoryKind(
    const Experiment&, const std::string& path, std::optional<MemoryKind> kind);
/// Whether parameters lie in the memory of the devices, or stay on the host (T5X's params_on_devices). InvalidAttribute
/// for a program in a text, which says itself where its arrays lie.
[[nodiscard]] Result<Experiment> withParamsOnDevices(const Experiment&, bool onDevices);

} // namespace shardscope
