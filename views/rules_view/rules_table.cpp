// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rules_view/rules_table.h"

#include <QCursor>
#include <QHeaderView>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <utility>

#include "views/rules_view/rules_model.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/row_table.h"

namespace shardscope {

void RulesDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Theme& theme = Theme::current();
    QStyleOptionViewItem blank(option);
    initStyleOption(&blank, index);
    const bool rule = index.data(RulesModel::IsRuleRole).toBool();
    const int column = index.column();
    const bool chips = column == RulesModel::Axes && rule && !index.data(RulesModel::AxesRole).toStringList().isEmpty();
    const bool warning = column == RulesModel::Uses && index.data(RulesModel::WarningRole).toBool();
    const bool handle = column == RulesModel::Number && rule;
    if (chips)
        return ChipsDelegate::paint(painter, option, index);
    if (!warning && !handle)
        return QStyledItemDelegate::paint(painter, option, index);
    const QString text = std::exchange(blank.text, QString());
    const QWidget* widget = option.widget;
    widget->style()->drawControl(QStyle::CE_ItemViewItem, &blank, painter, widget);
    const qreal ratio = painter->device()->devicePixelRatioF();
    const QRect rect = option.rect;
    const int side = Metrics::scaled(14);
    painter->save();
    if (warning) {
        painter->drawPixmap(rect.left() + 4, rect.center().y() - side / 2 + 1,
            iconPixmap(QStringLiteral("warning"), side, theme.warning, ratio));
        painter->setPen(theme.text);
        // A few letters say no more than the icon does; the tip has the words.
        if (const int room = rect.width() - side - 12; room >= option.fontMetrics.averageCharWidth() * 5)
            painter->drawText(rect.adjusted(side + 10, 0, -2, 0), Qt::AlignLeft | Qt::AlignVCenter,
                option.fontMetrics.elidedText(text, Qt::ElideRight, room));
    } else {
        painter->drawPixmap(rect.left() + 4, rect.center().y() - side / 2 + 1,
            iconPixmap(QStringLiteral("handle"), side, theme.hint, ratio));
        painter->setPen(theme.text);
        painter->drawText(rect.adjusted(0, 0, -8, 0), Qt::AlignRight | Qt::AlignVCenter, text);
    }
    painter->restore();
}

QWidget* RulesDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const
{
    auto* editor = new QLineEdit(parent);
    editor->setAccessibleName(
        index.column() == RulesModel::Name ? tr("Logical axis") : tr("Mesh axes, separated by commas"));
    if (index.column() == RulesModel::Axes)
        editor->setPlaceholderText(tr("axis, axis or None"));
    return editor;
}

void RulesDelegate::setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const
{
    QStyledItemDelegate::setModelData(editor, model, index);
}

void RulesDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    ChipsDelegate::initStyleOption(option, index);
    // Most names of a published rule set begin alike and differ in their last words.
    option->textElideMode = index.column() == RulesModel::Name ? Qt::ElideMiddle : Qt::ElideRight;
}

QSize RulesDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    if (index.column() == RulesModel::Axes)
        return ChipsDelegate::sizeHint(option, index);
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    if (index.column() == RulesModel::Uses && index.data(RulesModel::WarningRole).toBool())
        size.rwidth() += Metrics::scaled(18);
    return size;
}

RulesTable::RulesTable(RulesModel* model, QWidget* parent)
    : QTableView(parent)
    , m_rules(model)
{
    makeRowTable(this, model, tr("Rules, highest priority first"));
    setItemDelegate(new RulesDelegate(this));
    setEditTriggers(DoubleClicked | EditKeyPressed);
    setTextElideMode(Qt::ElideRight);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    verticalHeader()->setMinimumSectionSize(Metrics::scaled(20));
    horizontalHeader()->setSectionsClickable(false);
    horizontalHeader()->setMinimumSectionSize(Metrics::scaled(40));
    horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setStretchLastSection(true);
    setMouseTracking(true);
    connect(model, &QAbstractItemModel::modelReset, this, [this] { // another row may lie under a pointer that rests
        const QPoint at = viewport()->mapFromGlobal(QCursor::pos());
        setHovered(viewport()->underMouse() && viewport()->rect().contains(at) ? rowAt(at.y()) : -1);
    });
    connect(model, &QAbstractItemModel::modelReset, this, &RulesTable::fitColumns);
    connect(model, &QAbstractItemModel::dataChanged, this, &RulesTable::fitColumns);
}

