// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/hosts_view/hosts_models.h"

#include <algorithm>

#include "base/codes.h"
#include "sharding/text.h"
#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"
#include "words/topology_words.h"
#include "words/words.h"

namespace shardscope {

void HostListModel::setIndex(std::shared_ptr<const HostIndex> index)
{
    beginResetModel();
    m_index = std::move(index);
    endResetModel();
}

int HostListModel::rowOf(std::int32_t host) const
{
    if (!m_index)
        return -1;
    const auto& blocks = m_index->blocks();
    const auto found = std::lower_bound(blocks.begin(), blocks.end(), host,
        [](const HostBlock& block, std::int32_t process) { return block.process < process; });
    return found != blocks.end() && found->process == host ? static_cast<int>(found - blocks.begin()) : -1;
}

int HostListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_index ? 0 : static_cast<int>(m_index->blocks().size());
}

QVariant HostListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || !m_index)
        return {};
    const HostBlock& block = m_index->blocks()[static_cast<std::size_t>(index.row())];
    if (role == Qt::DisplayRole)
        return block.contiguous() ? tr("host %1").arg(block.process) : tr("host %1, scattered").arg(block.process);
    if (role == Qt::ToolTipRole)
        return words::counted(block.devices, words::Noun::Device);
    return {};
}

void HostArraysModel::setHost(std::shared_ptr<const HostIndex> index, std::optional<HostShare> chunks)
{
    beginResetModel();
    m_index = std::move(index);
    m_chunks = std::move(chunks);
    endResetModel();
}

int HostArraysModel::rowOf(const QString& path) const
{
    if (!m_chunks)
        return -1;
    const std::string wanted = path.toStdString();
    for (std::size_t i = 0; i < m_chunks->arrays.size(); ++i)
        if (m_index->snapshot().tensors[m_chunks->arrays[i].row].path == wanted)
            return static_cast<int>(i);
    return -1;
}

int HostArraysModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_chunks ? 0 : static_cast<int>(m_chunks->arrays.size());
}

int HostArraysModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant HostArraysModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || !m_chunks)
        return {};
    const HostArray& array = m_chunks->arrays[static_cast<std::size_t>(index.row())];
    const TensorRow& tensor = m_index->snapshot().tensors[array.row];
    if (role == PathRole)
        return QString::fromStdString(tensor.path);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment((index.column() == Replica ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    if (role == Qt::ToolTipRole)
        return plainTip(tip(array, tensor));
    if (role == Qt::FontRole && (index.column() == Shape || index.column() == Spec))
        return Metrics::fixed();
    if (role == Qt::ForegroundRole && (!array.inCheckpoint || array.writer != m_chunks->host)
        && index.column() == Writes)
        return Theme::current().secondary;
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Array:
        return words::tensorName(tensor.path);
    case Shape:
        return words::shape(tensor.type.shape);
    case Spec:
        return QString::fromStdString(toColumn(tensor.spec));
    case Chunk:
        return words::chunkText(array, tensor);
    case Replica:
        return array.chunk ? words::count(array.chunk->replica) : QStringLiteral("–");
    case Writes:
        return words::writesText(array, m_chunks->host);
    default:
        return {};
    }
}

QString HostArraysModel::tip(const HostArray& array, const TensorRow& tensor) const
{
    if (!array.shards.empty()) {
        const words::ProblemText why = words::describe(array.chunk.error());
        return tr("%1\n%2\nThe devices hold %3 of it. No chunk: %4.", "path, shape and spec, bytes, reason")
            .arg(QString::fromStdString(tensor.path),
                words::shape(tensor.type.shape) + QLatin1Char(' ') + QString::fromStdString(toColumn(tensor.spec)),
                words::bytes(static_cast<double>(array.bytes)), why.cause);
    }
    QStringList lines{ QString::fromStdString(tensor.path),
        words::shape(tensor.type.shape) + QLatin1Char(' ') + QString::fromStdString(toColumn(tensor.spec)) };
    if (array.inCheckpoint)
        lines << (array.writers == 1 ? tr("One host writes all of it.")
                                     : tr("%1 hosts write a part of it each.").arg(words::count(array.writers)));
    for (std::size_t dim = 0; dim < array.chunk->uncovered.size(); ++dim)
        if (array.chunk->uncovered[dim] > 0)
            lines << words::describe(
                { Code::ChunkTruncated,
                    { { "dim", dim }, { "size", tensor.type.shape[dim] },
                        { "chunks",
                            array.chunk->slice[dim]->size() == 0
                                ? std::int64_t{ 1 }
                                : tensor.type.shape[dim] / array.chunk->slice[dim]->size() },
                        { "uncovered", array.chunk->uncovered[dim] } },
                    {} }).cause;
    return lines.join(QLatin1Char('\n'));
}

QVariant HostArraysModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment((section == Replica ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    static const char* const names[]{ QT_TR_NOOP("Array"), QT_TR_NOOP("Chunk"), QT_TR_NOOP("Replica"),
        QT_TR_NOOP("Writes"), QT_TR_NOOP("Spec"), QT_TR_NOOP("Shape") };
    static const char* const tips[]{ "", QT_TR_NOOP("The part of each dimension that the host's devices hold"),
        QT_TR_NOOP("Its number among the hosts with the same chunk; number 0 writes it"),
        QT_TR_NOOP("What the host writes to a checkpoint of the train state"), "", "" };
    if (section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return tr(names[section]);
    if (role == Qt::ToolTipRole && *tips[section])
        return tr(tips[section]);
    return {};
}

} // namespace shardscope
