// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rules_view/rules_view.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QLayout>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTimer>
#include <QToolButton>
#include <algorithm>

#include "analysis/ruled_arrays.h"
#include "experiment/rule_edits.h"
#include "experiment/t5x_rules.h"
#include "views/panel/panel.h"
#include "views/preview/edit_gesture.h"
#include "views/rules_view/axis_tray.h"
#include "views/rules_view/rule_entry.h"
#include "views/rules_view/rule_list_bar.h"
#include "views/rules_view/rules_menu.h"
#include "views/rules_view/rules_table.h"
#include "views/theme/icons.h"
#include "views/theme/style.h"
#include "views/widgets/boxes.h"
#include "views/widgets/context_menu.h"
#include "views/widgets/flat_button.h"
#include "views/widgets/notice_strip.h"
#include "views/widgets/row_table.h"
#include "views/widgets/short_combo.h"
#include "words/dialects.h"
#include "words/rule_names.h"
#include "words/rule_text.h"

namespace shardscope {
namespace {
constexpr int footSpacing = 6;

QStringList namesOfAxes(const Experiment& experiment)
{
    return words::texts(experiment.mesh.axes, [](const MeshAxis& axis) { return QString::fromStdString(axis.name); });
}

/// In the list of systems: after those that walk the rules in order.
int mappingIndex()
{
    return static_cast<int>(ruleSystems().size());
}

} // namespace

RulesView::RulesView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent)
    , m_model(new RulesModel(document, this))
    , m_table(new RulesTable(m_model, this))
    , m_empty(new EmptyPage({}, {}, this))
    , m_system(new ShortCombo(this))
    , m_fallback(new ShortCombo(this))
    , m_more(new QToolButton(this))
    , m_menu(new RulesMenu(this))
    , m_lists(new RuleListBar(this))
    , m_entry(new RuleEntry(this))
    , m_add(new QPushButton(icon(QStringLiteral("add"), IconColor::Accent), tr("Add rule"), this))
    , m_tray(new AxisTray(this))
    , m_notice(new NoticeStrip(this))
    , m_gesture(new EditGesture(document, this))
{
    setAcceptDrops(true);
    makeHead();
    auto* head = hbox({ 8, 6, 8, 6 }, 4, { m_system, { m_fallback, 1 }, m_more });

    auto* add = m_add;
    add->setObjectName(QStringLiteral("addRule"));
    add->setIconSize(QSize(Metrics::scaled(12), Metrics::scaled(12)));
    add->setProperty("link", true);
    add->setToolTip(tr("Asks for a logical axis and its mesh axes (Insert in the table)"));
    setQuiet(add);
    auto* hint = new RoleLabel(tr("or drag a name onto"), RoleLabel::Size::Small, &Theme::secondary, this);
    m_hint = hint;
    auto* foot = hbox({ 6, 2, 8, 2 }, footSpacing, { add, hint, { m_tray, 1 } });

    vbox(this, { 1, 0, 1, 1 }, 0, { head, m_lists, { m_table, 1 }, { m_empty, 1 }, m_entry, foot });
    setFocusProxy(m_table);
    tabOrder({ m_system, m_fallback, m_more, m_lists->lists() });
    tabOrder({ m_lists->removeButton(), m_table, m_entry->names() });
    tabOrder({ m_entry->addButton(), add, m_tray });

    connect(add, &QPushButton::clicked, this, [this] { addRule(); });
    connect(m_entry, &RuleEntry::entered, this, &RulesView::enterRule);
    connect(m_entry, &RuleEntry::closed, this,
        [this, add] { (m_table->isHidden() ? static_cast<QWidget*>(add) : m_table)->setFocus(Qt::OtherFocusReason); });
    connect(document, &Document::replaced, m_entry, &QWidget::hide); // its names are those of what was open
    m_notice->installEventFilter(this);
    connect(m_empty, &EmptyPage::clicked, this, [this] { useSet(*findPublishedRules("t5x-a2p2"), false); });
    followControls();
    followTable();
    followMenu();
    followTray();
    followLists();
    connect(selection, &Selection::changed, this, &RulesView::followSelection);
    connect(document, &Document::editRefused, this, [this](const Diagnostic& refused) {
        if (isAncestorOf(QApplication::focusWidget()))
            showRefusal(refused);
    });
    connect(document, &Document::experimentChanged, this, [this] {
        m_notice->dismiss();
        refresh();
    });
    connect(document, &Document::snapshotChanged, this, &RulesView::refresh);
    connect(m_model, &QAbstractItemModel::modelReset, this, &RulesView::refresh);
    connect(m_model, &QAbstractItemModel::dataChanged, this, &RulesView::refresh);
    refresh();
}

