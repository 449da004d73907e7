// SPDX-License-Identifier: GPL-3.0-or-later
// The view for devices: which ones there are, how they come into the mesh and why, and the machine beside the mesh in
// the same colours. Its key figure is "64 devices".
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "experiment/experiment.h"
#include "mesh/device_places.h"
#include "pipeline/snapshot.h"
#include "views/panel/dock_view.h"
#include "views/panel/panel.h"

class QBoxLayout;
class QComboBox;
class QToolButton;

namespace shardscope {

class DeviceControls;
class DeviceMap;
class SpanLine;
class ZoomTrail;

class TopologyView : public DockView {
    Q_OBJECT
public:
    TopologyView(Document* document, Selection* selection, QWidget* parent = nullptr);
    ~TopologyView() override;

    [[nodiscard]] DeviceMap* machine() const { return m_machine; }
    [[nodiscard]] DeviceMap* mesh() const { return m_meshMap; }
    [[nodiscard]] QComboBox* colours() const { return m_colours; }
    [[nodiscard]] QComboBox* paths() const { return m_paths; }
    /// Which devices there are, in which order, and what is wrong with them.
    [[nodiscard]] DeviceControls* controls() const { return m_controls; }
    [[nodiscard]] QString reason() const { return m_reason->text(); }
    [[nodiscard]] QString pathText() const { return m_pathText->text(); }
    /// The line below the maps: the device pointed at, or how many there are and what a tile is.
    [[nodiscard]] QString caption() const { return m_caption->text(); }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void refresh(); ///< what the experiment says
    void refreshMesh(); ///< what the analysis says
    void refreshColours();
    void refreshPath();
    void showPath();
    /// Marks in the machine what a submesh of T5X fails on; returns it in words, empty for other problems.
    QString markFailure(const Problem* problem);
    void refreshChoices();
    [[nodiscard]] std::optional<std::size_t> axisIn(const QComboBox* box) const; ///< that is chosen there
    void showCurrent();
    [[nodiscard]] QString counts() const;
    /// What a device holds of the selected array: its place in the mesh, its part of each sharded dimension, bytes.
    [[nodiscard]] QStringList holdingOf(std::int32_t device) const;
    [[nodiscard]] const TensorRow* shownTensor() const; ///< null for none on the mesh shown
    [[nodiscard]] std::optional<std::int32_t> currentDevice() const; ///< pointed at or walked to, in either map
    [[nodiscard]] QString describeDevice(std::int32_t device) const;
    [[nodiscard]] std::optional<std::int64_t> positionOf(std::int32_t device) const;

    DeviceControls* m_controls;
    RoleLabel* m_reason;
    QComboBox* m_colours;
    QComboBox* m_paths;
    RoleLabel* m_pathText;
    QBoxLayout* m_maps;
    /// A map with its head, the buttons that zoom it, and the way back.
    struct Side {
        SpanLine* head;
        QToolButton* zoomOut;
        QToolButton* zoomIn;
        ZoomTrail* trail;
        DeviceMap* map;
    };
    void addSide(const Side& side);
    Side m_machineSide, m_meshSide;
    DeviceMap* m_machine;
    DeviceMap* m_meshMap;
    RoleLabel* m_caption;

    std::shared_ptr<const DevicePlaces> m_places; ///< of what the maps show
    MeshPtr m_shownMesh; ///< null while there is none
    std::vector<std::int64_t> m_positions; ///< by device
    /// What shownTensor() found last, and for what: maps ask it for every cell.
    struct FoundRow {
        SnapshotPtr snapshot;
        MeshPtr mesh;
        QString tensor;
        const TensorRow* row = nullptr;
    };
    mutable FoundRow m_foundRow;
    std::optional<int> m_colour, m_path; ///< chosen: a mesh axis, or what stands below the axes
};

} // namespace shardscope
