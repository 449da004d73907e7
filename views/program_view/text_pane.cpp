// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/text_pane.h"

#include <QApplication>
#include <QClipboard>
#include <QScrollBar>
#include <QShortcut>
#include <QToolButton>
#include <algorithm>
#include <new>

#include "experiment/model_settings.h"
#include "pipeline/text_line.h"
#include "views/panel/panel.h"
#include "views/program_view/text_delegate.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/flat_button.h"
#include "views/widgets/search_field.h"
#include "views/widgets/segmented_bar.h"
#include "words/things.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {
using namespace Qt::StringLiterals;

namespace {
/// Longer programs are printed beside the window.
constexpr std::size_t printedAtOnce = 3000;

bool hasSourceText(const SnapshotPtr& snapshot)
{
    return snapshot && sourceText(*snapshot->experiment);
}

std::shared_ptr<const ProgramText> textOf(const Snapshot& snapshot, TextPane::Which which)
{
    if (which == TextPane::Which::Sharded)
        return std::make_shared<const ProgramText>(ProgramText::printed(snapshot));
    return std::make_shared<const ProgramText>(ProgramText::sourceText(
        *sourceText(*snapshot.experiment), snapshot.source ? &snapshot.source->program : nullptr));
}

} // namespace

TextPane::TextPane(QWidget* parent)
    : QWidget(parent)
    , m_choice(new SegmentedBar({ tr("Sharded"), tr("Written") }))
    , m_search(new SearchField(u"search"_s, tr("Find in the text…"), tr("Find in the text of the program")))
    , m_found(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary))
    , m_view(new QListView)
    , m_model(new ProgramTextModel(this))
    , m_job(this, [this](std::shared_ptr<const ProgramText> text) { showText(std::move(text)); })
{
    m_choice->setAccessibleName(tr("Which text"));
    m_choice->setToolTip(tr("Sharded: as StableHLO, with every sharding that propagation found.\n"
                            "Written: the text that the program was read from."));
    m_search->setMinimumWidth(Metrics::scaled(80));
    auto* head = hbox({ 8, 4, 6, 4 }, 4, { m_choice, { m_search, 1 }, m_found });
    const auto button = [&](const QString& name, const QString& text, int step) {
        QToolButton* made = makeFlat(new QToolButton, name, text);
        connect(made, &QToolButton::clicked, this, [this, step] { findNext(step); });
        head->addWidget(made);
    };
    button(u"up"_s, tr("Previous line found (Shift+Return)"), -1);
    button(u"down"_s, tr("Next line found (Return)"), 1);

    m_view->setModel(m_model);
    m_view->setItemDelegate(new TextDelegate(this));
    m_view->setAccessibleName(tr("Text of the program"));
    m_view->setUniformItemSizes(true);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->setTextElideMode(Qt::ElideNone);
    m_view->setMinimumWidth(Metrics::scaled(120));
    vbox(this, {}, 0, { head, { m_view, 1 } });

    connect(m_choice, &SegmentedBar::currentChanged, this, [this](int index) { setWhich(static_cast<Which>(index)); });
    connect(m_search, &QLineEdit::textChanged, this, &TextPane::search);
    connect(m_search, &SearchField::nextRequested, this, &TextPane::findNext);
    connect(m_search, &SearchField::downRequested, this, [this] { m_view->setFocus(Qt::OtherFocusReason); });
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
        followCurrent();
        if (!m_following)
            Q_EMIT lineChosen();
    });
    connect(m_view, &QListView::activated, this, &TextPane::lineOpened);
    auto* copy = new QShortcut(QKeySequence::Copy, m_view, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
    connect(copy, &QShortcut::activated, this, &TextPane::copyLines);
    setFocusProxy(m_view);
    m_choice->hide();
}