RulesView::~RulesView()
{
    // The tray loses the focus when the view is destroyed, and tells so; there is nobody to end its drag by then.
    m_tray->disconnect(this);
}

void RulesView::makeHead()
{
    for (const RuleSystem& system : ruleSystems())
        addEntry(m_system, words::systemName(system), words::systemEffect(system));
    addEntry(m_system, words::mappingName(), words::mappingEffect());
    m_system->setObjectName(QStringLiteral("ruleSystem"));
    m_system->setAccessibleName(tr("Dialect of the rules"));
    for (const auto fallback :
        { RulesFallback::AxisIsUnsharded, RulesFallback::RaiseError, RulesFallback::NoConstraint }) {
        addEntry(m_fallback, tr("No match: %1").arg(words::fallbackName(fallback)), words::fallbackEffect(fallback));
        m_fallback->setShortText(m_fallback->count() - 1, words::fallbackName(fallback));
    }
    m_fallback->setObjectName(QStringLiteral("rulesFallback"));
    m_fallback->setAccessibleName(tr("What a constraint does when no rule matches"));
    m_system->view()->setTextElideMode(Qt::ElideNone);
    m_more->setObjectName(QStringLiteral("rulesMenu"));
    makeFlat(m_more, QStringLiteral("menu"), tr("Rule sets, import and export"),
        tr("Published rule sets, import, export, and the comparison of dialects"), 14);
    m_more->setFocusPolicy(Qt::TabFocus);
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setMenu(m_menu);
}

void RulesView::followControls()
{
    connect(m_system, &QComboBox::activated, this, [this](int index) {
        Experiment before = *m_document->experiment();
        setSequence(before.rules, index != mappingIndex());
        if (index == mappingIndex()) {
            m_document->edit(std::move(before), words::mappingName());
            return;
        }
        const RuleSystem& system = ruleSystems()[static_cast<std::size_t>(index)];
        auto after = withDialect(before, system.dialect);
        m_document->edit(withRulesVersion(*after, system.version), words::systemName(system));
    });
    connect(m_fallback, &QComboBox::activated, this, [this](int index) {
        m_document->edit(
            withFallback(*m_document->experiment(), static_cast<RulesFallback>(index)), m_fallback->itemText(index));
    });
}

void RulesView::followTable()
{
    connect(m_table, &RulesTable::moveRequested, this, &RulesView::moveRule);
    connect(m_table, &RulesTable::removeRequested, this, [this](int row) {
        m_document->edit(withRuleRemoved(*m_document->experiment(), list(), static_cast<std::size_t>(row)),
            m_model->inList(tr("remove rule %1").arg(row + 1)));
    });
    connect(m_table, &RulesTable::addRequested, this, [this] { addRule(); });
    giveRowMenu(m_table, [this](QMenu& menu, const QModelIndex& index) { fillMenu(menu, index.row()); });
    connect(m_table, &RulesTable::pasteRequested, this, &RulesView::paste);
    connect(m_table, &RulesTable::rowDragged, this, &RulesView::dragRow);
    connect(m_table, &RulesTable::rowDropped, this, [this] {
        m_mergeId = 0;
        m_gesture->end();
    });
    connect(m_table, &RulesTable::rowDragCancelled, this, [this] {
        // Back to where it was: within the same step, which so vanishes.
        if (m_mergeId != 0 && m_dragAt != m_dragStart)
            m_document->edit(withRuleMoved(*m_document->experiment(), list(), static_cast<std::size_t>(m_dragAt),
                                 static_cast<std::size_t>(m_dragStart)),
                QString(), m_mergeId);
        m_mergeId = 0;
        m_gesture->end();
    });
    connect(m_table, &RulesTable::nameDragged, this, &RulesView::dragName);
    connect(m_table, &RulesTable::nameDropped, this, [this](int row, const QPoint& global, bool append) {
        const int axis = m_tray->axisAt(global);
        endNameDrag();
        mapName(row, axis, append);
    });
    connect(m_table, &RulesTable::nameDragCancelled, this, &RulesView::endNameDrag);
    connect(
        m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
            if (m_following || !current.isValid())
                return;
            m_tray->setSubject(m_model->nameAt(current.row()));
            m_selection->setLogicalAxis(m_model->nameAt(current.row()));
            m_selection->setRule(numberOf(current.row()));
        });
}

