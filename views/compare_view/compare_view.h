// SPDX-License-Identifier: GPL-3.0-or-later
// The view that compares: A is pinned, B is what is open and follows every edit. What differs in the inputs stands
// first; one sentence says what differs most and why. Without A it lists what can be A, over what B holds and sends.
// Beside it other meshes of as many devices and batches of other sizes, the experiment's variants, and the session's
// runs.
#pragma once

#include <QSet>
#include <QString>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "comparison/comparison.h"
#include "document/latest_job.h"
#include "document/pinned_side.h"
#include "document/run_log.h"
#include "views/panel/dock_view.h"
#include "views/panel/panel.h"
#include "views/widgets/column_model.h"

class QPushButton;
class QTableView;
class QTreeView;

namespace shardscope {

class CompareModel;
class MeshesPane;
class PinChoices;
class RunsPane;
class SegmentedBar;
class TwoSides;
class VariantsPane;
struct CompareRow;

class CompareView : public DockView {
    Q_OBJECT
public:
    CompareView(Document* document, Selection* selection, RunController* controller, QWidget* parent = nullptr);

    /// What is open now becomes A, whatever is edited after; where its analysis is on the way, once that has arrived,
    /// which stands in the place of A's name until then.
    void pin();
    void pinVariant(int variant);
    /// An experiment or a program in another file.
    void pinFile(const QString& path);
    void pinExperiment(ExperimentPtr experiment, const QString& name);
    void unpin();
    void showMeshes(); ///< in front of what is kept
    /// Files that are offered as A, the last one first.
    void setRecentFiles(std::function<QStringList()> files) { m_recentFiles = std::move(files); }
    /// Null where nothing is pinned.
    [[nodiscard]] SnapshotPtr pinned() const { return m_a.snapshot; }
    [[nodiscard]] bool isWorking() const;
    /// Of A and B; absent without A.
    [[nodiscard]] const std::optional<SnapshotComparison>& comparison() const { return m_comparison; }
    [[nodiscard]] QString sentence() const { return m_sentence->text(); }
    [[nodiscard]] QString failure() const; ///< why the last one could not be pinned; "" if it could

    [[nodiscard]] QWidget* usualControl() const override; ///< the differences, or what can be A

    [[nodiscard]] CompareModel* model() const { return m_model; }
    [[nodiscard]] QTreeView* tree() const { return m_tree; }
    [[nodiscard]] VariantsPane* variants() const { return m_variants; }
    [[nodiscard]] RunsPane* runs() const { return m_runs; }
    [[nodiscard]] MeshesPane* meshes() const { return m_meshes; }
    [[nodiscard]] PinChoices* choices() const { return m_choices; }
    [[nodiscard]] RunLog* log() { return &m_log; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeComparison();
    void askForFile();
    void await(ExperimentPtr experiment, const QString& name);
    void receive(PinnedSide side);
    void setPinned(PinnedSide side);
    void follow(); ///< B may be another one
    void followTimes(); ///< so may be the time of either
    void compareSides();
    void setRows(std::vector<CompareRow> rows, bool dragging);
    void showFailure(const std::vector<Diagnostic>& errors);
    void showSides();
    void showChoices();
    void showKept(int shown);

    RunLog m_log;
    PinnedSide m_a;
    std::uint64_t m_inputsOfA = 0, m_inputsOfB = 0; ///< hashOfInputs()
    QTimer m_timesDelay; ///< steps come in many times a second
    ExperimentPtr m_pinLater; ///< becomes A with its analysis
    QString m_awaited; ///< name of what becomes A; "" for nothing
    bool m_due = true; ///< to be compared once it is seen
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
    PinChoices* m_choices; ///< over the tree, where nothing is pinned
    std::function<QStringList()> m_recentFiles;
    SegmentedBar* m_kept; ///< variants, runs or meshes
    TwoSides* m_sides = nullptr;
    bool m_keptByHand = false; ///< somebody has chosen which
    VariantsPane* m_variants;
    RunsPane* m_runs;
    MeshesPane* m_meshes;
    LatestJob<PinnedSide> m_job;
};

} // namespace shardscope
