// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explain_view/explain_view.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>

#include "analysis/annotation_edit.h"
#include "analysis/why_not.h"
#include "experiment/edits.h"
#include "experiment/model_settings.h"
#include "program/operation_path.h"
#include "sharding/text.h"
#include "views/panel/follow_link.h"
#include "views/panel/obstacle.h"
#include "views/panel/panel.h"
#include "views/span_text/span_text.h"
#include "views/widgets/boxes.h"
#include "views/widgets/segmented_bar.h"
#include "views/widgets/tip_strip.h"
#include "words/memory_words.h"
#include "words/operation_words.h"
#include "words/why_not.h"

namespace shardscope {
using namespace Qt::StringLiterals;

namespace {
void clear(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        // A row's own button may be what asks for the new rows.
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
}

} // namespace

ExplainView::ExplainView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent, QPalette::Base)
    , m_tip(new TipStrip(false))
    , m_page(new QWidget)
    , m_head(new QWidget)
    , m_title(new RoleLabel(RoleLabel::Size::Title))
    , m_lengths(new SegmentedBar({ tr("Tip"), tr("Paragraph"), tr("Derivation") }))
    , m_scroll(new QScrollArea)
    , m_more(new QPushButton(tr("More")))
    , m_whyNotBox(new QWidget)
    , m_change(new QPushButton(tr("Change its sharding…")))
    , m_memoryBox(new QWidget)
    , m_memory(new QComboBox)
    , m_causes(new QWidget)
    , m_whatIfBox(new QWidget)
    , m_empty(new EmptyPage(tr("Select a tensor to read why it is sharded the way it is."), tr("Show the first one")))
    , m_cache(std::make_shared<AnalysisCache>())
    , m_whatIfJob(this, [this](const WhatIfs& result) { receiveWhatIfs(result); })
    , m_blockerJob(this, [this](Blockers blockers) { receiveBlockers(std::move(blockers)); })
{
    vbox(this, {}, 0, { new StaleRibbon(document), { m_page, 1 }, { m_empty, 1 } });

    m_headLayout = hbox(m_head, { 10, 8, 8, 4 }, 8, { { m_title, 1 }, m_lengths });
    m_title->setElided(true, Qt::ElideMiddle);
    describe(m_lengths, tr("Length of the explanation"), tr("How much is said: a sentence, why, or every step"));
    m_lengths->setCurrent(static_cast<int>(m_length));
    vbox(m_page, {}, 0, { m_head, { m_scroll, 1 } });

    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setAccessibleName(tr("Explanation"));
    m_scroll->setBackgroundRole(QPalette::Base);
    auto* content = new QWidget;
    content->setBackgroundRole(QPalette::Base);
    m_paragraphs = vbox({}, 8, {});
    auto* column = vbox(content, { 10, 6, 8, 8 }, 10, { m_tip, m_paragraphs });
    m_more->setProperty("small", true);
    m_more->setToolTip(tr("What follows the first sentence"));
    column->addWidget(m_more, 0, Qt::AlignLeft);

    auto* memoryLabel = new RoleLabel(tr("Memory"), RoleLabel::Size::Normal, &Theme::secondary);
    memoryLabel->setBuddy(m_memory);
    hbox(m_memoryBox, {}, 8, { memoryLabel, m_memory, boxStretch(1) });
    m_memory->setAccessibleName(tr("Memory kind of the array"));
    m_memory->setSizeAdjustPolicy(QComboBox::AdjustToContents); // it is filled anew for every array
    m_memory->setToolTip(tr("In which memory of its devices the array lies; part of its sharding"));
    column->addWidget(m_memoryBox);

    const auto section = [&](QWidget* box, const QString& title) {
        auto* boxLayout = vbox(box, {}, 4, { new RoleLabel(title, RoleLabel::Size::Semibold) });
        auto* rows = new QGridLayout;
        rows->setContentsMargins(0, 0, 0, 0);
        rows->setHorizontalSpacing(16);
        rows->setVerticalSpacing(2);
        rows->setColumnStretch(1, 1);
        boxLayout->addLayout(rows);
        column->addWidget(box);
        return rows;
    };
    m_causeRows = section(m_causes, tr("Decided by"));
    m_whyNotRows = vbox(m_whyNotBox, {}, 4, {});
    column->addWidget(m_whyNotBox);
    m_whatIfRows = section(m_whatIfBox, tr("What if"));
    m_whatIfRows->setVerticalSpacing(6);
    m_whatIfRows->setColumnStretch(0, 1);
    m_whatIfRows->setColumnStretch(1, 0);
    m_change->setProperty("small", true);
    m_change->setToolTip(tr("Try another sharding and see what it changes before it counts."));
    column->addWidget(m_change, 0, Qt::AlignLeft);
    column->addStretch(1);
    m_scroll->setWidget(content);

    auto* copy = new QAction(tr("Copy as text"), this);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(copy, &QAction::triggered, this, [this] { QGuiApplication::clipboard()->setText(asText()); });
    addAction(copy);
    setContextMenuPolicy(Qt::ActionsContextMenu);

    m_delay.setSingleShot(true);
    m_delay.setInterval(150); // edits come first; nobody reads a what-if while dragging
    connect(&m_delay, &QTimer::timeout, this, &ExplainView::startWhatIfs);
    connect(m_lengths, &SegmentedBar::currentChanged, this,
        [this](int index) { setLength(static_cast<words::Length>(index)); });
    connect(m_more, &QPushButton::clicked, this, [this] {
        if (isCompact()) {
            m_isMoreShown = true;
            rebuild();
        } else {
            setLength(words::Length::Paragraph);
        }
        usualControl()->setFocus();
    });
    connect(m_memory, &QComboBox::activated, this, [this] {
        const QVariant chosen = m_memory->currentData();
        const std::optional<MemoryKind> kind =
            chosen.isValid() ? std::optional(static_cast<MemoryKind>(chosen.toInt())) : std::nullopt;
        const QString name = words::tensorName(m_path.toStdString());
        m_document->edit(withMemoryKind(*m_document->experiment(), m_path.toStdString(), kind),
            kind ? tr("%1 %2", "array, in ... memory").arg(name, words::memoryPlace(*kind))
                 : tr("%1 in the memory of its devices").arg(name));
        showMemory(); // an edit that was refused changes nothing
    });
    connect(m_document, &Document::experimentChanged, this, &ExplainView::showMemory);
    connect(m_change, &QPushButton::clicked, this, [this] { Q_EMIT dockRequested(u"whatif"_s); });
    connect(m_empty, &EmptyPage::clicked, this, &ExplainView::showSomeTensor);
    connect(m_document, &Document::snapshotChanged, this, &ExplainView::refresh);
    connect(m_selection, &Selection::changed, this, &ExplainView::refresh);
    setFocusProxy(m_lengths);
    refresh();
}

