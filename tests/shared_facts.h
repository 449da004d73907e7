// SPDX-License-Identifier: GPL-3.0-or-later
// Files of other projects that some tests read. They are no part of this one: they lie beside it, or not at all.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace shardscope::test {

/// The folder of facts: in $SHARDSCOPE_SHARED, beside the project, or beside the folder that holds several working
/// copies of it. Empty where there is none.
[[nodiscard]] inline std::filesystem::path sharedFacts()
{
    const char* const shared = std::getenv("SHARDSCOPE_SHARED");
    for (const std::filesystem::path& candidate :
        { std::filesystem::path(shared != nullptr ? shared : SHARDSCOPE_SOURCE_DIR "/../shared"),
            std::filesystem::path(SHARDSCOPE_SOURCE_DIR "/../../shared") })
        if (std::filesystem::exists(candidate / "facts"))
            return candidate / "facts";
    return {};
}

} // namespace shardscope::test
