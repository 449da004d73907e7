// SPDX-License-Identifier: GPL-3.0-or-later
// Both sides of a logical axis rule as a person types and reads them.
#pragma once

#include <QString>

#include "base/diagnostics.h"
#include "sharding/logical_rules.h"

namespace shardscope::words {

/// What a person types for a rule's target: "model", "data, model" or "(data, model)", "" or "None" for None. Refused
/// where it has brackets or quotes that make no list of axes: Syntax.
[[nodiscard]] Result<SpecEntry> readTarget(const QString& text);
[[nodiscard]] QString targetText(const SpecEntry& entry);
/// "batch", "None"; that of dimensions that are left open.
[[nodiscard]] LogicalName parseLogicalName(const QString& text);
[[nodiscard]] QString logicalNameText(const LogicalName& name);

} // namespace shardscope::words