void TextPane::setSnapshot(SnapshotPtr snapshot, SnapshotPtr newest)
{
    const bool otherProblems = newest != m_newest;
    m_newest = std::move(newest);
    if (snapshot == m_snapshot) {
        if (otherProblems)
            showMarks();
        return;
    }
    m_snapshot = std::move(snapshot);
    const bool hasDeclared = hasSourceText(m_snapshot);
    const bool hasSharded = m_snapshot && m_snapshot->program;
    m_choice->setVisible(hasDeclared && hasSharded);
    const Which which = !hasDeclared ? Which::Sharded : !hasSharded ? Which::Declared : m_which;
    if (which != m_which) {
        m_which = which;
        m_choice->setCurrent(static_cast<int>(which));
    }
    start();
}

void TextPane::setWhich(Which which)
{
    if (which == m_which || (which == Which::Declared && !hasSourceText(m_snapshot))
        || (which == Which::Sharded && !(m_snapshot && m_snapshot->program)))
        return;
    // The same place in the other text.
    if (const ProgramText* text = m_model->text(); text && m_view->currentIndex().isValid()) {
        m_operation = currentOperation();
        m_value = currentValue();
    }
    m_which = which;
    m_choice->setCurrent(static_cast<int>(which));
    start();
}

void TextPane::start()
{
    m_job.cancel();
    const bool none = !m_snapshot || (!m_snapshot->program && !hasSourceText(m_snapshot));
    const std::size_t size = !none && m_snapshot->program ? m_snapshot->program->operations.size() : 0;
    if (size <= printedAtOnce) {
        showText(none ? nullptr : textOf(*m_snapshot, m_which));
        return;
    }
    m_job.request([snapshot = m_snapshot, which = m_which](const std::stop_token&) {
        try {
            return textOf(*snapshot, which);
        } catch (const std::bad_alloc&) { // a text that does not fit into memory is none
            return std::shared_ptr<const ProgramText>();
        }
    });
}

void TextPane::showText(std::shared_ptr<const ProgramText> text)
{
    m_following = true;
    m_model->setText(std::move(text));
    showMarks();
    const QString found = m_search->text();
    if (!found.isEmpty())
        search();
    // Only then is it known which line is current, and whether that is the one that was asked for.
    if (m_which == Which::Declared && m_declaredLine > 0)
        goToLine(m_declaredLine - 1);
    else
        showPlace(m_value, m_operation);
    followCurrent();
    m_following = false;
    m_view->viewport()->update();
    Q_EMIT textChanged();
}

/// Problems have lines of the text that was read.
void TextPane::showMarks()
{
    std::map<int, ProgramTextModel::Mark> marks;
    if (m_newest && m_which == Which::Declared)
        for (const Problem& problem : m_newest->problems) {
            const Diagnostic& diagnostic = problem.diagnostic;
            if (diagnostic.where.line <= 0 || diagnostic.where.line > m_model->rowCount()
                || !diagnostic.where.pointer.empty())
                continue;
            ProgramTextModel::Mark& mark = marks[diagnostic.where.line - 1];
            if (mark.text.isEmpty() || diagnostic.severity() < mark.severity)
                mark.severity = diagnostic.severity();
            mark.text += (mark.text.isEmpty() ? QString() : u"\n"_s) + words::fromStd(diagnostic.id()) + u": "_s
                + words::describe(diagnostic).inFull();
        }
    m_model->setMarks(std::move(marks));
}

void TextPane::showPlace(ValueId value, OperationId operation)
{
    m_value = value;
    m_operation = operation;
    const ProgramText* text = m_model->text();
    if (!text)
        return;
    const int line = operation.valid() ? text->lineOf(operation) : text->lineOf(value);
    // A line may define several values and stay the one that was chosen.
    if (line >= 0)
        goToLine(line);
}

void TextPane::showDeclaredLine(int line)
{
    if (line <= 0 || !hasSourceText(m_snapshot))
        return;
    m_declaredLine = line;
    if (m_which != Which::Declared)
        setWhich(Which::Declared);
    else
        goToLine(line - 1);
}

