// SPDX-License-Identifier: GPL-3.0-or-later
// resolve --add-axis: the dimensions that nn.scan and nn.vmap give an array, with the names in its box (Linen) or its
// metadata (NNX) before and after.
#pragma once

#include <string>
#include <vector>

#include "networks/lifted_axis.h"
#include "report.h"

namespace shardscope::cli {

struct LiftedNames {
    LiftedAxis axis;
    LogicalNames inside, outside;
};

/// "0=layers", or "0=None" for a dimension without a name; the transform nearest to the module first. Errors: WrongType
/// for what is none of these, OutOfRange for a place beyond 15.
[[nodiscard]] Result<std::vector<LiftedNames>> liftedNames(
    const std::vector<std::string>& axes, const LogicalNames& names);
/// "add_axis(0, 'layers'): ('embed', 'hidden') → ('layers', 'embed', 'hidden')".
[[nodiscard]] QString liftedText(const LiftedNames& lifted);
[[nodiscard]] Json liftedJson(const std::vector<LiftedNames>& lifted);

} // namespace shardscope::cli
