// SPDX-License-Identifier: GPL-3.0-or-later
// The shard grid for screen readers: a table of cells, each saying its devices and index ranges.
#pragma once

namespace shardscope {

/// Makes GridCanvas known to the accessibility layer; calling it again changes nothing.
void installGridAccessibility();

} // namespace shardscope
