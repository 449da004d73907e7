// SPDX-License-Identifier: GPL-3.0-or-later
// An experiment's mesh and rules as a MaxText configuration.
//
//     data=2, fsdp=4 on 2 slices: dcn_data_parallelism 2, ici_fsdp_parallelism 4
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "interchange/maxtext_config.h"

namespace shardscope {

struct MaxTextForm {
    MaxTextConfig config;
    std::vector<std::string> notKept; ///< what MaxText has no word for: "device_order", "hosts"
};
/// On so many slices. Where no sizes inside slices and between them make the order of the devices, all are inside.
[[nodiscard]] MaxTextForm maxTextForm(const LogicalRules& rules, const MeshSetting& mesh, std::int64_t slices);

/// MaxText counts slices; in machines without any they are the hosts.
[[nodiscard]] std::int64_t maxTextSlices(const DeviceSet& devices);

/// The base configuration has an ici_ and a dcn_ size of that axis (MaxText of August 2026).
[[nodiscard]] bool isMaxTextAxis(std::string_view axis);

} // namespace shardscope
