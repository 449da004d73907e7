// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays as nested lists: [[1, 2], [3, 4]], a scalar as 1. Exact both ways: integers to 64 bits, floats to the nearest
// number of their type and back in as many digits as tell them apart; true and false; "nan", "inf" and "-inf", which
// JSON has no numbers for, as strings.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "experiment_file/json_text.h"
#include "program/types.h"

namespace shardscope {

/// The elements of an array of the type, row-major. `name` stands in what is wrong: "arg0[1][2]".
///
/// Errors, with line and column: WrongType for an element of another kind (a fraction where integers are wanted), and
/// for a list where an element is, or the other way round; CountMismatch for a list of another length; OutOfRange for a
/// number that the type does not have. Complex numbers are lists of two: [real part, imaginary part].
[[nodiscard]] Result<std::vector<std::byte>> readArrayText(
    const JsonNode& node, const TensorType& type, const std::string& name);

/// One element: 0.1, -3, true, "nan" in quotes. Complex numbers as [re, im].
[[nodiscard]] std::string elementText(DType dtype, const std::byte* element);
/// The full array on one line.
[[nodiscard]] std::string arrayText(const TensorType& type, const std::byte* elements);
/// For people: rows one below the other, columns aligned. Of an array of more than `whole` elements the first and last
/// `edge` entries of every dimension, with "..." between them.
[[nodiscard]] std::vector<std::string> arrayLines(
    const TensorType& type, const std::byte* elements, std::int64_t full = 200, std::int64_t edge = 3);

/// The index of an element of an array: [1, 2] of element 5 in [2, 3].
[[nodiscard]] Shape indexOf(std::int64_t element, std::span<const std::int64_t> shape);

} // namespace shardscope
