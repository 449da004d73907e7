// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/mesh_search_words.h"

#include "words/tr.h"

namespace shardscope::words {

QString meshVerdict(const std::vector<MeshFigures>& meshes, std::size_t mesh)
{
    const MeshFigures& figures = meshes[mesh];
    if (figures.problem)
        return oneLine(*figures.problem);
    if (figures.beatenBy)
        return Words::tr("beaten by %1", "a mesh").arg(meshNames(meshes[*figures.beatenBy].axes));
    return figures.isFront() ? Words::tr("front", "of what sends and holds least") : QString(QChar(0x2013));
}

QString batchSensitivity(const std::vector<BatchFigures>& batches, const std::vector<MeshFigures>& compared)
{
    QStringList parts;
    std::optional<std::size_t> before;
    for (const BatchFigures& each : batches) {
        if (!each.least || each.least == before)
            continue;
        const QString mesh = meshNames(compared[*each.least].axes);
        parts << (parts.isEmpty() ? Words::tr("%1 sends least with a batch of %2").arg(mesh, count(each.batch))
                                  : Words::tr("from %1 on %2", "a batch, a mesh").arg(count(each.batch), mesh));
        before = each.least;
    }
    return parts.isEmpty() ? QString() : parts.join(Words::tr(", ")) + QLatin1Char('.');
}

} // namespace shardscope::words
