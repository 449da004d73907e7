// SPDX-License-Identifier: GPL-3.0-or-later
// What follows from the laboratory's array and sharding: figures, the grid of shards, the same as text, the groups of
// devices, and the comparison with another sharding.
#pragma once

#include <QPlainTextEdit>
#include <QVariant>
#include <QWidget>
#include <optional>

#include "experiment/lab_state.h"
#include "views/panel/panel.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/widgets/column_model.h"

class QBoxLayout;
class QStackedWidget;
class QTableView;
class QTableWidget;

namespace shardscope {

class FormRow;
class GridTray;
class SegmentedBar;
class ZoomTrail;

/// The shards of an array as a table: which ranges, and which devices hold them. Rows are worked out when they are
/// looked at, so that their number does not matter.
class ReplicaGroupsModel : public ColumnModel {
    Q_OBJECT
public:
    enum Column { Shard, Ranges, Devices };
    explicit ReplicaGroupsModel(QObject* parent = nullptr);
    void setResult(std::optional<LabResult> result);

protected:
    [[nodiscard]] int count() const override;
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;

private:
    std::optional<LabResult> m_result;
};

class ResultPanel : public QWidget {
    Q_OBJECT
public:
    enum Page { Grid, Text, Groups, Compare };
    ResultPanel(LabState* state, Selection* selection, QWidget* parent = nullptr);

    /// The figures stand beside the pages, where there is no height for both.
    void setFiguresBeside(bool beside);
    /// As wide as the figures or the pages, also where they stand beside each other: then they may go back.
    [[nodiscard]] QSize minimumSizeHint() const override;
    /// Shows what the state says now.
    void refresh();
    [[nodiscard]] GridCanvas* canvas() const { return m_canvas; }
    [[nodiscard]] GridTray* tray() const { return m_tray; }
    [[nodiscard]] QString verdictText() const { return m_verdict->text() + QStringLiteral(": ") + m_sentence->text(); }
    [[nodiscard]] ReplicaGroupsModel* groups() const { return m_groups; }

Q_SIGNALS:
    /// The other sharding was edited.
    void changed();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    QWidget* makeTextPage();
    QWidget* makeGroupsPage();
    QWidget* makeComparePage();
    void refreshGrid(const LabResult& result);
    void refreshPage();
    void refreshComparison();

    LabState* m_state;
    RoleLabel* m_array;
    RoleLabel* m_bytes;
    RoleLabel* m_holders;
    RoleLabel* m_uneven;
    RoleLabel* m_stale;
    SegmentedBar* m_bar;
    QBoxLayout* m_line; ///< figures and pages
    QStackedWidget* m_pages;
    GridCanvas* m_canvas;
    GridTray* m_tray;
    ZoomTrail* m_trail; ///< while the grid is zoomed
    QPlainTextEdit* m_text = nullptr;
    ReplicaGroupsModel* m_groups;
    QTableView* m_groupsTable = nullptr;
    FormRow* m_other = nullptr;
    RoleLabel* m_verdict = nullptr;
    RoleLabel* m_sentence = nullptr;
    QTableWidget* m_facts = nullptr;
    std::optional<Layout> m_drawn; ///< what the canvas shows
};

} // namespace shardscope
