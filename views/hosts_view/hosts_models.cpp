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

HostListModel::HostListModel(QObject* parent)
    : ColumnModel(parent)
{
    setColumns({ { {}, [this](int row) {
                      return (at(row).contiguous() ? tr("host %1") : tr("host %1, scattered")).arg(at(row).process);
                  } } });
}

void HostListModel::setIndex(std::shared_ptr<const HostIndex> index)
{
    refill(false, [&] { m_index = std::move(index); });
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

int HostListModel::count() const
{
    return m_index ? static_cast<int>(m_index->blocks().size()) : 0;
}

QVariant HostListModel::cell(int row, int, int role) const
{
    return role == Qt::ToolTipRole ? QVariant(words::counted(at(row).devices, words::Noun::Device)) : QVariant();
}

HostArraysModel::HostArraysModel(QObject* parent)
    : ColumnModel(parent)
{
    using Look = ModelColumn::Look;
    setColumns({
        { tr("Array"), [this](int row) { return words::tensorName(tensor(row).path); } },
        { tr("Chunk"), [this](int row) { return words::chunkText(at(row), tensor(row)); }, Look::Plain,
            tr("The part of each dimension that the host's devices hold") },
        { tr("Replica"),
            [this](int row) { return at(row).chunk ? words::count(at(row).chunk->replica) : QStringLiteral("–"); },
            Look::Number, tr("Its number among the hosts with the same chunk; number 0 writes it") },
        { tr("Writes"), [this](int row) { return words::writesText(at(row), m_chunks->host); }, Look::Plain,
            tr("What the host writes to a checkpoint of the train state") },
        { tr("Spec"), [this](int row) { return QString::fromStdString(toColumn(tensor(row).spec)); }, Look::Code },
        { tr("Shape"), [this](int row) { return words::shape(tensor(row).type.shape); }, Look::Code },
    });
}

void HostArraysModel::setHost(std::shared_ptr<const HostIndex> index, std::optional<HostShare> chunks)
{
    refill(false, [&] {
        m_index = std::move(index);
        m_chunks = std::move(chunks);
    });
}

int HostArraysModel::rowOf(const QString& path) const
{
    const std::string wanted = path.toStdString();
    for (int row = 0; row < count(); ++row)
        if (tensor(row).path == wanted)
            return row;
    return -1;
}

int HostArraysModel::count() const
{
    return m_chunks ? static_cast<int>(m_chunks->arrays.size()) : 0;
}

QVariant HostArraysModel::cell(int row, int column, int role) const
{
    switch (role) {
    case PathRole:
        return QString::fromStdString(tensor(row).path);
    case Qt::ToolTipRole:
        return plainTip(tip(at(row), tensor(row)));
    case Qt::ForegroundRole:
        return column == Writes && (!at(row).inCheckpoint || at(row).writer != m_chunks->host)
            ? QVariant(Theme::current().secondary)
            : QVariant();
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

} // namespace shardscope
