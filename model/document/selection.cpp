// SPDX-License-Identifier: GPL-3.0-or-later
#include "document/selection.h"

#include <utility>

namespace shardscope {

Selection::Selection(QObject* parent)
    : QObject(parent)
{
}

const std::vector<std::int32_t>& Selection::devices() const
{
    if (!m_ids)
        m_ids = m_devices.ids();
    return *m_ids;
}

void Selection::changeTensor(const QString& path)
{
    m_tensor = path;
    m_dimension = -1;
    m_devices = {}; // a shard of the tensor selected before
    m_ids.reset();
}

void Selection::setTensor(const QString& path)
{
    const bool wasFirst = std::exchange(m_isFirst, false);
    if (m_tensor == path && m_operation.isEmpty() && m_collective == -1 && !wasFirst)
        return;
    if (m_tensor != path)
        changeTensor(path);
    m_operation.clear();
    m_collective = -1;
    Q_EMIT changed();
}

void Selection::setFirst(const QString& tensor, int collective)
{
    m_isFirst = true;
    changeTensor(tensor);
    m_operation.clear();
    m_collective = collective;
    Q_EMIT changed();
}

void Selection::setOperation(const QString& path, const QString& tensor)
{
    const bool wasFirst = std::exchange(m_isFirst, false);
    const bool other = !tensor.isEmpty() && tensor != m_tensor;
    if (m_operation == path && !other && m_collective == -1 && !wasFirst)
        return;
    m_operation = path;
    m_collective = -1;
    if (other)
        changeTensor(tensor);
    Q_EMIT changed();
}

void Selection::setColouring(ColourBy colouring)
{
    if (std::exchange(m_colouring, colouring) != colouring)
        Q_EMIT changed();
}

void Selection::setStep(int step)
{
    if (std::exchange(m_step, step) != step)
        Q_EMIT changed();
}

void Selection::setCollective(int collective)
{
    const bool wasFirst = std::exchange(m_isFirst, false);
    if (std::exchange(m_collective, collective) != collective || wasFirst)
        Q_EMIT changed();
}

void Selection::setTextLine(int line)
{
    if (std::exchange(m_textLine, line) != line)
        Q_EMIT changed();
}

void Selection::setDimension(int dimension)
{
    if (std::exchange(m_dimension, dimension) != dimension)
        Q_EMIT changed();
}

void Selection::setRule(int rule)
{
    if (std::exchange(m_rule, rule) != rule)
        Q_EMIT changed();
}

void Selection::setMeshAxis(const QString& name)
{
    if (m_meshAxis == name)
        return;
    m_meshAxis = name;
    Q_EMIT changed();
}

void Selection::setLogicalAxis(const QString& name)
{
    if (m_logicalAxis == name)
        return;
    m_logicalAxis = name;
    Q_EMIT changed();
}

void Selection::setDevices(DeviceGroup devices)
{
    if (m_devices == devices)
        return;
    m_devices = std::move(devices);
    m_ids.reset();
    Q_EMIT changed();
}

void Selection::setHoveredDevices(DeviceGroup devices)
{
    if (m_hovered == devices)
        return;
    m_hovered = std::move(devices);
    Q_EMIT hoverChanged();
}

void Selection::clear()
{
    setHoveredDevices({});
    m_isFirst = false;
    const bool nothing = m_tensor.isEmpty() && m_meshAxis.isEmpty() && m_logicalAxis.isEmpty() && m_dimension == -1
        && m_rule == -1 && m_step == -1 && m_textLine == 0 && m_collective == -1 && m_operation.isEmpty()
        && m_devices.empty();
    if (nothing)
        return;
    m_tensor.clear();
    m_operation.clear();
    m_meshAxis.clear();
    m_logicalAxis.clear();
    m_dimension = -1;
    m_rule = -1;
    m_step = -1;
    m_textLine = 0;
    m_collective = -1;
    m_devices = {};
    m_ids.reset();
    Q_EMIT changed();
}

} // namespace shardscope
