// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/propagation_view/explicit_model.h"

#include "program/operation_path.h"
#include "words/explicit_words.h"
#include "words/things.h"
#include "words/utf8.h"

namespace shardscope {

ExplicitModel::ExplicitModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void ExplicitModel::setReport(SnapshotPtr snapshot, ExplicitReportPtr report)
{
    beginResetModel();
    m_snapshot = std::move(snapshot);
    m_report = std::move(report);
    endResetModel();
}

QString ExplicitModel::sentences(int row) const
{
    const words::ProblemText text = words::shown(m_report->refusals[static_cast<std::size_t>(row)].diagnostic);
    return text.cause + QStringLiteral(". ") + text.remedy;
}

int ExplicitModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_report ? 0 : static_cast<int>(m_report->refusals.size());
}

int ExplicitModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ExplicitModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || !m_report)
        return {};
    const ExplicitRefusal& refusal = m_report->refusals[static_cast<std::size_t>(index.row())];
    const std::string path = refusal.operation.valid() ? operationPath(*m_snapshot->program, refusal.operation)
                                                       : refusal.diagnostic.where.path;
    switch (role) {
    case Qt::DisplayRole:
        break;
    case Qt::ToolTipRole:
        return sentences(index.row());
    case PathRole:
        return words::fromStd(path);
    case TensorRole:
        return path.starts_with('%') ? QString() : words::fromStd(path);
    default:
        return {};
    }
    switch (index.column()) {
    case Operation:
        return words::explicitTitle(refusal, *m_snapshot->program);
    case Reason:
        return words::explicitReason(refusal.diagnostic);
    case Remedy:
        return words::shown(refusal.diagnostic).remedy;
    default:
        return {};
    }
}

QVariant ExplicitModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Operation:
        return tr("Operation");
    case Reason:
        return tr("Why it is refused");
    case Remedy:
        return tr("What to write");
    default:
        return {};
    }
}

} // namespace shardscope
