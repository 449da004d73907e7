// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/what_if_view/what_if_view.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPushButton>
#include <QTableView>

#include "sharding/sharding_text.h"
#include "sharding/text.h"
#include "views/panel/obstacle.h"
#include "views/panel/panel.h"
#include "views/span_text/span_text.h"
#include "views/what_if_view/changes_model.h"
#include "views/what_if_view/sharding_editor.h"
#include "views/widgets/boxes.h"
#include "views/widgets/chips_delegate.h"
#include "views/widgets/row_table.h"
#include "views/widgets/segmented_bar.h"
#include "words/definitions.h"
#include "words/utf8.h"
#include "words/value_changes.h"

namespace shardscope {

using namespace Qt::StringLiterals;

using words::fromStd;

namespace {

QString nameOfValue(const Snapshot& snapshot, ValueId value)
{
    return words::operandName(*snapshot.program, value);
}

} // namespace

WhatIfView::WhatIfView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent, QPalette::Base)
    , m_previewer(this)
    , m_empty(new EmptyPage(QString()))
    , m_page(new QWidget)
    , m_title(new RoleLabel(RoleLabel::Size::Title, RoleLabel::Wrapped))
    , m_choiceBox(new QWidget)
    , m_remark(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::secondary))
    , m_editor(new ShardingEditor)
    , m_without(new QPushButton(tr("As the text says")))
    , m_summary(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped))
    , m_table(new QTableView)
    , m_model(new ChangesModel(this))
    , m_apply(new QPushButton(tr("Apply")))
    , m_cancel(new QPushButton(tr("Cancel")))
{
    vbox(this, {}, 0, { { m_page, 1 }, { m_empty, 1 } });

    hbox(m_choiceBox, {}, styleSpacing, {});
    m_without->setProperty("small", true);
    m_without->setToolTip(tr("Takes back what the experiment gives for this value alone."));

    makeRowTable(m_table, m_model, tr("Values that change"));
    m_table->setItemDelegate(new SpansDelegate(m_table));
    m_table->setAlternatingRowColors(true);
    m_table->setTextElideMode(Qt::ElideRight);
    m_table->horizontalHeader()->setSectionResizeMode(ChangesModel::Then, QHeaderView::Stretch);
    m_table->setColumnWidth(ChangesModel::Value, Metrics::scaled(150));
    m_table->setColumnWidth(ChangesModel::Now, Metrics::scaled(150));
    m_table->setColumnWidth(ChangesModel::PerDevice, Metrics::scaled(120));
    m_table->setToolTip(tr("Return shows the value in the other views; the change stays as it is."));
    m_cancel->setToolTip(tr("Nothing has been changed (Esc)"));
    m_apply->setToolTip(tr("One step that Undo takes back (Ctrl+Return)"));
    auto* foot = hbox({}, 8, { boxStretch(1), m_cancel, m_apply });
    const BoxItem withoutTable = boxStretch(1);
    vbox(m_page, { 10, 8, 8, 8 }, 8,
        { m_title, { m_choiceBox, 0, Qt::AlignLeft }, m_remark, m_editor, { m_without, 0, Qt::AlignLeft }, m_summary,
            { m_table, 100 }, withoutTable, foot });

    m_delay.setSingleShot(true);
    m_delay.setInterval(80); // between two letters
    connect(&m_delay, &QTimer::timeout, this, &WhatIfView::request);
    connect(&m_previewer, &EditPreviewer::ready, this, &WhatIfView::receive);
    connect(m_editor, &ShardingEditor::edited, this, &WhatIfView::tried);
    connect(m_without, &QPushButton::clicked, this, &WhatIfView::tryWithout);
    connect(m_apply, &QPushButton::clicked, this, &WhatIfView::apply);
    connect(m_cancel, &QPushButton::clicked, this, &WhatIfView::cancel);
    connect(m_empty, &EmptyPage::clicked, this, [this] {
        if (m_snapshot && !m_snapshot->tensors.empty())
            m_selection->setTensor(fromStd(m_snapshot->tensors.front().path));
    });
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        if (const QString path = m_model->path(index.row()); !path.isEmpty())
            m_selection->setTensor(path);
    });
    connect(m_document, &Document::snapshotChanged, this, &WhatIfView::followSnapshot);
    connect(m_document, &Document::replaced, this, &WhatIfView::cancel);
    connect(m_document, &Document::previewDecided, this,
        [this](bool make) { make ? static_cast<void>(apply()) : cancel(); });
    connect(m_document, &Document::experimentChanged, this, &WhatIfView::showSummary);
    connect(m_selection, &Selection::changed, this, &WhatIfView::followSelection);
    setFocusProxy(m_editor);
    followSnapshot();
}