void RulesTable::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    fitColumns();
}

/// Every column gets what its texts and chips need; where that is too much, how often a rule is used is shortened
/// first, then mesh axes, then names.
void RulesTable::fitColumns()
{
    constexpr int examined = 100; // rules that tell how wide columns are
    const int number = Metrics::scaled(44), rest = viewport()->width() - number;
    const auto wanted = [this, examined](RulesModel::Column column) {
        int width = horizontalHeader()->sectionSizeHint(column);
        for (int row = 0; row < std::min(model()->rowCount(), examined); ++row)
            width = std::max(width, sizeHintForIndex(model()->index(row, column)).width());
        return width + Metrics::scaled(4);
    };
    int name = wanted(RulesModel::Name), axes = wanted(RulesModel::Axes), uses = wanted(RulesModel::Uses);
    const int spare = rest - name - axes - uses;
    if (spare >= 0) {
        name += spare / 3;
        axes += spare / 3;
    } else {
        int missing = -spare;
        const auto shorten = [&](int& width, int percent) {
            const int less = std::clamp(missing, 0, std::max(width - rest * percent / 100, 0));
            width -= less;
            missing -= less;
        };
        shorten(uses, 17); // an icon and a number have room in it
        shorten(axes, 37); // two short ones have room in it
        shorten(name, 25);
    }
    setColumnWidth(RulesModel::Number, number);
    setColumnWidth(RulesModel::Name, name);
    setColumnWidth(RulesModel::Axes, axes);
}

QRect RulesTable::removeRect(int row) const
{
    if (row < 0 || row >= m_rules->ruleCount())
        return {};
    const int side = Metrics::scaled(20);
    const QRect last = visualRect(model()->index(row, RulesModel::Uses));
    return { viewport()->width() - side - 2, last.center().y() - side / 2 + 1, side, side };
}

void RulesTable::setHovered(int row)
{
    if (std::exchange(m_hovered, row) == row)
        return;
    viewport()->update();
}

void RulesTable::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    const QRect place = removeRect(m_hovered);
    if (place.isEmpty() || m_drag == Drag::Row || m_drag == Drag::Name || state() == EditingState)
        return;
    const Theme& theme = Theme::current();
    QPainter painter(viewport());
    painter.fillRect(place, m_hovered == currentIndex().row() ? theme.selectedRow : theme.base);
    const int side = Metrics::scaled(14);
    painter.drawPixmap(place.center().x() - side / 2 + 1, place.center().y() - side / 2 + 1,
        iconPixmap(QStringLiteral("remove"), side, theme.secondary, devicePixelRatioF()));
}

bool RulesTable::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave) {
        setHovered(-1);
    } else if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (removeRect(m_hovered).contains(help->pos())) {
            QToolTip::showText(
                help->globalPos(), tr("Delete rule %1 (Delete)").arg(m_hovered + 1), this, removeRect(m_hovered));
            return true;
        }
    }
    return QTableView::viewportEvent(event);
}

void RulesTable::mousePressEvent(QMouseEvent* event)
{
    const QModelIndex index = indexAt(event->pos());
    m_drag = Drag::None;
    if (event->button() == Qt::LeftButton && index.isValid()) {
        m_start = event->pos();
        m_row = index.row();
        if ((m_row == m_hovered || event->type() == QEvent::MouseButtonDblClick)
            && removeRect(m_row).contains(m_start)) {
            m_drag = Drag::PressedRemove;
            return;
        }
        if (index.column() == RulesModel::Name)
            m_drag = Drag::PressedName;
        else if (index.column() == RulesModel::Number && index.row() < m_rules->ruleCount())
            m_drag = Drag::PressedRow;
    }
    QTableView::mousePressEvent(event);
}

