// SPDX-License-Identifier: GPL-3.0-or-later
// What the program says about itself: its commands and their options, read from --help.
#pragma once

#include <QRegularExpression>
#include <QSet>

#include "program.h"

namespace shardscope {

/// The help of a command; without a name that of the program.
inline QString helpOf(const QString& command = {})
{
    QStringList arguments{ QStringLiteral("--help") };
    if (!command.isEmpty())
        arguments.prepend(command);
    return runProgram(arguments).out;
}

inline QStringList commandNames()
{
    static const QRegularExpression list(QStringLiteral("\nSubcommands:\n((?:  .*\n)+)"));
    static const QRegularExpression name(QStringLiteral("^  ([a-z-]+) "), QRegularExpression::MultilineOption);
    QStringList names;
    for (auto found = name.globalMatch(list.match(helpOf()).captured(1)); found.hasNext();)
        names << found.next().captured(1);
    return names;
}

/// "--json", "-o" ...: every name of every option that the help lists.
inline QSet<QString> listedOptions(const QString& help)
{
    static const QRegularExpression line(QStringLiteral("^  (-.*?)(?:  |$)"), QRegularExpression::MultilineOption);
    static const QRegularExpression option(QStringLiteral("(?<![\\w-])--?[a-zA-Z][\\w-]*"));
    QSet<QString> options;
    for (auto lines = line.globalMatch(help); lines.hasNext();)
        for (auto found = option.globalMatch(lines.next().captured(1)); found.hasNext();)
            options << found.next().captured(0);
    return options;
}

} // namespace shardscope
