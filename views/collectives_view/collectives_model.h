// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of a step as a table, in order of execution.
#pragma once

#include <QVariant>
#include <memory>
#include <unordered_map>

#include "pipeline/collective_list.h"
#include "pipeline/snapshot.h"
#include "views/widgets/chips_delegate.h"
#include "views/widgets/column_model.h"
#include "words/words.h"

namespace shardscope {

using CollectiveListPtr = std::shared_ptr<const CollectiveList>;

class CollectivesModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column {
        Number,
        Kind,
        Axes,
        Tensor,
        Sent,
        Times,
        PerStep,
        Groups,
        Layer,
        Source,
        Through,
        Cause,
        Rule,
        ColumnCount
    };
    enum Role {
        AxesRole = ChipsDelegate::AxesRole, ///< QStringList, of column Axes
        AxisIndicesRole = ChipsDelegate::AxisIndicesRole,
        SortRole, ///< what a column is sorted by
        PathRole, ///< QString: path of the value, "" for a nameless one
        TextRole, ///< QString: all that a search looks through
    };
    explicit CollectivesModel(QObject* parent = nullptr);

    /// Null: no rows. `snapshot` is that of the list.
    void setList(CollectiveListPtr list, SnapshotPtr snapshot);
    [[nodiscard]] const CollectiveListPtr& list() const { return m_list; }
    [[nodiscard]] const SnapshotPtr& snapshot() const { return m_snapshot; }
    [[nodiscard]] const CollectiveEntry& entry(int row) const;
    /// Marks the collectives of a value by its path; "" for none.
    void setMarked(const QString& path);
    [[nodiscard]] bool isMarked(int row) const;
    /// Shown in grey: the list is that of an earlier state.
    void setStale(bool stale);
    /// Columns that say the same in every row, or nothing.
    [[nodiscard]] bool isIdle(int column) const;
    /// The rule of the experiment, or the annotation, that shards what the collective runs along; empty where nobody
    /// knows. A link leads to a rule.
    [[nodiscard]] const words::Text& rule(int row) const;
    /// By whose name the value of a collective goes.
    [[nodiscard]] ValueId named(int row) const;

protected:
    [[nodiscard]] int count() const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    [[nodiscard]] QString tip(int row, int column) const;
    [[nodiscard]] QVariant sortKey(int row, int column) const;

    CollectiveListPtr m_list;
    SnapshotPtr m_snapshot;
    QString m_marked;
    ValueId m_markedValue;
    std::vector<ValueId> m_named; ///< per value of the list's program
    bool m_stale = false;
    bool m_idle[ColumnCount] = {};
    mutable std::unordered_map<int, words::Text> m_rules; ///< by row; made when they are asked for
};

} // namespace shardscope
