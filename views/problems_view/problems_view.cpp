// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/problems_view/problems_view.h"

#include <QFileInfo>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <algorithm>
#include <utility>

#include "analysis/fixes.h"
#include "analysis/memory_fixes.h"
#include "analysis/problem_subject.h"
#include "analysis/summed_problems.h"
#include "base/alike.h"
#include "views/panel/panel.h"
#include "views/problems_view/problem_row.h"
#include "views/widgets/boxes.h"
#include "views/widgets/context_menu.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {
using namespace Qt::StringLiterals;

namespace {
/// More rows than anybody reads; the rest is counted.
constexpr std::size_t maximumRows = 200;

bool sameProblem(const Problem& a, const Problem& b)
{
    return a.diagnostic == b.diagnostic && a.fixes == b.fixes && a.values == b.values;
}

/// Where it is, with the name of the file that it is in.
QString withFile(const Diagnostic& diagnostic, const QString& place)
{
    const QString file = QFileInfo(words::fromStd(diagnostic.where.file)).fileName();
    return file.isEmpty() ? place
        : place.isEmpty() ? file
                          : ProblemsView::tr("%1, %2", "a file, a place").arg(file, place);
}

} // namespace

ProblemsView::ProblemsView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent, QPalette::Base)
    , m_scroll(new QScrollArea)
    , m_list(new QVBoxLayout)
    , m_empty(new EmptyPage(tr("No problems found.")))
    , m_rest(new RoleLabel(RoleLabel::Size::Normal, &Theme::secondary))
    , m_job(this, [this](Found found) {
        m_found = std::move(found);
        refresh();
    })
{
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setAccessibleName(tr("Problems"));
    auto* content = new QWidget;
    content->setBackgroundRole(QPalette::Base);
    m_scroll->setBackgroundRole(QPalette::Base);
    m_list->setSpacing(0);
    m_rest->setContentsMargins(8, 4, 8, 4);
    vbox(content, {}, 0, { m_list, m_rest, boxStretch(1) });
    m_scroll->setWidget(content);
    m_empty->setIcon(u"ok"_s, &Theme::ok);
    vbox(this, {}, 0, { { m_scroll, 1 }, { m_empty, 1 } });

    connect(m_document, &Document::snapshotChanged, this, &ProblemsView::refresh);
    connect(m_document, &Document::fileChanged, this, &ProblemsView::refresh);
    connect(m_document, &Document::experimentChanged, this, [this] {
        m_job.cancel();
        dismissMessages();
    });
    connect(m_document, &Document::replaced, this, [this] {
        m_job.cancel();
        m_found = {};
    });
    connect(m_document, &Document::editRefused, this,
        [this](const Diagnostic& diagnostic) { showMessages({ diagnostic }); });
    setFocusPolicy(Qt::StrongFocus);
    refresh();
}

void ProblemsView::showMessages(std::vector<Diagnostic> messages)
{
    m_messages = std::move(messages);
    refresh();
    m_scroll->verticalScrollBar()->setValue(0);
}

void ProblemsView::dismissMessages()
{
    if (m_messages.empty())
        return;
    m_messages.clear();
    refresh();
}

void ProblemsView::refresh()
{
    // Always the newest analysis, even where other views still show the last one that could be laid out.
    m_snapshot = m_document->snapshot();
    std::vector<Shown> all;
    for (const Diagnostic& message : m_messages)
        all.push_back({ { message, {}, {} }, Shown::Source::Message });
    for (const Diagnostic& warning : summedUp(m_document->readWarnings()))
        all.push_back({ { warning, {}, {} }, Shown::Source::Reading });
    if (m_snapshot)
        for (Problem& problem : summedUp(m_snapshot->problems)) {
            const bool hasMore = asksForMemoryFixes(*m_snapshot, problem);
            const bool findsFixes = hasMore && m_found.revision != m_snapshot->revision;
            if (hasMore)
                problem.fixes.insert(problem.fixes.end(), m_found.fixes.begin(), m_found.fixes.end());
            all.push_back({ std::move(problem), Shown::Source::Analysis, findsFixes });
        }
    std::stable_sort(all.begin(), all.end(), [](const Shown& a, const Shown& b) {
        return a.problem.diagnostic.severity() < b.problem.diagnostic.severity();
    });
    const bool same =
        std::equal(all.begin(), all.end(), m_shown.begin(), m_shown.end(), [](const Shown& a, const Shown& b) {
            return a.source == b.source && a.findsFixes == b.findsFixes && sameProblem(a.problem, b.problem);
        });
    m_shown = std::move(all);
    if (!same || m_rows.empty())
        rebuild();

    int errors = 0, warnings = 0;
    for (const auto& [problem, source, findsFixes] : m_shown) {
        errors += problem.diagnostic.severity() == Severity::Error ? 1 : 0;
        warnings += problem.diagnostic.severity() == Severity::Warning ? countOf(problem.diagnostic) : 0;
    }
    const Severity worst = errors > 0 ? Severity::Error : warnings > 0 ? Severity::Warning : Severity::Info;
    const QString figure =
        tr("%1, %2", "errors, warnings")
            .arg(words::counted(errors, words::Noun::Error), words::counted(warnings, words::Noun::Warning));
    m_worst = worst;
    setKeyFigure(figure);
    findFixes();
}

