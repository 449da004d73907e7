// SPDX-License-Identifier: GPL-3.0-or-later
// Elements of constants: between their bytes in memory and their text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "program/element_bits.h"
#include "stablehlo/scanner.h"

namespace shardscope::mlir {

/// A number as it stands in a text: "-1.5e+00", "3"; for floats also their bits as "0x7F800000". Nothing is said where
/// there is none.
[[nodiscard]] bool readNumber(Scanner& s, DType dtype, double& value);

/// Reads one element, "1", "-2.5", "true", "(1.0, 0.0)", and appends its bytes.
[[nodiscard]] bool readElement(Scanner& s, DType dtype, std::vector<std::byte>& bytes);
/// As the reader takes it back bit by bit: NaN and infinities as hexadecimal bits.
void appendElement(std::string& text, DType dtype, const std::byte* bytes);

} // namespace shardscope::mlir
