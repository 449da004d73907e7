// SPDX-License-Identifier: GPL-3.0-or-later
// Buttons that are a picture, without a frame until they are hovered.
#pragma once

#include <QToolButton>

#include "views/theme/icons.h"
#include "views/theme/theme.h"

namespace shardscope {

/// `name` is what they are called; it is their tip as well, unless there is a longer one. `size` of the picture: 0 for
/// that of the style.
inline QToolButton* makeFlat(
    QToolButton* button, const QString& picture, const QString& name, const QString& tip = {}, int size = 0)
{
    button->setIcon(icon(picture));
    if (size > 0)
        button->setIconSize(QSize(Metrics::scaled(size), Metrics::scaled(size)));
    button->setAutoRaise(true);
    button->setAccessibleName(name);
    button->setToolTip(tip.isEmpty() ? name : tip);
    return button;
}

} // namespace shardscope
