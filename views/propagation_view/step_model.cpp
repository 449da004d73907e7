// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/propagation_view/step_model.h"

#include <algorithm>

#include <QBrush>

#include "views/theme/theme.h"
#include "words/definitions.h"
#include "words/propagation_steps.h"
#include "words/utf8.h"

namespace shardscope {

StepModel::StepModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void StepModel::setSnapshot(SnapshotPtr snapshot)
{
    beginResetModel();
    m_snapshot = snapshot && snapshot->propagation && snapshot->mesh ? std::move(snapshot) : nullptr;
    m_step = m_snapshot ? static_cast<int>(m_snapshot->propagation->steps) : 0;
    endResetModel();
}

void StepModel::setCurrentStep(int step)
{
    if (step == m_step)
        return;
    m_step = step;
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), { Qt::ForegroundRole });
}

const PropagationStep& StepModel::record(int row) const
{
    return m_snapshot->propagation->log[static_cast<std::size_t>(row)];
}

int StepModel::firstRowOf(int step) const
{
    if (!m_snapshot)
        return -1;
    const std::vector<PropagationStep>& log = m_snapshot->propagation->log;
    const auto found = std::find_if(
        log.begin(), log.end(), [&](const PropagationStep& r) { return static_cast<int>(r.step) == step; });
    return found == log.end() ? -1 : static_cast<int>(found - log.begin());
}

int StepModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_snapshot ? 0 : static_cast<int>(m_snapshot->propagation->log.size());
}

int StepModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString StepModel::text(const PropagationStep& record, int column) const
{
    const Program& program = *m_snapshot->program;
    switch (column) {
    case Step:
        return record.step == 0 ? tr("given") : QString::number(record.step);
    case Round:
        return record.round < 0 ? QString() : QString::number(record.round);
    case Axis:
        return words::fromStd(toString(*m_snapshot->mesh, record.axis));
    case Operation:
        return record.operation.valid()     ? words::operationName(program.operation(record.operation))
            : record.seed                   ? QString()
            : words::isCallArgument(record) ? tr("call")
                                            : tr("result");
    case From:
        return record.seed || !record.from.valid() ? QString() : words::operandName(program, record.from);
    case To:
        return tr("%1, dimension %2").arg(words::operandName(program, record.to), QString::number(record.toDimension));
    default:
        return {};
    }
}

QVariant StepModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || !m_snapshot)
        return {};
    const PropagationStep& row = record(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::ToolTipRole:
        return words::plain(words::propagationStep(*m_snapshot->program, *m_snapshot->mesh, row));
    case Qt::ForegroundRole:
        if (static_cast<int>(row.step) > m_step)
            return QBrush(Theme::current().secondary);
        if (index.column() == Axis)
            return QBrush(Theme::current().meshAxis(row.axis.axis));
        return {};
    case AxisRole:
        return row.axis.axis;
    case StepRole:
        return static_cast<int>(row.step);
    case PathRole:
        return words::fromStd(m_snapshot->program->value(row.to).path);
    case DimensionRole:
        return row.toDimension;
    default:
        return {};
    }
}

QVariant StepModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Step:
        return tr("Step");
    case Round:
        return tr("Round");
    case Axis:
        return tr("Axis");
    case Operation:
        return tr("Through");
    case From:
        return tr("From");
    case To:
        return tr("To");
    default:
        return {};
    }
}

} // namespace shardscope
