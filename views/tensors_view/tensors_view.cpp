// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tensors_view/tensors_view.h"

#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QHeaderView>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QShortcut>
#include <QTimer>
#include <algorithm>

#include "experiment/edits.h"
#include "program/roles.h"
#include "schedule/plan.h"
#include "views/panel/obstacle.h"
#include "views/panel/panel.h"
#include "views/span_text/span_text.h"
#include "views/tensors_view/tensors_model.h"
#include "views/theme/text_width.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/context_menu.h"
#include "views/widgets/search_field.h"
#include "views/widgets/span_line.h"
#include "words/memory_words.h"

namespace shardscope {

using namespace Qt::StringLiterals;

TensorsView::TensorsView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent, QPalette::Base)
    , m_model(new TensorsModel(this))
    , m_filter(new SearchField(u"filter"_s, tr("Filter by name, axis, spec…"), tr("Filter tensors")))
    , m_kinds(new QComboBox)
    , m_tree(makeTree())
    , m_empty(new EmptyPage(QString()))
{
    auto* layout = vbox(this, {}, 0, { new StaleRibbon(document, nullptr, StaleRibbon::Shows::Previews) });

    m_filter->setMinimumWidth(Metrics::scaled(80));
    auto* head = hbox({ 8, 8, 8, 8 }, 8, { { m_filter, 1 } });
    describe(m_kinds, tr("Kind of tensor"), tr("Shows tensors of this kind alone"));
    m_kinds->addItem(tr("All kinds"));
    for (std::size_t i = 0; i < tensorGroupCount; ++i)
        m_kinds->addItem(TensorTree::groupName(static_cast<TensorGroup>(i)), static_cast<int>(i));
    head->addWidget(m_kinds);
    layout->addLayout(head);

    m_tree->setItemDelegate(new TensorsDelegate(m_tree));
    m_tree->setSelectionMode(QAbstractItemView::SingleSelection);
    m_tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_tree->setTextElideMode(Qt::ElideLeft); // numbers are never shortened, names and specs by their delegate
    m_tree->installEventFilter(this);
    m_tree->viewport()->installEventFilter(this);
    QHeaderView* header = m_tree->header();
    header->setStretchLastSection(false);
    header->setSectionsMovable(false);
    header->setMinimumSectionSize(Metrics::scaled(32));
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    m_tree->setSortingEnabled(true);
    layout->addWidget(m_tree, 1);
    layout->addWidget(m_empty, 1);
    connect(m_empty, &EmptyPage::clicked, this, [this] {
        m_kinds->setCurrentIndex(0);
        m_filter->clear();
    });

    connect(m_filter, &QLineEdit::textChanged, this, &TensorsView::applyFilter);
    connect(m_filter, &SearchField::nextRequested, m_tree, &PathTree::enter);
    connect(m_filter, &SearchField::downRequested, m_tree, &PathTree::enter);
    connect(m_kinds, &QComboBox::currentIndexChanged, this, &TensorsView::applyFilter);
    connect(header, &QHeaderView::sectionResized, this, [this] {
        if (!m_fitting)
            m_columnsByHand = true;
    });
    connect(header, &QHeaderView::sectionHandleDoubleClicked, this, [this] {
        m_columnsByHand = false;
        fitColumns();
    });
    connect(m_document, &Document::snapshotChanged, this, &TensorsView::showSnapshot);
    connect(m_document, &Document::previewChanged, this, &TensorsView::showSnapshot);
    connect(m_selection, &Selection::changed, this, &TensorsView::followSelection);
    auto* find = new QShortcut(QKeySequence::Find, this, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
    connect(find, &QShortcut::activated, this, &TensorsView::focusFilter);
    // What was opened begins with its headings, until somebody scrolls.
    connect(document, &Document::replaced, this, [this] { m_fromTop = true; });
    connect(m_tree->verticalScrollBar(), &QAbstractSlider::actionTriggered, this, [this] { m_fromTop = false; });
    giveRowMenu(m_tree, [this](QMenu& menu, const QModelIndex& row) { fillMenu(menu, row); });
    setFocusProxy(m_tree);
    showSnapshot();
}

PathTree* TensorsView::makeTree()
{
    const auto isOpened = [this](const QModelIndex& row) {
        const bool folded = row.data(TensorsModel::KindRole).toInt() == static_cast<int>(TensorNode::Kind::Folded);
        const TensorFilter& filter = m_model->filter();
        return (!filter.text.trimmed().isEmpty() && !folded) || (filter.group && !row.parent().isValid());
    };
    return new PathTree(tr("Tensors"),
        { m_model, TensorsModel::KeyRole, [this](const QModelIndex& row) { return m_model->path(row); },
            [this](const QString& path) { return m_model->find(path); }, isOpened },
        m_selection,
        { u"Parameters"_s, u"Parameters/layers.0"_s, u"Parameters/decoder"_s, u"Parameters/decoder/layers"_s,
            u"Activations"_s, u"Inputs"_s });
}

void TensorsView::fillMenu(QMenu& menu, const QModelIndex& row)
{
    const QString path = m_model->path(row);
    if (m_model->hasChildren(row.siblingAtColumn(0))) {
        const QModelIndex group = row.siblingAtColumn(0);
        const bool open = m_tree->isExpanded(group);
        addMenuAction(menu, "fold", open ? tr("Fold") : tr("Unfold"),
            [this, key = group.data(TensorsModel::KeyRole).toString(), open] {
                m_tree->setExpanded(m_model->findKey(key), !open);
            });
    }
    if (path.isEmpty())
        return;
    addLead(menu, path, "explain", tr("Explain"));
    addLead(menu, path, "grid", tr("Show in the shard grid"));
    addLead(menu, path, "program", tr("Show in the program"));
    addLead(menu, path, "trace", tr("Trace its rules"));
    addLead(menu, path, "whatif", tr("Try another sharding"));
    fillRoles(menu, path);
    menu.addSeparator();
    addCopyAction(menu, "copyName", tr("Copy name"), words::tensorName(path.toStdString()));
    addCopyAction(menu, "copyPath", tr("Copy path"), path);
    addCopyAction(
        menu, "copySpec", tr("Copy spec"), row.siblingAtColumn(static_cast<int>(TensorColumn::Spec)).data().toString());
}

void TensorsView::fillRoles(QMenu& menu, const QString& path)
{
    const SnapshotPtr snapshot = shownSnapshot(*m_document);
    const std::string name = path.toStdString();
    if (!snapshot || !snapshot->program || !namesAny(*snapshot->program, { name, Role::Input }))
        return;
    QMenu* const roles = menu.addMenu(tr("&Role"));
    roles->setObjectName(QStringLiteral("roles"));
    const Role now = snapshot->program->value(snapshot->program->find(name)).role;
    const QString tensor = words::tensorName(name);
    const auto add = [&](const QString& text, std::optional<Role> role, const QString& words) {
        QAction* const action = roles->addAction(text, this,
            [this, name, role, words] { m_document->edit(withRole(*m_document->experiment(), name, role), words); });
        action->setCheckable(true);
        return action;
    };
    for (const Role role : choosableRoles())
        add(words::role(role), role, tr("%1 is counted as: %2", "tensor, role").arg(tensor, words::role(role)))
            ->setChecked(role == now);
    roles->addSeparator();
    const std::vector<ChosenRole>& chosen = m_document->experiment()->run.roles;
    const bool isChosen =
        std::any_of(chosen.begin(), chosen.end(), [&](const ChosenRole& one) { return one.argument == name; });
    add(tr("As guessed"), std::nullopt, tr("Role of %1 as guessed").arg(tensor))->setChecked(!isChosen);
}

int TensorsView::contentHeight() const
{
    if (m_tree->isHidden())
        return m_filter->sizeHint().height() + m_empty->sizeHint().height();
    constexpr int most = 100;
    int rows = 0;
    for (QModelIndex row = m_model->index(0, 0); row.isValid() && rows < most; row = m_tree->indexBelow(row))
        ++rows;
    return sizeHint().height() - m_tree->sizeHint().height() + m_tree->header()->sizeHint().height()
        + rows * Metrics::scaled(22) + 6;
}

void TensorsView::focusFilter()
{
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
}

void TensorsView::showEmpty()
{
    const bool some = m_model->rowCount() > 0;
    m_tree->setVisible(some);
    m_empty->setVisible(!some);
    if (some)
        return;
    if (m_model->filter() != TensorFilter()) {
        m_empty->setSentence(tr("No tensor matches the filter."));
        m_empty->setButton(tr("Show all"));
        return;
    }
    const std::optional<Obstacle> obstacle = obstacleOf(*m_document);
    const SnapshotPtr snapshot = m_document->lastGood();
    m_empty->setSentence(obstacle ? obstacle->layoutText()
            : snapshot && snapshot->isPartitioned()
            ? tr("This program has been partitioned already, and its text does not say of what arrays its values are "
                 "parts.")
            : tr("The experiment is being analysed."));
    m_empty->setButton({});
}

void TensorsView::showSnapshot()
{
    const SnapshotPtr snapshot = picturedSnapshot(*m_document);
    m_model->setSnapshot(snapshot);
    showEmpty();
    fitColumns();
    followSelection();
    words::PeakFigure figure;
    if (snapshot && snapshot->plan) {
        figure = words::peakFigure(snapshot->plan->memory.peakBytes, snapshot->experiment->hardware.memoryPerDevice);
    } else if (snapshot && snapshot->laidOut()) {
        const auto padded = std::count_if(snapshot->tensors.begin(), snapshot->tensors.end(),
            [](const TensorRow& row) { return row.layout.isUneven(); });
        figure.text = padded == 0 ? QString() : tr("%1 padded", "so many tensors are").arg(words::count(padded));
    }
    setKeyFigure(figure.text, figure.isTooMuch);
}

void TensorsView::applyFilter()
{
    TensorFilter filter;
    filter.text = m_filter->text();
    const QVariant group = m_kinds->currentData();
    if (group.isValid())
        filter.group = static_cast<TensorGroup>(group.toInt());
    m_model->setFilter(filter);
    showEmpty();
    fitColumns();
    followSelection();
}

void TensorsView::showFromTop()
{
    if (!m_fromTop)
        return;
    m_tree->scrollToTop();
    if (m_tree->currentIndex().isValid())
        m_tree->scrollTo(m_tree->currentIndex());
}

void TensorsView::followSelection()
{
    if (m_tree->followSelection())
        showFromTop();
}

void TensorsView::fitColumns()
{
    if (m_columnsByHand)
        return;
    const int margin = 2 * Metrics::scaled(6);
    const QFont normal = font(), fixed = Metrics::fixed(), head = Metrics::small(), group = Metrics::semibold();
    TensorColumnWidths wanted;
    const auto headWidth = [&](TensorColumn column) {
        return textWidth(
                   head, m_model->headerData(static_cast<int>(column), Qt::Horizontal, Qt::DisplayRole).toString())
            + margin;
    };
    wanted.name = textWidth(normal, tr("Layers 10–31")) + 3 * m_tree->indentation() + margin;
    wanted.shape = headWidth(TensorColumn::Extent);
    wanted.spec = headWidth(TensorColumn::Spec);
    wanted.bytes = headWidth(TensorColumn::Bytes);
    wanted.copies = headWidth(TensorColumn::Copies);
    // The widest few texts decide; rows of one kind are alike, so that looking at tensors of the first layers is enough
    // for a good width and costs nothing with thousands of rows.
    int examined = 0, longestGroup = 0, longestName = 0;
    const auto visit = [&](const auto& self, const QModelIndex& parent, int depth) -> void {
        for (int i = 0; i < m_model->rowCount(parent) && examined < 400; ++i, ++examined) {
            const QModelIndex row = m_model->index(i, 0, parent);
            const auto textOf = [&](TensorColumn column) {
                return row.siblingAtColumn(static_cast<int>(column)).data().toString();
            };
            const bool isGroup = row.data(TensorsModel::KindRole).toInt() == static_cast<int>(TensorNode::Kind::Group);
            int& longest = parent.isValid() ? longestName : longestGroup;
            longest = std::max(longest,
                textWidth(isGroup ? group : normal, textOf(TensorColumn::Name)) + depth * m_tree->indentation()
                    + margin);
            const int mark = TensorsDelegate::markWidth(row.data(TensorsModel::MarkRole).toString());
            wanted.shape = std::max(wanted.shape, textWidth(fixed, textOf(TensorColumn::Extent)) + margin);
            const QVariant spec =
                row.siblingAtColumn(static_cast<int>(TensorColumn::Spec)).data(ColumnModel::SpansRole);
            wanted.spec = std::max(wanted.spec, spansWidth(spec.value<words::Text>(), fixed) + margin + mark);
            wanted.bytes = std::max(wanted.bytes, textWidth(normal, textOf(TensorColumn::Bytes)) + margin);
            wanted.copies = std::max(wanted.copies, textWidth(normal, textOf(TensorColumn::Copies)) + margin);
            self(self, row, depth + 1);
        }
    };
    visit(visit, {}, 1);

    const TensorColumnWidths widths = TensorColumnWidths::fit(m_tree->viewport()->width(), wanted,
        std::max({ Metrics::scaled(84), longestGroup, std::min(longestName, m_tree->viewport()->width() * 2 / 5) }));
    m_fitting = true;
    m_tree->setColumnHidden(static_cast<int>(TensorColumn::Extent), widths.shape == 0);
    m_tree->setColumnWidth(static_cast<int>(TensorColumn::Name), widths.name);
    if (widths.shape > 0)
        m_tree->setColumnWidth(static_cast<int>(TensorColumn::Extent), widths.shape);
    m_tree->setColumnWidth(static_cast<int>(TensorColumn::Spec), widths.spec);
    m_tree->setColumnWidth(static_cast<int>(TensorColumn::Bytes), widths.bytes);
    m_tree->setColumnHidden(static_cast<int>(TensorColumn::Copies), widths.copies == 0);
    if (widths.copies > 0)
        m_tree->setColumnWidth(static_cast<int>(TensorColumn::Copies), widths.copies);
    m_fitting = false;
}

bool TensorsView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_tree->viewport() && event->type() == QEvent::Resize) {
        fitColumns();
        QTimer::singleShot(0, this, &TensorsView::showFromTop); // once the tree knows its new height
    }
    return QWidget::eventFilter(watched, event);
}