void RulesView::fillMenu(QMenu& menu, int row)
{
    if (row >= m_model->ruleCount()) {
        const QString name = m_model->nameAt(row);
        addMenuAction(menu, "addRule", tr("Add a rule for %1").arg(name), [this, name] { addRule(name); });
        return;
    }
    // An editor opens once the menu has given the focus back.
    const auto edit = [this, row](RulesModel::Column column) {
        QTimer::singleShot(0, m_table, [this, row, column] { editCell(m_table, m_model->index(row, column)); });
    };
    addMenuAction(
        menu, "editAxes", tr("Change its mesh axes"), [edit] { edit(RulesModel::Axes); }, tr("Return"));
    addMenuAction(menu, "editName", tr("Change its logical axis"), [edit] { edit(RulesModel::Name); });
    addMenuAction(
        menu, "moveUp", tr("Move up"), [this, row] { moveRule(row, -1); }, tr("Alt+Up"))
        ->setEnabled(row > 0);
    addMenuAction(
        menu, "moveDown", tr("Move down"), [this, row] { moveRule(row, 1); }, tr("Alt+Down"))
        ->setEnabled(row + 1 < m_model->ruleCount());
    addMenuAction(menu, "trace", tr("Trace the rules of the selected tensor"), [this] { Q_EMIT traceRequested(); });
    menu.addSeparator();
    // In a form that can be pasted here again.
    const Experiment& now = *m_document->experiment();
    Experiment alone = now;
    alone.rules.rules.list = { rulesIn(now.rules, list())[static_cast<std::size_t>(row)] };
    const Result<std::string> text = rulesAsText(alone, RulesForm::Flax);
    addCopyAction(menu, "copyRule", tr("Copy"), text ? QString::fromStdString(*text) : QString());
    addMenuAction(
        menu, "deleteRule", tr("Delete"), [this, row] { Q_EMIT m_table->removeRequested(row); }, tr("Delete"));
}

void RulesView::followTray()
{
    connect(m_tray, &AxisTray::pointedAt, this, [this](int axis, bool append) {
        const int row = rowToMap();
        if (row < 0)
            return;
        proposeName(row, axis, append);
        const QRect chip = m_tray->chipRect(axis);
        m_gesture->setPlace(QRect(m_tray->mapToGlobal(chip.topLeft()), chip.size()));
    });
    connect(m_tray, &AxisTray::chosen, this, [this](int axis, bool append) {
        const int row = rowToMap();
        endNameDrag();
        if (row >= 0)
            mapName(row, axis, append);
    });
    connect(m_tray, &AxisTray::abandoned, this, &RulesView::endNameDrag);
    connect(m_document, &Document::replaced, this, [this] {
        m_statedBatch = false; // of other rules
        sayBatchRules();
    });
}

void RulesView::followLists()
{
    connect(m_lists, &RuleListBar::chosen, this, [this](int inner) { chooseList({ inner }); });
    connect(m_lists, &RuleListBar::partSpecified, this, &RulesView::addList);
    connect(m_lists, &RuleListBar::nameSpecified, this, [this](const QString& within) {
        auto after = withInnerRulesRenamed(*m_document->experiment(), list(), within.toStdString());
        if (!after)
            return showRefusal(after.error());
        m_lists->stopAsking();
        m_document->edit(std::move(after), tr("rules within %1").arg(within));
    });
    connect(m_lists, &RuleListBar::removeRequested, this, [this] {
        const Experiment& now = *m_document->experiment();
        const QString title = tr("remove the rules within %1").arg(words::fromStd(withinOf(now.rules, list())));
        auto after = withoutInnerRules(now, list());
        chooseList({});
        m_document->edit(std::move(after), title);
    });
    connect(m_lists, &RuleListBar::askingChanged, this, &RulesView::showLists);
    connect(m_menu, &RulesMenu::partRequested, this, [this] {
        m_lists->setVisible(true);
        m_lists->askForNew();
    });
}

