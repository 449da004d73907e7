// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/program_view.h"

#include <QApplication>
#include <QLabel>
#include <QMenu>
#include <QScopedValueRollback>
#include <QShortcut>
#include <QSplitter>
#include <QToolButton>
#include <utility>

#include "program/operation_path.h"
#include "views/panel/obstacle.h"
#include "views/panel/panel.h"
#include "views/program_view/program_player.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/context_menu.h"
#include "views/widgets/flat_button.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/search_field.h"
#include "views/widgets/span_line.h"
#include "views/widgets/step_player.h"
#include "words/words.h"

namespace shardscope {
using namespace Qt::StringLiterals;

ProgramView::ProgramView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent, QPalette::Base)
    , m_search(new SearchField(u"search"_s, tr("Find an operation, a value or a part…"), tr("Find in the program")))
    , m_found(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary))
    , m_zoom(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary))
    , m_canvas(new GraphCanvas)
    , m_player(new ProgramPlayer(selection))
    , m_legend(new SpanLine)
    , m_text(new TextPane)
    , m_parts(new QSplitter)
    , m_empty(new EmptyPage(QString()))
{
    auto* layout = vbox(this, {}, 0, { new StaleRibbon(document) });
    auto* head = new QHBoxLayout;
    head->setContentsMargins(8, 6, 8, 6);
    head->setSpacing(4);
    layout->addLayout(head);
    makeHead(head);

    m_graph = new QWidget;
    m_legend->setBaseFont(Metrics::small());
    m_legend->setMuted(true);
    auto* foot = hbox({ 8, 2, 8, 4 }, styleSpacing, { m_legend });
    vbox(m_graph, {}, 0, { { m_canvas, 1 }, m_player, foot });
    m_parts->addWidget(m_graph);
    m_parts->addWidget(m_text);
    m_parts->setStretchFactor(0, 3);
    m_parts->setStretchFactor(1, 2);
    m_parts->setSizes({ Metrics::scaled(600), Metrics::scaled(400) });
    m_parts->setChildrenCollapsible(false);
    layout->addWidget(m_parts, 1);
    layout->addWidget(m_empty, 1);

    connect(m_canvas, &GraphCanvas::currentChanged, this, &ProgramView::selectCurrent);
    connect(m_canvas, &GraphCanvas::collectiveOpened, this, [this] { Q_EMIT dockRequested(u"collectives"_s); });
    connect(m_canvas, &GraphCanvas::zoomChanged, this, [this] { m_zoom->setText(words::percent(m_canvas->zoom())); });
    connect(m_player, &ProgramPlayer::operationChosen, this, &ProgramView::play);
    connect(m_player, &ProgramPlayer::propagationShown, this, [this](bool onwards) {
        m_canvas->setStep(m_player->replay(), static_cast<std::uint32_t>(m_player->player()->step()), onwards);
    });
    m_player->player()->serve(this);
    connect(m_text, &TextPane::lineChosen, this, &ProgramView::selectLine);
    // A line that is asked for explicitly is opened in the graph.
    connect(m_text, &TextPane::lineOpened, this, [this] {
        const OperationId operation = m_text->currentOperation();
        if (operation.valid() && m_canvas->layoutOfGraph()
            && operation.index < m_canvas->layoutOfGraph()->outline().partOfOperation.size())
            m_canvas->show(m_canvas->layoutOfGraph()->outline().partOfOperation[operation.index]);
    });
    connect(m_document, &Document::snapshotChanged, this, &ProgramView::showSnapshot);
    connect(m_selection, &Selection::changed, this, &ProgramView::followSelection);
    const auto shortcut = [this](const QKeySequence& keys, QWidget* where, auto run) {
        auto* made = new QShortcut(keys, where, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
        connect(made, &QShortcut::activated, this, run);
    };
    // Within the text its own search counts.
    const auto inText = [this] { return m_text->isAncestorOf(QApplication::focusWidget()) || m_canvas->isHidden(); };
    shortcut(QKeySequence::Find, this, [this, inText] {
        QLineEdit* field = inText() ? m_text->searchField() : m_search;
        field->setFocus(Qt::ShortcutFocusReason);
        field->selectAll();
    });
    const auto find = [this, inText](int step) { inText() ? m_text->findNext(step) : findNext(step); };
    shortcut(QKeySequence::FindNext, this, [find] { find(1); });
    shortcut(QKeySequence::FindPrevious, this, [find] { find(-1); });
    giveContextMenu(m_canvas, [this](QMenu& menu, std::optional<QPoint> place) { return fillMenu(menu, place); });
    setFocusProxy(m_canvas);
    showSnapshot();
}

std::optional<QRect> ProgramView::fillMenu(QMenu& menu, std::optional<QPoint> place)
{
    const GraphLayout* layout = m_canvas->layoutOfGraph();
    if (!layout)
        return std::nullopt;
    const GraphPlace node = place ? layout->at(m_canvas->toGraph(*place)) : m_canvas->current();
    if (node.valid()) {
        m_canvas->setCurrent(node);
        const GraphItem item = layout->item(node);
        if (item.part >= 0 && layout->outline().isContainer(item.part))
            addMenuAction(
                menu, "fold", layout->isOpen(item.part) ? tr("Fold") : tr("Unfold"),
                [this, part = item.part] { m_canvas->toggle(part); }, tr("Return"));
        const ValueId value = m_canvas->currentValue();
        const OperationId operation = m_canvas->currentOperation();
        if (value.valid() || operation.valid())
            addMenuAction(menu, "explain", tr("Explain"), [this, value, operation] {
                select(value, operation);
                Q_EMIT dockRequested(QStringLiteral("explain"));
            });
        if (m_canvas->currentCollective() >= 0)
            addMenuAction(
                menu, "collective", tr("Show in Collectives"),
                [this] {
                    selectCurrent();
                    Q_EMIT dockRequested(u"collectives"_s);
                },
                tr("Return"));
        addMenuAction(
            menu, "fitNode", tr("Fit it into the view"), [this] { m_canvas->fitCurrent(); }, tr("Shift+F"));
        addCopyAction(menu, "copyNode", tr("Copy what is said of it"), m_canvas->tipOf(node));
        menu.addSeparator();
    }
    addMenuAction(
        menu, "fit", tr("Fit all into the view"), [this] { m_canvas->fit(); }, QStringLiteral("F"));
    addMenuAction(menu, "foldAll", tr("Fold all parts"), [this] { m_canvas->foldAll(); });
    addMenuAction(menu, "unfoldAll", tr("Open all parts but repeated ones"), [this] { m_canvas->unfold(); });
    return node.valid() ? m_canvas->toWidget(layout->rect(node)).toAlignedRect() : m_canvas->rect();
}

QToolButton* ProgramView::addButton(const QString& iconName, const QString& text, const QKeySequence& keys)
{
    return makeFlat(new QToolButton, iconName, text,
        keys.isEmpty() ? text : tr("%1 (%2)", "command, keys").arg(text, keys.toString()));
}

void ProgramView::makeHead(QHBoxLayout* into)
{
    m_search->setToolTip(tr("Return leads to the next one, Shift+Return to the one before"));
    m_search->setMinimumWidth(Metrics::scaled(90));
    m_search->setMaximumWidth(Metrics::scaled(300));
    connect(m_search, &QLineEdit::textChanged, this, &ProgramView::search);
    connect(m_search, &SearchField::nextRequested, this, &ProgramView::findNext);
    connect(m_search, &SearchField::downRequested, this, [this] { m_canvas->setFocus(Qt::OtherFocusReason); });
    into->addWidget(m_search, 3);
    into->addWidget(m_found);
    into->addStretch(1);
    const auto button = [&](const QString& name, const QString& text, const QKeySequence& keys, auto run) {
        QToolButton* made = addButton(name, text, keys);
        connect(made, &QToolButton::clicked, this, run);
        into->addWidget(made);
        return made;
    };
    button(u"fold"_s, tr("Fold all parts"), {}, [this] { m_canvas->foldAll(); });
    button(u"unfold"_s, tr("Open all parts but repeated ones"), {}, [this] { m_canvas->unfold(); });
    button(u"zoomout"_s, tr("Zoom out"), Qt::Key_Minus, [this] { m_canvas->zoomBy(1 / 1.2); });
    m_zoom->setText(words::percent(1));
    m_zoom->setAlignment(Qt::AlignCenter);
    m_zoom->setMinimumWidth(QFontMetrics(Metrics::small()).horizontalAdvance(u"100 %"_s) + 4);
    into->addWidget(m_zoom);
    button(u"zoomin"_s, tr("Zoom in"), Qt::Key_Plus, [this] { m_canvas->zoomBy(1.2); });
    button(u"fit"_s, tr("Fit into the view; with Shift the current part"), Qt::Key_F, [this] { m_canvas->fit(); });
    m_textButton = addButton(u"code"_s, tr("Text of the program"), {});
    m_textButton->setCheckable(true);
    connect(m_textButton, &QToolButton::toggled, this, [this](bool shown) { putText(shown); });
    connect(m_textButton, &QToolButton::clicked, this, [this] { m_textByHand = true; });
    into->addWidget(m_textButton);
}

void ProgramView::setTextShown(bool shown)
{
    m_textByHand = true;
    putText(shown);
}

void ProgramView::putText(bool shown)
{
    m_textButton->setChecked(shown);
    m_text->setVisible(shown);
    if (shown)
        followSelection();
}

void ProgramView::resizeEvent(QResizeEvent*)
{
    // Beside each other where there is room for both; lines of text are long, so that a high dock has them below.
    const bool high = height() >= Metrics::scaled(460) && width() < Metrics::scaled(900);
    m_parts->setOrientation(!high && width() >= height() * 9 / 10 ? Qt::Horizontal : Qt::Vertical);
    if (!m_textByHand)
        putText(m_graph->isHidden()); // the picture has the room until the text is asked for
}

void ProgramView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_stale)
        showSnapshot();
}

