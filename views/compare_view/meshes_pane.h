// SPDX-License-Identifier: GPL-3.0-or-later
// The other meshes of as many devices: what the experiment comes to on each, which of them nothing beats, and which one
// sends least as the batch grows. Each can be opened, or pinned as A. Small experiments are searched by themselves,
// large ones when somebody asks.
#pragma once

#include <QTableView>
#include <QTimer>
#include <QWidget>
#include <memory>
#include <vector>

#include "analysis/mesh_search.h"
#include "document/document.h"
#include "document/latest_job.h"
#include "pipeline/analysis_cache.h"
#include "views/widgets/column_model.h"

class QPushButton;

namespace shardscope {

class EmptyPage;
class MeshScatter;
class RoleLabel;
class SegmentedBar;

/// Other meshes of as many devices, and batches of other sizes, as tables.
class MeshesModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Mesh, State, Peak, Sent, Verdict, ColumnCount };
    explicit MeshesModel(QObject* parent = nullptr);

    void setMeshes(std::vector<MeshFigures> meshes);
    /// That of the open experiment stands in bold.
    void setOpen(const std::vector<MeshAxis>& axes);
    [[nodiscard]] const MeshFigures& mesh(int row) const { return m_meshes[static_cast<std::size_t>(row)]; }
    [[nodiscard]] const std::vector<MeshFigures>& meshes() const { return m_meshes; }
    [[nodiscard]] bool isOpen(int row) const { return mesh(row).axes == m_open; }

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_meshes.size()); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    [[nodiscard]] QString reason(int row) const;

    std::vector<MeshFigures> m_meshes;
    std::vector<MeshAxis> m_open;
};

class BatchesModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Batch, Least, SentLeast, SentNow, ColumnCount };
    explicit BatchesModel(QObject* parent = nullptr);

    void setFound(const FoundMeshes& found);
    [[nodiscard]] const BatchFigures& batch(int row) const { return m_batches[static_cast<std::size_t>(row)]; }
    /// On all batches: for which no mesh can be used and why, and from which on another one sends least.
    [[nodiscard]] QString sentence() const;

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_batches.size()); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    std::vector<MeshFigures> m_compared;
    QString m_tried; ///< on how many meshes
    std::vector<BatchFigures> m_batches;
};

class MeshesPane : public QWidget {
    Q_OBJECT
public:
    explicit MeshesPane(Document* document, QWidget* parent = nullptr);

    void search();
    void cancel();
    /// In place of the mesh that is open; one step of undo.
    void open();
    void pin();
    [[nodiscard]] int current() const { return m_table->currentIndex().row(); }

    [[nodiscard]] MeshesModel* model() const { return m_model; }
    [[nodiscard]] BatchesModel* batches() const { return m_batches; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] MeshScatter* scatter() const { return m_scatter; }
    /// Chooses one of the table, the points and the batches, where not all of them have room.
    [[nodiscard]] SegmentedBar* parts() const { return m_parts; }
    [[nodiscard]] bool isWorking() const { return m_delay.isActive() || m_job.isWorking(); }

Q_SIGNALS:
    void pinRequested(const shardscope::ExperimentPtr& experiment, const QString& name);

protected:
    void showEvent(QShowEvent*) override { follow(); }
    void hideEvent(QHideEvent*) override { m_delay.stop(); } ///< nobody looks
    void resizeEvent(QResizeEvent*) override { showParts(); }

private:
    void follow();
    void clear();
    void receive(FoundMeshes found);
    void showState();
    void showParts(); ///< all of them where they have room, else the one that is chosen
    void showOpen(); ///< scrolls its row into sight
    [[nodiscard]] bool isSmall() const;
    [[nodiscard]] std::size_t ways() const; ///< to give the devices to the axes: meshes that a search tries
    Document* m_document;
    ExperimentPtr m_of; ///< what was searched, or is
    MeshesModel* m_model;
    BatchesModel* m_batches;
    QTableView* m_table;
    MeshScatter* m_scatter;
    SegmentedBar* m_parts;
    QTableView* m_batchTable;
    QPushButton* m_search;
    RoleLabel* m_count;
    RoleLabel* m_verdict; ///< of the mesh that is current or open
    RoleLabel* m_sentence;
    EmptyPage* m_empty;
    std::shared_ptr<AnalysisCache> m_cache;
    LatestJob<FoundMeshes> m_job;
    QTimer m_delay;
};

} // namespace shardscope
