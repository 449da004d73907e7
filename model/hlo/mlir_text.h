// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of attributes as MLIR writes them, and lists of numbers as HLO does.
//
//     quotedText("a\"b") is "\"a\\22b\"", arrayText("strides", { 1, 2 }) "strides = array<i64: 1, 2>"
//     numberRows("0_1x0_0_2") are the rows { 0, 1 } and { 0, 0, 2 }
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope::hlo {

/// A string, with quotes and escapes.
[[nodiscard]] std::string quotedText(std::string_view text);
[[nodiscard]] std::string arrayText(std::string_view name, const std::vector<std::int64_t>& values);
/// "offset_dims = [0, 1]"
[[nodiscard]] std::string bracketText(std::string_view name, const std::vector<std::int64_t>& values);
/// Rows with "x" between them, of numbers with "_" between them; what is no number is 0.
[[nodiscard]] std::vector<std::vector<std::int64_t>> numberRows(std::string_view text);

} // namespace shardscope::hlo
