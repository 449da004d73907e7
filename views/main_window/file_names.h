// SPDX-License-Identifier: GPL-3.0-or-later
// Names of files that the window proposes.
#pragma once

#include <QString>

namespace shardscope {

/// "flax-mlp-on-2-4-logical-axes" of "Flax MLP on 2 × 4, logical axes": letters and digits in lower case, whatever is
/// between them as one sign, at most 60 characters; "experiment" of a title without any.
[[nodiscard]] QString fileNameOf(const QString& title);

} // namespace shardscope
