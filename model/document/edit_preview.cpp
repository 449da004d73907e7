// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/edit_preview.h"

#include <QCoreApplication>
#include <utility>

#include "words/utf8.h"
#include "words/value_changes.h"
#include "words/words.h"

namespace shardscope {

namespace {

struct Preview {
    Q_DECLARE_TR_FUNCTIONS(Preview)
};

std::optional<EditPreview> valuesPreview(
    const SnapshotPtr& now, const ExperimentPtr& after, AnalysisCache& cache, const std::stop_token& stop)
{
    const SnapshotPtr then = analyse(after, 0, cache, stop);
    if (!then)
        return std::nullopt;
    EditPreview preview = editPreview(*now, *then);
    preview.values = std::make_shared<const ValueChanges>(valueChanges(*now, *then));
    preview.now = now;
    preview.then = then;
    return preview;
}

} // namespace

QList<EditPreview::Part> EditPreview::parts(bool all) const
{
    if (!change)
        return {};
    QList<Part> parts;
    const auto add = [&](bool changes, const QString& text) {
        if (all || changes)
            parts << Part{ text, changes };
    };
    if (change->parameters > 0)
        add(true,
            change->parameters == 1 ? Preview::tr("1 weight changes")
                                    : Preview::tr("%1 weights change").arg(words::count(change->parameters)));
    else if (change->others > 0)
        add(true,
            change->others == 1 ? Preview::tr("1 tensor changes")
                                : Preview::tr("%1 tensors change").arg(words::count(change->others)));
    else
        add(false, Preview::tr("nothing changes"));
    add(change->stateBytesBefore != change->stateBytesAfter,
        Preview::tr("%1 per device").arg(words::bytesStep(change->stateBytesBefore, change->stateBytesAfter)));
    if (change->sentBefore && change->sentAfter)
        add(!(*change->sentBefore == *change->sentAfter),
            Preview::tr("sent %1 per step")
                .arg(words::amountStep(words::bytes(*change->sentBefore), words::bytes(*change->sentAfter))));
    return parts;
}

QString EditPreview::sentence() const
{
    QStringList all;
    if (!change || !change->nothing())
        for (const Part& part : parts())
            all << part.text;
    if (!problem.isEmpty())
        all << problemText();
    return all.isEmpty() ? Preview::tr("nothing changes") : all.join(QStringLiteral(", "));
}

QString EditPreview::problemText() const
{
    return problemId.isEmpty() ? problem : Preview::tr("%1, see Problems", "E102").arg(problemId);
}

EditPreview editPreview(const Snapshot& now, const Snapshot& then)
{
    EditPreview preview;
    if (now.laidOut() && then.laidOut())
        preview.change = changeBetween(now, then);
    if (!then.ok() && !then.problems.empty())
        preview.problem = words::describe(then.problems.front().diagnostic).cause;
    if (then.errorCount() > 0)
        preview.problemId = words::fromStd(then.problems.front().diagnostic.id());
    return preview;
}

std::optional<EditPreview> editPreview(
    const Snapshot& now, const Experiment& after, AnalysisCache& cache, std::stop_token stop)
{
    const SnapshotPtr then = analyse(std::make_shared<const Experiment>(after), 0, cache, std::move(stop));
    if (!then)
        return std::nullopt;
    return editPreview(now, *then);
}

EditPreviewer::EditPreviewer(QObject* parent)
    : QObject(parent)
    , m_cache(std::make_shared<AnalysisCache>())
    , m_job(this, [this](const std::optional<EditPreview>& preview) {
        if (preview)
            Q_EMIT ready(*preview);
    })
{
}

void EditPreviewer::request(SnapshotPtr now, Experiment after, Detail detail)
{
    cancel();
    if (!now)
        return;
    m_job.request([now = std::move(now), after = std::make_shared<const Experiment>(std::move(after)), cache = m_cache,
                      detail](const std::stop_token& stop) {
        return detail == Detail::Sums ? editPreview(*now, *after, *cache, stop)
                                      : valuesPreview(now, after, *cache, stop);
    });
}

} // namespace shardscope
