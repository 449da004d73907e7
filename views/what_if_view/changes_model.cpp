// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/what_if_view/changes_model.h"

#include "sharding/text.h"
#include "views/span_text/span_text.h"
#include "views/theme/theme.h"
#include "words/definitions.h"
#include "words/utf8.h"
#include "words/value_changes.h"

namespace shardscope {

using namespace Qt::StringLiterals;
using words::fromStd;

ChangesModel::ChangesModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void ChangesModel::setChanges(std::shared_ptr<const ValueChanges> changes, SnapshotPtr now, SnapshotPtr then)
{
    beginResetModel();
    m_changes = std::move(changes);
    m_now = std::move(now);
    m_then = std::move(then);
    endResetModel();
}

QString ChangesModel::path(int row) const
{
    if (!m_changes || row < 0 || row >= rowCount())
        return {};
    return fromStd(m_now->program->value(m_changes->values[static_cast<std::size_t>(row)].before).path);
}

words::Text ChangesModel::spec(const QModelIndex& index) const
{
    const ValueChange& change = m_changes->values[static_cast<std::size_t>(index.row())];
    const bool now = index.column() == Now;
    const TensorSharding& sharding = now ? change.old : change.now;
    const Mesh& mesh = now ? *m_now->mesh : *m_then->mesh;
    words::Text text = axisSpans(fromStd(toColumn(toPartitionSpec(sharding, mesh))), mesh.axisNames());
    for (const AxisRef& ref : sharding.unreduced) {
        text.push_back({ u"  Σ "_s, words::Span::Style::Code, -1 });
        text.push_back({ fromStd(toString(mesh, ref)), words::Span::Style::Axis, ref.axis });
    }
    return text;
}

int ChangesModel::rowCount(const QModelIndex& parent) const
{
    return m_changes && !parent.isValid() ? static_cast<int>(m_changes->values.size()) : 0;
}

int ChangesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ChangesModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || !m_changes)
        return {};
    const ValueChange& change = m_changes->values[static_cast<std::size_t>(index.row())];
    if (role == Qt::TextAlignmentRole && index.column() == PerDevice)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::FontRole && (index.column() == Now || index.column() == Then))
        return Metrics::fixed();
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    switch (index.column()) {
    case Value: {
        const shardscope::Value& value = m_now->program->value(change.before);
        if (value.path.empty())
            return value.definition.valid() ? u'%' + QString::number(value.definition.index) : QString();
        return words::operandName(*m_now->program, change.before);
    }
    case Now:
    case Then:
        return words::plain(spec(index));
    case PerDevice:
        return words::bytesStep(change.bytesBefore, change.bytesAfter);
    default:
        return {};
    }
}

QVariant ChangesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == PerDevice ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Value:
        return tr("Value");
    case Now:
        return tr("Now");
    case Then:
        return tr("Then");
    case PerDevice:
        return tr("Per device");
    default:
        return {};
    }
}

} // namespace shardscope
