// SPDX-License-Identifier: GPL-3.0-or-later
// Other meshes of as many devices, and batches of other sizes, as tables.
#pragma once

#include <vector>

#include "analysis/mesh_search.h"
#include "views/widgets/column_model.h"

namespace shardscope {

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
    [[nodiscard]] QString sentence() const;

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_batches.size()); }

private:
    std::vector<MeshFigures> m_compared;
    std::vector<BatchFigures> m_batches;
};

} // namespace shardscope
