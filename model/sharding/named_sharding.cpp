// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/named_sharding.h"

namespace shardscope {

bool NamedSharding::operator==(const NamedSharding& other) const
{
    return (mesh == other.mesh || *mesh == *other.mesh) && canonical(spec) == canonical(other.spec)
        && memoryKind == other.memoryKind;
}

} // namespace shardscope
