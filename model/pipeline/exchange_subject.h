// SPDX-License-Identifier: GPL-3.0-or-later
// The array that is drawn before and after a collective.
//
// Mostly that is the value with its shardings. A collective that a program writes itself, within a manual computation,
// works on what each device holds there: for the picture the devices of a group have one array between them.
//
//     stablehlo.reduce_scatter of tensor<32x128xf32> over y = 8 on dimension 0: before, 8 addends of [32, 128];
//     after, [32@y, 128]
#pragma once

#include "pipeline/collective_list.h"

namespace shardscope {

struct ExchangeSubject {
    TensorType type; ///< of the array that the devices have between them
    TensorSharding before, after;
    /// It is the array of one group: other groups may hold other data under the same indices.
    bool ofOneGroup = false;
};

[[nodiscard]] ExchangeSubject exchangeSubject(const CollectiveList& list, const CollectiveEntry& entry);

} // namespace shardscope
