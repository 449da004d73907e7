// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in words.h.
#include "words/words.h"

#include <array>

#include "words/describe_subjects.h"
#include "words/explicit_words.h"
#include "words/tr.h"

namespace shardscope::words {

ProblemText describe(const Diagnostic& diagnostic)
{
    // Subjects whose codes stand apart from the ranges below, each empty for what is none of its own.
    constexpr std::array subjects{ &describeExecution, &describeHosts, &describeDevices, &describeProgramSharding,
        &describeProgramText, &describeExplicitMode, &describeConfiguration, &describeSetting };
    ProblemText text;
    for (const auto subject : subjects)
        if (text.cause.isEmpty())
            text = subject(diagnostic);
    const auto number = static_cast<int>(diagnostic.code);
    const bool file = (number >= 120 && number < 140) || (number >= 220 && number < 230);
    if (text.cause.isEmpty())
        text = file         ? describeFile(diagnostic)
            : number >= 400 ? describeForm(diagnostic)
            : number < 120  ? describeSharding(diagnostic)
            : number < 200  ? describeProgram(diagnostic)
                            : describeWarning(diagnostic);
    if (number >= 400 && text.remedy.isEmpty())
        text.remedy = Words::tr("`shardscope sharding --help` shows the forms that are read.");
    if (const QString where = programPlace(diagnostic); !where.isEmpty())
        text.cause = Words::tr("%1: %2", "stablehlo.add, result 1: what is wrong").arg(where, text.cause);
    if (const std::int64_t alike = diagnostic.number("alike"); alike > 1) {
        const QStringList names = texts(diagnostic.list("alike_names"), fromStd);
        const QString more = count(alike - 1);
        text.cause += names.isEmpty()
            ? Words::tr("; %1 more like it").arg(more)
            : Words::tr("; %1 more like it: %2 and so on").arg(more, names.join(Words::tr(", ")));
    }
    text.where = place(diagnostic);
    return text;
}

QString ProblemText::inFull() const
{
    return cause + (cause.endsWith(u'.') ? QString() : QStringLiteral("."))
        + (remedy.isEmpty() ? QString() : u' ' + remedy);
}

QString sentence(QString text)
{
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    return text.isEmpty() || text.endsWith(u'.') ? text : text + u'.';
}

QString oneLine(const Diagnostic& diagnostic)
{
    const Where& where = diagnostic.where;
    QString line;
    if (!where.file.empty())
        line += fromStd(where.file) + QStringLiteral(":");
    if (where.line > 0)
        line += QString::number(where.line) + QStringLiteral(":") + QString::number(where.column) + QStringLiteral(":");
    if (!line.isEmpty())
        line += QStringLiteral(" ");
    line += fromStd(diagnostic.id()) + QStringLiteral(": ");
    if (where.line > 0 && !where.pointer.empty())
        line += fromStd(where.pointer) + QStringLiteral(": ");
    return line + describe(diagnostic).inFull();
}

} // namespace shardscope::words