// SPDX-License-Identifier: GPL-3.0-or-later
// The drawer of propagation, below the graph on which it is played (program_player.h): its strategy, its steps from
// what was given to the end as a list, what another strategy would do differently, and the rules of operations.
#pragma once

#include <QTimer>
#include <optional>

#include "document/latest_job.h"
#include "propagation/replay.h"
#include "views/panel/dock_view.h"
#include "views/propagation_view/step_model.h"
#include "views/propagation_view/strategy_bar.h"

class QAbstractItemModel;
class QScrollArea;
class QStackedWidget;
class QTableView;

namespace shardscope {

class EmptyPage;
class ExplicitModel;
class ExplicitRow;
class RoleLabel;
class RuleRow;
class SegmentedBar;
class SpanLabel;
class StepModel;

class PropagationView : public DockView {
    Q_OBJECT
public:
    PropagationView(Document* document, Selection* selection, QWidget* parent = nullptr);

    [[nodiscard]] StepModel* model() const { return m_model; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] SegmentedBar* pages() const { return m_pages; }
    [[nodiscard]] DifferenceModel* differences() const { return m_differences; }
    /// In place of differences: how many there are, that there are none, that they are being looked for.
    [[nodiscard]] QString comparisonText() const;
    /// A comparison that was asked for is not there yet.
    [[nodiscard]] bool isWorking() const { return m_job.isWorking(); }
    /// The one whose rows are in sight: where the player stands, else the one that made the selected tensor what it is.
    [[nodiscard]] int step() const { return m_step; }
    /// The player goes there.
    void setStep(int step);
    /// Compares with another strategy, or with nothing; the row of the choice is set as well.
    void compareWith(const std::optional<PropagationSetting>& setting) { m_strategies->setCompared(setting); }

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QTableView* table(QAbstractItemModel* model, const QString& name);
    QWidget* comparisonPage();
    void connectAll();
    void refresh();
    void showStep(int step); ///< here alone
    void showRow();
    void fitColumns();
    [[nodiscard]] int widthOf(int column) const;
    [[nodiscard]] int lastStep() const { return m_replay ? static_cast<int>(m_replay->steps()) : 0; }
    void showRule();
    void followSelection();
    void keepSelection(const Snapshot& before, const Snapshot& now);
    void compare();
    void showComparison(const ComparisonPtr& comparison);
    void showDifference(const QModelIndex& row);

    StepModel* m_model;
    QTableView* m_table;
    StrategyBar* m_strategies;
    RuleRow* m_rule;
    ExplicitModel* m_refusals;
    ExplicitRow* m_explicit;
    SegmentedBar* m_pages; ///< steps or differences; while there is a comparison
    QWidget* m_pagesRow;
    RoleLabel* m_count;
    QStackedWidget* m_stack;
    DifferenceModel* m_differences;
    QTableView* m_differenceTable;
    SpanLabel* m_reasons;
    QWidget* m_differencePage;
    EmptyPage* m_same;
    QWidget* m_content;
    QScrollArea* m_room = nullptr; ///< that `m_content` is seen in
    EmptyPage* m_empty;
    std::shared_ptr<AnalysisCache> m_cache; ///< of comparisons
    LatestJob<ComparisonPtr> m_job;
    std::optional<Replay> m_replay;
    int m_step = 0;
    OperationId m_operation; ///< whose rule is shown: the step's, or that of the tensor that was chosen
    int m_selectedStep = -1; ///< the selection's, as it was followed last, as are those below
    QString m_selectedTensor, m_selectedOperation;
    bool m_following = false;
};

} // namespace shardscope
