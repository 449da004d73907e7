// SPDX-License-Identifier: GPL-3.0-or-later
// Words that are said again below a control that has no room for them.
#pragma once

#include <functional>

#include "views/panel/panel.h"

namespace shardscope {

/// Has no height at widths at which it is not needed. Since that is told by a function of the width, a layout can ask
/// for any width before it decides: nothing is shown or hidden while something is resized.
class OverflowLabel : public RoleLabel {
    Q_OBJECT
public:
    OverflowLabel(Size size, QColor Theme::*colour, std::function<bool(int width)> isNeeded, QWidget* parent);

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override { return { 0, 0 }; }
    [[nodiscard]] QSize minimumSizeHint() const override { return { 0, 0 }; }

private:
    std::function<bool(int width)> m_isNeeded;
};

} // namespace shardscope
