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
    : ColumnModel(parent)
{
    setColumns({
        { tr("Tensor"),
            [this](int row) { return words::operandName(*m_comparison->first->program, difference(row).value); } },
        { tr("Dimension"),
            [this](int row) {
                const PropagationDifference& each = difference(row);
                return words::dimensionName(*m_comparison->first->program, each.value, each.dimension);
            } },
        { tr("A"), [this](int row) { return words::plain(axes(row, First)); } },
        { tr("B"), [this](int row) { return words::plain(axes(row, Second)); } },
        { tr("Through"), [this](int row) { return words::differencePlace(first(), second(), difference(row)); } },
        { tr("Since"), [this](int row) { return words::differenceSince(first(), second(), difference(row)); } },
    });
}

void DifferenceModel::setComparison(ComparisonPtr comparison)
{
    refill(false, [&] {
        m_comparison = std::move(comparison);
        setTitle(First, m_comparison ? tr("A: %1").arg(firstName()) : tr("A"));
        setTitle(Second, m_comparison ? tr("B: %1").arg(secondName()) : tr("B"));
    });
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

int DifferenceModel::count() const
{
    return m_comparison ? static_cast<int>(m_comparison->differences.size()) : 0;
}

QVariant DifferenceModel::cell(int row, int column, int role) const
{
    const PropagationDifference& each = difference(row);
    switch (role) {
    case Qt::ToolTipRole: {
        QStringList lines;
        for (const words::Text& reason : reasons(row))
            lines << words::plain(reason);
        return lines.join(QLatin1Char('\n'));
    }
    case PathRole:
        return words::fromStd(m_comparison->first->program->value(each.value).path);
    case DimensionRole:
        return static_cast<int>(each.dimension);
    case SpansRole:
        return column == First || column == Second ? QVariant::fromValue(axes(row, column)) : QVariant();
    case StepRole:
        return static_cast<int>(each.firstStep);
    default:
        return {};
    }
}

} // namespace shardscope
