// SPDX-License-Identifier: GPL-3.0-or-later
// The controls of CollectivesView (collectives_view.h), and how they share its room.
#include "views/collectives_view/collectives_view.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <algorithm>

#include "views/collectives_view/collective_page.h"
#include "views/collectives_view/side_by_side.h"
#include "views/collectives_view/sums_bars.h"
#include "views/panel/panel.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/chip.h"
#include "views/widgets/elided_name.h"
#include "views/widgets/low_room.h"
#include "views/widgets/row_table.h"
#include "views/widgets/segmented_bar.h"
#include "words/collective_texts.h"
#include "words/utf8.h"

namespace shardscope {
CollectivesView::CollectivesView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent, QPalette::Base)
    , m_model(new CollectivesModel(this))
    , m_filter(new CollectivesFilter(m_model, this))
    , m_content(new QWidget(this))
    , m_side(new SideBySide(this))
    , m_empty(new EmptyPage(QString(), QString(), this))
    , m_search(new QLineEdit(this))
    , m_choices{ new QComboBox(this), new QComboBox(this), new QComboBox(this), new QComboBox(this) }
    , m_compare(new QToolButton(this))
    , m_sumsBy(new SegmentedBar({ tr("Kind"), tr("Axes"), tr("Layer"), tr("Source") }, this))
    , m_sums(new SumsBars(this))
    , m_sumsScroll(new QScrollArea(this))
    , m_sumsSide(new QWidget(this))
    , m_table(new QTableView(this))
    , m_none(new RoleLabel(RoleLabel::Size::Normal, &Theme::secondary, this))
    , m_total(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::secondary, this))
    , m_splitter(new QSplitter(Qt::Vertical, this))
    , m_page(new CollectivePage(selection, this))
{
    auto* content = vbox(m_content, {}, 0, { filterRow() });
    m_splitter->addWidget(listSide());
    m_splitter->addWidget(m_page);
    m_splitter->setChildrenCollapsible(false);
    connect(m_splitter, &QSplitter::splitterMoved, this, [this] { m_isSplitByHand = true; });
    m_splitter->setStretchFactor(0, 2);
    m_splitter->setStretchFactor(1, 3);
    content->addWidget(m_splitter, 1);

    vbox(this, { 1, 0, 1, 1 }, 0, { new StaleRibbon(document, this), { m_content, 1 }, { m_empty, 1 }, { m_side, 1 } });
    m_side->hide();
    setFocusProxy(m_table);
    connectAll();
    refresh();
}

