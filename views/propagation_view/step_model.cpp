// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/propagation_view/step_model.h"

#include <QBrush>
#include <algorithm>

#include "views/theme/theme.h"
#include "views/widgets/chips_delegate.h"
#include "words/definitions.h"
#include "words/propagation_steps.h"
#include "words/utf8.h"

namespace shardscope {

StepModel::StepModel(QObject* parent)
    : ColumnModel(parent)
{
    setColumns({
        { tr("Step"),
            [this](int row) { return record(row).step == 0 ? tr("given") : QString::number(record(row).step); } },
        { tr("Round"),
            [this](int row) { return record(row).round < 0 ? QString() : QString::number(record(row).round); } },
        { tr("Axis"), [this](int row) { return words::fromStd(toString(*m_snapshot->mesh, record(row).axis)); } },
        { tr("Through"),
            [this](int row) {
                const PropagationStep& step = record(row);
                return step.operation.valid()     ? words::operationName(m_snapshot->program->operation(step.operation))
                    : step.seed                   ? QString()
                    : words::isCallArgument(step) ? tr("call")
                                                  : tr("result");
            } },
        { tr("From"),
            [this](int row) {
                const PropagationStep& step = record(row);
                return step.seed || !step.from.valid() ? QString()
                                                       : words::operandName(*m_snapshot->program, step.from);
            } },
        { tr("To"),
            [this](int row) {
                return tr("%1, dimension %2")
                    .arg(words::operandName(*m_snapshot->program, record(row).to),
                        QString::number(record(row).toDimension));
            } },
    });
}

void StepModel::setSnapshot(SnapshotPtr snapshot)
{
    refill(false, [&] {
        m_snapshot = snapshot && snapshot->propagation && snapshot->mesh ? std::move(snapshot) : nullptr;
        m_step = m_snapshot ? static_cast<int>(m_snapshot->propagation->steps) : 0;
    });
}

void StepModel::setCurrentStep(int step)
{
    if (std::exchange(m_step, step) != step)
        touch({ Qt::ForegroundRole });
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

int StepModel::lastRowBefore(int step) const
{
    for (int row = count() - 1; row >= 0; --row)
        if (static_cast<int>(record(row).step) < step)
            return row;
    return -1;
}

int StepModel::count() const
{
    return m_snapshot ? static_cast<int>(m_snapshot->propagation->log.size()) : 0;
}

QVariant StepModel::cell(int row, int column, int role) const
{
    const PropagationStep& step = record(row);
    switch (role) {
    case Qt::ToolTipRole:
        return words::plain(words::propagationStep(*m_snapshot->program, *m_snapshot->mesh, step));
    case Qt::ForegroundRole:
        if (static_cast<int>(step.step) > m_step)
            return QBrush(Theme::current().secondary);
        return {};
    case ChipsDelegate::AxesRole:
        return column == Axis ? QVariant(QStringList(words::fromStd(toString(*m_snapshot->mesh, step.axis))))
                              : QVariant();
    case ChipsDelegate::AxisIndicesRole:
        return column == Axis ? QVariant(QVariantList{ step.axis.axis }) : QVariant();
    case StepRole:
        return static_cast<int>(step.step);
    case PathRole:
        return words::fromStd(m_snapshot->program->value(step.to).path);
    default:
        return {};
    }
}

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
    case Qt::ToolTipRole:
        return words::texts(reasons(row), words::plain).join(QLatin1Char('\n'));
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
