// SPDX-License-Identifier: GPL-3.0-or-later
// What every command prints with --json, as a schema.
#pragma once

#include <string_view>

namespace shardscope::cli {

/// The JSON schema (draft-07), as it stands in resources/schema/.
[[nodiscard]] std::string_view outputSchema();

} // namespace shardscope::cli