void TextPane::goToLine(int line)
{
    if (line < 0 || line >= m_model->rowCount() || m_view->currentIndex().row() == line)
        return;
    m_following = true;
    const QModelIndex index = m_model->index(line);
    const int left = m_view->horizontalScrollBar()->value();
    m_view->setCurrentIndex(index);
    m_view->scrollTo(index, QAbstractItemView::EnsureVisible);
    m_view->horizontalScrollBar()->setValue(left);
    m_following = false;
}

OperationId TextPane::currentOperation() const
{
    const ProgramText* text = m_model->text();
    const QModelIndex line = m_view->currentIndex();
    return text && line.isValid() ? text->operations[static_cast<std::size_t>(line.row())] : OperationId();
}

ValueId TextPane::currentValue() const
{
    const ProgramText* text = m_model->text();
    const QModelIndex line = m_view->currentIndex();
    return text && line.isValid() ? text->values[static_cast<std::size_t>(line.row())] : ValueId();
}

void TextPane::followCurrent()
{
    m_marked.clear();
    m_markedBegin = m_markedEnd = 0;
    const ProgramText* text = m_model->text();
    const int row = m_view->currentIndex().row();
    if (m_declaredLine != row + 1)
        m_declaredLine = 0;
    if (text && row >= 0 && text->values[static_cast<std::size_t>(row)].valid()) {
        const std::string_view line = text->line(row);
        if (const std::size_t sign = line.find('%'); sign != std::string_view::npos)
            m_marked = valueNameAt(line, sign);
        // Names are counted anew in every function.
        const auto begins = [&](int at) {
            const std::string_view other = text->line(at);
            const std::size_t first = other.find_first_not_of(' ');
            return first != std::string_view::npos && other.substr(first).starts_with("func.func");
        };
        m_markedBegin = row;
        while (m_markedBegin > 0 && !begins(m_markedBegin))
            --m_markedBegin;
        m_markedEnd = row + 1;
        while (m_markedEnd < text->lines() && !begins(m_markedEnd))
            ++m_markedEnd;
    }
    m_view->viewport()->update();
}

void TextPane::search()
{
    const ProgramText* text = m_model->text();
    m_matches = text ? text->find(m_search->text().toStdString()) : std::vector<int>();
    m_match = -1;
    m_found->setText(found());
    m_view->viewport()->update();
}

QString TextPane::found() const
{
    if (m_search->text().isEmpty())
        return {};
    if (m_matches.empty())
        return tr("not found");
    const QString all = words::count(static_cast<qint64>(m_matches.size()));
    return m_match < 0 ? words::counted(static_cast<qint64>(m_matches.size()), words::Thing::Line)
                       : tr("%1 of %2 lines").arg(words::count(m_match + 1), all);
}

void TextPane::findNext(int step)
{
    if (m_matches.empty())
        return;
    const int count = static_cast<int>(m_matches.size());
    if (m_match < 0) {
        // From the current line on.
        const int row = std::max(0, m_view->currentIndex().row());
        const auto from = std::lower_bound(m_matches.begin(), m_matches.end(), row);
        m_match = static_cast<int>(from - m_matches.begin()) - (step < 0 ? 1 : 0);
    } else {
        m_match += step;
    }
    m_match = (m_match % count + count) % count;
    m_found->setText(found());
    const int line = m_matches[static_cast<std::size_t>(m_match)];
    if (m_view->currentIndex().row() == line)
        m_view->scrollTo(m_view->currentIndex());
    else
        m_view->setCurrentIndex(m_model->index(line)); // chosen as by a click
}

void TextPane::copyLines() const
{
    QModelIndexList lines = m_view->selectionModel()->selectedIndexes();
    std::sort(lines.begin(), lines.end());
    std::string text;
    for (const QModelIndex& line : lines) {
        text += m_model->text()->line(line.row());
        text += '\n';
    }
    if (!text.empty())
        QApplication::clipboard()->setText(QString::fromStdString(text));
}

} // namespace shardscope
