// SPDX-License-Identifier: GPL-3.0-or-later
// The timing plots as tables.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "simulate/run/run.h"

namespace shardscope {

/// One row per device: compute, communication, wait, in all.
class DeviceTimesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    void setDevices(std::vector<DeviceTimes> devices, std::vector<std::int32_t> ids);
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<DeviceTimes> m_devices;
    std::vector<std::int32_t> m_ids;
};

/// One row per step, newest first: number, time.
class StepTimesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    void setTimes(std::int64_t first, std::vector<double> seconds);
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::int64_t m_first = 1;
    std::vector<double> m_seconds;
};

} // namespace shardscope
