// SPDX-License-Identifier: GPL-3.0-or-later
// The hosts as a list, and what one of them has of every array as a table.
#pragma once

#include <QAbstractListModel>
#include <QAbstractTableModel>
#include <memory>
#include <optional>

#include "analysis/host_share.h"

namespace shardscope {

class HostListModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;
    void setIndex(std::shared_ptr<const HostIndex> index);
    /// Row of a host, -1 if it has no devices in the mesh.
    [[nodiscard]] int rowOf(std::int32_t host) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    std::shared_ptr<const HostIndex> m_index;
};

class HostArraysModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// What is the host's own stands first; the shape, which other docks show as well, last.
    enum Column { Array, Chunk, Replica, Writes, Spec, Shape, ColumnCount };
    enum Role { PathRole = Qt::UserRole };
    using QAbstractTableModel::QAbstractTableModel;
    /// Null and absent: nothing.
    void setHost(std::shared_ptr<const HostIndex> index, std::optional<HostShare> chunks);
    [[nodiscard]] int rowOf(const QString& path) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    [[nodiscard]] QString tip(const HostArray& array, const TensorRow& tensor) const;
    std::shared_ptr<const HostIndex> m_index;
    std::optional<HostShare> m_chunks;
};

} // namespace shardscope