QWidget* ExplainView::usualControl() const
{
    if (!m_wasCompact)
        return m_lengths;
    return m_more->isHidden() ? static_cast<QWidget*>(m_scroll) : m_more;
}

void ExplainView::setLength(words::Length length)
{
    if (length == m_length)
        return;
    m_length = length;
    m_lengths->setCurrent(static_cast<int>(length));
    rebuild();
}

void ExplainView::showSomeTensor()
{
    if (m_snapshot && !m_snapshot->tensors.empty())
        m_selection->setTensor(QString::fromStdString(m_snapshot->tensors.front().path));
}

void ExplainView::refresh()
{
    const SnapshotPtr snapshot = shownSnapshot(*m_document);
    const QString path = m_selection->tensor(), operationPath = m_selection->operation();
    const int dimension = m_selection->dimension();
    if (snapshot == m_snapshot && path == m_path && operationPath == m_operationPath && dimension == m_dimension)
        return;
    if (path != m_path || operationPath != m_operationPath)
        m_isMoreShown = false;
    m_snapshot = snapshot;
    m_path = path;
    m_operationPath = operationPath;
    m_dimension = dimension;
    const Program* program = snapshot ? snapshot->program.get() : nullptr;
    m_value = program && !path.isEmpty() ? program->find(path.toStdString()) : ValueId();
    // What an operation gives is explained by itself where it has a name.
    const OperationId operation = program ? findOperation(*program, operationPath.toStdString()) : OperationId();
    m_operation = operation.valid() && !(m_value.valid() && program->value(m_value).definition == operation)
        ? operation
        : OperationId();

    rebuild();
    const TensorRow* row = m_value.valid() ? snapshot->row(m_value) : nullptr;
    setKeyFigure(row ? QString::fromStdString(toColumn(row->spec)) : QString());
}

