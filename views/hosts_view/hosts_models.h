// SPDX-License-Identifier: GPL-3.0-or-later
// The hosts as a list, and what one of them has of every array as a table.
#pragma once

#include <QVariant>
#include <memory>
#include <optional>

#include "analysis/host_share.h"
#include "views/widgets/column_model.h"

namespace shardscope {

class HostListModel : public ColumnModel {
    Q_OBJECT
public:
    explicit HostListModel(QObject* parent = nullptr);
    void setIndex(std::shared_ptr<const HostIndex> index);
    /// Row of a host, -1 if it has no devices in the mesh.
    [[nodiscard]] int rowOf(std::int32_t host) const;

protected:
    [[nodiscard]] int count() const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    [[nodiscard]] const HostBlock& at(int row) const { return m_index->blocks()[static_cast<std::size_t>(row)]; }
    std::shared_ptr<const HostIndex> m_index;
};

class HostArraysModel : public ColumnModel {
    Q_OBJECT
public:
    /// What is the host's own stands first; the shape, which other views show as well, last.
    enum Column { Array, Chunk, Replica, Writes, Spec, Shape, ColumnCount };
    enum Role { PathRole = Qt::UserRole };
    explicit HostArraysModel(QObject* parent = nullptr);
    /// Null and absent: nothing.
    void setHost(std::shared_ptr<const HostIndex> index, std::optional<HostShare> chunks);
    [[nodiscard]] int rowOf(const QString& path) const;

protected:
    [[nodiscard]] int count() const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    [[nodiscard]] const HostArray& at(int row) const { return m_chunks->arrays[static_cast<std::size_t>(row)]; }
    [[nodiscard]] const TensorRow& tensor(int row) const { return m_index->snapshot().tensors[at(row).row]; }
    [[nodiscard]] QString tip(const HostArray& array, const TensorRow& tensor) const;
    std::shared_ptr<const HostIndex> m_index;
    std::optional<HostShare> m_chunks;
};

} // namespace shardscope
