// SPDX-License-Identifier: GPL-3.0-or-later
// Writes when the devices of a run executed each instruction of a step, in the JSON that chrome://tracing and Perfetto
// open: one lane per device, times in microseconds.
//
//     {"name":"dot_general layers.0/y","cat":"compute","ph":"X","pid":0,"tid":3,"ts":12.5,"dur":40.1}
#pragma once

#include <string>

#include "simulate/run/run.h"

namespace shardscope {

/// Of the last step of a run that was created with RunOptions::tracedInstructions. An event is an instruction on a
/// device, in the category compute, communication, wait (before a collective) or control; those that one kernel fuses
/// are one event. Events of a loop stand below the loop's own. Where there was no room for all of them, "left_out" says
/// how many are missing.
[[nodiscard]] std::string chromeTrace(const Run& run);

} // namespace shardscope