void ProgramView::showEmpty()
{
    const bool some = m_program && !m_program->operations.empty();
    m_graph->setVisible(some);
    // What could not be read is still a text, with what is wrong at its lines.
    const bool text = some || (!m_program && m_text->hasText());
    m_parts->setVisible(text);
    m_empty->setVisible(!text);
    if (text) {
        putText(m_textButton->isChecked() || !some);
        return;
    }
    if (m_program) {
        m_empty->setSentence(tr("This experiment has arrays and rules, and no operations to draw."));
        m_empty->setButton({});
        return;
    }
    const std::optional<Obstacle> obstacle = obstacleOf(*m_document);
    m_empty->setSentence(obstacle ? obstacle->layoutText() : tr("The experiment is being analysed."));
}

void ProgramView::showSnapshot()
{
    const SnapshotPtr snapshot = shownSnapshot(*m_document);
    const std::size_t operations = snapshot && snapshot->program ? operationCount(*snapshot->program) : 0;
    setKeyFigure(operations == 0 ? QString() : words::counted(static_cast<qint64>(operations), words::Noun::Operation));
    m_stale = !isVisible();
    if (m_stale) // drawn when somebody looks
        return;
    const ProgramPtr program = snapshot ? snapshot->program : nullptr;
    const bool other = program != m_program;
    m_program = program;
    m_canvas->setSnapshot(program && !program->operations.empty() ? snapshot : nullptr);
    const GraphLayout* layout = m_canvas->layoutOfGraph();
    m_player->setSnapshot(
        snapshot, layout ? &layout->outline() : nullptr, layout ? layout->collectives() : CollectivePlaces());
    m_legend->setText(m_canvas->graphWords() ? m_canvas->graphWords()->legend() : words::Text());
    m_legend->setToolTip(m_canvas->graphWords() ? plainTip(m_canvas->graphWords()->legendTip()) : QString());
    m_linking = true;
    m_text->setSnapshot(snapshot, m_document->snapshot());
    m_linking = false;
    if (other)
        search();
    showEmpty();
    followSelection();
}