int RulesView::numberOf(int row) const
{
    return ruleNumber({ list(), row >= 0 && row < m_model->ruleCount() ? row : -1 });
}

void RulesView::chooseList(RuleList chosen)
{
    endNameDrag();
    m_notice->dismiss();
    if (chosen != list() && m_lists->isAskingForName())
        m_lists->stopAsking(); // what is typed was meant for the other
    m_model->setList(chosen);
    if (rulePlace(m_selection->rule()).list != list())
        m_selection->setRule(numberOf(-1));
    showLists();
}

bool RulesView::addList(const QString& within)
{
    const Experiment& now = *m_document->experiment();
    // Only the rules that the part's arrays can use, of the list that they have now.
    std::vector<LogicalRule> rules;
    const SnapshotPtr snapshot = m_document->snapshot();
    const std::string part = within.toStdString();
    if (snapshot && !part.empty()) {
        std::optional<RuleList> from;
        std::vector<LogicalName> names;
        for (const RuledArray& each : ruledArrays(*snapshot, now.rules))
            if (isInPart(now, each.array.path, part)) {
                from = from.value_or(each.list);
                names.insert(names.end(), each.array.names.begin(), each.array.names.end());
            }
        if (from)
            for (const LogicalRule& rule : rulesIn(now.rules, *from))
                if (std::find(names.begin(), names.end(), rule.name) != names.end())
                    rules.push_back(rule);
    }
    auto after = withInnerRules(now, part, std::move(rules));
    if (!after) {
        showRefusal(after.error());
        return false;
    }
    const RuleList made{ static_cast<std::int32_t>(after->rules.inner.size()) - 1 };
    m_lists->stopAsking();
    if (!m_document->edit(std::move(after), tr("rules within %1").arg(within)))
        return false;
    chooseList(made);
    return true;
}

void RulesView::showLists()
{
    const Experiment& now = *m_document->experiment();
    std::vector<RuleListBar::Entry> entries;
    const auto tipOf = [this](RuleList list, QString text) {
        constexpr qsizetype most = 12;
        const QStringList paths = m_model->arraysOf(list);
        QStringList shown;
        for (const QString& path : paths.mid(0, most))
            shown << words::tensorName(path.toStdString());
        if (paths.size() > most)
            shown << tr("%1 more").arg(words::count(paths.size() - most));
        if (!shown.isEmpty())
            text += QLatin1Char(' ') + tr("Arrays: %1.").arg(shown.join(QStringLiteral(", ")));
        return text;
    };
    const bool known = m_document->snapshot() && m_document->snapshot()->annotations;
    const auto counted = [&](RuleList list, const QString& name) {
        if (!known || now.rules.inner.empty())
            return name;
        const qsizetype arrays = m_model->arraysOf(list).size();
        return arrays == 0 ? tr("%1 · no array").arg(name)
                           : tr("%1 · %2").arg(name, words::counted(arrays, words::Noun::Array));
    };
    entries.push_back({ counted({}, now.rules.inner.empty() ? tr("Everywhere") : tr("Everywhere else")),
        tipOf({}, tr("The rules of all arrays that lie in no part with rules of its own.")), {} });
    for (std::size_t i = 0; i < now.rules.inner.size(); ++i) {
        const RuleList list{ static_cast<std::int32_t>(i) };
        const QString within = QString::fromStdString(now.rules.inner[i].within);
        entries.push_back({ counted(list, words::withinText(now.rules, list)),
            tipOf(list, tr("The rules within %1, which replace those outside.").arg(within)), within });
    }
    m_lists->setEntries(std::move(entries), list());
    if (m_lists->isAskingForName() && list().isOuter()) // the list is gone
        m_lists->stopAsking();
    m_lists->setVisible(!now.rules.inner.empty() || m_lists->isAsking());
    if (m_lists->isAsking() && m_document->snapshot() && m_document->snapshot()->source) {
        QStringList parts;
        for (const std::string& part : modelParts(now, m_document->snapshot()->source->program))
            if (std::none_of(now.rules.inner.begin(), now.rules.inner.end(),
                    [&](const InnerRules& inner) { return inner.within == part; }))
                parts << QString::fromStdString(part);
        m_lists->setParts(parts);
    }
    m_empty->setSentence(words::noRulesText(now, m_document->snapshot(), list()));
    m_empty->setButton(words::hasNothingForRules(m_document->snapshot()) ? QString() : tr("Use T5X 2-D set"));
}