void TensorsView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange)
        fitColumns();
    QWidget::changeEvent(event);
}

namespace {

QFont markFont()
{
    QFont font = Metrics::small();
    font.setWeight(QFont::DemiBold);
    font.setPointSizeF(font.pointSizeF() * 0.88);
    return font;
}

} // namespace

int TensorsDelegate::markWidth(const QString& mark)
{
    return mark.isEmpty() ? 0 : QFontMetrics(markFont()).horizontalAdvance(mark) + Metrics::scaled(14);
}

void TensorsDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    if (index.column() == static_cast<int>(TensorColumn::Name))
        NameDelegate::initStyleOption(option, index);
    else
        QStyledItemDelegate::initStyleOption(option, index);
}

QSize TensorsDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QSize size = NameDelegate::sizeHint(option, index);
    if (const QVariant spans = index.data(ColumnModel::SpansRole); spans.isValid())
        size.setWidth(spansWidth(spans.value<words::Text>(), Metrics::fixed()) + 2 * Metrics::scaled(6)
            + markWidth(index.data(TensorsModel::MarkRole).toString()));
    size.setHeight(Metrics::scaled(22));
    return size;
}

void TensorsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QVariant spans = index.data(ColumnModel::SpansRole);
    if (!spans.isValid()) {
        NameDelegate::paint(painter, option, index);
        return;
    }
    const Theme& theme = Theme::current();
    const bool selected = option.state & QStyle::State_Selected;
    QStyleOptionViewItem styled(option);
    initStyleOption(&styled, index);
    styled.text.clear();
    const QWidget* widget = styled.widget;
    const QStyle* style = widget ? widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &styled, painter, widget);

    painter->save();
    const bool quiet = index.data(TensorsModel::QuietRole).toBool();
    const QString mark = index.data(TensorsModel::MarkRole).toString();
    const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, widget) + 1;
    const QRect cell = option.rect.adjusted(margin, 0, -2, 0);
    const int room = cell.width() - markWidth(mark);
    const int used =
        paintSpans(*painter, QRect(cell.left(), cell.top(), room, cell.height()), spans.value<words::Text>(),
            quiet ? option.font : Metrics::fixed(), quiet && !selected ? theme.secondary : theme.text, theme, selected);
    if (!mark.isEmpty()) {
        const QFont font = markFont();
        const QFontMetrics metrics(font);
        const int gap = Metrics::scaled(6), height = metrics.height() + 1;
        const QRectF plate(cell.left() + used + gap + 0.5, cell.center().y() - height / 2 + 0.5,
            markWidth(mark) - gap - 1, height - 1);
        painter->setRenderHint(QPainter::Antialiasing);
        const bool wrong = index.data(TensorsModel::WrongRole).toBool();
        painter->setPen(QPen(selected ? theme.text : wrong ? theme.error : theme.secondary, 1));
        painter->drawRoundedRect(plate, 2, 2);
        painter->setFont(font);
        painter->drawText(plate, Qt::AlignCenter, mark);
    }
    painter->restore();
}

} // namespace shardscope
