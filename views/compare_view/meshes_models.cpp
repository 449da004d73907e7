// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare_view/meshes_models.h"

#include <algorithm>

#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"
#include "words/mesh_search_words.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr QChar noFigure(0x2013);

QString heldBytesText(const std::optional<std::int64_t>& bytes)
{
    return bytes ? words::bytes(static_cast<double>(*bytes)) : QString(noFigure);
}

QString sentText(const std::optional<Rational>& sent)
{
    return sent ? words::bytes(*sent) : QString(noFigure);
}

} // namespace

MeshesModel::MeshesModel(QObject* parent)
    : ColumnModel(parent)
{
    using Look = ModelColumn::Look;
    setColumns({ { tr("Mesh"), [this](int row) { return words::meshNames(mesh(row).axes); } },
        { tr("State and gradients"), [this](int row) { return heldBytesText(mesh(row).stateBytes); }, Look::Number,
            tr("Parameters, gradients and moments per device") },
        { tr("Peak"), [this](int row) { return heldBytesText(mesh(row).peakBytes); }, Look::Number,
            tr("Most memory of a device in a step") },
        { tr("Sent"), [this](int row) { return sentText(mesh(row).sentBytes); }, Look::Number,
            tr("Per device and step") },
        { tr("Among them"), [this](int row) { return words::meshVerdict(m_meshes, static_cast<std::size_t>(row)); },
            Look::Plain, tr("On the front: none of the others sends less and holds less") } });
}

void MeshesModel::setMeshes(std::vector<MeshFigures> meshes)
{
    const bool same = std::equal(meshes.begin(), meshes.end(), m_meshes.begin(), m_meshes.end(),
        [](const MeshFigures& a, const MeshFigures& b) { return a.axes == b.axes; });
    refill(same, [&] { m_meshes = std::move(meshes); });
}

void MeshesModel::setOpen(const std::vector<MeshAxis>& axes)
{
    if (axes != m_open)
        refill(true, [&] { m_open = axes; });
}

QVariant MeshesModel::cell(int row, int column, int role) const
{
    switch (role) {
    case Qt::FontRole:
        return isOpen(row) ? QVariant(Metrics::semibold()) : QVariant();
    case Qt::ForegroundRole:
        if (mesh(row).problem && column == Verdict)
            return Theme::current().error;
        return column == Verdict && !mesh(row).isFront() ? QVariant(Theme::current().secondary) : QVariant();
    case Qt::ToolTipRole:
        return plainTip(text(row, Mesh) + u'\n' + text(row, Verdict));
    case Qt::AccessibleDescriptionRole:
        return isOpen(row) ? tr("open now") : QString();
    default:
        return {};
    }
}

BatchesModel::BatchesModel(QObject* parent)
    : ColumnModel(parent)
{
    using Look = ModelColumn::Look;
    setColumns({ { tr("Batch"), [this](int row) { return words::count(batch(row).batch); }, Look::Number },
        { tr("Sends least"),
            [this](int row) {
                if (const auto& least = batch(row).least)
                    return words::meshNames(m_compared[*least].axes);
                const QString why = words::batchProblem(batch(row), m_compared);
                return why.isEmpty() ? QString(noFigure) : why;
            } },
        { tr("Sent"), [this](int row) { return sentText(batch(row).sentLeast); }, Look::Number,
            tr("Per device and step, on that mesh") },
        { tr("Sent by B"), [this](int row) { return sentText(batch(row).sentNow); }, Look::Number,
            tr("Per device and step, on the mesh that is open") } });
}

void BatchesModel::setFound(const FoundMeshes& found)
{
    const bool same = std::equal(found.batches.begin(), found.batches.end(), m_batches.begin(), m_batches.end(),
        [](const BatchFigures& a, const BatchFigures& b) { return a.batch == b.batch; });
    refill(same, [&] {
        m_compared = found.compared;
        m_batches = found.batches;
    });
}

QString BatchesModel::sentence() const
{
    return words::batchSensitivity(m_batches, m_compared);
}

} // namespace shardscope
