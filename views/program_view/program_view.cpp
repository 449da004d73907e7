// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/program_view.h"

#include <QAction>
#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QScrollBar>
#include <QShortcut>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <algorithm>

#include "views/panel/obstacle.h"
#include "views/panel/panel.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/span_line.h"
#include "words/words.h"

namespace shardscope {

using namespace Qt::StringLiterals;

namespace {

/// Lines of code: all of one height, as wide as the longest of them.
class LineDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override
    {
        const auto* model = qobject_cast<const ProgramTextModel*>(index.model());
        const QFontMetrics metrics(Metrics::fixed());
        const int letters = model && model->text() ? model->text()->longest : 0;
        return { metrics.horizontalAdvance(u'0') * (letters + 2), metrics.height() + 2 };
    }
};

} // namespace

ProgramView::ProgramView(Document* document, Selection* selection, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_selection(selection)
    , m_search(new QLineEdit)
    , m_found(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary))
    , m_zoom(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary))
    , m_canvas(new GraphCanvas)
    , m_legend(new SpanLine)
    , m_text(new QListView)
    , m_textModel(new ProgramTextModel(this))
    , m_parts(new QSplitter)
    , m_empty(new EmptyPage(QString()))
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(new StaleRibbon(document));
    auto* head = new QHBoxLayout;
    head->setContentsMargins(8, 6, 8, 6);
    head->setSpacing(4);
    layout->addLayout(head);
    makeHead(head);

    m_text->setModel(m_textModel);
    m_text->setItemDelegate(new LineDelegate(m_text));
    m_text->setAccessibleName(tr("Text of the program"));
    m_text->setUniformItemSizes(true);
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_text->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_text->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_text->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_text->setTextElideMode(Qt::ElideNone);
    m_text->setMinimumWidth(Metrics::scaled(120));
    auto* graph = new QWidget;
    auto* column = new QVBoxLayout(graph);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_canvas, 1);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(8, 2, 8, 4);
    m_legend->setBaseFont(Metrics::small());
    m_legend->setMuted(true);
    foot->addWidget(m_legend);
    column->addLayout(foot);
    m_parts->addWidget(graph);
    m_parts->addWidget(m_text);
    m_parts->setStretchFactor(0, 3);
    m_parts->setStretchFactor(1, 2);
    m_parts->setSizes({ Metrics::scaled(600), Metrics::scaled(400) });
    m_parts->setChildrenCollapsible(false);
    layout->addWidget(m_parts, 1);
    layout->addWidget(m_empty, 1);
    connect(m_empty, &EmptyPage::clicked, this, [this] { applyOfferedFix(*m_document); });

    connect(m_canvas, &GraphCanvas::currentChanged, this,
        [this] { select(m_canvas->currentValue(), m_canvas->currentOperation()); });
    connect(m_canvas, &GraphCanvas::zoomChanged, this, [this] { m_zoom->setText(words::percent(m_canvas->zoom())); });
    connect(m_text->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& line) {
        const ProgramText* text = m_textModel->text();
        if (m_linking || !line.isValid() || !text)
            return;
        const auto row = static_cast<std::size_t>(line.row());
        const OperationId operation = text->operations[row];
        if (operation.valid()) {
            const auto& results = m_program->operation(operation).results;
            select(results.empty() ? ValueId() : results[0], operation);
        } else if (text->arguments[row].valid()) {
            select(text->arguments[row], {});
        }
    });
    // A line that is asked for explicitly is opened in the graph.
    connect(m_text, &QListView::activated, this, [this](const QModelIndex& line) {
        const ProgramText* text = m_textModel->text();
        const OperationId operation =
            text && line.isValid() ? text->operations[static_cast<std::size_t>(line.row())] : OperationId();
        if (operation.valid() && m_canvas->layoutOfGraph())
            m_canvas->show(m_canvas->layoutOfGraph()->outline().partOfOperation[operation.index]);
    });
    connect(m_document, &Document::snapshotChanged, this, &ProgramView::showSnapshot);
    connect(m_selection, &Selection::changed, this, &ProgramView::followSelection);
    const auto shortcut = [this](const QKeySequence& keys, QWidget* where, auto run) {
        auto* made = new QShortcut(keys, where, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
        connect(made, &QShortcut::activated, this, run);
    };
    shortcut(QKeySequence::Find, this, [this] {
        m_search->setFocus(Qt::ShortcutFocusReason);
        m_search->selectAll();
    });
    shortcut(QKeySequence::FindNext, this, [this] { findNext(1); });
    shortcut(QKeySequence::FindPrevious, this, [this] { findNext(-1); });
    shortcut(QKeySequence::Copy, m_text, [this] { copyLines(); });
    setFocusProxy(m_canvas);
    showSnapshot();
}