/// Over the head, so that no rule goes out of sight for a message.
void RulesView::placeNotice()
{
    if (m_notice->isHidden())
        return;
    const int rows = m_table->isHidden() ? height() : m_table->y() + m_table->viewport()->y();
    const int wanted = m_notice->heightForWidth(width() - 2);
    m_notice->setGeometry(1, 0, width() - 2, std::min(wanted, std::max(rows, m_notice->minimumSizeHint().height())));
    m_notice->raise();
}

void RulesView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeNotice();
    fitFoot();
}

/// The words go before the chips need a second line.
void RulesView::fitFoot()
{
    const int needed = 6 + m_add->sizeHint().width() + footSpacing + m_hint->sizeHint().width() + footSpacing
        + m_tray->sizeHint().width() + 8;
    if (m_hint->isHidden() == (needed > width()))
        return;
    m_hint->setVisible(needed <= width());
    layout()->activate(); // nobody else asks for it before the view is shown
}

bool RulesView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_notice && (event->type() == QEvent::Show || event->type() == QEvent::LayoutRequest))
        placeNotice();
    return QWidget::eventFilter(watched, event);
}

int RulesView::rowToMap() const
{
    const int row = m_table->currentIndex().row();
    return row >= 0 ? row : m_model->rowCount() > 0 ? 0 : -1;
}

void RulesView::refresh()
{
    const Experiment& now = *m_document->experiment();
    const QSignalBlocker quietSystem(m_system), quietFallback(m_fallback);
    const RuleSystem system{ now.rules.dialect, now.rules.version };
    const auto found = std::find(ruleSystems().begin(), ruleSystems().end(), system);
    const bool mapping = !now.rules.rules.isSequence;
    m_system->setCurrentIndex(mapping ? mappingIndex() : static_cast<int>(found - ruleSystems().begin()));
    m_system->setToolTip(mapping ? words::mappingEffect() : words::systemEffect(system));
    m_fallback->setCurrentIndex(static_cast<int>(now.rules.fallback));
    m_fallback->setToolTip(words::fallbackEffect(now.rules.fallback));
    m_tray->setAxes(namesOfAxes(now));
    fitFoot();
    for (QWidget* box : { static_cast<QWidget*>(m_system), static_cast<QWidget*>(m_fallback) })
        box->updateGeometry(); // they follow what they say
    m_entry->setMeshAxes(namesOfAxes(now));
    m_table->setVisible(m_model->rowCount() > 0);
    m_empty->setVisible(m_model->rowCount() == 0);
    showLists();
    sayBatchRules();
    followSelection();
    const int rules = m_model->ruleCount(), idle = m_model->warningCount();
    QString figure = words::counted(rules, words::Noun::Rule);
    if (idle > 0)
        figure += tr(", %1", "warnings").arg(words::counted(idle, words::Noun::Warning));
    setKeyFigure(figure);
}

void RulesView::followSelection()
{
    // The dock shows the rule that was chosen anywhere, and the list that the selected tensor is resolved with.
    const RulePlace chosen = rulePlace(m_selection->rule());
    const bool newRule = std::exchange(m_followedRule, m_selection->rule()) != m_selection->rule();
    const bool newTensor = std::exchange(m_followedTensor, m_selection->tensor()) != m_selection->tensor();
    const Experiment& now = *m_document->experiment();
    if (newRule && hasList(now.rules, chosen.list) && chosen.list != list())
        chooseList(chosen.list);
    else if (newTensor && !newRule && !now.rules.inner.empty() && !m_selection->tensor().isEmpty())
        chooseList(listOfArray(now, now.rules, m_selection->tensor().toStdString()));
    const int row = chosen.list == list() ? chosen.rule : -1;
    if (row < 0 || row >= m_model->ruleCount() || m_table->currentIndex().row() == row)
        return;
    m_following = true;
    m_table->setCurrentIndex(
        m_model->index(row, std::max(m_table->currentIndex().column(), static_cast<int>(RulesModel::Name))));
    m_following = false;
}

