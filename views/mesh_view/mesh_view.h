// SPDX-License-Identifier: GPL-3.0-or-later
// The view for the mesh: axes with their sizes, their order, and the map of the devices. Its key figure is "2 × 4".
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "experiment/experiment.h"
#include "views/panel/dock_view.h"
#include "views/panel/panel.h"

class QCheckBox;
class QLabel;
class QMenu;
class QHBoxLayout;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace shardscope {

class AxisRow;
class DeviceMap;
class EditGesture;
class FoldButton;
class ShortCombo;
class StaleRibbon;
class TipStrip;
class ZoomTrail;

class MeshView : public DockView {
    Q_OBJECT
public:
    MeshView(Document* document, Selection* selection, QWidget* parent = nullptr);
    ~MeshView() override;

    [[nodiscard]] AxisRow* row(std::size_t axis) const { return m_rows[axis]; }
    [[nodiscard]] std::size_t rowCount() const { return m_rows.size(); }
    [[nodiscard]] DeviceMap* map() const { return m_map; }
    /// The edit that is being scrubbed or dragged.
    [[nodiscard]] EditGesture* gesture() const { return m_gesture; }
    [[nodiscard]] bool keepsProduct() const;
    /// The message in place: a mesh that does not fit the devices, or an edit that cannot be. Empty if there is none.
    [[nodiscard]] QString message() const;
    /// The line under the map: what a square stands for, or what is pointed at. Empty where every device has its name.
    [[nodiscard]] QString mapCaption() const { return m_captionBox->isVisibleTo(this) ? m_caption->text() : QString(); }

    void addAxis();
    /// Below the axes; hidden until it says something.
    [[nodiscard]] TipStrip* tip() const { return m_tip; }
    /// Checked: the hardware stays when the mesh changes.
    [[nodiscard]] QToolButton* pin() const { return m_pin; }
    [[nodiscard]] QWidget* usualControl() const override; ///< the first axis

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void followProgram();
    void refresh();
    void refreshMap();
    void showCaption();
    void makeRows(std::size_t count);
    void showIdle(bool shown);
    void fillMenu(QMenu& menu, std::size_t axis);
    /// The product of the sizes, or -1 when it is beyond anything.
    [[nodiscard]] static std::int64_t productOf(const std::vector<MeshAxis>& axes);
    void offerSizes(std::size_t axis, std::int64_t size);
    void showMessage(const Diagnostic* refused);
    void placeMessage();
    bool edit(Result<Experiment> after, const QString& text, int mergeId = 0);
    void setSize(std::size_t axis, std::int64_t size, bool dragging);
    void cancelSize();
    void moveAxis(std::size_t from, std::size_t to);
    void dragRow(std::size_t from, const QPoint& global, bool drop);
    void setOrder(int choice);
    [[nodiscard]] std::size_t rowAt(int y) const;
    /// The next one that is shown; the same where there is none.
    [[nodiscard]] std::size_t rowBeside(std::size_t axis, int step) const;
    /// Empty if there is no such axis (any more).
    [[nodiscard]] QString axisName(std::size_t axis) const;

    StaleRibbon* m_ribbon;
    RoleLabel* m_head;
    QLabel* m_tick;
    RoleLabel* m_fixed; ///< why nothing can be changed
    QPushButton* m_add = nullptr;
    QCheckBox* m_keep;
    QWidget* m_messageBox;
    RoleLabel* m_messageText;
    QPushButton* m_fit;
    QHBoxLayout* m_others; ///< sizes in place of the one that was refused
    std::optional<std::pair<std::size_t, std::int64_t>> m_asked; ///< axis and size
    QVBoxLayout* m_axes;
    FoldButton* m_idle; ///< axes of size 1, where there are many
    bool m_isOther = true; ///< an experiment that was not seen yet: its idle axes are folded
    TipStrip* m_tip;
    std::vector<AxisRow*> m_rows;
    DeviceMap* m_map;
    ZoomTrail* m_trail; ///< while the map is zoomed
    QWidget* m_captionBox;
    RoleLabel* m_caption;
    QToolButton* m_zoomOut;
    QToolButton* m_zoomIn;
    ShortCombo* m_order;
    RoleLabel* m_hardware;
    QToolButton* m_pin;
    EditGesture* m_gesture;
    int m_mergeId = 0; ///< of the drag going on
    std::int64_t m_sizeBefore = 0; ///< at the drag's beginning
    ExperimentPtr m_before;
    std::size_t m_dropTarget = 0; ///< place of a dragged axis
    int m_dropLine = -1; ///< y of the line that shows where a dragged axis would go
};

} // namespace shardscope
