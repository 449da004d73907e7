// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/timing_words.h"

#include <QLocale>
#include <algorithm>
#include <cmath>

#include "words/tr.h"
#include "words/words.h"

namespace shardscope::words {

QString timeitSentence(const TimeitResult& result)
{
    const auto runs = static_cast<qint64>(result.perLoop.size());
    if (runs == 0)
        return Words::tr("Stopped before the first run was complete.");
    if (runs == 1)
        return Words::tr("%1 per step (1 run of %2)").arg(seconds(result.mean), counted(result.loops, Noun::Loop));
    const QString loops = Words::tr("%1 each", "loops").arg(counted(result.loops, Noun::Loop));
    const QString text = Words::tr("%1 per step (mean ± std. dev. of %2 runs, %3)")
                             .arg(meanAndDeviation(result.mean, result.deviation), count(runs), loops);
    return result.stopped ? Words::tr("%1, stopped").arg(text) : text;
}

QString stepsSentence(const TimeStatistics& steps)
{
    if (steps.count == 0)
        return {};
    if (steps.count == 1)
        return Words::tr("%1 for one step").arg(seconds(steps.mean));
    if (steps.isUneven())
        return Words::tr("%1 per step (median of %2 steps, mean %3)")
            .arg(seconds(steps.median), count(static_cast<qint64>(steps.count)), seconds(steps.mean));
    return Words::tr("%1 per step (mean ± std. dev. of %2 steps)")
        .arg(meanAndDeviation(steps.mean, steps.deviation), count(static_cast<qint64>(steps.count)));
}

QString figureText(const std::optional<double>& figure)
{
    if (!figure)
        return QStringLiteral("–");
    if (std::isnan(*figure))
        return QStringLiteral("NaN");
    if (std::isinf(*figure))
        return *figure > 0 ? QStringLiteral("∞") : QStringLiteral("−∞");
    return QLocale().toString(*figure, 'g', 6);
}

QString lossSentence(std::int64_t first, std::span<const StepFigures> figures)
{
    const auto hasLoss = [](const StepFigures& each) { return each.loss.has_value(); };
    const auto begin = std::find_if(figures.begin(), figures.end(), hasLoss);
    if (begin == figures.end())
        return Words::tr("No step gave a loss");
    const auto last = std::find_if(figures.rbegin(), figures.rend(), hasLoss).base() - 1;
    const QString before =
        Words::tr("Loss %1 after step %2").arg(figureText(begin->loss), count(first + (begin - figures.begin())));
    return begin == last ? before
                         : Words::tr("%1, %2 after step %3", "Loss 4.8 after step 1, 3.2 after step 50")
                               .arg(before, figureText(last->loss), count(first + (last - figures.begin())));
}

} // namespace shardscope::words
