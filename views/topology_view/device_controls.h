// SPDX-License-Identifier: GPL-3.0-or-later
// Which devices there are and how they come into the mesh: a set to choose or to type, the order, Auto mesh, and in
// place a message where a text names no devices or the mesh cannot be built.
#pragma once

#include <QWidget>
#include <vector>

#include "pipeline/snapshot.h"

class QCheckBox;
class QComboBox;
class QBoxLayout;
class QHBoxLayout;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace shardscope {

class DeviceListEditor;
class Document;
class RoleLabel;

class DeviceControls : public QWidget {
    Q_OBJECT
public:
    explicit DeviceControls(Document* document, QWidget* parent = nullptr);

    [[nodiscard]] QComboBox* presets() const { return m_presets; }
    [[nodiscard]] QComboBox* orders() const { return m_orders; }
    [[nodiscard]] QPushButton* automatic() const { return m_auto; }
    [[nodiscard]] QString facts() const;
    [[nodiscard]] DeviceListEditor* listEditor() const { return m_list; }
    /// Opens or closes the list of single devices.
    void showList(bool show);
    /// The message in place: devices that cannot be read, a mesh that cannot be built. Empty if there is none.
    [[nodiscard]] QString message() const;
    /// The ways out of it, as buttons.
    [[nodiscard]] std::vector<QPushButton*> fixButtons() const;

    /// Takes the devices that a text such as "tpu-v4:4x4x4" names; false, with a message, where it names none.
    bool chooseDevices(const QString& chosen);
    /// What the newest analysis found about the mesh; null if nothing.
    void showProblem(const Problem* problem);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void addPresets();
    void refresh(); ///< what the experiment says
    void setOrder(OrderSetting order, const QString& text);
    void setOption();
    void setMessage(const QString& stated, const std::vector<Fix>& fixes);
    bool edit(Result<Experiment> after, const QString& text);

    Document* m_document;
    QComboBox* m_presets;
    QToolButton* m_own; ///< opens m_list
    DeviceListEditor* m_list;
    RoleLabel* m_facts;
    QComboBox* m_orders;
    QCheckBox* m_share;
    QCheckBox* m_contiguous;
    QCheckBox* m_byHost;
    QLineEdit* m_option; ///< T5X's submesh, or the slices of a hybrid mesh
    QPushButton* m_auto;
    QWidget* m_messageBox;
    RoleLabel* m_messageText;
    QHBoxLayout* m_fixes;
    QBoxLayout* m_orderLines; ///< one line where there is room, else two
    QString m_standing; ///< of the newest analysis
    std::vector<Fix> m_standingFixes;
};

} // namespace shardscope
