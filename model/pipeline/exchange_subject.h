// SPDX-License-Identifier: GPL-3.0-or-later
// The array that is drawn before and after a collective.
//
// Mostly that is the value with its shardings. A collective that a program writes itself, within a manual computation,
// works on what each device holds there: for the picture the devices of a group have one array between them, and the
// mesh is that of the first group. One that the partition has put into a manual computation is drawn for the devices
// that have one array there: the mesh is that of the first device along the manual axes.
//
//     stablehlo.reduce_scatter of tensor<32x128xf32> over y = 8 on dimension 0: before, 8 addends of [32, 128];
//     after, [32@y, 128]
//     stablehlo.collective_permute of it: [8@y, 32, 128], an array per device
#pragma once

#include "pipeline/collective_list.h"

namespace shardscope {

struct ExchangeSubject {
    TensorType type; ///< of the array that the devices have between them
    TensorSharding before, after;
    /// Of the shardings: the axes are those of the collective's mesh, with size 1 where they are not in the picture.
    MeshPtr mesh;
    MeshPtr meshAfter = {}; ///< of a permute: the devices in the order of the arrays that they get; or null
    /// It is the array of one group: other groups may hold other data under the same indices.
    bool ofOneGroup = false;
    std::vector<std::string> manualAxes = {}; ///< each device along them has another array; or empty
    bool arrayPerDevice = false; ///< dimension 0 counts the devices of the group
};

[[nodiscard]] ExchangeSubject exchangeSubject(const CollectiveList& list, const CollectiveEntry& entry);

} // namespace shardscope
