// SPDX-License-Identifier: GPL-3.0-or-later
// Two dialects side by side: one row per annotated array, its spec in either, and the first step at which they part.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "rules/dialect_comparison.h"

namespace shardscope {

struct ComparisonSubject {
    std::vector<NamedShape> arrays;
    LogicalRules rules;
    std::vector<LogicalRules> inner; ///< further lists, for parts of the model
    std::vector<int> lists; ///< per array: an index into `inner`, -1 for `rules`; may be shorter: -1
    std::optional<Mesh> mesh;
    RuleSystem first, second;
    [[nodiscard]] int listOf(std::size_t array) const { return array < lists.size() ? lists[array] : -1; }
    [[nodiscard]] const LogicalRules& rulesOf(std::size_t array) const
    {
        const int list = listOf(array);
        return list < 0 ? rules : inner[static_cast<std::size_t>(list)];
    }
};

class DialectsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Array, First, Second, Step, ColumnCount };
    enum Role {
        DiffersRole = Qt::UserRole, ///< bool
        RuleRole, ///< int: ruleNumber() of the rule of the first step, -1 if it is no rule
    };
    explicit DialectsModel(QObject* parent = nullptr);

    void setSubject(ComparisonSubject subject);
    /// Rows without a difference are left out unless all are wanted.
    void setAll(bool all);
    [[nodiscard]] int arrayCount() const { return static_cast<int>(m_rows.size()); }
    [[nodiscard]] int differingCount() const { return m_differing; }
    [[nodiscard]] QString pathAt(int row) const;
    [[nodiscard]] int rowOf(const QString& path) const; ///< -1 if it is not shown

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    void choose();
    ComparisonSubject m_subject;
    std::vector<ComparedArray> m_rows;
    std::vector<int> m_shown; ///< into m_rows
    int m_differing = 0;
    bool m_all = false;
};

} // namespace shardscope
