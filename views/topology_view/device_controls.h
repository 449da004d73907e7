// SPDX-License-Identifier: GPL-3.0-or-later
// Which devices there are and how they come into the mesh: a set to choose or to type, the order, Auto mesh, and in
// place a message where a text names no devices or the mesh cannot be built.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "mesh/device_set.h"
#include "pipeline/snapshot.h"
#include "views/panel/panel.h"

class QBoxLayout;
class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace shardscope {

class Document;

/// The devices of the machine one by one, to be written by hand: a line per device, its host and its place. What cannot
/// be read is said at once, with its line, and can be applied only when it is right.
class DeviceListEditor : public QWidget {
    Q_OBJECT
public:
    explicit DeviceListEditor(QWidget* parent = nullptr);

    /// Begins with these devices; of very many with a line that shows the form.
    void start(const DeviceSet& devices);
    [[nodiscard]] QPlainTextEdit* edit() const { return m_edit; }
    [[nodiscard]] QPushButton* applyButton() const { return m_apply; }
    /// What is wrong, with its line; empty where it can be applied.
    [[nodiscard]] QString problem() const { return m_read ? QString() : m_stated->text(); }

Q_SIGNALS:
    void applied(const DeviceSet& devices);
    void closed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void check();
    void apply();

    QPlainTextEdit* m_edit;
    RoleLabel* m_stated;
    QPushButton* m_apply;
    std::optional<DeviceSet> m_read; ///< what is written, if it can be read
};

class DeviceControls : public QWidget {
    Q_OBJECT
public:
    explicit DeviceControls(Document* document, QWidget* parent = nullptr);

    [[nodiscard]] QComboBox* presets() const { return m_presets; }
    [[nodiscard]] QComboBox* orders() const { return m_orders; }
    [[nodiscard]] QString facts() const { return m_facts->text(); }
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
