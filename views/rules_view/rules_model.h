// SPDX-License-Identifier: GPL-3.0-or-later
// The rules as a table: in order of priority, followed by the logical names that no rule names.
#pragma once

#include <QVariant>
#include <vector>

#include "experiment/rule_lists.h"
#include "pipeline/snapshot.h"
#include "views/widgets/chips_delegate.h"
#include "views/widgets/column_model.h"

namespace shardscope {

class Document;

class RulesModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Number, Name, Axes, Uses };
    enum Role {
        AxesRole = ChipsDelegate::AxesRole, ///< of the target
        AxisIndicesRole = ChipsDelegate::AxisIndicesRole,
        IsRuleRole, ///< false for a name without a rule
        WarningRole, ///< Problems has a warning about the rule
    };
    explicit RulesModel(Document* document, QObject* parent = nullptr);

    [[nodiscard]] int ruleCount() const { return static_cast<int>(m_rules.size()); }
    /// The list whose rules these are; the outer one again when there is no other any more.
    [[nodiscard]] RuleList list() const { return m_list; }
    void setList(RuleList list);
    /// What an edit of this list is called: "remove rule 1", "remove rule 1 within decoder/layer_1".
    [[nodiscard]] QString inList(const QString& edit) const;
    /// Paths of the annotated arrays that the newest analysis resolved with a list, each once.
    [[nodiscard]] QStringList arraysOf(RuleList list) const;
    /// Logical name of a row, with or without a rule.
    [[nodiscard]] QString nameAt(int row) const { return row >= 0 && row < rowCount() ? at(row).name : QString(); }
    /// "13 uses, no rule", "rule 2 comes first": what a new rule for the name of the row has to do with.
    [[nodiscard]] QString usesOf(int row) const;
    /// Rules that Problems warns of.
    [[nodiscard]] int warningCount() const;

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_rules.size() + m_unruled.size()); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
    [[nodiscard]] bool canEdit(int row, int column) const override;
    bool edit(int row, int column, const QString& typed) override;

private:
    struct Row {
        QString name;
        SpecEntry target;
        int uses = -1; ///< -1: not known yet
        int inactive = 0;
        bool warned = false; ///< Problems has a warning about it
        bool operator==(const Row&) const = default;
    };
    void refresh();
    [[nodiscard]] const Row& at(int row) const;
    [[nodiscard]] QString usesText(int row) const;
    [[nodiscard]] QString tip(int row, int column) const;
    [[nodiscard]] bool isIdle(const Row& row) const { return row.uses == 0; }
    [[nodiscard]] std::vector<std::pair<std::string, int>> namesWithoutRule(const Snapshot& snapshot) const;
    Document* m_document;
    RuleList m_list;
    std::size_t m_listCount = 0; ///< of lists for parts, when it was last looked at
    std::string m_within; ///< the part that the list is for, "" for the outer one
    std::vector<Row> m_rules, m_unruled;
    std::vector<std::string> m_meshAxes;
};

} // namespace shardscope