void ExplainView::rebuild()
{
    rebuildRows();
    requestWhatIfs();
    requestBlockers();
}

void ExplainView::rebuildRows()
{
    m_wasCompact = isCompact();
    const bool shown = (m_value.valid() || m_operation.valid()) && m_snapshot->annotations;
    m_page->setVisible(shown);
    m_empty->setVisible(!shown);
    m_text = {};
    if (!shown) {
        const bool some = m_snapshot && !m_snapshot->tensors.empty();
        const std::optional<Obstacle> obstacle = some ? std::nullopt : obstacleOf(*m_document);
        m_empty->setButton(some ? tr("Show the first one") : QString());
        m_empty->setSentence(obstacle ? obstacle->layoutText()
                : !m_snapshot         ? tr("The experiment is being analysed.")
                : m_path.isEmpty()    ? tr("Select a tensor to read why it is sharded the way it is.")
                                   : tr("%1 is not in this experiment.").arg(words::tensorName(m_path.toStdString())));
        return;
    }
    const words::Length length = shownLength();
    m_text = m_operation.valid() ? words::operationExplanation(*m_snapshot, m_operation, length)
                                 : words::explanation(*m_snapshot, explain(*m_snapshot, m_value), length);
    const int scrolled = m_scroll->verticalScrollBar()->value();
    fitTitle();
    clear(m_paragraphs);
    for (const words::Text& text : m_text.paragraphs)
        m_paragraphs->addWidget(paragraph(text));
    m_more->setVisible(length == words::Length::Tip);
    m_head->setVisible(!isCompact());

    clear(m_causeRows);
    const bool causes = length != words::Length::Tip && !m_text.decidedBy.empty();
    m_causes->setVisible(causes);
    for (int i = 0; causes && i < static_cast<int>(m_text.decidedBy.size()); ++i) {
        const words::ExplanationText::Cause& cause = m_text.decidedBy[static_cast<std::size_t>(i)];
        auto* subject = new RoleLabel(cause.subject, RoleLabel::Size::Normal, &Theme::secondary);
        subject->setElided(true, Qt::ElideMiddle);
        subject->setMaximumWidth(Metrics::scaled(140));
        subject->setContentsMargins(0, Metrics::scaled(2), 0, 0); // on one line with words that leave room for chips
        m_causeRows->addWidget(subject, i, 0, Qt::AlignTop);
        SpanLabel* reason = paragraph(cause.reason);
        reason->setMarks(AxisMarks::Chips);
        m_causeRows->addWidget(reason, i, 1, Qt::AlignTop);
        auto* outcome = new SpanLabel({ { cause.outcome, words::Span::Style::Plain, -1 } });
        outcome->setColour(&Theme::secondary);
        outcome->setWrapping(false);
        m_causeRows->addWidget(outcome, i, 2, Qt::AlignTop | Qt::AlignRight);
    }
    rebuildWhyNot();
    rebuildWhatIfs();
    showMemory();
    m_change->setVisible(
        length != words::Length::Tip && !m_operation.valid() && !annotationTargets(*m_snapshot, m_value).empty());
    m_scroll->verticalScrollBar()->setValue(scrolled);
}

