// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model_view/model_view.h"

#include <QCompleter>
#include <QHeaderView>
#include <QMenu>
#include <QScrollBar>
#include <QShortcut>
#include <algorithm>

#include "views/model_view/layout_panel.h"
#include "views/model_view/model_form.h"
#include "views/model_view/modules_model.h"
#include "views/panel/follow_link.h"
#include "views/panel/obstacle.h"
#include "views/span_text/span_text.h"
#include "views/widgets/boxes.h"
#include "views/widgets/chips_delegate.h"
#include "views/widgets/context_menu.h"
#include "views/widgets/fold_button.h"
#include "views/widgets/low_room.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/search_field.h"
#include "words/coverage_words.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

constexpr std::size_t shownReplicated = 3;
constexpr int leastRows = 8; ///< that the tree shows

QStringList kindNames()
{
    QStringList names;
    for (std::size_t i = 0; i < moduleKindCount; ++i)
        names << words::fromStd(moduleKindName(static_cast<ModuleKind>(i)));
    return names;
}

/// What can be selected wherever it stands.
QStringList selectorNames()
{
    QStringList names;
    for (const QString& kind : kindNames())
        names << QStringLiteral("every ") + kind;
    return names << QStringLiteral("layers.*") << QStringLiteral("layers.*/mlp")
                 << QStringLiteral("layers.*/*attention") << QStringLiteral("**/kernel") << QStringLiteral("**/scale");
}

} // namespace

ModelView::ModelView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent, QPalette::Base)
    , m_coverage(new RoleLabel(RoleLabel::Size::Semibold, RoleLabel::Wrapped, &Theme::text, this))
    , m_replicatedRows(vbox({}, 2, {}))
    , m_form(new ModelForm(document))
    , m_filter(new SearchField(QStringLiteral("filter"), tr("Filter by kind or path: attention, decoder/layers.*/mlp…"),
          tr("Filter modules")))
    , m_selector(
          new SearchField(QStringLiteral("search"), tr("Select: every attention, layers.*/mlp…"), tr("Select modules")))
    , m_selected(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary))
    , m_model(new ModulesModel(this))
    , m_tree(makeTree())
    , m_empty(new EmptyPage(QString()))
{
    m_filter->setMinimumWidth(Metrics::scaled(80));
    auto* kinds = new QCompleter(kindNames(), m_filter);
    kinds->setCaseSensitivity(Qt::CaseInsensitive);
    m_filter->setCompleter(kinds);
    m_selector->setMinimumWidth(Metrics::scaled(80));
    m_selector->setToolTip(
        plainTip(tr("Return selects a kind, a glob or a name; the menu of the rows then acts on all of them.")));
    auto* selectors = new QCompleter(selectorNames(), m_selector);
    selectors->setCaseSensitivity(Qt::CaseInsensitive);
    selectors->setFilterMode(Qt::MatchContains);
    m_selector->setCompleter(selectors);
    m_selected->hide();
    auto* page = new QWidget;
    vbox(page, {}, 0,
        { vbox({ 8, 6, 8, 2 }, 4, { m_coverage, m_replicatedRows }), m_form,
            hbox({ 8, 2, 8, 6 }, 8, { { m_filter, 1 }, { m_selector, 1 }, m_selected }), { m_tree, 1 },
            { m_empty, 1 } });
    vbox(this, {}, 0, { new StaleRibbon(document), { new LowRoom(page, this), 1 } });

    connect(m_filter, &QLineEdit::textChanged, this, &ModelView::applyFilter);
    connect(m_filter, &SearchField::nextRequested, m_tree, &PathTree::enter);
    connect(m_filter, &SearchField::downRequested, m_tree, &PathTree::enter);
    connect(m_selector, &SearchField::nextRequested, this, &ModelView::selectRows);
    connect(m_selector, &SearchField::downRequested, m_tree, &PathTree::enter);
    connect(m_selector, &QLineEdit::textChanged, m_selected, &QWidget::hide);
    connect(m_empty, &EmptyPage::clicked, m_filter, &QLineEdit::clear);
    connect(m_document, &Document::snapshotChanged, this, [this] {
        m_isCurrent = false; // worked out for those who see it
        if (isVisible())
            showSnapshot();
    });
    connect(m_selection, &Selection::changed, m_tree, &PathTree::followSelection);
    auto* find = new QShortcut(QKeySequence::Find, this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
    connect(find, &QShortcut::activated, this, [this] {
        m_filter->setFocus(Qt::ShortcutFocusReason);
        m_filter->selectAll();
    });
    connect(m_model, &ModulesModel::specTyped, this, [this](const QString& path, const QString& spec) {
        // What is selected together is chosen together.
        const QModelIndexList rows = m_tree->selectionModel()->selectedRows();
        QStringList globs = m_model->globs(rows, true);
        if (globs.isEmpty() || !rows.contains(m_model->find(path)))
            globs = m_model->globs({ m_model->find(path) }, true);
        if (!m_form->layoutPanel()->choose(LayoutPanel::What::Parameters, globs, spec))
            m_form->head(QStringLiteral("layout"))->setChecked(true); // the reason stands there
    });
    giveRowMenu(m_tree, [this](QMenu& menu, const QModelIndex& row) { fillMenu(menu, row); });
    setFocusProxy(m_tree);
}

PathTree* ModelView::makeTree()
{
    // A filter opens everything but repeated layers, of which one is as the others.
    const auto isOpened = [this](const QModelIndex& row) {
        return !m_model->filter().isEmpty() && !row.data(ModulesModel::KeyRole).toString().endsWith(QLatin1Char('*'));
    };
    auto* tree = new PathTree(tr("Parameters by modules"),
        { m_model, ModulesModel::KeyRole, [this](const QModelIndex& row) { return m_model->path(row); },
            [this](const QString& path) { return m_model->find(path); }, isOpened },
        m_selection, { QStringLiteral("params/encoder"), QStringLiteral("params/decoder") });
    tree->setItemDelegate(new SpansDelegate(tree));
    tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    tree->setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::DoubleClicked);
    QHeaderView* header = tree->header();
    header->setStretchLastSection(true);
    header->setSectionsMovable(false);
    header->resizeSection(ModulesModel::Module, Metrics::scaled(210));
    for (const auto& [column, width] : { std::pair{ ModulesModel::Parameters, 96 }, { ModulesModel::Bytes, 72 },
             { ModulesModel::PerDevice, 80 }, { ModulesModel::Extent, 150 }, { ModulesModel::Names, 130 } })
        header->resizeSection(column, Metrics::scaled(width));
    return tree;
}

