// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timing_view/timing_summary.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <cmath>

#include "words/words.h"

namespace shardscope {

namespace {

struct TimingSummary {
    Q_DECLARE_TR_FUNCTIONS(TimingSummary)
};

} // namespace

std::vector<DeviceBar> deviceBars(std::span<const DeviceTimes> devices, std::size_t maximumBars)
{
    std::vector<DeviceBar> bars;
    if (devices.empty() || maximumBars == 0)
        return bars;
    const std::size_t each = (devices.size() + maximumBars - 1) / maximumBars;
    for (std::size_t first = 0; first < devices.size(); first += each) {
        const std::size_t count = std::min(each, devices.size() - first);
        bars.push_back({ first, count, meanOf(devices.subspan(first, count)) });
    }
    return bars;
}

QString timeitSentence(const TimeitResult& result)
{
    const auto runs = static_cast<qint64>(result.perLoop.size());
    if (runs == 0)
        return TimingSummary::tr("Stopped before the first run was complete.");
    if (runs == 1)
        return TimingSummary::tr("%1 per step (1 run of %2)")
            .arg(words::seconds(result.mean), words::counted(result.loops, words::Noun::Loop));
    const QString loops = TimingSummary::tr("%1 each", "loops").arg(words::counted(result.loops, words::Noun::Loop));
    const QString text = TimingSummary::tr("%1 per step (mean ± std. dev. of %2 runs, %3)")
                             .arg(words::meanAndDeviation(result.mean, result.deviation), words::count(runs), loops);
    return result.stopped ? TimingSummary::tr("%1, stopped").arg(text) : text;
}

QString stepsSentence(const TimeStatistics& steps)
{
    if (steps.count == 0)
        return {};
    if (steps.count == 1)
        return TimingSummary::tr("%1 for one step").arg(words::seconds(steps.mean));
    if (steps.isUneven())
        return TimingSummary::tr("%1 per step (median of %2 steps, mean %3)")
            .arg(words::seconds(steps.median), words::count(static_cast<qint64>(steps.count)),
                words::seconds(steps.mean));
    return TimingSummary::tr("%1 per step (mean ± std. dev. of %2 steps)")
        .arg(words::meanAndDeviation(steps.mean, steps.deviation), words::count(static_cast<qint64>(steps.count)));
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
        return TimingSummary::tr("No step gave a loss");
    const auto last = std::find_if(figures.rbegin(), figures.rend(), hasLoss).base() - 1;
    const QString before = TimingSummary::tr("Loss %1 after step %2")
                               .arg(figureText(begin->loss), words::count(first + (begin - figures.begin())));
    return begin == last ? before
                         : TimingSummary::tr("%1, %2 after step %3", "Loss 4.8 after step 1, 3.2 after step 50")
                               .arg(before, figureText(last->loss), words::count(first + (last - figures.begin())));
}

} // namespace shardscope