void WhatIfView::followSelection()
{
    if (isTrying()) // stays with its value until it is decided
        return;
    const QString path = m_selection->tensor();
    if (path == m_path && !m_targets.empty())
        return;
    m_path = path;
    const ValueId value = m_snapshot && m_snapshot->program ? m_snapshot->program->find(path.toStdString()) : ValueId();
    m_targets = value.valid() ? annotationTargets(*m_snapshot, value) : std::vector<AnnotationTarget>();
    showTarget(0);
}

void WhatIfView::followSnapshot()
{
    const SnapshotPtr snapshot = shownSnapshot(*m_document);
    if (snapshot == m_snapshot)
        return;
    const bool wasTrying = isTrying();
    m_snapshot = snapshot;
    if (wasTrying && m_proposed) { // of an experiment that is another one by now
        cancel();
        return;
    }
    const TensorSharding sharding = m_targets.empty() ? TensorSharding() : m_editor->sharding();
    const std::string name = m_targets.empty() ? std::string() : m_targets[m_target].name;
    const QString path = wasTrying ? m_path : m_selection->tensor();
    m_path = path;
    const ValueId value = snapshot && snapshot->program ? snapshot->program->find(path.toStdString()) : ValueId();
    m_targets = value.valid() ? annotationTargets(*snapshot, value) : std::vector<AnnotationTarget>();
    std::size_t same = 0;
    while (same < m_targets.size() && m_targets[same].name != name)
        ++same;
    m_after.reset();
    m_text.clear();
    m_preview.reset();
    showTarget(same < m_targets.size() ? same : 0);
    // What is tried stays so on the new state, as far as the value is still there.
    if (wasTrying && same < m_targets.size() && m_targets[same].declared.rank() == sharding.rank()
        && !(m_targets[same].declared == sharding)) {
        m_editor->setSharding(sharding);
        tried();
    }
}

void WhatIfView::showEmpty()
{
    const bool some = !m_targets.empty() || m_proposed;
    m_page->setVisible(some);
    m_empty->setVisible(!some);
    if (some)
        return;
    const bool tensors = m_snapshot && m_snapshot->laidOut() && !m_snapshot->tensors.empty();
    const std::optional<Obstacle> obstacle = tensors ? std::nullopt : obstacleOf(*m_document);
    const bool isFixed = m_snapshot && m_snapshot->isPartitioned();
    m_empty->setButton(tensors && !isFixed ? tr("Show the first one") : QString());
    m_empty->setSentence(isFixed ? tr("This program has been partitioned already: no other sharding can be tried.")
            : obstacle           ? obstacle->layoutText()
            : !m_snapshot        ? tr("The experiment is being analysed.")
            : m_path.isEmpty()   ? tr("Select a value to try another sharding for it.")
                               : tr("No sharding is written for %1; what it is computed with decides. Select an input, "
                                    "an output or a constraint.")
                                     .arg(words::tensorName(m_path.toStdString())));
}