QLayout* CollectivesView::filterRow()
{
    describe(m_search, tr("Filter collectives"), tr("Shows the collectives in whose row this stands"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(icon(QStringLiteral("filter"), IconColor::Secondary), QLineEdit::LeadingPosition)
        ->setText(tr("Filter collectives"));
    m_search->setMinimumWidth(Metrics::scaled(100));
    const QString names[] = { tr("Kind of collective"), tr("Mesh axes"), tr("Layer"), tr("Line of the source") };
    auto* row = hbox({ 8, 6, 8, 6 }, 6, { { m_search, 2 } });
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        describe(m_choices[i], names[i], tr("Shows these collectives alone"));
        fitBox(m_choices[i], 8);
        row->addWidget(m_choices[i], 1);
    }
    m_compare->setIcon(icon(QStringLiteral("compare")));
    m_compare->setAccessibleName(tr("Examples side by side"));
    m_compare->setToolTip(tr("One layer written in three ways, and what each of them sends"));
    row->addWidget(m_compare);
    return row;
}

QWidget* CollectivesView::listSide()
{
    makeRowTable(m_table, m_filter, tr("Collectives"));
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->setItemDelegateForColumn(CollectivesModel::Axes, new ChipsDelegate(m_table));
    m_table->setItemDelegateForColumn(CollectivesModel::Tensor, new NameDelegate(m_table));
    QHeaderView* header = m_table->horizontalHeader();
    header->setMinimumSectionSize(Metrics::scaled(28));
    header->setStretchLastSection(true);
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->setSortingEnabled(true);
    m_table->setMinimumHeight(Metrics::scaled(66));
    m_table->viewport()->installEventFilter(this);
    auto* corner = new QWidget(m_table); // between the two scroll bars
    corner->setBackgroundRole(QPalette::Base);
    corner->setAutoFillBackground(true);
    m_table->setCornerWidget(corner);

    describe(m_sumsBy, tr("Sums by kind, axes, layer or line of the source"),
        tr("By what the bytes that are sent are added up; a click on a bar shows its collectives alone"));
    m_sums->setAccessibleName(tr("Sums of collectives"));
    makePlain(m_sumsScroll, m_sums, true);

    auto* by = hbox({ 8, 0, 8, 0 }, styleSpacing, { m_sumsBy, boxStretch() });
    vbox(m_sumsSide, { 0, 2, 0, 2 }, 4, { by, { m_sumsScroll, 1 } });

    m_none->setText(tr("No collective passes the filter."));
    m_none->setAlignment(Qt::AlignCenter);
    m_none->hide();
    m_total->setAccessibleName(tr("Total"));
    auto* foot = hbox({ 8, 2, 8, 2 }, styleSpacing, { { m_total, 1 } });
    auto* rows = vbox({}, 0, { { m_table, 1 }, { m_none, 1 }, foot });

    auto* side = new QWidget(this);
    m_listLine = new QBoxLayout(QBoxLayout::LeftToRight, side);
    m_listLine->setContentsMargins(0, 0, 0, 0);
    m_listLine->setSpacing(0);
    m_listLine->addWidget(m_sumsSide);
    m_listLine->addLayout(rows, 1);
    return side;
}

void CollectivesView::fitColumns()
{
    using Column = CollectivesModel::Column;
    const int widest[CollectivesModel::ColumnCount] = { 44, 140, 160, 220, 90, 80, 90, 80, 110, 150, 150, 120, 260 };
    for (int column = 0; column < CollectivesModel::ColumnCount; ++column) {
        m_table->setColumnHidden(column, m_model->isIdle(column));
        int wanted = Metrics::scaled(160); // who decided is worked out for what is in sight
        if (column == Column::Number) {
            wanted = m_table->fontMetrics().horizontalAdvance(words::count(m_model->rowCount())) + Metrics::scaled(16);
        } else if (column == Column::Axes) {
            wanted = chipsWidth();
        } else if (column == Column::Sent) {
            wanted = m_table->fontMetrics().horizontalAdvance(QStringLiteral("1,023 KiB")) + Metrics::scaled(6);
        } else if (column == Column::Times) {
            wanted = m_table->fontMetrics().horizontalAdvance(tr("× 128", "times")) + Metrics::scaled(16);
        } else if (column != Column::Rule) {
            m_table->resizeColumnToContents(column);
            wanted = m_table->columnWidth(column) + 2;
        }
        m_table->setColumnWidth(column, std::min(wanted, Metrics::scaled(widest[column])));
    }
    for (const int column : { Column::Kind, Column::Axes, Column::Tensor })
        m_wantedWidths[static_cast<std::size_t>(column)] = m_table->columnWidth(column);
    fitNames();
}

/// Of the widest row of chips; longer lists are looked through at their beginning.
int CollectivesView::chipsWidth() const
{
    constexpr int examined = 500;
    int widest = m_table->fontMetrics().horizontalAdvance(tr("Axes")) + Metrics::scaled(16);
    for (int row = 0; row < std::min(m_model->rowCount(), examined); ++row) {
        int width = 10;
        for (const QString& axis : words::namesOf(*m_model->entry(row).mesh, m_model->entry(row).axes))
            width += chipSize(axis).width() + 4;
        widest = std::max(widest, width);
    }
    return widest;
}

/// Names give way, so that what is sent and how often can be seen beside them, and take what no further column fits
/// into. Where there is still less room, kinds and axes give way too.
void CollectivesView::fitNames()
{
    using Column = CollectivesModel::Column;
    if (m_wantedWidths[Column::Tensor] == 0)
        return;
    std::array<int, CollectivesModel::ColumnCount> widths{};
    int spare = m_table->viewport()->width();
    for (std::size_t column = 0; column < widths.size(); ++column) {
        const int each = static_cast<int>(column);
        if (!m_table->isColumnHidden(each))
            widths[column] = m_wantedWidths[column] > 0 ? m_wantedWidths[column] : m_table->columnWidth(each);
        spare -= each <= Column::Times ? widths[column] : 0;
    }
    const auto shorten = [&](Column column, int least) {
        const int less = std::clamp(-spare, 0, std::max(widths[column] - Metrics::scaled(least), 0));
        widths[column] -= less;
        spare += less;
    };
    // No narrower than to what tells them apart: their beginnings may all be alike.
    shorten(Column::Tensor, 92);
    shorten(Column::Kind, 64);
    shorten(Column::Axes, 66);
    shorten(Column::Tensor, 64);
    std::size_t more = Column::Times + 1;
    for (; more < widths.size() && widths[more] <= spare; ++more)
        spare -= widths[more];
    if (more < widths.size())
        widths[Column::Tensor] += std::max(spare, 0);
    for (const Column column : { Column::Kind, Column::Axes, Column::Tensor })
        if (widths[column] > 0 && widths[column] != m_table->columnWidth(column))
            m_table->setColumnWidth(column, widths[column]);
}

void CollectivesView::arrange()
{
    const bool beside = width() >= Metrics::scaled(520), roomy = width() >= Metrics::scaled(1500);
    const Qt::Orientation orientation = beside ? Qt::Horizontal : Qt::Vertical;
    if (m_splitter->orientation() != orientation || !m_isSplitByHand) {
        m_splitter->setOrientation(orientation);
        const int all = beside ? width() : height();
        // Room for what is sent, beside short names.
        const int least = Metrics::scaled(roomy ? 780 : 470); // with the sums beside the rows
        const int list = std::max(all * (beside ? 39 : 46) / 100, beside ? std::min(least, all * 48 / 100) : 0);
        m_splitter->setSizes({ list, all - list });
    }
    // The sums stand beside the rows where there is room, else below them.
    m_listLine->setDirection(roomy ? QBoxLayout::LeftToRight : QBoxLayout::BottomToTop);
    m_sumsScroll->setMinimumWidth(roomy ? Metrics::scaled(176) : 0);
    m_sumsScroll->setMaximumWidth(roomy ? Metrics::scaled(176) : QWIDGETSIZE_MAX);
    m_sumsScroll->setMinimumHeight(roomy ? 0 : Metrics::scaled(3 * 22));
    m_sumsScroll->setMaximumHeight(roomy ? QWIDGETSIZE_MAX : Metrics::scaled(4 * 22));
    m_sumsSide->setVisible(roomy || height() >= Metrics::scaled(beside ? 260 : 700));
    m_search->setPlaceholderText(beside ? tr("Filter by value, kind, axis, operation…") : tr("Filter…"));
}

} // namespace shardscope
