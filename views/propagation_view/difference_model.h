// SPDX-License-Identifier: GPL-3.0-or-later
// What two strategies shard differently, as a table: one row per dimension.
#pragma once

#include <QVariant>
#include <memory>

#include "analysis/compare_strategies.h"
#include "views/widgets/column_model.h"
#include "words/strategy_words.h"

namespace shardscope {

using ComparisonPtr = std::shared_ptr<const StrategyComparison>;

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

} // namespace shardscope