void WhatIfView::showTarget(std::size_t index)
{
    m_target = index;
    m_delay.stop();
    m_previewer.cancel();
    m_document->setPreview(nullptr); // of what was tried before
    showEmpty();
    delete m_choice;
    m_choice = nullptr;
    m_choiceBox->setVisible(m_targets.size() > 1);
    if (m_targets.empty()) {
        m_model->setChanges(nullptr, nullptr, nullptr);
        setKeyFigure({});
        return;
    }
    const AnnotationTarget& target = m_targets[index];
    if (m_targets.size() > 1) {
        QStringList names;
        for (const AnnotationTarget& each : m_targets)
            names << (each.kind == AnnotationTarget::Kind::Output ? tr("as result %1").arg(each.place.result)
                    : each.kind == AnnotationTarget::Kind::Rules  ? tr("its rules")
                    : each.kind == AnnotationTarget::Kind::Chosen ? tr("this array alone")
                                                                  : tr("the value"));
        m_choice = new SegmentedBar(names);
        m_choice->setAccessibleName(tr("Which of its shardings"));
        m_choice->setCurrent(static_cast<int>(index));
        m_choiceBox->layout()->addWidget(m_choice);
        connect(m_choice, &SegmentedBar::currentChanged, this, [this](int chosen) {
            m_after.reset();
            m_text.clear();
            QMetaObject::invokeMethod( // the bar goes with that
                this, [this, chosen] { showTarget(static_cast<std::size_t>(chosen)); }, Qt::QueuedConnection);
        });
    }
    m_title->setText(tr("What if %1 were sharded otherwise").arg(nameOfValue(*m_snapshot, target.value)));
    using Kind = AnnotationTarget::Kind;
    switch (target.kind) {
    case Kind::Rules:
        m_remark->setText(
            target.rules.isOuter() ? tr(
                "Its dimensions have logical names: what changes here are the rules of these names, for every array "
                "that has them.")
                                   : tr("Its dimensions have logical names, and %1 has rules of its own: what changes "
                                        "here are the rules of "
                                        "these names there, for every array of that part that has them.")
                                         .arg(
                                             words::tensorName(withinOf(m_snapshot->experiment->rules, target.rules))));
        break;
    case Kind::DeviceAxes:
        m_remark->setText(tr("Its mesh axes are written in the model, by dimension: all places that name the dimension "
                             "change with it."));
        break;
    case Kind::Chosen:
        m_remark->setText(target.isOutput ? tr("A constraint on the output of this module.")
                : target.isOwn            ? tr("It has a spec of its own, in the place of what the rules say.")
                               : tr("A spec for this array alone, in the place of what the rules say. It is kept in "
                                    "the experiment."));
        break;
    default:
        m_remark->setText(target.isOwn ? tr("The experiment gives this sharding in place of the one in the text.")
                : target.isDeclared ? tr("The program's text gives this sharding. A change is kept in the experiment; "
                                         "the text stays as it is.")
                                    : tr("The program's text gives none. A change is kept in the experiment; the text "
                                         "stays as it is."));
        break;
    }
    m_editor->setVisible(true);
    m_editor->setTarget(target, m_snapshot);
    m_without->setVisible(target.isOwn);
    m_without->setText(target.kind != Kind::Chosen ? tr("As the text says")
            : target.isOutput                      ? tr("Without a constraint")
                                                   : tr("By the rules"));
    m_preview.reset();
    m_model->setChanges(nullptr, nullptr, nullptr);
    showSummary();
}

void WhatIfView::tried()
{
    if (m_targets.empty())
        return;
    const AnnotationTarget& target = m_targets[m_target];
    m_after.reset();
    m_preview.reset();
    m_text.clear();
    m_previewer.cancel();
    m_delay.stop();
    if (m_editor->problem().isEmpty() && !(m_editor->sharding() == target.declared && target.isDeclared)) {
        Result<Experiment> after = withAnnotation(*m_snapshot, target, m_editor->sharding());
        const QString name = target.kind == AnnotationTarget::Kind::Output ? fromStd(target.name)
                                                                           : nameOfValue(*m_snapshot, target.value);
        if (after) {
            m_after = std::move(*after);
            m_text = tr("%1 → %2", "value, its sharding")
                         .arg(name, fromStd(dimensionsText(m_editor->sharding(), *m_snapshot->mesh)));
            m_delay.start();
        } else {
            m_document->edit(std::move(after), name); // says why it is refused
        }
    } else if (!m_editor->problem().isEmpty()) {
        m_text = m_editor->textField() ? tr("a sharding that cannot be read") : QString();
    }
    if (!m_after)
        m_document->setPreview(nullptr); // pictures show what is there again
    showSummary();
}

void WhatIfView::tryWithout()
{
    if (m_targets.empty() || !m_targets[m_target].isOwn)
        return;
    Result<Experiment> after = withoutOwnSharding(*m_snapshot, m_targets[m_target]);
    if (!after)
        return;
    m_after = std::move(*after);
    const AnnotationTarget& target = m_targets[m_target];
    m_text = (target.kind != AnnotationTarget::Kind::Chosen ? tr("%1 as the text says")
            : target.isOutput                               ? tr("%1 without a constraint")
                                                            : tr("%1 by the rules"))
                 .arg(nameOfValue(*m_snapshot, target.value));
    request();
    showSummary();
}

