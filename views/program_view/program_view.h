// SPDX-License-Identifier: GPL-3.0-or-later
// The Program dock: the graph of the program with a player of its operations and of propagation, and beside it its
// text, linked with each other and with what is selected.
#pragma once

#include "views/panel/dock_view.h"
#include "views/program_view/graph_canvas.h"
#include "views/program_view/text_pane.h"

class QHBoxLayout;
class QLabel;
class QMenu;
class QSplitter;
class QToolButton;

namespace shardscope {

class EmptyPage;
class ProgramPlayer;
class SearchField;
class SpanLine;

class ProgramView : public DockView {
    Q_OBJECT
public:
    ProgramView(Document* document, Selection* selection, QWidget* parent = nullptr);

    [[nodiscard]] GraphCanvas* canvas() const { return m_canvas; }
    [[nodiscard]] ProgramPlayer* player() const { return m_player; }
    [[nodiscard]] bool isWorking() const { return isVisible() && m_text->isWorking(); }
    [[nodiscard]] SearchField* searchField() const { return m_search; }
    /// What the search found: "2 of 8", or that nothing is there.
    [[nodiscard]] QString found() const;
    /// Goes to the next place that the search field's text occurs in.
    void findNext(int step);
    /// From now on it stays as it is put here; until then it is there where there is no graph.
    void setTextShown(bool shown);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void putText(bool shown);
    QToolButton* addButton(const QString& icon, const QString& text, const QKeySequence& shortcut);
    void makeHead(QHBoxLayout* into);
    /// For the node at a place of the graph, or for the current one.
    [[nodiscard]] std::optional<QRect> fillMenu(QMenu& menu, std::optional<QPoint> place);
    void showSnapshot();
    void showEmpty();
    void followSelection();
    void select(ValueId value, OperationId operation); ///< by the user, in graph or text
    void selectCurrent(); ///< of the graph
    void showInGraph(OperationId operation);
    void play(OperationId operation, int collective);
    void selectLine(); ///< the text's current one
    void search();

    SearchField* m_search;
    QLabel* m_found;
    QToolButton* m_textButton;
    QLabel* m_zoom;
    GraphCanvas* m_canvas;
    ProgramPlayer* m_player;
    SpanLine* m_legend;
    QWidget* m_graph = nullptr; ///< canvas, player and legend
    TextPane* m_text;
    QSplitter* m_parts;
    EmptyPage* m_empty;
    ProgramPtr m_program;
    std::vector<int> m_matches; ///< parts of the program
    int m_match = -1;
    bool m_stale = true; ///< not shown since something changed
    bool m_linking = false;
    int m_selectedLine = 0; ///< of the written text, as it was followed last
    bool m_textByHand = false;
};

} // namespace shardscope
