// SPDX-License-Identifier: GPL-3.0-or-later
// The view that compares what two dialects make of the same rules.
#pragma once

#include <QVariant>
#include <optional>
#include <vector>

#include "analysis/ruled_arrays.h"
#include "views/panel/dock_view.h"
#include "views/widgets/column_model.h"

class QCheckBox;
class QComboBox;
class QTableView;

namespace shardscope {

class EmptyPage;
class RoleLabel;

/// Two dialects side by side: one row per annotated array, its spec in either, and the first step at which they part.
struct ComparisonSubject {
    std::vector<RuledArray> arrays;
    LogicalRules rules;
    std::vector<LogicalRules> inner; ///< further lists, for parts of the model
    std::optional<Mesh> mesh;
    RuleSystem first, second;
    [[nodiscard]] const LogicalRules& rulesOf(std::size_t array) const
    {
        const RuleList list = arrays[array].list;
        return list.isOuter() ? rules : inner[static_cast<std::size_t>(list.inner)];
    }
};

class DialectsModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Array, First, Second, Step };
    enum Role {
        RuleRole = Qt::UserRole, ///< int: ruleNumber() of the rule of the first step, -1 if it is no rule
    };
    explicit DialectsModel(QObject* parent = nullptr);

    void setSubject(ComparisonSubject subject);
    /// Rows without a difference are left out unless all are wanted.
    void setAll(bool all);
    [[nodiscard]] int arrayCount() const { return static_cast<int>(m_rows.size()); }
    [[nodiscard]] int differingCount() const { return m_differing; }
    [[nodiscard]] QString pathAt(int row) const;
    [[nodiscard]] int rowOf(const QString& path) const; ///< -1 if it is not shown

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_shown.size()); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    /// The array of a row, an index into m_rows.
    [[nodiscard]] std::size_t at(int row) const
    {
        return static_cast<std::size_t>(m_shown[static_cast<std::size_t>(row)]);
    }
    void choose();
    ComparisonSubject m_subject;
    std::vector<ArrayInDialects> m_rows;
    std::vector<int> m_shown; ///< into m_rows
    int m_differing = 0;
    bool m_all = false;
};

class DialectsView : public DockView {
    Q_OBJECT
public:
    DialectsView(Document* document, Selection* selection, QWidget* parent = nullptr);

    [[nodiscard]] DialectsModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    void showCounts();
    void sizeTable();
    [[nodiscard]] int contentWidth(int column) const;
    void followSelection();

    DialectsModel* m_model;
    QComboBox* m_first;
    QComboBox* m_second;
    QCheckBox* m_all;
    RoleLabel* m_count;
    QTableView* m_table;
    EmptyPage* m_empty;
    bool m_chosen = false; ///< somebody chose what is compared: it no longer follows the experiment
    bool m_following = false;
};

} // namespace shardscope
