// SPDX-License-Identifier: GPL-3.0-or-later
// The other meshes of as many devices: what the experiment comes to on each, which of them nothing beats, and which one
// sends least as the batch grows. Each can be opened, or pinned as A. Small experiments are searched by themselves,
// large ones when somebody asks.
#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>

#include "document/document.h"
#include "pipeline/analysis_cache.h"
#include "views/compare_view/meshes_models.h"
#include "views/widgets/latest_job.h"

class QPushButton;
class QTableView;
class QToolButton;

namespace shardscope {

class EmptyPage;
class MeshScatter;
class RoleLabel;

class MeshesPane : public QWidget {
    Q_OBJECT
public:
    explicit MeshesPane(Document* document, QWidget* parent = nullptr);

    void search();
    void cancel();
    /// In place of the mesh that is open; one step of undo.
    void open();
    void pin();
    [[nodiscard]] int current() const;

    [[nodiscard]] MeshesModel* model() const { return m_model; }
    [[nodiscard]] BatchesModel* batches() const { return m_batches; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] QTableView* batchTable() const { return m_batchTable; }
    [[nodiscard]] MeshScatter* scatter() const { return m_scatter; }
    [[nodiscard]] QPushButton* searchButton() const { return m_search; }
    [[nodiscard]] bool isWorking() const { return m_delay.isActive() || m_job.isWorking(); }

Q_SIGNALS:
    void pinRequested(const shardscope::ExperimentPtr& experiment, const QString& name);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void follow();
    void clear();
    void receive(FoundMeshes found);
    void showState();
    void showScatter(); ///< where there is room beside the tables
    [[nodiscard]] bool isSmall() const;
    Document* m_document;
    ExperimentPtr m_of; ///< what was searched, or is
    MeshesModel* m_model;
    BatchesModel* m_batches;
    QTableView* m_table;
    MeshScatter* m_scatter;
    QTableView* m_batchTable;
    QPushButton* m_search;
    RoleLabel* m_count;
    RoleLabel* m_verdict; ///< of the mesh that is current or open
    RoleLabel* m_sentence;
    QList<QToolButton*> m_rowButtons;
    EmptyPage* m_empty;
    std::shared_ptr<AnalysisCache> m_cache;
    LatestJob<FoundMeshes> m_job;
    QTimer m_delay;
};

} // namespace shardscope
