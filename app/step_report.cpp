// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_report.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "words/words.h"

namespace shardscope::cli {

Json stepsJson(const std::vector<StepRecord>& steps)
{
    Json list = Json::array();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        Json& step = list.emplace_back(Json{ { "step", i + 1 }, { "wall_seconds", steps[i].wall } });
        if (steps[i].loss)
            step["loss"] = *steps[i].loss;
    }
    return list;
}

void printSteps(Console& console, const std::vector<StepRecord>& steps)
{
    constexpr std::size_t maxShown = 20;
    Table table{ { { QStringLiteral("Step"), true }, { QStringLiteral("Loss"), true },
                     { QStringLiteral("Wall time"), true } },
        {} };
    const std::size_t count = steps.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (count > maxShown && i == maxShown / 2) { // the first and the last ones
            i = count - maxShown / 2;
            table.rows.push_back({ QStringLiteral("…"), {}, {} });
        }
        const StepRecord& step = steps[i];
        table.rows.push_back({ QString::number(i + 1), step.loss ? QString::number(*step.loss, 'g', 9) : QString(),
            words::seconds(step.wall) });
    }
    console.heading(QStringLiteral("Steps"));
    console.table(table);
}

Json timingJson(const TimeitResult& timing, const Mesh& mesh)
{
    Json devices = Json::array();
    for (std::size_t i = 0; i < timing.devices.size(); ++i) {
        const DeviceTimes& times = timing.devices[i];
        devices.push_back(
            { { "device", mesh.deviceAt(static_cast<std::int64_t>(i)) }, { "compute_seconds", times.compute },
                { "communication_seconds", times.communication }, { "wait_seconds", times.wait } });
    }
    return { { "runs", timing.perLoop.size() }, { "loops", timing.loops }, { "mean_seconds", timing.mean },
        { "deviation_seconds", timing.deviation }, { "per_loop_seconds", timing.perLoop },
        { "devices", std::move(devices) } };
}

void printTiming(Console& console, const TimeitResult& timing, const Mesh& mesh, int threads)
{
    console.heading(QStringLiteral("Timing"));
    console.line(
        QStringLiteral("  %1 per loop (mean ± std. dev. of %2, %3 each), on %4")
            .arg(words::meanAndDeviation(timing.mean, timing.deviation),
                words::counted(static_cast<qint64>(timing.perLoop.size()), words::Noun::Run),
                words::counted(timing.loops, words::Noun::Loop), words::counted(threads, words::Noun::Thread)));
    if (timing.devices.empty())
        return;
    constexpr std::size_t maxShown = 64;
    Table table{ { { QStringLiteral("Device"), true }, { QStringLiteral("Compute"), true },
                     { QStringLiteral("Communication"), true }, { QStringLiteral("Wait"), true } },
        {} };
    for (std::size_t i = 0; i < std::min(timing.devices.size(), maxShown); ++i) {
        const DeviceTimes& times = timing.devices[i];
        const std::int32_t device = mesh.deviceAt(static_cast<std::int64_t>(i));
        table.rows.push_back({ words::devices({ &device, 1 }), words::seconds(times.compute),
            words::seconds(times.communication), words::seconds(times.wait) });
    }
    console.table(table);
    if (timing.devices.size() > maxShown)
        console.line(
            QStringLiteral("  and %1 more")
                .arg(words::counted(static_cast<qint64>(timing.devices.size() - maxShown), words::Noun::Device)));
}

} // namespace shardscope::cli
