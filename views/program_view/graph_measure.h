// SPDX-License-Identifier: GPL-3.0-or-later
// How large things in the graph are at 100 %: by their words, in the fonts of the theme.
#pragma once

#include "geometry/graph_layout.h"
#include "words/graph_words.h"

namespace shardscope {

/// For as long as both arguments live.
[[nodiscard]] GraphMeasure graphMeasure(const GraphWords& words, const ProgramOutline& outline);

} // namespace shardscope