void ModelView::showEvent(QShowEvent* event)
{
    if (!m_isCurrent)
        showSnapshot();
    DockView::showEvent(event);
}

void ModelView::showSnapshot()
{
    m_isCurrent = true;
    const SnapshotPtr snapshot = shownSnapshot(*m_document);
    m_model->setSnapshot(snapshot && snapshot->laidOut() ? snapshot : nullptr);
    showCoverage(m_model->rowCount() > 0 || !m_model->filter().isEmpty() ? snapshot : nullptr);
    showEmpty();
    m_tree->followSelection();
}

void ModelView::showCoverage(const SnapshotPtr& snapshot)
{
    for (SpanLabel* label : m_replicated) {
        label->hide();
        label->deleteLater(); // it may be the one whose link led here
    }
    m_replicated.clear();
    const bool laidOut = snapshot && snapshot->laidOut();
    m_coverage->setVisible(laidOut);
    if (!laidOut) {
        setKeyFigure({});
        return;
    }
    const ParameterCoverage coverage = parameterCoverage(*snapshot);
    m_coverage->setText(words::coverage(coverage));
    m_coverage->setToolTip(plainTip(words::coverageByShards(coverage).join(QLatin1Char('\n'))));
    std::int64_t parameters = 0;
    for (const TensorRow& row : snapshot->tensors)
        if (isParameter(*snapshot, row))
            parameters += row.type.elementCount();
    setKeyFigure(tr("%1 parameters").arg(words::count(parameters)));
    for (std::size_t i = 0; i < std::min(shownReplicated, coverage.replicated.size()); ++i) {
        auto* label = new SpanLabel(words::replicated(*snapshot, coverage.replicated[i]));
        label->setColour(&Theme::secondary);
        connect(
            label, &SpanLabel::linkActivated, this, [this](const QString& link) { followLink(*m_selection, link); },
            Qt::QueuedConnection);
        m_replicatedRows->addWidget(label);
        m_replicated << label;
    }
}

void ModelView::showEmpty()
{
    const bool some = m_model->rowCount() > 0;
    m_tree->setVisible(some);
    m_empty->setVisible(!some);
    if (some) {
        // Whatever is unfolded above: the page is scrolled then.
        m_tree->setMinimumHeight(m_tree->header()->sizeHint().height() + leastRows * m_tree->sizeHintForRow(0)
            + m_tree->horizontalScrollBar()->sizeHint().height());
        return;
    }
    if (!m_model->filter().isEmpty()) {
        m_empty->setSentence(tr("No parameter matches the filter."));
        m_empty->setButton(tr("Show all"));
        return;
    }
    m_empty->setButton({});
    const SnapshotPtr snapshot = shownSnapshot(*m_document);
    const std::optional<Obstacle> obstacle = obstacleOf(*m_document);
    m_empty->setSentence(snapshot && snapshot->laidOut() ? tr("This model has no parameters.")
            : obstacle                                   ? obstacle->layoutText()
                                                         : tr("The experiment is being analysed."));
}

