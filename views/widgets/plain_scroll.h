// SPDX-License-Identifier: GPL-3.0-or-later
// A scroll area that is only room for what is in it: without a frame, and not a place where Tab goes.
#pragma once

#include <QScrollArea>

namespace shardscope {

/// `onlyUpright`: what is in it never gets wider than the area.
inline QScrollArea* makePlain(QScrollArea* area, QWidget* content, bool onlyUpright)
{
    area->setWidget(content);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    area->viewport()->setBackgroundRole(QPalette::Base);
    if (onlyUpright)
        area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return area;
}

} // namespace shardscope
