// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a program beside its graph: as StableHLO with the shardings that propagation found, or as it was read,
// with what is wrong at its lines. Lines are chosen by pointer and arrow keys; it has a search of its own.
#pragma once

#include <QListView>
#include <QWidget>
#include <memory>
#include <vector>

#include "document/latest_job.h"
#include "views/program_view/text_model.h"

namespace shardscope {

class RoleLabel;
class SearchField;
class SegmentedBar;

class TextPane : public QWidget {
    Q_OBJECT
public:
    enum class Which : std::uint8_t { Sharded, Declared };
    explicit TextPane(QWidget* parent = nullptr);

    /// The program of a snapshot, or what there is of it; null for nothing. A long one is printed beside the window:
    /// the text before stays until then.
    /// `newest` is the analysis whose problems are marked; it may have no program that can be shown.
    void setSnapshot(SnapshotPtr snapshot, SnapshotPtr newest);
    [[nodiscard]] bool isWorking() const { return m_job.isWorking(); }
    [[nodiscard]] bool hasText() const { return m_model->rowCount() > 0; }

    [[nodiscard]] Which which() const { return m_which; }
    /// Written is there only for a program that was read from a text.
    void setWhich(Which which);
    /// Makes the line that shows it the current one. The operation counts where both are valid.
    void showPlace(ValueId value, OperationId operation);
    /// A line of the written text, from 1.
    void showDeclaredLine(int line);
    /// What the current line shows.
    [[nodiscard]] OperationId currentOperation() const;
    [[nodiscard]] ValueId currentValue() const;

    [[nodiscard]] QListView* view() const { return m_view; }
    [[nodiscard]] ProgramTextModel* model() const { return m_model; }
    [[nodiscard]] SearchField* searchField() const { return m_search; }
    /// "2 of 8 lines", or that nothing is there; empty without a search.
    [[nodiscard]] QString found() const;
    void findNext(int step);
    /// The name of the current line's value, "%12": marked wherever it is read, in the same function.
    [[nodiscard]] const std::string& markedName() const { return m_marked; }
    [[nodiscard]] bool isInMarkedFunction(int line) const { return line >= m_markedBegin && line < m_markedEnd; }
    [[nodiscard]] const SnapshotPtr& snapshot() const { return m_snapshot; }

Q_SIGNALS:
    void lineChosen(); ///< by the user: another line is current
    void lineOpened(); ///< by Return or a double click
    void textChanged();

private:
    void start();
    void showText(std::shared_ptr<const ProgramText> text);
    void showMarks();
    void goToLine(int line);
    void search();
    void followCurrent();
    void copyLines() const;

    SegmentedBar* m_choice;
    SearchField* m_search;
    RoleLabel* m_found;
    QListView* m_view;
    ProgramTextModel* m_model;
    SnapshotPtr m_snapshot, m_newest;
    Which m_which = Which::Sharded;
    bool m_following = false;
    ValueId m_value; ///< to be shown, also once the text is there
    OperationId m_operation;
    int m_declaredLine = 0;
    std::vector<int> m_matches;
    int m_match = -1;
    std::string m_marked;
    int m_markedBegin = 0, m_markedEnd = 0;
    LatestJob<std::shared_ptr<const ProgramText>> m_job;
};

} // namespace shardscope
