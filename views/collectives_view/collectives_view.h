// SPDX-License-Identifier: GPL-3.0-or-later
// The view of collectives: all that devices send in a step, in a list that can be sorted, searched and summed up; and
// for the one chosen, what is held before and after it, why it is there, and what would stand in its place at what
// price. What is chosen here is the selected value everywhere, and the collectives of a selected value are marked.
#pragma once

#include <QString>
#include <array>

#include "base/diagnostics.h"
#include "document/latest_job.h"
#include "views/collectives_view/collectives_model.h"
#include "views/panel/dock_view.h"
#include "views/panel/panel.h"

class QBoxLayout;
class QComboBox;
class QLineEdit;
class QScrollArea;
class QSplitter;
class QTableView;
class QToolButton;

namespace shardscope {

class CollectivePage;
class EmptyPage;
class SegmentedBar;
class SideBySide;
class SumsBars;

class CollectivesView : public DockView {
    Q_OBJECT
public:
    CollectivesView(Document* document, Selection* selection, QWidget* parent = nullptr);

    [[nodiscard]] CollectivesModel* model() const { return m_model; }
    [[nodiscard]] CollectivesFilter* filter() const { return m_filter; }
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] QLineEdit* search() const { return m_search; }
    [[nodiscard]] QComboBox* choice(CollectiveKey key) const { return m_choices[static_cast<std::size_t>(key)]; }
    [[nodiscard]] CollectivePage* page() const { return m_page; }
    [[nodiscard]] SideBySide* sideBySide() const { return m_side; }
    /// Examples beside each other in place of the list.
    void showSideBySide(bool shown);
    [[nodiscard]] EmptyPage* emptyPage() const { return m_empty; }
    [[nodiscard]] QString emptyText() const { return m_emptyText; } ///< "" while there are rows
    /// "7 of 16 collectives, 168 KiB of 8.16 MiB per step"
    [[nodiscard]] QString total() const { return m_total->text(); }
    /// The prices of what could stand in place of the one chosen are not there yet.
    [[nodiscard]] bool isWorking() const;
    /// The collective that is chosen, -1 for none.
    [[nodiscard]] int current() const;
    void choose(int collective);

protected:
    void showEvent(QShowEvent*) override { refresh(); }
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* listSide();
    QLayout* filterRow();
    void connectAll();
    void refresh();
    void showList(CollectiveListPtr list, const SnapshotPtr& snapshot);
    void showEmpty(const QString& sentence);
    void showPage();
    void fillChoices();
    void applyFilter(CollectiveFilter filter);
    void showSums();
    void showTotal();
    void showCurrent();
    void selectCurrent();
    void followSelection();
    void chooseMarked();
    void chooseSelected();
    void fitColumns();
    void fitNames();
    void showChosen();
    [[nodiscard]] int chipsWidth() const;
    void arrange();

    CollectivesModel* m_model;
    CollectivesFilter* m_filter;
    QWidget* m_content;
    SideBySide* m_side;
    EmptyPage* m_empty;
    QLineEdit* m_search;
    std::array<QComboBox*, 4> m_choices;
    QToolButton* m_compare;
    SegmentedBar* m_sumsBy;
    SumsBars* m_sums;
    QScrollArea* m_sumsScroll;
    QWidget* m_sumsSide;
    QBoxLayout* m_listLine = nullptr;
    QTableView* m_table;
    RoleLabel* m_none; ///< no row passes the filter
    RoleLabel* m_total;
    QSplitter* m_splitter;
    CollectivePage* m_page;
    QString m_keyFigure, m_emptyText;
    QString m_tensor; ///< the selection's, as it was followed last
    int m_collective = -1; ///< likewise
    bool m_isSplitByHand = false;
    /// Of the columns that give way, where there is room.
    std::array<int, CollectivesModel::ColumnCount> m_wantedWidths{};
    bool m_isScrolledByHand = false;
    bool m_following = false, m_sumsChosen = false;
    bool m_shown = false; ///< the list has rows
    bool m_compares = false; ///< examples are shown beside each other
};

} // namespace shardscope
