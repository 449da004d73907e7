// SPDX-License-Identifier: GPL-3.0-or-later
// Python that makes a parameter table (parameter_table.h) of a model: what stands in the help of the window and of the
// command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shardscope {

enum class ModelLibrary : std::uint8_t { Linen, Nnx, T5x };

/// What every program below begins with: write_table(file, rows), where a row is a path, a value with shape and dtype,
/// and names.
[[nodiscard]] std::string_view tableWriter();
/// The rows of a model of that library, and the call that writes them. Needs tableWriter() before it.
[[nodiscard]] std::string_view tableRows(ModelLibrary library);
/// The whole program.
[[nodiscard]] std::string tableCode(ModelLibrary library);

} // namespace shardscope
