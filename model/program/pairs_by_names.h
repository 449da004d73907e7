// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments and results of main that have the same names, as named locations and jax.result_info give them.
//
//     params['w'], params['b'], x['w'] -> [0]['w'], [0]['b'], [1]    results 0, 1 are arguments 0, 1
#pragma once

#include <vector>

#include "program/element_updates.h"
#include "program/main_interface.h"

namespace shardscope {

/// Which pairs are wanted.
enum class NamedPairs : std::uint8_t {
    Updates, ///< of what only the place in a result pairs those alone that are updated, or returned as they are
    Donated, ///< of donated arguments, where the types fit; updates before others
    Others, ///< whose results are no updates of their arguments, nor these
};

/// All the arguments under one argument of the Python function, or none of them: by their whole names, or in the same
/// places under one of its results. Of several such results the one that is made of the fewest arguments, of those the
/// first: parameters' next values are found beside an average of them. No argument and no result stands in two pairs.
[[nodiscard]] std::vector<StatePair> pairsByNames(
    const MainInterface& main, ElementUpdates& updates, NamedPairs wanted);

} // namespace shardscope
