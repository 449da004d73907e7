// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panel/overflow_label.h"

#include <utility>

namespace shardscope {

OverflowLabel::OverflowLabel(Size size, QColor Theme::*colour, std::function<bool(int width)> isNeeded, QWidget* parent)
    : RoleLabel(size, colour, parent)
    , m_isNeeded(std::move(isNeeded))
{
    setWordWrap(true);
}

int OverflowLabel::heightForWidth(int width) const
{
    return m_isNeeded(width) ? RoleLabel::heightForWidth(width) : 0;
}

} // namespace shardscope
