// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers of NumPy's generator, bit by bit: np.random.default_rng(seed).normal(). A seed becomes the state of a
// PCG64 (O'Neill, 2014) by SeedSequence; normal numbers are made of its words by a ziggurat of 256 strips (Marsaglia
// and Tsang, 2000; Doornik, 2005).
//
//     default_rng(0).normal(size=3)     0.1257302210933393, -0.1321048632913019, 0.6404226504432821
#pragma once

#include <cstdint>
#include <vector>

namespace shardscope {

/// `count` numbers of that generator from number `first` on, which were drawn one after the other.
[[nodiscard]] std::vector<double> numpyNormals(std::uint64_t seed, std::int64_t first, std::int64_t count);

} // namespace shardscope
