// SPDX-License-Identifier: GPL-3.0-or-later
// A folder of MaxText's goldens on the command line.
#pragma once

#include <string>

#include "interchange/maxtext_goldens.h"

namespace shardscope::cli {

[[nodiscard]] bool isFolder(const std::string& name);
/// Errors name the file in the folder. A folder of such folders is refused with the first of them.
[[nodiscard]] ReadGoldens loadGoldens(const std::string& folder);
/// Writes the files, each at once or not at all, into the folder, which is made where it is missing. Error: Unwritable.
[[nodiscard]] Result<void> saveGoldens(const MaxTextGoldens& goldens, const std::string& folder);

} // namespace shardscope::cli
