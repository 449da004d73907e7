// SPDX-License-Identifier: GPL-3.0-or-later
// The view in which any array and any sharding can be tried on the experiment's mesh. It changes nothing in the
// experiment, and keeps what was written when the mesh changes.
#pragma once

#include <QString>

#include "experiment/lab_state.h"
#include "views/panel/dock_view.h"

namespace shardscope {

class FormsPanel;
class ResultPanel;
class RoleLabel;
class TwoSides;

class ShardingLabView : public DockView {
    Q_OBJECT
public:
    ShardingLabView(Document* document, Selection* selection, QWidget* parent = nullptr);

    [[nodiscard]] const LabState& state() const { return m_state; }
    [[nodiscard]] FormsPanel* forms() const { return m_forms; }
    [[nodiscard]] ResultPanel* results() const { return m_results; }
    /// Shape, type and spec of the selected tensor.
    void takeSelectedTensor();

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void followMesh();
    void followSelection();
    void refresh();

    LabState m_state;
    RoleLabel* m_notice;
    FormsPanel* m_forms;
    ResultPanel* m_results;
    TwoSides* m_sides;
    bool m_touched = false; ///< somebody has written something
    bool m_after = false; ///< the mesh has changed since the view was last seen
};

} // namespace shardscope
