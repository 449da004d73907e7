// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes of HLO text as the facts spell them.
#pragma once

#include <string>

#include "base/text.h"
#include "hlo/module.h"

namespace shardscope::conformance {

/// "f32[2,8]", without the layout; of a tuple "(f32[2,8], s32[])".
[[nodiscard]] inline std::string plainText(const HloModule& module, const HloShape& shape)
{
    if (shape.isTuple)
        return '(' + join(shape.parts, ", ", [&](std::uint32_t part) { return plainText(module, module.shapes[part]); })
            + ')';
    const std::string_view text = module.view(shape.text);
    return std::string(text.substr(0, text.find('{')));
}

} // namespace shardscope::conformance
