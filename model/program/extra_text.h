// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes that an operation keeps as text, since the IR has no place of its own for them.
#pragma once

#include <string_view>

#include "program/program.h"

namespace shardscope {

/// Empty for none.
[[nodiscard]] inline std::string_view extraText(
    const Program& program, const Operation& operation, std::string_view name)
{
    if (operation.extra < program.dictionaries.size())
        for (const NamedText& entry : program.dictionaries[operation.extra])
            if (entry.name == name)
                return entry.text;
    return {};
}

} // namespace shardscope
