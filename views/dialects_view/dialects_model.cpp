// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/dialects_view/dialects_model.h"

#include <algorithm>

#include "experiment/rule_lists.h"
#include "sharding/text.h"
#include "views/theme/theme.h"
#include "words/dialects.h"

namespace shardscope {

namespace {

QString specText(const SystemResult& result)
{
    return result.spec ? QString::fromStdString(toColumn(*result.spec)) : DialectsModel::tr("error");
}

} // namespace

DialectsModel::DialectsModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void DialectsModel::setSubject(ComparisonSubject subject)
{
    beginResetModel();
    m_subject = std::move(subject);
    m_rows.clear();
    m_differing = 0;
    if (m_subject.mesh)
        for (std::size_t i = 0; i < m_subject.arrays.size(); ++i) {
            m_rows.push_back(compareIn(
                m_subject.first, m_subject.second, m_subject.arrays[i], m_subject.rulesOf(i), *m_subject.mesh));
            m_differing += m_rows.back().step ? 1 : 0;
        }
    choose();
    endResetModel();
}

void DialectsModel::setAll(bool all)
{
    if (all == m_all)
        return;
    beginResetModel();
    m_all = all;
    choose();
    endResetModel();
}

void DialectsModel::choose()
{
    m_shown.clear();
    for (int i = 0; i < arrayCount(); ++i)
        if (m_all || m_rows[static_cast<std::size_t>(i)].step)
            m_shown.push_back(i);
}

QString DialectsModel::pathAt(int row) const
{
    if (row < 0 || row >= rowCount())
        return {};
    const auto i = static_cast<std::size_t>(m_shown[static_cast<std::size_t>(row)]);
    return QString::fromStdString(m_subject.arrays[i].path);
}

int DialectsModel::rowOf(const QString& path) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (pathAt(row) == path)
            return row;
    return -1;
}

int DialectsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int DialectsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant DialectsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const auto i = static_cast<std::size_t>(m_shown[static_cast<std::size_t>(index.row())]);
    const NamedShape& array = m_subject.arrays[i];
    const ComparedArray& row = m_rows[i];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        switch (index.column()) {
        case Array:
            return words::tensorName(array.path);
        case First:
            return specText(row.first);
        case Second:
            return specText(row.second);
        case Step:
            return row.step ? words::plain(
                       words::differingStep(row, array, m_subject.rulesOf(i), m_subject.first, m_subject.second))
                            : tr("the same");
        default:
            return {};
        }
    case Qt::FontRole:
        return index.column() == First || index.column() == Second ? QVariant(Metrics::fixed()) : QVariant();
    case Qt::ForegroundRole:
        return row.step ? QVariant() : QVariant(Theme::current().secondary);
    case DiffersRole:
        return row.step.has_value();
    case RuleRole:
        return row.step && row.step->kind == DifferingStep::Kind::Rule
            ? ruleNumber({ { m_subject.listOf(i) }, static_cast<int>(row.step->rule) })
            : -1;
    default:
        return {};
    }
}

QVariant DialectsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Array:
        return tr("Array");
    case First:
        return words::systemName(m_subject.first);
    case Second:
        return words::systemName(m_subject.second);
    case Step:
        return tr("First step that differs");
    default:
        return {};
    }
}

} // namespace shardscope
