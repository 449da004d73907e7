// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "pipeline/snapshot.h"

namespace shardscope::words {

/// "P(-, y)"; "P(-, y) Σ x" where each device holds a part of a sum along x.
[[nodiscard]] QString specText(const TensorRow& row);

} // namespace shardscope::words