void ProgramView::followSelection()
{
    if (m_linking || m_stale)
        return;
    if (const int line = m_selection->textLine(); line != m_selectedLine) {
        m_selectedLine = line;
        if (line > 0) {
            setTextShown(true);
            m_text->showDeclaredLine(line);
            return;
        }
    }
    if (!m_program)
        return;
    const ValueId value = m_program->find(m_selection->tensor().toStdString());
    const OperationId operation = findOperation(*m_program, m_selection->operation().toStdString());
    m_canvas->setMarkedValue(value);
    if (operation.valid())
        showInGraph(operation);
    if (const GraphLayout* layout = m_canvas->layoutOfGraph(); layout && m_selection->collective() >= 0)
        if (const GraphPlace place = layout->placeOfCollective(m_selection->collective()); place.valid())
            m_canvas->setCurrent(place);
    m_text->showPlace(value, operation);
}

/// The player stands at an operation, at a collective that is for it, or before the first one.
void ProgramView::play(OperationId operation, int collective)
{
    if (!m_program)
        return;
    if (!operation.valid()) {
        m_selection->setOperation({}, {});
        return;
    }
    const auto& results = m_program->operation(operation).results;
    select(results.empty() ? ValueId() : results[0], operation);
    showInGraph(operation);
    if (collective < 0)
        return;
    const QScopedValueRollback linking(m_linking, true);
    m_selection->setCollective(collective);
    if (const GraphPlace place = m_canvas->layoutOfGraph()->placeOfCollective(collective); place.valid())
        m_canvas->setCurrent(place);
}

