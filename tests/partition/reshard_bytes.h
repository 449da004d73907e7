// SPDX-License-Identifier: GPL-3.0-or-later
// Figures to compare the bytes of reshards with.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "partition/reshard.h"
#include "sharding/layout.h"

namespace shardscope {

/// The way that needs no thought: all_gather everything, slice what is wanted. 0 where no device lacks anything, or
/// where something has to be added up first.
[[nodiscard]] inline Rational replicateThenSliceBytes(const Reshard& reshard)
{
    if (!reshard.from.unreduced.empty() || (!reshard.sourceMesh && reshard.from.isEquivalent(reshard.to)))
        return 0;
    Reshard full = reshard;
    full.to = TensorSharding::fullyReplicated(reshard.from.rank());
    return sentBytes(shardySteps(full));
}

/// What no way can avoid: bytes of the target blocks that their devices do not hold. Without meaning for unreduced
/// arrays.
struct MissingBytes {
    std::int64_t neediestDevice = 0;
    std::int64_t allDevices = 0;
};
[[nodiscard]] inline MissingBytes missingBytes(const Reshard& reshard)
{
    const auto mesh = std::make_shared<const Mesh>(*reshard.mesh);
    const auto sourceMesh = reshard.sourceMesh ? std::make_shared<const Mesh>(*reshard.sourceMesh) : mesh;
    const Layout from(sourceMesh, reshard.from, reshard.type.shape);
    const Layout to(mesh, reshard.to, reshard.type.shape);
    MissingBytes missing;
    for (std::int64_t position = 0; position < mesh->deviceCount(); ++position) {
        const std::vector<IndexRange> wanted = to.rangesAt(position);
        const std::vector<IndexRange> current = from.rangesAt(sourceMesh->positionOf(mesh->deviceAt(position)));
        std::int64_t elements = 1;
        std::int64_t common = 1;
        for (std::size_t d = 0; d < wanted.size(); ++d) {
            elements *= wanted[d].size();
            common *= std::max<std::int64_t>(
                0, std::min(wanted[d].end, current[d].end) - std::max(wanted[d].begin, current[d].begin));
        }
        const std::int64_t bytes = TensorType{ reshard.type.dtype, { elements - common } }.byteCount();
        missing.neediestDevice = std::max(missing.neediestDevice, bytes);
        missing.allDevices += bytes;
    }
    return missing;
}

/// shardySteps() on one mesh, exact.
[[nodiscard]] inline std::vector<ReshardStep> reshardSteps(
    const TensorSharding& from, const TensorSharding& to, const TensorType& type, const Mesh& mesh)
{
    return shardySteps({ type, from, to, &mesh });
}

} // namespace shardscope
