// SPDX-License-Identifier: GPL-3.0-or-later
// What the user looks at: one object shared by all views, outside the undo stack. Views set it and follow it; they do
// not know each other. It stores names, not ids, and so survives edits.
#pragma once

#include <QObject>
#include <QString>
#include <optional>
#include <vector>

namespace shardscope {

class Selection : public QObject {
    Q_OBJECT
public:
    explicit Selection(QObject* parent = nullptr);

    /// Path of the selected tensor, "" for none.
    [[nodiscard]] const QString& tensor() const { return m_tensor; }
    [[nodiscard]] int dimension() const { return m_dimension; } ///< of that tensor, -1 = none
    [[nodiscard]] int rule() const { return m_rule; } ///< index, -1 = none
    [[nodiscard]] const QString& meshAxis() const { return m_meshAxis; }
    [[nodiscard]] const QString& logicalAxis() const { return m_logicalAxis; }
    /// Device ids selected, and those under the pointer (all holders of the hovered shard).
    [[nodiscard]] const std::vector<std::int32_t>& devices() const { return m_devices; }
    [[nodiscard]] const std::vector<std::int32_t>& hoveredDevices() const { return m_hovered; }

    void setTensor(const QString& path);
    void setDimension(int dimension);
    void setRule(int rule);
    void setMeshAxis(const QString& name);
    void setLogicalAxis(const QString& name);
    void setDevices(std::vector<std::int32_t> devices);
    void setHoveredDevices(std::vector<std::int32_t> devices);
    void clear();

Q_SIGNALS:
    void changed(); ///< anything but the hover
    void hoverChanged();

private:
    QString m_tensor, m_meshAxis, m_logicalAxis;
    int m_dimension = -1, m_rule = -1;
    std::vector<std::int32_t> m_devices, m_hovered;
};

} // namespace shardscope
