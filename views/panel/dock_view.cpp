// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panel/dock_view.h"

#include <utility>

namespace shardscope {

DockView::DockView(Document* document, Selection* selection, QWidget* parent, QPalette::ColorRole ground)
    : QWidget(parent)
    , m_document(document)
    , m_selection(selection)
{
    if (ground == QPalette::Window)
        return;
    setBackgroundRole(ground);
    setAutoFillBackground(true);
}

void DockView::setKeyFigure(const QString& figure)
{
    if (std::exchange(m_keyFigure, figure) != figure)
        Q_EMIT keyFigureChanged();
}

} // namespace shardscope