QToolButton* ProgramView::addButton(const QString& iconName, const QString& text, const QKeySequence& keys)
{
    auto* button = new QToolButton;
    button->setIcon(icon(iconName));
    button->setAutoRaise(true);
    button->setAccessibleName(text);
    button->setToolTip(keys.isEmpty() ? text : tr("%1 (%2)", "command, keys").arg(text, keys.toString()));
    return button;
}

void ProgramView::makeHead(QHBoxLayout* into)
{
    m_search->setPlaceholderText(tr("Find an operation, a value or a part…"));
    m_search->setAccessibleName(tr("Find in the program"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(icon(u"search"_s, IconColor::Secondary), QLineEdit::LeadingPosition);
    m_search->setMinimumWidth(Metrics::scaled(90));
    m_search->setMaximumWidth(Metrics::scaled(300));
    m_search->installEventFilter(this);
    connect(m_search, &QLineEdit::textChanged, this, &ProgramView::search);
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
    button(u"unfold"_s, tr("Open all parts but repeated ones"), {}, [this] { m_canvas->unfoldAll(); });
    button(u"zoomout"_s, tr("Zoom out"), Qt::Key_Minus, [this] { m_canvas->zoomBy(1 / 1.2); });
    m_zoom->setText(words::percent(1));
    m_zoom->setAlignment(Qt::AlignCenter);
    m_zoom->setMinimumWidth(QFontMetrics(Metrics::small()).horizontalAdvance(u"100 %"_s) + 4);
    into->addWidget(m_zoom);
    button(u"zoomin"_s, tr("Zoom in"), Qt::Key_Plus, [this] { m_canvas->zoomBy(1.2); });
    button(u"fit"_s, tr("Fit into the dock; with Shift the current part"), Qt::Key_F, [this] { m_canvas->fit(); });
    m_textButton = addButton(u"code"_s, tr("Text of the program"), {});
    m_textButton->setCheckable(true);
    m_textButton->setChecked(true);
    connect(m_textButton, &QToolButton::toggled, this, [this](bool shown) { setTextShown(shown); });
    connect(m_textButton, &QToolButton::clicked, this, [this] { m_textByHand = true; });
    into->addWidget(m_textButton);
}

void ProgramView::setTextShown(bool shown)
{
    m_textButton->setChecked(shown);
    m_text->setVisible(shown);
    if (shown)
        followSelection();
}

void ProgramView::resizeEvent(QResizeEvent*)
{
    // Beside each other where there is room for both.
    m_parts->setOrientation(width() >= height() * 9 / 10 ? Qt::Horizontal : Qt::Vertical);
    if (!m_textByHand)
        setTextShown(width() >= Metrics::scaled(520) || height() >= Metrics::scaled(520));
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
    m_parts->setVisible(some);
    m_empty->setVisible(!some);
    if (some)
        return;
    if (m_program) {
        m_empty->setSentence(tr("This experiment has arrays and rules, and no operations to draw."));
        m_empty->setButton({});
        return;
    }
    const std::optional<Obstacle> obstacle = obstacleOf(*m_document);
    m_empty->setSentence(obstacle ? obstacle->text() : tr("The experiment is being analysed."));
    offerFix(*m_empty, obstacle);
}

void ProgramView::showSnapshot()
{
    const SnapshotPtr snapshot = shownSnapshot(*m_document);
    const auto operations = snapshot && snapshot->program ? snapshot->program->operations.size() : 0;
    const QString figure =
        operations == 0 ? QString() : words::counted(static_cast<qint64>(operations), words::Noun::Operation);
    if (figure != m_keyFigure) {
        m_keyFigure = figure;
        Q_EMIT keyFigureChanged();
    }
    m_stale = !isVisible();
    if (m_stale && snapshot == m_shown)
        return;
    if (m_stale) // drawn when somebody looks
        return;
    m_shown = snapshot;
    const ProgramPtr program = snapshot ? snapshot->program : nullptr;
    const bool other = program != m_program;
    m_program = program;
    m_canvas->setSnapshot(program && !program->operations.empty() ? snapshot : nullptr);
    m_legend->setText(m_canvas->graphWords() ? m_canvas->graphWords()->legend() : words::Text());
    if (other) {
        m_linking = true;
        m_textModel->setText(program ? std::make_shared<const ProgramText>(ProgramText::of(*program)) : nullptr);
        m_linking = false;
        search();
    }
    showEmpty();
    followSelection();
}

void ProgramView::followSelection()
{
    if (m_linking || !m_program || m_stale)
        return;
    const std::string path = m_selection->tensor().toStdString();
    const ValueId value = path.empty() ? ValueId() : m_program->find(path);
    m_canvas->setMarkedValue(value);
    const ProgramText* text = m_textModel->text();
    if (!value.valid() || !text)
        return;
    const Value& of = m_program->value(value);
    const std::vector<int>& lines = of.definition.valid() ? text->lineOfOperation : text->lineOfArgument;
    const std::size_t index = of.definition.valid() ? of.definition.index : of.index;
    if (index < lines.size())
        showLine(lines[index]);
}

void ProgramView::showLine(int line)
{
    if (line < 0 || m_text->currentIndex().row() == line)
        return;
    m_linking = true;
    const QModelIndex index = m_textModel->index(line);
    m_text->setCurrentIndex(index);
    const int left = m_text->horizontalScrollBar()->value();
    m_text->scrollTo(index, QAbstractItemView::EnsureVisible);
    m_text->horizontalScrollBar()->setValue(left);
    m_linking = false;
}

void ProgramView::select(ValueId value, OperationId operation)
{
    if (m_linking || !m_program)
        return;
    const ProgramText* text = m_textModel->text();
    if (operation.valid() && text)
        showLine(text->lineOfOperation[operation.index]);
    m_linking = true;
    if (value.valid() && !m_program->value(value).path.empty())
        m_selection->setTensor(QString::fromStdString(m_program->value(value).path));
    m_linking = false;
    if (!value.valid())
        return;
    m_canvas->setMarkedValue(value);
    if (const Value& of = m_program->value(value); !of.definition.valid() && text
        && of.index < text->lineOfArgument.size() && m_program->main().arguments[of.index] == value)
        showLine(text->lineOfArgument[of.index]);
    // From the text: what stands for the operation in the graph becomes current there.
    if (operation.valid() && m_canvas->currentOperation() != operation && m_canvas->layoutOfGraph())
        m_canvas->setCurrent(
            m_canvas->layoutOfGraph()->placeOf(m_canvas->layoutOfGraph()->outline().partOfOperation[operation.index]));
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

void ProgramView::copyLines() const
{
    QModelIndexList lines = m_text->selectionModel()->selectedIndexes();
    std::sort(lines.begin(), lines.end());
    QString text;
    for (const QModelIndex& line : lines)
        text += line.data().toString() + u'\n';
    if (!text.isEmpty())
        QApplication::clipboard()->setText(text);
}

bool ProgramView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        switch (key->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            findNext(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
            return true;
        case Qt::Key_Down:
            m_canvas->setFocus(Qt::OtherFocusReason);
            return true;
        case Qt::Key_Escape:
            if (m_search->text().isEmpty())
                break;
            m_search->clear();
            return true;
        default:
            break;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace shardscope
