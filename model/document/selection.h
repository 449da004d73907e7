// SPDX-License-Identifier: GPL-3.0-or-later
// What the user looks at: one object shared by all views, outside the undo stack. Views set it and follow it; they do
// not know each other. It stores names, not ids, and so survives edits.
#pragma once

#include <QObject>
#include <QString>
#include <optional>
#include <vector>

#include "sharding/device_group.h"

namespace shardscope {

/// What the colours of shards and devices tell: which shard it is, which device holds it, or whose host; where the
/// device stands along a mesh axis, how many bytes of the array it holds, or how long it was busy in the last step.
enum class ColourBy : std::uint8_t { Shard, Device, Host, Coordinate, Bytes, Time };

class Selection : public QObject {
    Q_OBJECT
public:
    explicit Selection(QObject* parent = nullptr);

    /// Path of the selected tensor, "" for none.
    [[nodiscard]] const QString& tensor() const { return m_tensor; }
    [[nodiscard]] int dimension() const { return m_dimension; } ///< of that tensor, -1 = none
    /// The selected operation, as operationPath() names it, "" for none. One whose results have no path stands beside
    /// the tensor that was selected before; any other is where the tensor comes from.
    [[nodiscard]] const QString& operation() const { return m_operation; }
    [[nodiscard]] int step() const { return m_step; } ///< of propagation, -1 = none
    /// One of those that work for the tensor, or for the operation: its number in the list of collectives, -1 = none.
    [[nodiscard]] int collective() const { return m_collective; }
    /// A line of the text that the program was read from, counted from 1, 0 = none.
    [[nodiscard]] int textLine() const { return m_textLine; }
    [[nodiscard]] int rule() const { return m_rule; } ///< index, -1 = none
    [[nodiscard]] const QString& meshAxis() const { return m_meshAxis; }
    [[nodiscard]] const QString& logicalAxis() const { return m_logicalAxis; }
    /// Of the shard grid and of the mesh beside it, which have one meaning.
    [[nodiscard]] ColourBy colouring() const { return m_colouring; }
    /// Devices selected, and those under the pointer (all holders of the hovered shard). As groups they cost the same
    /// however many they are; the list of the selected ids is made when somebody asks for it.
    [[nodiscard]] const DeviceGroup& deviceGroup() const { return m_devices; }
    [[nodiscard]] const DeviceGroup& hoveredGroup() const { return m_hovered; }
    [[nodiscard]] const std::vector<std::int32_t>& devices() const;

    void setTensor(const QString& path);
    /// What is shown until somebody selects something; -1 for no collective.
    void setFirst(const QString& tensor, int collective);
    /// Nobody has selected another tensor, operation or collective since.
    [[nodiscard]] bool isFirst() const { return m_isFirst; }
    /// An operation with the tensor that it makes; "" where that has no path, and the tensor stays then.
    void setOperation(const QString& path, const QString& tensor);
    void setStep(int step);
    /// Until another tensor or operation is selected.
    void setCollective(int collective);
    void setTextLine(int line);
    void setDimension(int dimension);
    void setRule(int rule);
    void setMeshAxis(const QString& name);
    void setLogicalAxis(const QString& name);
    void setColouring(ColourBy colouring);
    void setDevices(DeviceGroup devices);
    void setHoveredDevices(DeviceGroup devices);
    void clear();

Q_SIGNALS:
    void changed(); ///< anything but the hover
    void hoverChanged();

private:
    void changeTensor(const QString& path);
    QString m_tensor, m_operation, m_meshAxis, m_logicalAxis;
    int m_dimension = -1, m_rule = -1, m_step = -1, m_textLine = 0, m_collective = -1;
    bool m_isFirst = false;
    ColourBy m_colouring = ColourBy::Shard;
    DeviceGroup m_devices, m_hovered;
    mutable std::optional<std::vector<std::int32_t>> m_ids; ///< of m_devices, once somebody has asked
};

} // namespace shardscope
