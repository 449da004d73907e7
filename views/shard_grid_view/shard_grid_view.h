// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the selected tensor: what it is globally, what a device holds, and the grid of its shards; its name as figure.
#pragma once

#include "views/panel/dock_view.h"
#include "views/shard_grid_view/grid_canvas.h"

class QMenu;
class QToolButton;

namespace shardscope {

class EmptyPage;
class GridTray;
class RoleLabel;
class SpanLine;
class StaleRibbon;
class ZoomTrail;
struct TensorRow;

class ShardGridView : public DockView {
    Q_OBJECT
public:
    ShardGridView(Document* document, Selection* selection, QWidget* parent = nullptr);

    [[nodiscard]] GridCanvas* canvas() const { return m_canvas; }

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] QString gridText(const Layout& layout) const;
    [[nodiscard]] SnapshotPtr pictured() const; ///< what the grid is drawn of
    void refresh();
    /// For the cell at a place of the canvas, or for the current one.
    [[nodiscard]] std::optional<QRect> fillMenu(QMenu& menu, std::optional<QPoint> place);
    void showRow(const TensorRow& row);
    void showEmpty();

    StaleRibbon* m_ribbon;
    SpanLine* m_array;
    SpanLine* m_spec;
    RoleLabel* m_total;
    RoleLabel* m_perDevice;
    RoleLabel* m_notice; ///< what is wrong with the array's sharding
    QToolButton* m_partial;
    GridCanvas* m_canvas;
    EmptyPage* m_empty;
    GridTray* m_tray;
    ZoomTrail* m_trail; ///< while the grid is zoomed
    QWidget* m_head; ///< everything above the grid
    QString m_shown; ///< path of the tensor for which rows and columns were chosen
};

} // namespace shardscope
