// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "base/codes.h"
namespace shardscope::codes450 {
inline constexpr Code PermutePairs = static_cast<Code>(450), GroupsDoNotCover = static_cast<Code>(451), EmptyMesh = static_cast<Code>(452), ReplicationNotInferred = static_cast<Code>(453);
}
#pragma GCC diagnostic ignored "-Wswitch"
