// SPDX-License-Identifier: GPL-3.0-or-later
// Errors of readers as text, for comparison in tests.
#pragma once

#include <QString>
#include <string>

#include "base/diagnostics.h"

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

} // namespace shardscope::test
