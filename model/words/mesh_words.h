// SPDX-License-Identifier: GPL-3.0-or-later
// Why the devices of a mesh stand where they stand, in sentences.
#pragma once

#include <QString>
#include <QStringList>

#include "mesh/device_array.h"
#include "mesh/device_set.h"
#include "mesh/host_block.h"

namespace shardscope::words {

/// "64 devices of kind TPU v4: 16 hosts × 4", with slices where there are several.
[[nodiscard]] QString deviceSet(const DeviceSet& set);
/// One sentence per decision: which rule or table row was taken, and which physical axes became which mesh axis.
/// `names` of the mesh axes may be empty.
[[nodiscard]] QStringList meshReason(const DeviceArray& array, const std::vector<std::string>& names);
/// "host 3: rows 4–7 of data, all of model; chunk 1 of 4 along data", or that its devices lie scattered.
[[nodiscard]] QString hostBlock(
    const HostBlock& block, const DeviceArray& array, const std::vector<std::string>& names);
/// The short name of a rule for machines: "whole_axes".
[[nodiscard]] QString ruleName(OrderRule rule);

} // namespace shardscope::words