void ProblemsView::findFixes()
{
    const bool wanted =
        std::any_of(m_shown.begin(), m_shown.end(), [](const Shown& shown) { return shown.findsFixes; });
    if (!wanted || !isVisible() || m_job.isWorking() || m_document->isStale())
        return;
    m_job.request([snapshot = m_snapshot, &cache = m_document->cache()](const std::stop_token& stop) {
        return Found{ snapshot->revision, memoryFixes(*snapshot, cache, stop) };
    });
}

void ProblemsView::rebuild()
{
    // The button that was pressed belongs to a row that goes: the focus goes to the row of the same code, or where
    // there is none any more to the one at its place in the list.
    const QWidget* const inFocus = focusWidget(); // a row that is hidden hands it on to the next one
    std::optional<Code> code = std::exchange(m_waiting, {});
    if (!hasFocus()) // which went elsewhere meanwhile
        code.reset();
    const bool hadFocus = code || m_scroll->isAncestorOf(inFocus);
    std::size_t focused = 0;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (m_rows[i]->isAncestorOf(inFocus)) {
            focused = i;
            code = m_codes[i];
        }
        m_list->removeWidget(m_rows[i]);
        m_rows[i]->hide();
        m_rows[i]->deleteLater();
    }
    m_rows.clear();
    m_codes.clear();
    QWidget* before = m_scroll;
    for (std::size_t i = 0; i < std::min(m_shown.size(), maximumRows); ++i) {
        const auto& [problem, source, findsFixes] = m_shown[i];
        // What was said about a file, or about an edit that was refused, does not count rules as they are now.
        const bool analysed = source == Shown::Source::Analysis && m_snapshot;
        const Experiment* experiment = analysed ? m_snapshot->experiment.get() : nullptr;
        ProblemRow::Buttons buttons;
        buttons.dismiss = source == Shown::Source::Message;
        buttons.findsFixes = findsFixes;
        const ProblemSubject about = problemSubject(problem, m_snapshot.get(), experiment);
        buttons.show = experiment
            && (about.rule >= 0 || about.meshAxis >= 0 || about.textLine > 0
                || (m_snapshot->program && m_snapshot->program->find(about.tensor).valid()));
        const QString place = withFile(problem.diagnostic, words::place(problem, m_snapshot.get(), experiment));
        auto* row = new ProblemRow(problem, place, buttons, i % 2 == 1);
        connect(row, &ProblemRow::showRequested, this, [this, i] {
            if (i < m_shown.size())
                reveal(m_shown[i].problem);
        });
        connect(row, &ProblemRow::fixRequested, this, [this, i](int number) {
            if (i < m_shown.size()) {
                const Problem chosen = m_shown[i].problem;
                fix(chosen, static_cast<std::size_t>(number));
            }
        });
        connect(row, &ProblemRow::dismissed, this, &ProblemsView::dismissMessages);
        giveContextMenu(row, [row](QMenu& menu, std::optional<QPoint>) { return row->fillMenu(menu); });
        m_list->addWidget(row);
        for (QPushButton* button : row->findChildren<QPushButton*>()) {
            setTabOrder(before, button);
            before = button;
        }
        m_rows.push_back(row);
        m_codes.push_back(problem.diagnostic.code);
    }
    if (const auto same = code ? std::find(m_codes.begin(), m_codes.end(), *code) : m_codes.end();
        same != m_codes.end())
        focused = static_cast<std::size_t>(same - m_codes.begin());
    const std::size_t rest = m_shown.size() - m_rows.size();
    m_rest->setVisible(rest > 0);
    m_rest->setText(tr("and %1 more").arg(words::count(static_cast<qint64>(rest))));
    m_scroll->setVisible(!m_rows.empty());
    m_empty->setVisible(m_rows.empty());
    if (hadFocus) {
        QWidget* next = this;
        if (!m_rows.empty())
            for (QWidget* child : m_rows[std::min(focused, m_rows.size() - 1)]->findChildren<QWidget*>())
                if (child->isEnabled() && child->focusPolicy() & Qt::TabFocus)
                    next = next == this ? child : next;
        if (next == this) // its buttons come, or count, once they are found
            m_waiting = code;
        next->setFocus(Qt::OtherFocusReason);
    }
}

void ProblemsView::reveal(const Problem& problem)
{
    const ProblemSubject about =
        problemSubject(problem, m_snapshot.get(), m_snapshot ? m_snapshot->experiment.get() : nullptr);
    if (about.rule >= 0)
        m_selection->setRule(about.rule);
    const auto& axes = m_document->experiment()->mesh.axes;
    if (about.meshAxis >= 0 && static_cast<std::size_t>(about.meshAxis) < axes.size())
        m_selection->setMeshAxis(QString::fromStdString(axes[static_cast<std::size_t>(about.meshAxis)].name));
    if (about.textLine > 0) {
        m_selection->setTextLine(0); // asked for again, it is shown again
        m_selection->setTextLine(about.textLine);
        Q_EMIT textRequested();
        return;
    }
    if (!about.tensor.empty()) {
        m_selection->setTensor(QString::fromStdString(about.tensor));
        if (problem.diagnostic.where.dimension >= 0)
            m_selection->setDimension(problem.diagnostic.where.dimension);
    }
}

bool ProblemsView::fix(const Problem& problem, std::size_t number)
{
    if (number >= problem.fixes.size())
        return false;
    const Fix& chosen = problem.fixes[number];
    return m_document->edit(applyFix(*m_document->experiment(), chosen), words::fixLabel(chosen));
}

} // namespace shardscope