void RulesTable::mouseDoubleClickEvent(QMouseEvent* event)
{
    // Two quick presses remove two rules.
    if (removeRect(rowAt(event->pos().y())).contains(event->pos()))
        mousePressEvent(event);
    else
        QTableView::mouseDoubleClickEvent(event);
}

void RulesTable::mouseMoveEvent(QMouseEvent* event)
{
    if (!event->buttons())
        setHovered(rowAt(event->pos().y()));
    if (m_drag == Drag::None || !(event->buttons() & Qt::LeftButton)) {
        QTableView::mouseMoveEvent(event);
        return;
    }
    const bool far = (event->pos() - m_start).manhattanLength() >= 4;
    bool start = false;
    if (far && m_drag == Drag::PressedRow) {
        m_drag = Drag::Row;
        start = true;
    } else if (far && m_drag == Drag::PressedName) {
        m_drag = Drag::Name;
    }
    if (m_drag == Drag::Row) {
        setCursor(Qt::ClosedHandCursor);
        int to = rowAt(event->pos().y());
        if (to < 0)
            to = event->pos().y() < 0 ? 0 : m_rules->ruleCount() - 1;
        to = std::min(to, m_rules->ruleCount() - 1);
        if (to != m_row) {
            const int from = std::exchange(m_row, to);
            Q_EMIT rowDragged(from, to, start);
        }
    } else if (m_drag == Drag::Name) {
        setCursor(Qt::ClosedHandCursor);
        Q_EMIT nameDragged(m_row, event->globalPosition().toPoint());
    }
}

void RulesTable::mouseReleaseEvent(QMouseEvent* event)
{
    const Drag drag = std::exchange(m_drag, Drag::None);
    unsetCursor();
    if (drag == Drag::Row)
        Q_EMIT rowDropped();
    else if (drag == Drag::PressedRemove && removeRect(m_row).contains(event->pos()))
        Q_EMIT removeRequested(m_row);
    else if (drag == Drag::Name)
        Q_EMIT nameDropped(m_row, event->globalPosition().toPoint(), event->modifiers() & Qt::ControlModifier);
    else
        QTableView::mouseReleaseEvent(event);
}

void RulesTable::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && (m_drag == Drag::Row || m_drag == Drag::Name)) {
        const Drag drag = std::exchange(m_drag, Drag::None);
        unsetCursor();
        if (drag == Drag::Row)
            Q_EMIT rowDragCancelled();
        else
            Q_EMIT nameDragCancelled();
        return;
    }
    if (event->matches(QKeySequence::Paste)) {
        Q_EMIT pasteRequested();
        return;
    }
    const int row = currentIndex().row();
    const bool alt = event->modifiers() & Qt::AltModifier;
    if (alt && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down)) {
        if (row >= 0 && row < m_rules->ruleCount())
            Q_EMIT moveRequested(row, event->key() == Qt::Key_Up ? -1 : 1);
        return;
    }
    if (event->key() == Qt::Key_Delete && row >= 0 && row < m_rules->ruleCount()) {
        Q_EMIT removeRequested(row);
        return;
    }
    if (event->key() == Qt::Key_Insert) {
        Q_EMIT addRequested();
        return;
    }
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid()
        && state() != EditingState) {
        const int column = currentIndex().column() == RulesModel::Name && row < m_rules->ruleCount() ? RulesModel::Name
                                                                                                     : RulesModel::Axes;
        edit(model()->index(row, column));
        return;
    }
    QTableView::keyPressEvent(event);
}

} // namespace shardscope
