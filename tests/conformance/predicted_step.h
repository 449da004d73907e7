// SPDX-License-Identifier: GPL-3.0-or-later
// What the product predicts of a train step from its rules and mesh alone, held against what XLA compiled of it.
#pragma once

#include <string>

#include "conformance/checker.h"
#include "hlo/collectives.h"

namespace shardscope::conformance {

/// Of a case of compiled_collectives that is one of the product's networks: along which axes it gathers or adds up
/// other weights than the compiled program, by more than 1 %; of a text that ends early, in what it has of a layer.
/// With settings of its own in the place of MaxText's the network may differ by what is given as a reason. "" where
/// nothing is wrong, and for cases of other models.
[[nodiscard]] std::string predictedDifference(
    const Json& oneCase, const HloModule& module, const HloCollectives& compiled);

} // namespace shardscope::conformance
