// SPDX-License-Identifier: GPL-3.0-or-later
// The view for hosts: what one of them holds of every array, what it writes to a checkpoint, and which rows of the
// batch it reads.
#pragma once

#include <QString>
#include <memory>

#include "analysis/host_share.h"
#include "views/panel/dock_view.h"

class QListView;
class QTableView;

namespace shardscope {

class EmptyPage;
class HostArraysModel;
class HostListModel;
class RoleLabel;

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
    [[nodiscard]] int current() const; ///< row of the host shown, -1 for none

protected:
    void resizeEvent(QResizeEvent* event) override;

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