void WhatIfView::propose(const Experiment& after, const QString& change)
{
    if (!m_snapshot)
        return;
    m_proposed = true;
    m_after = after;
    m_text = change;
    m_preview.reset();
    m_model->setChanges(nullptr, nullptr, nullptr);
    m_title->setText(tr("What if %1").arg(change));
    m_remark->setText(tr("Nothing of the experiment has changed yet."));
    m_choiceBox->hide();
    m_editor->hide();
    m_without->hide();
    showEmpty();
    request();
    showSummary();
}

void WhatIfView::request()
{
    if (m_after)
        m_previewer.request(m_snapshot, *m_after, EditPreviewer::Detail::Values);
}

void WhatIfView::receive(const EditPreview& preview)
{
    if (!m_after)
        return;
    m_preview = preview;
    m_model->setChanges(preview.values, preview.now, preview.then);
    // In the pictures, unless an edit has come meanwhile: nothing of that could be applied.
    const bool isOfNow = m_document->revision() == m_snapshot->revision;
    m_document->setPreview(isOfNow && preview.then && preview.then->laidOut() ? preview.then : nullptr, m_text);
    showSummary();
    Q_EMIT previewed();
}

void WhatIfView::showSummary()
{
    const bool trying = isTrying();
    const bool laidOut = m_preview && m_preview->then && m_preview->then->laidOut();
    const bool stuck = m_preview && !laidOut;
    m_summary->setColour(stuck ? &Theme::error : &Theme::text);
    if (!trying)
        m_summary->setText(tr("Switch axes on or off: what would change is shown here before it counts."));
    else if (!m_after)
        m_summary->setText(QString());
    else if (!m_preview)
        m_summary->setText(tr("Being worked out…"));
    else if (stuck)
        m_summary->setText(tr("It cannot be laid out: %1.").arg(m_preview->problem));
    else {
        QString text = words::changesSummary(*m_preview->values);
        if (m_preview->change && m_preview->change->stateBytesBefore != m_preview->change->stateBytesAfter)
            text += tr(" Parameters, gradients and moments take %1 per device.")
                        .arg(words::bytesStep(m_preview->change->stateBytesBefore, m_preview->change->stateBytesAfter));
        if (m_preview->change && m_preview->change->sentBefore && m_preview->change->sentAfter
            && !(*m_preview->change->sentBefore == *m_preview->change->sentAfter))
            text += tr(" Sent %1 per step.")
                        .arg(words::amountStep(
                            words::bytes(*m_preview->change->sentBefore), words::bytes(*m_preview->change->sentAfter)));
        m_summary->setText(text);
    }
    m_summary->setVisible(!m_summary->text().isEmpty());
    m_table->setVisible(laidOut && m_model->rowCount() > 0);
    static_cast<QVBoxLayout*>(m_page->layout())->setStretchFactor(m_table, m_table->isHidden() ? 0 : 1);
    // What is shown may be the last state that could be laid out: nothing newer is to be lost.
    m_apply->setEnabled(trying && laidOut && m_document->revision() == m_snapshot->revision);
    m_cancel->setEnabled(trying);
    setKeyFigure(!trying ? QString()
            : laidOut    ? tr("%1 change").arg(words::count(static_cast<qint64>(m_preview->values->values.size())))
                         : tr("not applied"));
}

bool WhatIfView::apply()
{
    if (!m_after || !m_apply->isEnabled() || m_document->revision() != m_snapshot->revision)
        return false;
    const Experiment after = *m_after;
    const QString text = m_text;
    m_after.reset();
    m_text.clear();
    m_proposed = false;
    m_previewer.cancel();
    const bool done = m_document->edit(after, text);
    m_document->setPreview(nullptr); // an edit that changes nothing leaves it
    showSummary();
    return done;
}

void WhatIfView::cancel()
{
    m_document->setPreview(nullptr);
    m_after.reset();
    m_text.clear();
    m_proposed = false;
    m_preview.reset();
    m_delay.stop();
    m_previewer.cancel();
    m_path.clear();
    m_targets.clear();
    m_snapshot.reset();
    followSnapshot();
}

void WhatIfView::keyPressEvent(QKeyEvent* event)
{
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Escape && isTrying()) {
        cancel();
        return;
    }
    if (enter && (event->modifiers() & Qt::ControlModifier) && apply())
        return;
    QWidget::keyPressEvent(event);
}

} // namespace shardscope