/// What stands for the operation in the graph becomes current there.
void ProgramView::showInGraph(OperationId operation)
{
    const GraphLayout* layout = m_canvas->layoutOfGraph();
    if (!layout || m_canvas->currentOperation() == operation
        || operation.index >= layout->outline().partOfOperation.size())
        return;
    const QScopedValueRollback linking(m_linking, true);
    m_canvas->setCurrent(layout->placeOf(layout->outline().partOfOperation[operation.index]));
}

void ProgramView::selectLine()
{
    if (m_linking || !m_program)
        return;
    const OperationId operation = m_text->currentOperation();
    ValueId value = m_text->currentValue();
    if (operation.valid() && operation.index < m_program->operations.size()) {
        const auto& results = m_program->operation(operation).results;
        value = results.empty() ? ValueId() : results[0];
    }
    if (operation.valid() || value.valid())
        select(value, operation);
}

/// A collective is selected with what it works for.
void ProgramView::selectCurrent()
{
    const GraphPlace chosen = m_canvas->current();
    const int collective = m_canvas->currentCollective();
    const ValueId value = m_canvas->currentValue();
    OperationId operation = m_canvas->currentOperation();
    if (collective >= 0 && !operation.valid() && value.valid() && m_program->value(value).path.empty())
        operation = m_program->value(value).definition;
    select(value, operation);
    if (collective < 0)
        return;
    const QScopedValueRollback linking(m_linking, true);
    m_selection->setCollective(collective);
    m_canvas->setCurrent(chosen); // itself, rather than the operation that it follows
}

void ProgramView::select(ValueId value, OperationId operation)
{
    if (m_linking || !m_program)
        return;
    const std::string path = value.valid() ? *m_program->value(value).path : std::string();
    m_linking = true;
    if (operation.valid())
        m_selection->setOperation(
            QString::fromStdString(operationPath(*m_program, operation)), QString::fromStdString(path));
    else if (!path.empty())
        m_selection->setTensor(QString::fromStdString(path));
    m_linking = false;
    if (value.valid())
        m_canvas->setMarkedValue(value);
    m_text->showPlace(value, operation);
    if (operation.valid())
        showInGraph(operation);
}

void ProgramView::search()
{
    m_matches = m_canvas->graphWords() ? m_canvas->graphWords()->find(m_search->text().trimmed()) : std::vector<int>();
    m_match = -1;
    m_found->setText(found());
}

QString ProgramView::found() const
{
    if (m_search->text().trimmed().isEmpty())
        return {};
    if (m_matches.empty())
        return tr("Nothing found");
    const QString count = words::count(static_cast<qint64>(m_matches.size()));
    return m_match < 0 ? tr("%1 found").arg(count) : tr("%1 of %2").arg(words::count(m_match + 1), count);
}

void ProgramView::findNext(int step)
{
    if (m_matches.empty())
        return;
    const int count = static_cast<int>(m_matches.size());
    m_match = m_match < 0 ? (step > 0 ? 0 : count - 1) : ((m_match + step) % count + count) % count;
    m_canvas->show(m_matches[static_cast<std::size_t>(m_match)]);
    select(m_canvas->currentValue(), m_canvas->currentOperation());
    m_found->setText(found());
}

} // namespace shardscope
