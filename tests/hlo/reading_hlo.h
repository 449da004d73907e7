// SPDX-License-Identifier: GPL-3.0-or-later
// Reading HLO text in tests.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "hlo/read.h"
#include "shown_error.h"

namespace shardscope::test {

/// A module of one computation with these statements; the first one stands in line 4.
inline std::string moduleOf(std::string_view statements, std::string_view attributes = {})
{
    return "HloModule m" + std::string(attributes) + "\n\nENTRY %main (p: f32[8]) -> f32[8] {\n"
        + std::string(statements) + "\n}\n";
}

/// Reads a text that stays as long as the program runs: a module refers to its text.
inline Result<HloModule> readKept(std::string text)
{
    static std::deque<std::string> texts;
    return readHlo(texts.emplace_back(std::move(text)));
}

/// The instruction of that name.
inline const HloInstruction& named(const HloModule& module, std::string_view name)
{
    for (const HloInstruction& instruction : module.instructions)
        if (module.view(instruction.name) == name)
            return instruction;
    qFatal("no instruction %s", std::string(name).c_str());
}

} // namespace shardscope::test
