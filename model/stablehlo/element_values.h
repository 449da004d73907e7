// SPDX-License-Identifier: GPL-3.0-or-later
// Elements of constants: between their bytes in memory, their values and their text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "program/types.h"
#include "stablehlo/scanner.h"

namespace shardscope::mlir {

/// A floating point number of a type as a double; complex numbers one part at a time, as their own float type.
[[nodiscard]] double floatAt(DType dtype, const std::byte* bytes);
/// The nearest number of the type, to even where two are equally near; too large ones become infinite, or NaN where the
/// type has no infinity.
void storeFloat(DType dtype, double value, std::byte* bytes);
/// A whole number or truth value; unsigned 64-bit numbers beyond the largest signed one come out negative.
[[nodiscard]] std::int64_t integerAt(DType dtype, const std::byte* bytes);

/// A number as it stands in a text: "-1.5e+00", "3"; for floats also their bits as "0x7F800000". Nothing is said where
/// there is none.
[[nodiscard]] bool readNumber(Scanner& s, DType dtype, double& value);

/// Reads one element, "1", "-2.5", "true", "(1.0, 0.0)", and appends its bytes.
[[nodiscard]] bool readElement(Scanner& s, DType dtype, std::vector<std::byte>& bytes);
/// As the reader takes it back bit by bit: NaN and infinities as hexadecimal bits.
void appendElement(std::string& text, DType dtype, const std::byte* bytes);

} // namespace shardscope::mlir
