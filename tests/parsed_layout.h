// SPDX-License-Identifier: GPL-3.0-or-later
// The layout of an array from texts, for tests of what paints shards.
#pragma once

#include <memory>

#include "sharding/layout.h"
#include "sharding/text.h"

namespace shardscope::test {

/// `layoutOf("data=2,model=4", "P('data', None)", {8, 16})`: texts that are no mesh and no spec end the test.
inline Layout layoutOf(const char* mesh, const char* spec, const Shape& shape)
{
    const auto made = std::make_shared<const Mesh>(*parseMesh(mesh));
    return { made, toTensorSharding(*parseSpec(spec), *made, shape.size()), shape };
}

} // namespace shardscope::test
