// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/mesh_search_words.h"

#include <algorithm>

#include "base/codes.h"
#include "words/tr.h"
#include "words/utf8.h"

namespace shardscope::words {

namespace {

/// "does not fit: 27.3 GiB of 16 GiB", or the sentence of the problem.
QString problemReason(const Diagnostic& problem)
{
    if (problem.code != Code::OverMemoryLimit)
        return oneLine(problem);
    return Words::tr("does not fit: %1 of %2", "bytes needed, bytes there are")
        .arg(bytes(static_cast<double>(problem.number("bytes"))), bytes(static_cast<double>(problem.number("limit"))));
}

/// The same in a few words, where there are any.
QString shortReason(const Diagnostic& problem)
{
    const auto axis = [&] { return fromStd(problem.text("axis")); };
    switch (problem.code) {
    case Code::AxisUnused:
        return Words::tr("nothing is sharded along %1", "a mesh axis").arg(axis());
    case Code::PipelineAxis:
        return Words::tr("%1 is no pipeline here", "a mesh axis").arg(axis());
    case Code::UnevenArgument:
        return Words::tr("%1 does not divide by %2", "sizes")
            .arg(count(problem.number("size")), count(problem.number("partitions")));
    default:
        return problemReason(problem);
    }
}

/// "data 4 × model 8 does not fit: 30 GiB of 16 GiB", "data 4 × model 8: E101: ..."
QString reasonOn(const BatchFigures& batch, const std::vector<MeshFigures>& compared)
{
    const QString mesh = meshNames(compared[*batch.closest].axes);
    const QString reason = problemReason(*batch.problem);
    return batch.problem->code == Code::OverMemoryLimit ? Words::tr("%1 %2", "a mesh, does not fit").arg(mesh, reason)
                                                        : Words::tr("%1: %2", "a mesh, why not").arg(mesh, reason);
}

} // namespace

QString meshVerdict(const std::vector<MeshFigures>& meshes, std::size_t mesh)
{
    const MeshFigures& figures = meshes[mesh];
    if (figures.problem)
        return shortReason(*figures.problem);
    if (figures.dominatedBy)
        return Words::tr("beaten by %1", "a mesh").arg(meshNames(meshes[*figures.dominatedBy].axes));
    return figures.isFront() ? Words::tr("front", "of what sends and holds least") : QString(QChar(0x2013));
}

QString meshReason(const std::vector<MeshFigures>& meshes, std::size_t mesh)
{
    return meshes[mesh].problem ? problemReason(*meshes[mesh].problem) : meshVerdict(meshes, mesh);
}

QString batchProblem(const BatchFigures& batch, const std::vector<MeshFigures>& compared)
{
    return batch.problem && batch.closest ? Words::tr("none; %1", "why no mesh").arg(reasonOn(batch, compared))
                                          : QString();
}

QString sentNow(const BatchFigures& batch)
{
    const QString sent = batch.sentNow ? bytes(*batch.sentNow) : QString(QLatin1Char('-'));
    return batch.problemNow ? Words::tr("%1, %2", "bytes sent, why not").arg(sent, shortReason(*batch.problemNow))
                            : sent;
}

QStringList batchProblems(const std::vector<BatchFigures>& batches, const std::vector<MeshFigures>& compared)
{
    QStringList lines;
    for (std::size_t first = 0; first < batches.size();) {
        std::size_t last = first;
        const BatchFigures& each = batches[first];
        if (each.problem && each.closest) {
            while (last + 1 < batches.size() && batches[last + 1].problem
                && batches[last + 1].problem->code == each.problem->code)
                ++last;
            const QString reason = reasonOn(each, compared);
            lines << sentence(last == first
                    ? Words::tr("With a batch of %1 none of the meshes can be used: %2", "a batch, why not")
                          .arg(count(each.batch), reason)
                    : Words::tr(
                        "With a batch of %1 to %2 none of the meshes can be used. With %1, %3", "batches, why not")
                          .arg(count(each.batch), count(batches[last].batch), reason));
        }
        first = last + 1;
    }
    return lines;
}

QString meshesOfBatches(const FoundMeshes& found)
{
    if (found.batches.empty() || found.compared.size() >= found.comparable)
        return {};
    return Words::tr("Batches were tried on %1 of %2 meshes.")
        .arg(count(static_cast<qint64>(found.compared.size())), count(static_cast<qint64>(found.comparable)));
}

QString batchSensitivity(const std::vector<BatchFigures>& batches, const std::vector<MeshFigures>& compared)
{
    const auto nameOf = [&](std::size_t mesh) { return meshNames(compared[mesh].axes); };
    QString sentence;
    QStringList others; // the first of them says what the numbers are
    std::optional<std::size_t> before;
    std::int64_t smallest = 0, largest = 0; // batches that a mesh can be used with
    for (const BatchFigures& each : batches) {
        if (!each.least)
            continue;
        smallest = smallest == 0 ? each.batch : smallest;
        largest = each.batch;
        if (each.least == before)
            continue;
        if (sentence.isEmpty())
            sentence = Words::tr("%1 sends least with a batch of %2").arg(nameOf(*each.least), count(each.batch));
        else if (each.changes.empty())
            others << (others.isEmpty() ? Words::tr("with a batch of %1 it is %2", "a batch, a mesh")
                                        : Words::tr("with %1 %2", "a batch, a mesh"))
                          .arg(count(each.batch), nameOf(*each.least));
        for (const BatchChange& change : each.changes)
            others << (others.isEmpty() ? Words::tr("from a batch of %1 on it is %2", "a batch, a mesh")
                                        : Words::tr("from %1 on %2", "a batch, a mesh"))
                          .arg(count(change.from), nameOf(change.least));
        before = each.least;
    }
    if (!others.isEmpty())
        return Words::tr("%1; %2.", "the mesh that sends least, others with larger batches")
            .arg(sentence, others.join(Words::tr(", ")));
    const auto canBeUsed = [&](const BatchFigures& each) {
        return each.least || each.batch < smallest || each.batch > largest;
    };
    if (smallest < largest && std::all_of(batches.begin(), batches.end(), canBeUsed))
        sentence = Words::tr("%1 sends least with every batch tried from %2 to %3", "a mesh, batches")
                       .arg(nameOf(*before), count(smallest), count(largest));
    return sentence.isEmpty() ? QString() : sentence + QLatin1Char('.');
}

} // namespace shardscope::words
