// SPDX-License-Identifier: GPL-3.0-or-later
// Buttons that are a picture, without a frame until they are hovered.
#pragma once

#include <QToolButton>

#include "views/theme/icons.h"
#include "views/theme/theme.h"

namespace shardscope {

/// `name` is what it is called, and its tip unless there is a longer one. `size` of the picture: 0 for the style's.
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

/// The same at the size of a line of text, which one that zooms or pins stands in.
inline QToolButton* makeSmallFlat(
    QToolButton* button, const QString& picture, const QString& name, const QString& tip = {})
{
    button->setFixedSize(Metrics::scaled(22), Metrics::scaled(20));
    return makeFlat(button, picture, name, tip, 14);
}

} // namespace shardscope
