// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/named_sharding.h"

#include <algorithm>

#include "sharding/hlo_sharding.h"

namespace shardscope {

Result<Layout> NamedSharding::layout(std::span<const std::int64_t> shape) const
{
    SHARDSCOPE_CHECK(validate(spec, *mesh, shape));
    return Layout(mesh, toTensorSharding(spec, *mesh, shape.size()), Shape(shape));
}

bool NamedSharding::operator==(const NamedSharding& other) const
{
    return (mesh == other.mesh || *mesh == *other.mesh) && canonical(spec) == canonical(other.spec)
        && memoryKind == other.memoryKind;
}

bool isEquivalent(const NamedSharding& a, const NamedSharding& b, std::size_t ndim)
{
    return a.mesh->deviceCount() == b.mesh->deviceCount()
        && std::ranges::equal(a.mesh->deviceOrder(), b.mesh->deviceOrder()) && a.memoryKind == b.memoryKind
        && toHloSharding(a.spec, *a.mesh, ndim) == toHloSharding(b.spec, *b.mesh, ndim);
}

} // namespace shardscope
