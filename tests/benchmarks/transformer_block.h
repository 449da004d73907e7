// SPDX-License-Identifier: GPL-3.0-or-later
// The forward pass of one transformer block as StableHLO text: attention over all positions with a softmax, two layers
// of an MLP with tanh in its GELU, root-mean-square norms before both and residuals around both. On a mesh data=2,
// model=4: the batch over data, heads and the MLP's hidden dimension over model.
#pragma once

#include <cstdint>
#include <string>

namespace shardscope::bench {

struct TransformerBlock {
    std::int64_t batch = 8, sequence = 256, width = 512, heads = 8;

    [[nodiscard]] std::int64_t hidden() const { return 4 * width; }
    [[nodiscard]] std::string text() const;
    /// Multiplications and additions of the products.
    [[nodiscard]] double flops() const;
    /// What has to be read and written at the least: parameters once per device that holds them, input and output.
    [[nodiscard]] double bytes(int dataAxis) const;
};

} // namespace shardscope::bench