void ModelView::applyFilter()
{
    m_model->setFilter(m_filter->text().trimmed());
    showEmpty();
    m_tree->followSelection();
}

void ModelView::selectRows()
{
    const QModelIndexList rows = m_model->selected(m_selector->text());
    m_selected->setText(rows.isEmpty() ? tr("nothing fits") : tr("%n selected", "rows", static_cast<int>(rows.size())));
    m_selected->show();
    if (rows.isEmpty())
        return;
    QItemSelection selection;
    bool layerShown = false;
    for (const QModelIndex& row : rows) {
        selection.select(row, row);
        // Of repeated layers one is shown, which is as the others.
        bool ofOtherLayer = false;
        for (QModelIndex above = row.parent(); above.isValid(); above = above.parent())
            ofOtherLayer = ofOtherLayer
                || (above.parent().data(ModulesModel::KeyRole).toString().endsWith(QLatin1Char('*'))
                    && above.row() > 0);
        if (ofOtherLayer && layerShown)
            continue;
        for (QModelIndex above = row.parent(); above.isValid(); above = above.parent())
            m_tree->expand(above);
        layerShown = true;
    }
    m_tree->quietly([&] { // the current one is one of many: nobody asked for it alone
        m_tree->setCurrentIndex(rows.front());
        m_tree->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    });
    m_tree->scrollTo(rows.front());
}

void ModelView::addLayoutActions(QMenu& menu, const QModelIndex& module)
{
    const QModelIndexList rows = m_tree->selectionModel()->selectedRows();
    const auto any = [&](bool (ModulesModel::*has)(const QModelIndex&) const) {
        return std::any_of(rows.begin(), rows.end(), [&](const QModelIndex& index) { return (m_model->*has)(index); });
    };
    using What = LayoutPanel::What;
    const auto begin = [this](What what, const QStringList& globs) {
        m_form->head(QStringLiteral("layout"))->setChecked(true);
        m_form->layoutPanel()->begin(what, globs);
    };
    const auto takeBack = [this](
                              What what, const QStringList& globs) { m_form->layoutPanel()->choose(what, globs, {}); };
    if (const QStringList outputs = m_model->globs(rows, false); !outputs.isEmpty()) {
        addMenuAction(menu, "constrain", tr("Constrain the output…"), [=] { begin(What::Outputs, outputs); });
        if (any(&ModulesModel::hasConstraint))
            addMenuAction(menu, "unconstrain", tr("Remove the constraint"), [=] { takeBack(What::Outputs, outputs); });
    }
    if (const QStringList arrays = m_model->globs(rows, true); !arrays.isEmpty()) {
        const QPersistentModelIndex spec(module.siblingAtColumn(ModulesModel::Spec));
        if (rows.size() == 1)
            addMenuAction(
                menu, "editSpec", tr("Edit the spec"), [=, this] { m_tree->edit(spec); }, tr("F2"));
        else
            addMenuAction(menu, "chooseSpec", tr("Choose a spec…"), [=] { begin(What::Parameters, arrays); });
        if (any(&ModulesModel::hasOwnSpec))
            addMenuAction(menu, "rulesSpec", tr("Back to the rules"), [=] { takeBack(What::Parameters, arrays); });
    }
    menu.addSeparator();
}

void ModelView::fillMenu(QMenu& menu, const QModelIndex& row)
{
    const QModelIndex module = row.siblingAtColumn(0);
    const QString key = module.data(ModulesModel::KeyRole).toString();
    if (m_model->hasChildren(module)) {
        const QPersistentModelIndex index(module);
        const bool open = m_tree->isExpanded(module);
        addMenuAction(menu, "fold", open ? tr("Fold") : tr("Unfold"), [this, index, open] {
            if (index.isValid())
                m_tree->setExpanded(index, !open);
        });
        addMenuAction(
            menu, "filterBy", tr("Show this alone"), [this, key] { m_filter->setText(key + QLatin1String("/**")); });
    }
    addLayoutActions(menu, module);
    const QString path = m_model->path(row);
    if (!path.isEmpty()) {
        addLead(menu, path, "explain", tr("Explain"));
        addLead(menu, path, "grid", tr("Show in the shard grid"));
        addLead(menu, path, "whatif", tr("Try another sharding"));
    }
    menu.addSeparator();
    addCopyAction(menu, "copyPath", tr("Copy path"), key);
}

} // namespace shardscope