void ExplainView::showMemory()
{
    const Experiment& experiment = *m_document->experiment();
    const NamedArraySetting* array = listedArray(experiment, m_path.toStdString());
    m_memoryBox->setVisible(array && !m_operation.valid() && shownLength() != words::Length::Tip);
    if (!array)
        return;
    const std::string& platform = experiment.hardware.devices.platform;
    m_memory->clear();
    const bool onHost = experiment.placement.paramsOnDevices == false && m_snapshot && m_value.valid()
        && m_snapshot->program->value(m_value).role == Role::Parameter;
    m_memory->addItem(onHost ? tr("As parameters: %1").arg(words::memoryKind(MemoryKind::PinnedHost))
                             : tr("Default: %1").arg(words::memoryKind(defaultMemoryKind(platform))));
    for (const MemoryKind kind : memoryKinds(platform))
        m_memory->addItem(words::memoryKind(kind), static_cast<int>(kind));
    // What the platform lacks stays in sight until another one is chosen.
    if (array->memoryKind && m_memory->findData(static_cast<int>(*array->memoryKind)) < 0)
        m_memory->addItem(words::memoryKind(*array->memoryKind), static_cast<int>(*array->memoryKind));
    m_memory->setCurrentIndex(array->memoryKind ? m_memory->findData(static_cast<int>(*array->memoryKind)) : 0);
}

SpanLabel* ExplainView::paragraph(const words::Text& text)
{
    auto* label = new SpanLabel(text);
    connect(label, &SpanLabel::linkActivated, this, &ExplainView::follow, Qt::QueuedConnection); // it goes with that
    return label;
}

void ExplainView::follow(const QString& link)
{
    const QString id = followLink(*m_selection, link);
    if (!id.isEmpty())
        Q_EMIT dockRequested(id);
}

const std::vector<words::Text>& ExplainView::whyNot() const
{
    static const std::vector<words::Text> none;
    const bool current = m_snapshot && !m_operation.valid() && m_blockers.revision == m_snapshot->revision
        && m_blockers.path == m_path && m_blockers.dimension == m_dimension;
    return current ? m_blockers.sentences : none;
}

void ExplainView::rebuildWhyNot()
{
    clear(m_whyNotRows);
    const bool some = shownLength() != words::Length::Tip && !whyNot().empty();
    m_whyNotBox->setVisible(some);
    if (some) {
        m_whyNotRows->addWidget(new RoleLabel(tr("Why not"), RoleLabel::Size::Semibold));
        for (const words::Text& sentence : whyNot())
            m_whyNotRows->addWidget(paragraph(sentence));
    }
    putLinksInOrder();
}

QWidget* ExplainView::putLinksInOrder()
{
    QWidget* before = m_scroll;
    for (QLayout* rows : std::initializer_list<QLayout*>{ m_paragraphs, m_causeRows, m_whyNotRows })
        for (int i = 0; i < rows->count(); ++i)
            if (auto* label = qobject_cast<SpanLabel*>(rows->itemAt(i)->widget());
                label && label->focusPolicy() != Qt::NoFocus) {
                setTabOrder(before, label);
                before = label;
            }
    return before;
}

void ExplainView::requestBlockers()
{
    const bool known = m_snapshot && m_blockers.revision == m_snapshot->revision && m_blockers.path == m_path
        && m_blockers.dimension == m_dimension;
    if (known || !m_value.valid() || m_operation.valid() || !m_snapshot->propagation || m_snapshot->isPartitioned()
        || shownLength() == words::Length::Tip || !isVisible()) {
        m_blockerJob.cancel();
        return;
    }
    m_blockerJob.request([snapshot = m_snapshot, value = m_value, path = m_path, dimension = m_dimension](
                             const std::stop_token& stop) {
        return Blockers{ snapshot->revision, path, dimension,
            words::whyNot(*snapshot->program, *snapshot->mesh, value, absentAxes(*snapshot, value, dimension, stop)) };
    });
}

