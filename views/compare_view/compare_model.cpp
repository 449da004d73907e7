// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare_view/compare_model.h"

#include <algorithm>
#include <cmath>

#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"

namespace shardscope {

CompareModel::CompareModel(QObject* parent)
    : ColumnTreeModel(parent)
{
    using Look = ModelColumn::Look;
    setColumns({ { tr("What"), [this](int item) { return at(item).name; } },
        { tr("A"), [this](int item) { return at(item).before; }, Look::Number, tr("What is compared with") },
        { tr("B"), [this](int item) { return at(item).after; }, Look::Number, tr("What is open now") },
        { tr("B − A"), [this](int item) { return at(item).difference; }, Look::Number },
        { {}, [](int) { return QString(); }, Look::Plain,
            tr("Filled: B has more bytes. Hollow: fewer. All bars have one scale.") } });
}

void CompareModel::setRows(std::vector<CompareRow> rows, bool held)
{
    double largest = 0;
    for (const CompareRow& row : rows)
        largest = std::max(largest, std::abs(row.bytes));
    m_scale.follow(largest, held);
    const bool same = std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(),
        [](const CompareRow& a, const CompareRow& b) { return a.parent == b.parent && a.name == b.name; });
    refill(same, [&] { m_rows = std::move(rows); });
}

const CompareRow& CompareModel::row(const QModelIndex& index) const
{
    return at(index.isValid() ? itemOf(index) : 0);
}

QVariant CompareModel::cell(int item, int column, int role) const
{
    const CompareRow& row = at(item);
    switch (role) {
    case ShareRole:
        return column == Bar ? QVariant(m_scale.share(row.bytes)) : QVariant();
    case PathRole:
        return row.path;
    case Qt::FontRole:
        return row.isSection || row.isStrong ? QVariant(Metrics::semibold()) : QVariant();
    case Qt::ForegroundRole:
        return !row.isSection && !row.isStrong && column != Name && row.before == row.after
            ? QVariant(Theme::current().secondary)
            : QVariant();
    case Qt::ToolTipRole:
        return row.about.isEmpty() ? QVariant() : QVariant(plainTip(row.about));
    case Qt::AccessibleTextRole:
        return column == Bar ? QVariant(row.difference) : QVariant();
    default:
        return {};
    }
}

} // namespace shardscope
