// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panel/dock_view.h"

#include <utility>

#include "views/widgets/context_menu.h"

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

void DockView::setKeyFigure(const QString& figure, bool isBad)
{
    const bool isOther = std::exchange(m_isFigureBad, isBad) != isBad;
    if (std::exchange(m_keyFigure, figure) != figure || isOther)
        Q_EMIT keyFigureChanged();
}

void DockView::addLead(QMenu& menu, const QString& tensor, const char* dock, const QString& text)
{
    addMenuAction(menu, dock, text, [this, tensor, dock] {
        m_selection->setTensor(tensor);
        Q_EMIT dockRequested(QLatin1String(dock));
    });
}

} // namespace shardscope
