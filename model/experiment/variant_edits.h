// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of the list of variants. What a file says of a variant beside its own keys goes with it. OutOfRange for a
// number that no variant has; WrongType for a name that is none or that another one has.
//
//     variants 2x4, 1x8; withVariantMoved(e, 1, 0) gives 1x8, 2x4; freeVariantName(e, "2x4") is "2x4 (2)"
#pragma once

#include <cstddef>
#include <string>

#include "experiment/experiment.h"

namespace shardscope {

/// Of an experiment, and so of a file.
inline constexpr std::size_t maximumVariants = 1000;

/// After the others. Error: TooLarge beyond maximumVariants.
[[nodiscard]] Result<Experiment> withVariantAdded(const Experiment&, Variant variant);
/// A copy that stands after it, by the name that is free.
[[nodiscard]] Result<Experiment> withVariantDuplicated(const Experiment&, std::size_t index);
[[nodiscard]] Result<Experiment> withVariantRenamed(const Experiment&, std::size_t index, std::string name);
/// So that it stands at `to` afterwards.
[[nodiscard]] Result<Experiment> withVariantMoved(const Experiment&, std::size_t from, std::size_t to);
[[nodiscard]] Result<Experiment> withVariantRemoved(const Experiment&, std::size_t index);

/// The name, with a number after it where a variant has it already.
[[nodiscard]] std::string freeVariantName(const Experiment& experiment, const std::string& name);

} // namespace shardscope
