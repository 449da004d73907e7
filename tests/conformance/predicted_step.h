// SPDX-License-Identifier: GPL-3.0-or-later
// What the product predicts of a train step from its rules and mesh alone, held against what XLA compiled of it.
#pragma once

#include "conformance/checker.h"
#include "hlo/collectives.h"

namespace shardscope::conformance {

/// Of a case of compiled_collectives that is one of the product's networks: whether both sides gather, and add up
/// gradients of, as many bytes of weights along every set of axes as the sizes of the model say; of a text that ends
/// early, whether it has every weight of a layer. With settings of its own in the place of MaxText's the network
/// differs, the reasons that are given for it say by how much, and with the settings that they name it does not.
/// Unsupported: models that are no network of the product, and work in other types than bf16.
[[nodiscard]] CaseResult checkPrediction(const Json& oneCase, const HloModule& module, const HloCollectives& compiled);

} // namespace shardscope::conformance
