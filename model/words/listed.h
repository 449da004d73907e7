// SPDX-License-Identifier: GPL-3.0-or-later
// Lists in sentences.
#pragma once

#include <QStringList>
#include <span>
#include <utility>
#include <vector>

#include "words/tr.h"

namespace shardscope::words {

/// "x", "x and y", "x, y and z"; with another end, as "%1 or %2": "x, y or z".
[[nodiscard]] inline QString listed(
    const QStringList& names, const QString& end = Words::tr("%1 and %2", "last two of a list"))
{
    if (names.size() < 2)
        return names.join(QString());
    return end.arg(names.mid(0, names.size() - 1).join(Words::tr(", ")), names.last());
}

/// The first and the last of those that follow each other, of numbers that ascend: 1, 2, 3, 7 is 1 to 3, 7 to 7.
template <class Number>
[[nodiscard]] std::vector<std::pair<Number, Number>> runsOf(std::span<const Number> numbers)
{
    std::vector<std::pair<Number, Number>> runs;
    for (const Number number : numbers)
        if (!runs.empty() && runs.back().second + 1 == number)
            runs.back().second = number;
        else
            runs.emplace_back(number, number);
    return runs;
}

} // namespace shardscope::words