void RulesView::sayBatchRules()
{
    const bool rewrites = rewritesBatch(*m_document->experiment());
    m_menu->rewriteBatch()->setEnabled(rewrites);
    const QString stated = tr("On a mesh of replica, data and model T5X' partitioner maps batch to (replica, data), "
                              "whatever its rules say. Here they say something else.");
    if (rewrites && !m_statedBatch)
        m_notice->say(Severity::Info, stated, tr("Rewrite"), [this] { rewriteBatch(); });
    else if (!rewrites && m_statedBatch && m_notice->text() == stated)
        m_notice->dismiss();
    m_statedBatch = rewrites;
}

void RulesView::rewriteBatch()
{
    m_document->edit(withPartitionerRules(*m_document->experiment()), tr("batch over replica and data"));
}

void RulesView::showRefusal(const Diagnostic& refused)
{
    const words::ProblemText text = words::describe(refused);
    m_notice->say(Severity::Error, text.cause);
}

void RulesView::moveRule(int row, int step)
{
    const int to = row + step;
    if (to < 0 || to >= m_model->ruleCount())
        return;
    const QString title = m_model->inList(tr("rule %1 moved to %2").arg(row + 1).arg(words::ordinal(to + 1)));
    const bool done = m_document->edit(
        withRuleMoved(*m_document->experiment(), list(), static_cast<std::size_t>(row), static_cast<std::size_t>(to)),
        title);
    if (done) {
        m_table->setCurrentIndex(m_model->index(to, RulesModel::Name));
        m_selection->setRule(numberOf(to));
    }
}

void RulesView::dragRow(int from, int to, bool start)
{
    if (m_mergeId == 0 || start) {
        m_mergeId = m_document->newMergeId();
        m_dragStart = from;
        m_gesture->begin(QString());
    }
    m_dragAt = to;
    const QString title = m_model->inList(tr("rule %1 moved to %2").arg(m_dragStart + 1).arg(words::ordinal(to + 1)));
    m_gesture->setTitle(title);
    m_document->edit(
        withRuleMoved(*m_document->experiment(), list(), static_cast<std::size_t>(from), static_cast<std::size_t>(to)),
        title, m_mergeId);
    m_table->setCurrentIndex(m_model->index(to, RulesModel::Name));
    m_selection->setRule(numberOf(to));
}

void RulesView::addRule(const QString& name)
{
    // A name that has no rule yet is the likeliest one to want one.
    std::vector<RuleEntry::Name> names;
    const auto add = [&](int row) {
        const QString each = m_model->nameAt(row);
        if (std::none_of(names.begin(), names.end(), [&](const RuleEntry::Name& other) { return other.name == each; }))
            names.push_back({ each, m_model->usesOf(row) });
    };
    for (int row = m_model->ruleCount(); row < m_model->rowCount(); ++row)
        add(row);
    for (int row = 0; row < m_model->ruleCount(); ++row)
        add(row);
    m_entry->ask(std::move(names), namesOfAxes(*m_document->experiment()), name);
}

void RulesView::enterRule(const QString& name, const QStringList& axes)
{
    std::vector<std::string> all;
    for (const QString& axis : axes)
        all.push_back(axis.toStdString());
    const SpecEntry target = all.empty() ? SpecEntry::none()
        : all.size() == 1                ? SpecEntry::axis(all.front())
                                         : SpecEntry::tuple(std::move(all));
    const Experiment& now = *m_document->experiment();
    const std::size_t end = rulesIn(now.rules, list()).size();
    auto after = withRuleInserted(now, list(), end, { LogicalName::of(name.toStdString()), target, false, 2 });
    if (!after)
        showRefusal(after.error());
    if (!m_document->edit(std::move(after), m_model->inList(tr("rule %1 → %2").arg(name, words::targetText(target)))))
        return;
    m_entry->close();
    m_table->setCurrentIndex(m_model->index(static_cast<int>(end), RulesModel::Axes));
}

} // namespace shardscope
