// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/step_marks.h"

#include <QCoreApplication>
#include <algorithm>

#include "words/propagation_steps.h"

namespace shardscope {

namespace {

struct StepTexts {
    Q_DECLARE_TR_FUNCTIONS(StepTexts)
};

} // namespace

StepMarks StepMarks::of(const Replay& replay, std::uint32_t step)
{
    StepMarks marks;
    for (const PropagationStep* record : replay.recordsOf(step)) {
        if (!record->seed && record->operation.valid())
            marks.operation = record->operation;
        marks.arrivals.push_back({ record->to, record->axis });
        if (!record->seed && record->from.valid() && record->from != record->to)
            marks.moves.push_back({ record->from, record->to, record->axis.axis });
    }
    const auto eachOnce = [](auto& list) { // there may be thousands
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    eachOnce(marks.arrivals);
    eachOnce(marks.moves);
    return marks;
}

words::Text stepSentence(const Snapshot& snapshot, const Replay& replay, std::uint32_t step)
{
    const auto records = replay.recordsOf(step);
    const auto count = words::count(static_cast<std::int64_t>(records.size()));
    const auto plain = [](const QString& text) { return words::Text{ { text, words::Span::Style::Plain, -1 } }; };
    if (step == 0)
        return plain(records.empty() ? StepTexts::tr("Nothing is given: no value has a sharding of its own.")
                : records.size() == 1
                ? StepTexts::tr("What is given: annotations, constraints and declared results, one axis in all.")
                : StepTexts::tr("What is given: annotations, constraints and declared results, %1 axes in all.")
                      .arg(count));
    if (records.empty())
        return plain(StepTexts::tr("The declared result takes the sharding of the returned value."));
    words::Text sentence = words::propagationStep(*snapshot.program, *snapshot.mesh, *records.front());
    if (records.size() > 1) {
        const QString round = words::propagationRound(records.front()->round);
        sentence.push_back({ QLatin1Char(' ') + StepTexts::tr("%1 dimensions get an axis in this step.").arg(count)
                + (round.isEmpty() ? QString() : QLatin1Char(' ') + round),
            words::Span::Style::Plain, -1 });
    }
    return sentence;
}

} // namespace shardscope
