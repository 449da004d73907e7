// SPDX-License-Identifier: GPL-3.0-or-later
// The devices of the machine one by one, to be written by hand: a line per device, its host and its place. What cannot
// be read is said at once, with its line, and can be applied only when it is right.
#pragma once

#include <QWidget>
#include <optional>

#include "mesh/device_set.h"

class QPlainTextEdit;
class QPushButton;

namespace shardscope {

class RoleLabel;

class DeviceListEditor : public QWidget {
    Q_OBJECT
public:
    explicit DeviceListEditor(QWidget* parent = nullptr);

    /// Begins with these devices; of very many with a line that shows the form.
    void start(const DeviceSet& devices);
    [[nodiscard]] QPlainTextEdit* edit() const { return m_edit; }
    [[nodiscard]] QPushButton* applyButton() const { return m_apply; }
    /// What is wrong, with its line; empty where it can be applied.
    [[nodiscard]] QString problem() const;

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

} // namespace shardscope
