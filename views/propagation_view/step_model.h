// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the propagation view.
#pragma once

#include <QVariant>
#include <memory>

#include "analysis/compare_strategies.h"
#include "pipeline/snapshot.h"
#include "views/widgets/column_model.h"
#include "words/strategy_words.h"

namespace shardscope {

using ComparisonPtr = std::shared_ptr<const StrategyComparison>;

/// What two strategies shard differently, as a table: one row per dimension.
class DifferenceModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Tensor, Dimension, First, Second, Through, Since };
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
    /// What each of the two did.
    [[nodiscard]] std::vector<words::Text> reasons(int row) const;

protected:
    [[nodiscard]] int count() const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    /// The axes of the dimension in one of the two, to be painted; column First or Second.
    [[nodiscard]] words::Text axes(int row, int column) const;
    [[nodiscard]] words::ComparedRun first() const;
    [[nodiscard]] words::ComparedRun second() const;
    [[nodiscard]] const PropagationDifference& difference(int row) const;

    ComparisonPtr m_comparison;
};

/// The log: one row per record, those that were given first.
class StepModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Step, Round, Axis, Operation, From, To };
    enum Role {
        StepRole = Qt::UserRole + 10, ///< int; the ones before are those of chips
        PathRole, ///< QString: path of the value that the axis arrived at
    };
    explicit StepModel(QObject* parent = nullptr);

    void setSnapshot(SnapshotPtr snapshot);
    [[nodiscard]] const SnapshotPtr& snapshot() const { return m_snapshot; }
    /// Rows after this step are shown as not yet done.
    void setCurrentStep(int step);
    [[nodiscard]] const PropagationStep& record(int row) const;
    [[nodiscard]] int firstRowOf(int step) const; ///< -1 if it has none
    [[nodiscard]] int lastRowBefore(int step) const; ///< likewise

protected:
    [[nodiscard]] int count() const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    SnapshotPtr m_snapshot;
    int m_step = 0;
};

} // namespace shardscope