void ExplainView::receiveBlockers(Blockers blockers)
{
    m_blockers = std::move(blockers);
    if (m_page->isVisibleTo(this))
        rebuildWhyNot();
}

const std::vector<WhatIf>& ExplainView::whatIfs() const
{
    static const std::vector<WhatIf> none;
    const bool current = m_snapshot && m_shown.revision == m_snapshot->revision && m_shown.path == m_path;
    return current ? m_shown.rows : none;
}

void ExplainView::rebuildWhatIfs()
{
    // Rows of the same tensor stay, disabled, until the new ones come: nothing jumps.
    clear(m_whatIfRows);
    const bool some =
        shownLength() != words::Length::Tip && !m_operation.valid() && m_shown.path == m_path && !m_shown.rows.empty();
    m_whatIfBox->setVisible(some);
    if (!some)
        return;
    const bool current = m_snapshot && m_shown.revision == m_snapshot->revision;
    QWidget* before = putLinksInOrder();
    const auto figure = [&](const QString& text, const QString& tip, QColor Theme::*colour, int row, int column) {
        auto* label = new RoleLabel(text, RoleLabel::Size::Normal, colour);
        label->setToolTip(tip);
        m_whatIfRows->addWidget(label, row, column, Qt::AlignRight | Qt::AlignVCenter);
    };
    const bool trained = words::whatIf(*m_shown.snapshot, m_shown.rows.front()).isTrained;
    figure(tr("per device"), tr("Bytes of this array that each device holds"), &Theme::secondary, 0, 1);
    figure(tr("sent"), tr("Bytes that each device sends per step"), &Theme::secondary, 0, 2);
    figure(trained ? tr("state") : tr("parameters"),
        trained ? tr("Parameters, gradients and both moments, per device") : tr("All parameters, per device"),
        &Theme::secondary, 0, 3);
    for (int i = 0; i < static_cast<int>(m_shown.rows.size()); ++i) {
        const words::WhatIfText text = words::whatIf(*m_shown.snapshot, m_shown.rows[static_cast<std::size_t>(i)]);
        auto* change = new SpanLabel(text.change, AxisMarks::Chips);
        // The figures stand beside what they are of; in a narrow view below it, and the buttons below them.
        const int line = 1 + 3 * i, figureRow = isNarrow() ? line + 1 : line;
        QHBoxLayout* buttonRow = nullptr;
        m_whatIfRows->addWidget(change, line, 0, 1, isNarrow() ? 4 : 1, Qt::AlignVCenter);
        if (isNarrow()) {
            auto* buttons = new QWidget;
            buttonRow = hbox(buttons, { 0, 0, 0, 4 }, 4, { boxStretch() });
            m_whatIfRows->addWidget(buttons, line + 2, 0, 1, 4);
        }
        change->setToolTip(text.consequence);
        figure(text.perDevice, text.consequence, &Theme::text, figureRow, 1);
        figure(text.sent, text.consequence, &Theme::text, figureRow, 2);
        figure(text.state, text.consequence, &Theme::text, figureRow, 3);
        const auto button = [&](const QString& label, const QString& name, const QString& tip, int column, auto run) {
            auto* made = new QPushButton(label);
            made->setProperty("small", true);
            made->setEnabled(current);
            describe(made, name, tip);
            connect(made, &QPushButton::clicked, this, run);
            if (buttonRow)
                buttonRow->addWidget(made);
            else
                m_whatIfRows->addWidget(made, line, column, Qt::AlignVCenter);
            setTabOrder(before, made);
            before = made;
        };
        const QString plain = words::plain(text.change);
        button(tr("Preview"), tr("Preview %1").arg(plain), tr("Every value that changes, before it counts."), 4,
            [this, i] {
                if (static_cast<std::size_t>(i) >= whatIfs().size())
                    return;
                const WhatIf& chosen = whatIfs()[static_cast<std::size_t>(i)];
                Q_EMIT previewRequested(chosen.after, words::plain(words::whatIf(*m_shown.snapshot, chosen).change));
            });
        button(tr("Apply"), tr("Apply %1").arg(plain), tr("One step that Undo takes back."), 5,
            [this, i] { apply(static_cast<std::size_t>(i)); });
    }
}

