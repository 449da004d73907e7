// SPDX-License-Identifier: GPL-3.0-or-later
// What all views are: they show the document and the selection that they share, with a figure for their title.
#pragma once

#include <QWidget>

#include "document/document.h"
#include "document/selection.h"

class QMenu;

namespace shardscope {

class DockView : public QWidget {
    Q_OBJECT
public:
    /// `ground`: what it is filled with, where that is not the window's colour.
    DockView(Document* document, Selection* selection, QWidget* parent, QPalette::ColorRole ground = QPalette::Window);

    /// For the view's title: "46 steps"; may be empty.
    [[nodiscard]] QString keyFigure() const { return m_keyFigure; }
    /// It is one that must not be: more than there is. The text says so, too.
    [[nodiscard]] bool isFigureBad() const { return m_isFigureBad; }
    /// What takes the keyboard when the view is called. Null: always the same one, its focus proxy when it was made.
    [[nodiscard]] virtual QWidget* usualControl() const { return nullptr; }

Q_SIGNALS:
    void keyFigureChanged();
    void dockRequested(const QString& id); ///< what another view shows is to be seen
    /// A change is to be looked at value by value before it is made.
    void previewRequested(const shardscope::Experiment& after, const QString& change);

protected:
    void setKeyFigure(const QString& figure, bool isBad = false);
    /// Selects the tensor and shows it in that view.
    void addLead(QMenu& menu, const QString& tensor, const char* dock, const QString& text);

    Document* m_document;
    Selection* m_selection;

private:
    QString m_keyFigure;
    bool m_isFigureBad = false;
};

} // namespace shardscope
