// SPDX-License-Identifier: GPL-3.0-or-later
// Reading texts in tests.
#pragma once

#include <QString>

#include <string>
#include <string_view>

#include "stablehlo/print.h"
#include "stablehlo/read.h"
#include "stablehlo/same_program.h"

namespace shardscope::test {

/// "E120 3:14 expected=“)” found=“,”".
inline QString shown(const Error& error)
{
    std::string text(error.id());
    text += ' ' + std::to_string(error.where.line) + ':' + std::to_string(error.where.column);
    for (const Arg& arg : error.args)
        text += ' ' + arg.name + '=' + error.text(arg.name);
    return QString::fromStdString(text);
}

/// The same of what could not be read; empty for what could.
template <class T>
QString shown(const Result<T>& read)
{
    return read ? QString() : shown(read.error());
}

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
