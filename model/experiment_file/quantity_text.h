// SPDX-License-Identifier: GPL-3.0-or-later
// Quantities as they stand in files: "16 GiB", "45 GB/s". Reading what was printed gives the very same number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardscope {

/// Bytes: a number and B, kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (powers of 1024). Absent unless the
/// result is a whole number from 1 to 2^62.
[[nodiscard]] std::optional<std::int64_t> parseBytes(std::string_view text);
[[nodiscard]] std::string printBytes(std::int64_t bytes);
/// Bytes per second: the same units with "/s". Absent unless the result is positive and finite.
[[nodiscard]] std::optional<double> parseBandwidth(std::string_view text);
[[nodiscard]] std::string printBandwidth(double bytesPerSecond);
/// The shortest text that reads as the same number, always with a point or an exponent.
[[nodiscard]] std::string printReal(double value);

} // namespace shardscope
