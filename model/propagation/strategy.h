// SPDX-License-Identifier: GPL-3.0-or-later
// What a setting of propagation means for the engine, and for what is done before it.
//
//     Result<Program> ready = prepared(std::move(program), setting);
//     PropagationInput input{ ready };
//     input.strategy = engineStrategy(setting);
//     input.options = engineOptions(setting);
#pragma once

#include "propagation/propagate.h"
#include "propagation/setting.h"

namespace shardscope {

[[nodiscard]] Strategy engineStrategy(const PropagationSetting& setting);
[[nodiscard]] PropagationOptions engineOptions(const PropagationSetting& setting);

/// A program as the setting wants it before propagation. The full strategy gives every use of a constant its own,
/// applies constraints and groups; the others only give meshes their names, and let members of groups disagree by
/// constraints. Nothing is numbered anew: what is added stands after what there was.
[[nodiscard]] Result<Program> prepared(Program program, const PropagationSetting& setting);

} // namespace shardscope
