// SPDX-License-Identifier: GPL-3.0-or-later
// Shows rule by rule how one array's dimensions came to their mesh axes, and what another order of rules would give.
#pragma once

#include <QString>
#include <array>
#include <optional>

#include "experiment/rule_lists.h"
#include "sharding/logical_rules.h"
#include "views/panel/dock_view.h"
#include "views/panel/panel.h"

class QBoxLayout;
class QFrame;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QToolButton;

namespace shardscope {

class EmptyPage;
class TraceMatrix;

class RuleTraceView : public DockView {
    Q_OBJECT
public:
    RuleTraceView(Document* document, Selection* selection, QWidget* parent = nullptr);
    ~RuleTraceView() override;

    /// The list of rules that is traced.
    [[nodiscard]] RuleList list() const { return m_list; }
    [[nodiscard]] TraceMatrix* matrix() const { return m_matrix; }
    /// To show all rules, and what is below them, at that width.
    [[nodiscard]] int contentHeight(int width) const;
    /// What of it rules can do without that are scrolled.
    [[nodiscard]] int spareHeight() const;
    /// Moves the current rule before the one that stands in its way, as one undo step.
    bool applyWhatIf();
    /// Adds the axes of the current rule to the rule that has set its dimension: "make it (X, Z)".
    bool joinRules();
    /// Traces these names instead of the selected tensor's: "batch, length, heads".
    void traceNames(const QString& names);

Q_SIGNALS:
    void compareRequested();

protected:
    void resizeEvent(QResizeEvent*) override { placeFor(width()); }

private:
    void placeFor(int width) const;
    void showOthers();
    /// The experiment in which the current rule's axes stand after those of the rule that set its dimension.
    [[nodiscard]] std::optional<Experiment> joined() const;
    void refresh();
    void showTrace(const LogicalNames& names);
    void showNothing(const QString& why);
    void showControls(bool shown); ///< that step through the rules
    void showCurrentRule();
    void moveRule(int rule, int step);
    /// The selected rule, if it is one of the list that is traced, else -1.
    [[nodiscard]] int selectedRule() const;
    [[nodiscard]] QString inList(const QString& edit) const;
    /// The rule that would have to move up for the current one to fire, -1 for none.
    [[nodiscard]] int blocker() const;

    QLineEdit* m_names;
    RoleLabel* m_step;
    std::array<QToolButton*, 4> m_steps; ///< to the first rule, back, on, to the last one
    QScrollArea* m_scroll;
    TraceMatrix* m_matrix;
    QWidget* m_below;
    QBoxLayout* m_head = nullptr; ///< names, and steps through the rules: below each other in little width
    QBoxLayout* m_two = nullptr; ///< why, and what if: beside each other where there is room
    RoleLabel* m_whyTitle;
    RoleLabel* m_why;
    RoleLabel* m_soFar;
    RoleLabel* m_tally;
    RoleLabel* m_others;
    QPushButton* m_compare;
    QFrame* m_whatIf;
    RoleLabel* m_whatIfTitle;
    RoleLabel* m_whatIfSpecs;
    QPushButton* m_apply;
    QPushButton* m_join;
    EmptyPage* m_empty;
    QString m_note; ///< why the annotation has no effect, if it has none
    std::optional<LogicalNames> m_typed; ///< names typed by the user; absent = those of the selected tensor
    QString m_typedFor; ///< tensor selected when they were typed
    RuleList m_list; ///< whose rules are traced: those of the tensor's part of the model
    Shape m_shape; ///< of the selected tensor; empty for typed names
};

} // namespace shardscope
