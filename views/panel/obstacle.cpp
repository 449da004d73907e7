// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panel/obstacle.h"

#include <QCoreApplication>

#include "document/document.h"
#include "document/run_controller.h"
#include "words/things.h"
#include "words/words.h"

namespace shardscope {

namespace {

struct StepObstacle {
    Q_DECLARE_TR_FUNCTIONS(StepObstacle)
};

} // namespace

QString Obstacle::text() const
{
    // Remedies of several sentences bring their full stops along.
    const QString first = StepObstacle::tr("%1.", "a sentence").arg(cause);
    if (remedy.isEmpty())
        return first;
    return first + u' ' + (remedy.endsWith(u'.') ? remedy : StepObstacle::tr("%1.", "a sentence").arg(remedy));
}

QString Obstacle::stepText() const
{
    return id.isEmpty() ? text() : StepObstacle::tr("No step can run: %1, see Problems.").arg(id);
}

QString Obstacle::layoutText() const
{
    return id.isEmpty() ? text() : StepObstacle::tr("There is nothing to show: %1, see Problems.").arg(id);
}

std::optional<Obstacle> obstacleOf(const Document& document)
{
    const SnapshotPtr snapshot = document.snapshot();
    if (!snapshot)
        return {};
    if (snapshot->ok()) {
        if (!hasNoStep(*snapshot))
            return {};
        return Obstacle{ StepObstacle::tr("This experiment has arrays and rules, and no step to run"), {} };
    }
    // What is no problem of the experiment keeps a compiled program from running.
    const bool isQuiet = snapshot->errorCount() == 0 && snapshot->notPlanned;
    if (snapshot->problems.empty() && !isQuiet)
        return Obstacle{ StepObstacle::tr("No step can run"), {} };
    const Problem problem =
        isQuiet ? Problem{ *snapshot->notPlanned, {}, {} } : snapshot->problems.front(); // errors stand first
    const words::ProblemText text = words::shown(problem.diagnostic);
    Obstacle obstacle{ StepObstacle::tr("No step can run: %1").arg(text.cause), text.remedy, {} };
    if (!isQuiet && problem.diagnostic.severity() == Severity::Error) // Problems lists it
        obstacle.id =
            QString::fromLatin1(problem.diagnostic.id().data(), static_cast<qsizetype>(problem.diagnostic.id().size()));
    return obstacle;
}

std::optional<Obstacle> obstacleOf(const Document& document, const RunController& controller)
{
    std::optional<Obstacle> obstacle = obstacleOf(document);
    if (const std::optional<Diagnostic> refusal = controller.refusal(); refusal && !obstacle) {
        const words::ProblemText text = words::describe(*refusal);
        obstacle = Obstacle{ StepObstacle::tr("No step can run: %1").arg(text.cause), text.remedy, {} };
    }
    return obstacle;
}

bool hasNoStep(const Snapshot& snapshot)
{
    return snapshot.ok() && snapshot.source->program.main().operations.empty();
}

} // namespace shardscope
