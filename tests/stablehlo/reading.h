// SPDX-License-Identifier: GPL-3.0-or-later
// Reading texts in tests.
#pragma once

#include <string>
#include <string_view>

#include "shown_error.h"
#include "stablehlo/print.h"
#include "stablehlo/read.h"
#include "stablehlo/same_program.h"

namespace shardscope::test {

/// What is wrong with the way of a text through reader and printer and back; empty if nothing is.
inline QString wayRound(const Program& program, const PrintOptions& options = {})
{
    const std::string printed = printStableHlo(program, options);
    const Result<ReadProgram> again = readStableHlo(printed);
    if (!again)
        return shown(again.error()) + QStringLiteral("\n") + QString::fromStdString(printed);
    const std::string different = difference(program, again->program, options.locations);
    return different.empty() ? QString() : QString::fromStdString(different + '\n' + printed);
}

} // namespace shardscope::test
