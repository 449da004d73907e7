// SPDX-License-Identifier: GPL-3.0-or-later
// The view that compares: A is pinned, B is what is open and follows every edit. What differs in the inputs stands
// first; one sentence says what differs most and why. Beside it the experiment's variants and the session's runs.
#pragma once

#include <QSet>
#include <QTimer>
#include <optional>

#include "comparison/comparison.h"
#include "document/run_log.h"
#include "views/compare_view/pinned_side.h"
#include "views/panel/dock_view.h"
#include "views/widgets/latest_job.h"

class QPushButton;
class QTreeView;

namespace shardscope {

class CompareModel;
class EmptyPage;
class RoleLabel;
class RunsPane;
class SegmentedBar;
class VariantsPane;

class CompareView : public DockView {
    Q_OBJECT
public:
    CompareView(Document* document, Selection* selection, RunController* controller, QWidget* parent = nullptr);

    /// What is open now becomes A; where its analysis is on the way, once that has arrived.
    void pin();
    void pinVariant(int variant);
    /// An experiment or a program in another file.
    void pinFile(const QString& path);
    void pinExperiment(ExperimentPtr experiment, const QString& name);
    void unpin();
    /// Null where nothing is pinned.
    [[nodiscard]] SnapshotPtr pinned() const { return m_a.snapshot; }
    [[nodiscard]] bool isWorking() const;
    /// Of A and B; absent without A.
    [[nodiscard]] const std::optional<SnapshotComparison>& comparison() const { return m_comparison; }
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] QString failure() const; ///< why the last one could not be pinned; "" if it could

    [[nodiscard]] CompareModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* tree() const { return m_tree; }
    [[nodiscard]] QPushButton* pinButton() const { return m_pin; }
    [[nodiscard]] SegmentedBar* keptBar() const { return m_kept; }
    [[nodiscard]] VariantsPane* variants() const { return m_variants; }
    [[nodiscard]] RunsPane* runs() const { return m_runs; }
    [[nodiscard]] RunLog* log() { return &m_log; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeComparison();
    void askForFile();
    void receive(PinnedSide side);
    void setPinned(PinnedSide side);
    void follow(); ///< B may be another one
    void followTimes(); ///< so may be the time of either
    void compareSides();
    void showRows(bool held);
    void showFailure(const std::vector<Diagnostic>& errors);
    void showSides();

    RunLog m_log;
    PinnedSide m_a;
    std::uint64_t m_inputsOfA = 0, m_inputsOfB = 0; ///< hashOfInputs()
    QTimer m_timesDelay; ///< steps come in many times a second
    bool m_pinNext = false; ///< the next analysis becomes A
    bool m_due = false; ///< to be compared once it is seen
    std::optional<SnapshotComparison> m_comparison;
    QSet<QString> m_folded; ///< names of sections

    CompareModel* m_model;
    RoleLabel* m_nameOfA;
    RoleLabel* m_nameOfB;
    QPushButton* m_pin;
    QPushButton* m_file;
    QPushButton* m_unpin;
    RoleLabel* m_failure;
    RoleLabel* m_sentence;
    QTreeView* m_tree;
    EmptyPage* m_empty;
    SegmentedBar* m_kept; ///< variants or runs
    VariantsPane* m_variants;
    RunsPane* m_runs;
    LatestJob<PinnedSide> m_job;
};

} // namespace shardscope
