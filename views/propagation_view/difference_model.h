// SPDX-License-Identifier: GPL-3.0-or-later
// What two strategies shard differently, as a table: one row per dimension.
#pragma once

#include <QAbstractTableModel>

#include "views/propagation_view/comparison_job.h"
#include "words/strategy_words.h"

namespace shardscope {

class DifferenceModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Tensor, Dimension, First, Second, Through, Since, ColumnCount };
    enum Role {
        PathRole = Qt::UserRole, ///< QString: path of the tensor in the experiment as it is
        DimensionRole, ///< int
        StepRole, ///< int: the step of the experiment's own propagation since which the two differ; 0 = given
    };
    explicit DifferenceModel(QObject* parent = nullptr);

    /// Null: no rows.
    void setComparison(ComparisonPtr comparison);
    [[nodiscard]] const ComparisonPtr& comparison() const { return m_comparison; }
    /// The two strategies by their names, as the heads of the columns have them.
    [[nodiscard]] QString firstName() const;
    [[nodiscard]] QString secondName() const;
    /// The axes of the dimension in one of the two, to be painted; column First or Second.
    [[nodiscard]] words::Text axes(int row, int column) const;
    /// What each of the two did.
    [[nodiscard]] std::vector<words::Text> reasons(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    [[nodiscard]] words::ComparedRun first() const;
    [[nodiscard]] words::ComparedRun second() const;
    [[nodiscard]] const PropagationDifference& difference(int row) const;

    ComparisonPtr m_comparison;
};

} // namespace shardscope