bool ExplainView::apply(std::size_t whatIf)
{
    if (whatIf >= whatIfs().size() || m_document->revision() != m_shown.revision)
        return false;
    const WhatIf& row = m_shown.rows[whatIf];
    return m_document->edit(row.after, words::plain(words::whatIf(*m_shown.snapshot, row).change));
}

void ExplainView::requestWhatIfs()
{
    m_wanted = m_value.valid() && !m_operation.valid() && m_snapshot->ok() && !m_snapshot->isPartitioned()
        && shownLength() != words::Length::Tip;
    if (!m_wanted) {
        m_delay.stop();
        return;
    }
    if (m_knownRevision == m_snapshot->revision && m_known.contains(m_path)) {
        m_wanted = false;
        m_shown = m_known.value(m_path);
        rebuildWhatIfs();
        Q_EMIT whatIfsChanged();
        return;
    }
    if (isVisible())
        m_delay.start();
}

void ExplainView::startWhatIfs()
{
    if (!m_wanted || !m_value.valid() || !m_snapshot->ok())
        return;
    m_wanted = false;
    m_whatIfJob.request(
        [snapshot = m_snapshot, value = m_value, path = m_path, cache = m_cache](const std::stop_token& stop) {
            return WhatIfs{ snapshot->revision, path, shardscope::whatIfs(*snapshot, value, *cache, stop), snapshot };
        });
}

void ExplainView::receiveWhatIfs(const WhatIfs& result)
{
    if (!m_snapshot || result.revision != m_snapshot->revision)
        return;
    if (m_knownRevision != result.revision)
        m_known.clear();
    m_knownRevision = result.revision;
    m_known.insert(result.path, result);
    if (result.path != m_path)
        return;
    m_shown = result;
    rebuildWhatIfs();
    Q_EMIT whatIfsChanged();
}

QString ExplainView::asText() const
{
    QStringList lines{ m_text.title };
    for (const words::Text& paragraph : m_text.paragraphs)
        lines << words::plain(paragraph);
    if (shownLength() != words::Length::Tip) {
        for (const words::ExplanationText::Cause& cause : m_text.decidedBy)
            lines << cause.subject + u": "_s + words::plain(cause.reason) + u", "_s + cause.outcome;
        for (const words::Text& sentence : whyNot())
            lines << words::plain(sentence);
        for (const WhatIf& row : whatIfs()) {
            const words::WhatIfText text = words::whatIf(*m_shown.snapshot, row);
            lines << tr("What if %1: %2").arg(words::plain(text.change), text.consequence);
        }
    }
    return lines.join(u'\n') + u'\n';
}

/// The name of the array comes first.
void ExplainView::fitTitle()
{
    const QMargins around = m_headLayout->contentsMargins();
    int room = width() - around.left() - around.right();
    if (!isNarrow())
        room -= m_lengths->sizeHint().width() + m_headLayout->spacing();
    const bool fits = m_title->fontMetrics().horizontalAdvance(m_text.title) <= room;
    m_title->setText(fits || m_text.shortTitle.isEmpty() ? m_text.title : m_text.shortTitle);
}

void ExplainView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitTitle();
    if (isNarrow() != m_wasNarrow) {
        m_wasNarrow = isNarrow();
        m_headLayout->setDirection(m_wasNarrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
        m_headLayout->setAlignment(m_lengths, m_wasNarrow ? Qt::AlignLeft : Qt::Alignment());
        rebuildWhatIfs();
    }
    if (isCompact() != m_wasCompact) {
        const bool hadFocus = usualControl()->hasFocus(); // what is the first thing now goes on
        rebuild();
        if (hadFocus)
            usualControl()->setFocus();
    }
}

void ExplainView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_wanted)
        m_delay.start();
    requestBlockers();
}

} // namespace shardscope
