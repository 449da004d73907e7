// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timing_view/timing_models.h"

#include <array>

#include "words/words.h"

namespace shardscope {

namespace {

QVariant right()
{
    return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
}

} // namespace

void DeviceTimesModel::setDevices(std::vector<DeviceTimes> devices, std::vector<std::int32_t> ids)
{
    const bool same = devices.size() == m_devices.size() && ids == m_ids;
    if (!same)
        beginResetModel();
    m_devices = std::move(devices);
    m_ids = std::move(ids);
    if (!same)
        endResetModel();
    else if (!m_devices.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int DeviceTimesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_devices.size());
}

int DeviceTimesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 5;
}

QVariant DeviceTimesModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    if (role == Qt::TextAlignmentRole)
        return index.column() == 0 ? QVariant() : right();
    if (role != Qt::DisplayRole)
        return {};
    const auto row = static_cast<std::size_t>(index.row());
    const DeviceTimes& times = m_devices[row];
    const std::array<double, 4> columns{ times.compute, times.communication, times.wait,
        times.compute + times.communication + times.wait };
    if (index.column() == 0)
        return tr("d%1").arg(row < m_ids.size() ? m_ids[row] : static_cast<std::int32_t>(row));
    return words::seconds(columns[static_cast<std::size_t>(index.column()) - 1]);
}

QVariant DeviceTimesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return section == 0 ? QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter)) : right();
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case 0:
        return tr("Device");
    case 1:
        return tr("Compute");
    case 2:
        return tr("Communication");
    case 3:
        return tr("Wait");
    default:
        return tr("In all");
    }
}

void StepTimesModel::setTimes(std::int64_t first, std::vector<double> seconds)
{
    beginResetModel();
    m_first = first;
    m_seconds = std::move(seconds);
    endResetModel();
}

int StepTimesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_seconds.size());
}

int StepTimesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 2;
}

QVariant StepTimesModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    if (role == Qt::TextAlignmentRole)
        return right();
    if (role != Qt::DisplayRole)
        return {};
    const std::size_t step = m_seconds.size() - 1 - static_cast<std::size_t>(index.row());
    return index.column() == 0 ? words::count(m_first + static_cast<std::int64_t>(step))
                               : words::seconds(m_seconds[step]);
}

QVariant StepTimesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return right();
    if (role != Qt::DisplayRole)
        return {};
    return section == 0 ? tr("Step") : tr("Time");
}

} // namespace shardscope
