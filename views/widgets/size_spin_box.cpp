// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/size_spin_box.h"

#include <algorithm>

#include "mesh/mesh.h"

namespace shardscope {

SizeSpinBox::SizeSpinBox(QWidget* parent)
    : QSpinBox(parent)
{
    setRange(1, static_cast<int>(maximumDevices));
    setKeyboardTracking(false);
}

void SizeSpinBox::stepBy(int steps)
{
    std::int64_t size = value();
    for (; steps > 0; --steps) {
        const auto next = std::upper_bound(m_sizes.begin(), m_sizes.end(), size);
        if (next == m_sizes.end())
            break;
        size = *next;
    }
    for (; steps < 0; ++steps) {
        const auto here = std::lower_bound(m_sizes.begin(), m_sizes.end(), size);
        if (here == m_sizes.begin())
            break;
        size = *(here - 1);
    }
    setValue(static_cast<int>(size));
}

} // namespace shardscope
