// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/propagation_view/difference_model.h"

#include "views/theme/theme.h"
#include "words/definitions.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

words::ComparedRun runOf(const Snapshot& snapshot, const Mesh* mesh, const QString& name)
{
    return { snapshot.program.get(), snapshot.propagation.get(), mesh, name };
}

} // namespace

DifferenceModel::DifferenceModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void DifferenceModel::setComparison(ComparisonPtr comparison)
{
    beginResetModel();
    m_comparison = std::move(comparison);
    endResetModel();
}

QString DifferenceModel::firstName() const
{
    return m_comparison ? words::settingName(m_comparison->first->experiment->propagation) : QString();
}

QString DifferenceModel::secondName() const
{
    return m_comparison ? words::settingName(m_comparison->setting) : QString();
}

words::ComparedRun DifferenceModel::first() const
{
    return runOf(*m_comparison->first, m_comparison->first->mesh.get(), firstName());
}

words::ComparedRun DifferenceModel::second() const
{
    return runOf(*m_comparison->second, m_comparison->first->mesh.get(), secondName());
}

const PropagationDifference& DifferenceModel::difference(int row) const
{
    return m_comparison->differences[static_cast<std::size_t>(row)];
}

words::Text DifferenceModel::axes(int row, int column) const
{
    const PropagationDifference& each = difference(row);
    return words::dimensionAxes(*m_comparison->first->mesh, column == First ? each.first : each.second);
}

std::vector<words::Text> DifferenceModel::reasons(int row) const
{
    return words::differenceReasons(first(), second(), difference(row));
}

int DifferenceModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_comparison ? 0 : static_cast<int>(m_comparison->differences.size());
}

int DifferenceModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant DifferenceModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || !m_comparison)
        return {};
    const PropagationDifference& each = difference(index.row());
    const Program& program = *m_comparison->first->program;
    switch (role) {
    case Qt::DisplayRole:
        break;
    case Qt::ToolTipRole: {
        QStringList lines;
        for (const words::Text& reason : reasons(index.row()))
            lines << words::plain(reason);
        return lines.join(QLatin1Char('\n'));
    }
    case PathRole:
        return words::fromStd(program.value(each.value).path);
    case DimensionRole:
        return static_cast<int>(each.dimension);
    case StepRole:
        return static_cast<int>(each.firstStep);
    default:
        return {};
    }
    switch (index.column()) {
    case Tensor:
        return words::operandName(program, each.value);
    case Dimension:
        return words::dimensionName(program, each.value, each.dimension);
    case First:
    case Second:
        return words::plain(axes(index.row(), index.column()));
    case Through:
        return words::differencePlace(first(), second(), each);
    case Since:
        return words::differenceSince(first(), second(), each);
    default:
        return {};
    }
}

QVariant DifferenceModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Tensor:
        return tr("Tensor");
    case Dimension:
        return tr("Dimension");
    case First:
        return m_comparison ? tr("A: %1").arg(firstName()) : tr("A");
    case Second:
        return m_comparison ? tr("B: %1").arg(secondName()) : tr("B");
    case Through:
        return tr("Through");
    case Since:
        return tr("Since");
    default:
        return {};
    }
}

} // namespace shardscope
