// SPDX-License-Identifier: GPL-3.0-or-later
// The arrays of a file that numpy.savez wrote (.npz): a ZIP archive that holds one .npy per array, not compressed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace shardscope {

struct NpzEntry {
    std::string name; ///< without ".npy": "x", "arr_0"
    std::string_view file; ///< a .npy, a part of the archive
};

/// In the order of the archive's directory. Nothing is copied, and sizes are believed only where the bytes are there.
/// Errors: Syntax for what is no archive, or a broken one; UnknownValue for compressed entries (numpy.savez_compressed)
/// and encrypted ones; TooLarge for more than 65,534 arrays; DuplicateKey.
[[nodiscard]] Result<std::vector<NpzEntry>> readNpz(std::string_view archive);

} // namespace shardscope
