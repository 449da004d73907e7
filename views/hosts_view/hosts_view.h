// SPDX-License-Identifier: GPL-3.0-or-later
// The view for hosts: what one holds of every array and writes to a checkpoint, and which rows of the batch it reads.
#pragma once

#include <QListView>
#include <QString>
#include <QVariant>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/host_share.h"
#include "views/panel/dock_view.h"
#include "views/widgets/column_model.h"

class QTableView;

namespace shardscope {

class EmptyPage;
class RoleLabel;

/// The hosts as a list, and what one of them has of every array as a table.
class HostListModel : public ColumnModel {
    Q_OBJECT
public:
    explicit HostListModel(QObject* parent = nullptr);
    void setIndex(std::shared_ptr<const HostIndex> index);
    /// Row of a host, -1 if it has no devices in the mesh.
    [[nodiscard]] int rowOf(std::int32_t host) const;

protected:
    [[nodiscard]] int count() const override { return m_index ? static_cast<int>(m_index->blocks().size()) : 0; }
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
    void setHost(std::shared_ptr<const HostIndex> index, std::optional<HostShare> share);
    [[nodiscard]] int rowOf(const QString& path) const;

protected:
    [[nodiscard]] int count() const override { return static_cast<int>(m_arrays.size()); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    [[nodiscard]] const HostArray& at(int row) const;
    [[nodiscard]] const TensorRow& tensor(int row) const
    {
        return m_index->snapshot().tensors[static_cast<std::size_t>(row)];
    }
    std::shared_ptr<const HostIndex> m_index;
    std::optional<HostShare> m_share;
    mutable std::vector<std::optional<HostArray>> m_arrays; ///< those that were asked for
};

class HostsView : public DockView {
    Q_OBJECT
public:
    HostsView(Document* document, Selection* selection, QWidget* parent = nullptr);

    [[nodiscard]] HostListModel* hosts() const { return m_hosts; }
    [[nodiscard]] HostArraysModel* arrays() const { return m_arrays; }
    [[nodiscard]] QListView* list() const { return m_list; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    /// What is said of the host above the table.
    [[nodiscard]] QString summary() const;
    [[nodiscard]] int current() const { return m_list->currentIndex().row(); } ///< row of the host shown, -1 for none

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void showSnapshot();
    void showHost(int row);
    void chooseHost(int row);
    void followSelection();
    void fitList();
    void fitColumns();

    HostListModel* m_hosts;
    HostArraysModel* m_arrays;
    EmptyPage* m_empty;
    QWidget* m_page;
    QListView* m_list;
    RoleLabel* m_title;
    RoleLabel* m_writes;
    RoleLabel* m_batch;
    QTableView* m_table;
    std::shared_ptr<const HostIndex> m_index;
    std::int32_t m_host = 0; ///< the one chosen, by process
    bool m_following = false;
};

} // namespace shardscope
