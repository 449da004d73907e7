// SPDX-License-Identifier: GPL-3.0-or-later
// What the values dock says about an array.
#pragma once

#include <QStringList>

#include "pipeline/snapshot.h"
#include "views/values_view/shown_values.h"

namespace shardscope {

/// Why a value cannot be read, and what to do.
[[nodiscard]] QString notHeldText(Held held, const std::string& path);
/// What one should know about the numbers: that they are parts, or were; that some devices are left out.
[[nodiscard]] QStringList valuesNotes(const ShownValues& shown, const TensorRow& row);

} // namespace shardscope
