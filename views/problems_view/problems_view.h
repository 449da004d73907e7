// SPDX-License-Identifier: GPL-3.0-or-later
// The Problems view: what is wrong or worth knowing, with its cause, its place and the edits that mend it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "document/latest_job.h"
#include "views/panel/dock_view.h"

class QScrollArea;
class QVBoxLayout;

namespace shardscope {

class EmptyPage;
class ProblemRow;
class RoleLabel;

class ProblemsView : public DockView {
    Q_OBJECT
public:
    ProblemsView(Document* document, Selection* selection, QWidget* parent = nullptr);

    /// The worst severity shown; Info where there is nothing. For the view's icon.
    [[nodiscard]] Severity worst() const { return m_worst; }
    [[nodiscard]] const std::vector<ProblemRow*>& rows() const { return m_rows; }
    /// On fixes that take longer than the analysis: they are found while the view can be seen, and their row keeps the
    /// buttons of the last ones, disabled, until then.
    [[nodiscard]] bool isWorking() const { return m_job.isWorking(); }

    /// Messages about an action that failed: a file that could not be opened, an edit refused. They stand above the
    /// problems until the next edit, or until they are dismissed.
    void showMessages(std::vector<Diagnostic> messages);
    [[nodiscard]] const std::vector<Diagnostic>& messages() const { return m_messages; }

    /// Where a problem lies: selects its tensor, dimension or rule.
    void reveal(const Problem& problem);
    /// Applies a fix as one undo step.
    bool fix(const Problem& problem, std::size_t fix);

Q_SIGNALS:
    void textRequested(); ///< a problem in a line of the program's text is to be shown

protected:
    void showEvent(QShowEvent*) override { findFixes(); }

private:
    void refresh();
    void findFixes();
    void rebuild();
    void dismissMessages();

    QScrollArea* m_scroll;
    QVBoxLayout* m_list;
    EmptyPage* m_empty;
    RoleLabel* m_rest;
    std::vector<ProblemRow*> m_rows;
    std::vector<Code> m_codes; ///< of the problems of m_rows
    std::optional<Code> m_waiting; ///< whose row's buttons get the focus once they are there
    /// What a row shows, and whose it is.
    struct Shown {
        Problem problem;
        enum class Source : std::uint8_t { Message, Reading, Analysis } source;
        bool findsFixes = false; ///< those of `problem` were those of the last analysis
    };
    std::vector<Shown> m_shown; ///< errors first; among equals messages first
    SnapshotPtr m_snapshot;
    /// What memoryFixes() gives for the snapshot of that revision.
    struct Found {
        std::uint64_t revision = 0;
        std::vector<Fix> fixes;
    };
    Found m_found;
    LatestJob<Found> m_job;
    std::vector<Diagnostic> m_messages;
    Severity m_worst = Severity::Info;
};

} // namespace shardscope
