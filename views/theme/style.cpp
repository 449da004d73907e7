// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/style.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QPainter>
#include <QPushButton>
#include <QStyleFactory>
#include <QStyleOption>
#include <QTabBar>
#include <algorithm>

#include "views/theme/icons.h"
#include "views/theme/theme.h"

namespace shardscope {

namespace {

constexpr qreal radius = 3;

QRectF crisp(const QRect& rect)
{
    return QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5);
}

/// Frame and fill of a button or field; the focus ring is 2 px wide and replaces the boundary.
void panel(QPainter* painter, const QRect& rect, const QColor& fill, const QColor& line, bool focus)
{
    const Theme& theme = Theme::current();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(fill);
    painter->setPen(QPen(line, 1));
    painter->drawRoundedRect(crisp(rect), radius, radius);
    if (focus) {
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(theme.accent, 2));
        painter->drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), radius, radius);
    }
    painter->restore();
}

void drawIcon(QPainter* painter, const QString& name, const QRect& rect, const QColor& color, int size)
{
    const QPixmap picture = iconPixmap(name, size, color, painter->device()->devicePixelRatioF());
    painter->drawPixmap(rect.x() + (rect.width() - size) / 2, rect.y() + (rect.height() - size) / 2, picture);
}

bool focusShown(const QStyleOption* option)
{
    return (option->state & QStyle::State_HasFocus) && (option->state & QStyle::State_Enabled);
}

/// The plate of a button that is marked "primary".
void primaryPanel(QPainter* painter, const QStyleOption* option)
{
    const QColor& accent = Theme::current().accent;
    const QColor fill = option->state & QStyle::State_Sunken ? accent.darker(112)
        : option->state & QStyle::State_MouseOver            ? accent.lighter(108)
                                                             : accent;
    panel(painter, option->rect, fill, fill, false);
}

} // namespace

bool isMarked(const QWidget* widget, const char* property)
{
    return widget && widget->property(property).toBool();
}

void setPrimary(QWidget* button, bool primary)
{
    button->setProperty("primary", primary);
}
void setQuiet(QWidget* button, bool quiet)
{
    button->setProperty("quiet", quiet);
}

ShardscopeStyle::ShardscopeStyle()
    : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion")))
{
    setObjectName(QStringLiteral("shardscope"));
}

void ShardscopeStyle::polish(QWidget* widget)
{
    QProxyStyle::polish(widget);
    if (qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget) || qobject_cast<QTabBar*>(widget))
        widget->setAttribute(Qt::WA_Hover);
}

void ShardscopeStyle::drawPrimitive(
    PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    const Theme& theme = Theme::current();
    const bool enabled = option->state & State_Enabled;
    const bool hover = enabled && (option->state & State_MouseOver);
    const bool down = option->state & (State_Sunken | State_On);
    switch (element) {
    case PE_PanelButtonCommand: {
        if (isMarked(widget, "primary") && enabled) {
            primaryPanel(painter, option);
            if (focusShown(option)) {
                painter->save();
                painter->setRenderHint(QPainter::Antialiasing);
                painter->setPen(QPen(theme.onAccent, 1));
                painter->drawRoundedRect(crisp(option->rect.adjusted(2, 2, -2, -2)), 2, 2);
                painter->restore();
            }
            return;
        }
        if (isMarked(widget, "quiet") && !hover && !down && !focusShown(option))
            return;
        panel(painter, option->rect, down ? theme.selectedRow : theme.button, hover ? theme.strongLine : theme.border,
            focusShown(option));
        return;
    }
    case PE_PanelButtonTool:
        if (isMarked(widget, "primary") && enabled) {
            primaryPanel(painter, option);
            return;
        }
        // Of a quiet one the icon alone tells that it is checked.
        if (const bool held = isMarked(widget, "quiet") ? bool(option->state & State_Sunken) : down;
            !(option->state & State_AutoRaise) || hover || held || focusShown(option)) {
            const QColor fill = held ? theme.selectedRow : theme.button;
            panel(painter, option->rect, fill, held ? theme.accent : theme.border, focusShown(option));
        }
        return;
    case PE_FrameLineEdit:
    case PE_PanelLineEdit: {
        if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option); frame && frame->lineWidth == 0) {
            painter->fillRect(option->rect, option->palette.color(QPalette::Base));
            return;
        }
        panel(painter, option->rect, enabled ? theme.base : theme.window, hover ? theme.strongLine : theme.border,
            focusShown(option));
        return;
    }
    case PE_FrameFocusRect: {
        // Push buttons show focus in their frame, item views by the accent bar of the current row.
        if (qobject_cast<const QPushButton*>(widget) || qobject_cast<const QAbstractItemView*>(widget))
            return;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(theme.accent, 2));
        painter->drawRoundedRect(QRectF(option->rect).adjusted(1, 1, -1, -1), radius, radius);
        painter->restore();
        return;
    }
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck: {
        const bool on = option->state & State_On;
        const QRect box = option->rect.adjusted(0, 0, -1, -1);
        panel(painter, box, on && enabled ? theme.accent : theme.base, on && enabled ? theme.accent : theme.strongLine,
            false);
        if (on)
            drawIcon(painter, QStringLiteral("ok"), box, enabled ? theme.onAccent : theme.secondary, box.width() - 3);
        return;
    }
    case PE_IndicatorBranch:
        if (option->state & State_Children)
            drawIcon(painter, option->state & State_Open ? QStringLiteral("down") : QStringLiteral("right"),
                option->rect, theme.text, Metrics::scaled(12));
        return;
    case PE_PanelItemViewRow:
    case PE_PanelItemViewItem: {
        const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option);
        if (!item)
            return;
        if (item->backgroundBrush.style() != Qt::NoBrush)
            painter->fillRect(item->rect, item->backgroundBrush);
        if (item->state & State_Selected)
            painter->fillRect(item->rect, theme.selectedRow);
        else if (element == PE_PanelItemViewItem && hover)
            painter->fillRect(item->rect, theme.dark ? theme.alternateRow.lighter(120) : theme.window);
        else if (element == PE_PanelItemViewRow && (item->features & QStyleOptionViewItem::Alternate))
            painter->fillRect(item->rect, theme.alternateRow);
        const bool first = item->viewItemPosition == QStyleOptionViewItem::Beginning
            || item->viewItemPosition == QStyleOptionViewItem::OnlyOne;
        if ((element == PE_PanelItemViewRow || first) && (item->state & State_Selected))
            painter->fillRect(QRect(0, item->rect.top(), 2, item->rect.height()), theme.accent);
        return;
    }
    case PE_Frame:
    case PE_FrameMenu:
    case PE_FrameGroupBox:
    case PE_FrameTabWidget:
        painter->save();
        painter->setPen(theme.border);
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
        painter->restore();
        return;
    case PE_PanelMenu:
        painter->fillRect(option->rect, theme.base);
        return;
    case PE_FrameDockWidget: // the dock frame paints its own border
    case PE_FrameStatusBarItem:
    case PE_FrameTabBarBase:
        return;
    case PE_PanelStatusBar:
        painter->fillRect(option->rect, theme.window);
        painter->fillRect(QRect(option->rect.left(), option->rect.top(), option->rect.width(), 1), theme.border);
        return;
    case PE_PanelTipLabel:
        panel(painter, option->rect, theme.base, theme.strongLine, false);
        return;
    case PE_IndicatorArrowDown:
    case PE_IndicatorArrowUp:
        drawIcon(painter, element == PE_IndicatorArrowUp ? QStringLiteral("up") : QStringLiteral("down"), option->rect,
            theme.text, 10);
        return;
    case PE_IndicatorHeaderArrow:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option))
            drawIcon(painter,
                header->sortIndicator == QStyleOptionHeader::SortUp ? QStringLiteral("down") : QStringLiteral("up"),
                option->rect, theme.secondary, 10);
        return;
    default:
        break;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void ShardscopeStyle::drawControl(
    ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    const Theme& theme = Theme::current();
    switch (element) {
    case CE_PushButtonBevel:
        drawPrimitive(PE_PanelButtonCommand, option, painter, widget);
        return;
    case CE_PushButtonLabel:
        drawButtonLabel(option, painter, widget);
        return;
    case CE_ToolButtonLabel:
        if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
            button && isMarked(widget, "primary") && (button->state & State_Enabled)) {
            QStyleOptionToolButton copy(*button);
            copy.palette.setColor(QPalette::ButtonText, theme.onAccent);
            copy.palette.setColor(QPalette::WindowText, theme.onAccent);
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
        break;
    case CE_HeaderSection:
        drawHeaderSection(option, painter);
        return;
    case CE_HeaderEmptyArea:
    case CE_MenuBarEmptyArea:
    case CE_ToolBar:
        painter->fillRect(option->rect, theme.window);
        return;
    case CE_HeaderLabel:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            QStyleOptionHeaderV2 copy;
            if (const auto* second = qstyleoption_cast<const QStyleOptionHeaderV2*>(option))
                copy = *second;
            else
                static_cast<QStyleOptionHeader&>(copy) = *header;
            copy.palette.setColor(QPalette::ButtonText, theme.secondary);
            copy.state &= ~State_On; // no bold face for the column of the current cell
            QFont font = Metrics::small();
            painter->save();
            painter->setFont(font);
            copy.fontMetrics = QFontMetrics(font);
            // The margins of a head of 22 px leave less than a line of some fonts; what hangs below would be cut off.
            const int missing = std::max(0, copy.fontMetrics.height() - copy.rect.height());
            copy.rect.adjust(0, -(missing + 1) / 2, 0, (missing + 1) / 2);
            QProxyStyle::drawControl(element, &copy, painter, widget);
            painter->restore();
            return;
        }
        break;
    case CE_ItemViewItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option)) {
            QStyleOptionViewItem copy(*item);
            copy.palette.setColor(QPalette::HighlightedText, copy.palette.color(QPalette::Text));
            copy.state &= ~State_HasFocus;
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
        break;
    case CE_TabBarTabShape:
        drawTab(option, painter);
        return;
    case CE_TabBarTabLabel:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) {
            QStyleOptionTab copy(*tab);
            const bool selected = tab->state & State_Selected;
            copy.palette.setColor(QPalette::WindowText, selected ? theme.text : theme.secondary);
            copy.state &= ~State_HasFocus;
            painter->save();
            if (selected)
                painter->setFont(Metrics::semibold());
            QProxyStyle::drawControl(element, &copy, painter, widget);
            painter->restore();
            return;
        }
        break;
    case CE_Splitter:
        return;
    case CE_MenuBarItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
            const bool active = item->state & (State_Selected | State_Sunken) && item->state & State_Enabled;
            painter->fillRect(item->rect, theme.window);
            if (active)
                panel(painter, item->rect.adjusted(1, 1, -1, -1), theme.selectedRow, theme.selectedRow, false);
            drawItemText(painter, item->rect,
                Qt::AlignCenter | Qt::TextShowMnemonic
                    | (styleHint(SH_UnderlineShortcut, option, widget, nullptr) ? 0 : Qt::TextHideMnemonic),
                item->palette, item->state & State_Enabled, item->text, QPalette::WindowText);
            return;
        }
        break;
    case CE_MenuItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
            QStyleOptionMenuItem copy(*item);
            const bool marked = (item->state & State_Selected) && item->menuItemType != QStyleOptionMenuItem::Separator;
            painter->fillRect(item->rect, marked ? theme.selectedRow : theme.base);
            copy.state &= ~State_Selected;
            copy.palette.setColor(QPalette::Window, theme.base);
            copy.palette.setColor(QPalette::WindowText, theme.text);
            QProxyStyle::drawControl(element, &copy, painter, widget);
            return;
        }
        break;
    case CE_ProgressBarGroove:
        panel(painter, option->rect, theme.base, theme.border, false);
        return;
    case CE_ProgressBarContents:
        if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option)) {
            const double share = bar->maximum > bar->minimum
                ? static_cast<double>(bar->progress - bar->minimum) / (bar->maximum - bar->minimum)
                : 0.0;
            QRect filled = bar->rect.adjusted(1, 1, -1, -1);
            filled.setWidth(static_cast<int>(filled.width() * std::clamp(share, 0.0, 1.0)));
            painter->fillRect(filled, theme.accent);
            return;
        }
        break;
    case CE_ComboBoxLabel:
        if (const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option); box && !box->editable) {
            const QRect field = subControlRect(CC_ComboBox, box, SC_ComboBoxEditField, widget);
            QRect text = field.adjusted(2, 0, -2, 0);
            if (!box->currentIcon.isNull()) {
                box->currentIcon.paint(painter, QRect(field.left(), field.center().y() - 7, 14, 14));
                text.setLeft(field.left() + 18);
            }
            drawItemText(painter, text, Qt::AlignLeft | Qt::AlignVCenter, box->palette, box->state & State_Enabled,
                box->fontMetrics.elidedText(box->currentText, Qt::ElideRight, text.width()), QPalette::ButtonText);
            return;
        }
        break;
    case CE_RubberBand: {
        QColor fill = theme.accent;
        fill.setAlpha(40);
        painter->fillRect(option->rect, fill);
        return;
    }
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void ShardscopeStyle::drawHeaderSection(const QStyleOption* option, QPainter* painter) const
{
    const Theme& theme = Theme::current();
    const QRect rect = option->rect;
    painter->fillRect(rect, theme.window);
    painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.border);
    const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
    if (header && header->position != QStyleOptionHeader::End && header->position != QStyleOptionHeader::OnlyOneSection)
        painter->fillRect(QRect(rect.right(), rect.top() + 4, 1, rect.height() - 8), theme.border);
}

void ShardscopeStyle::drawTab(const QStyleOption* option, QPainter* painter) const
{
    const Theme& theme = Theme::current();
    const QRect rect = option->rect;
    const bool selected = option->state & State_Selected;
    painter->fillRect(rect, selected ? theme.base : theme.dockTitle);
    if (!selected && (option->state & State_MouseOver))
        painter->fillRect(rect, theme.window);
    if (selected)
        painter->fillRect(QRect(rect.left(), rect.top(), rect.width(), 2), theme.accent);
    painter->fillRect(QRect(rect.right(), rect.top(), 1, rect.height()), theme.border);
    if (focusShown(option)) {
        painter->save();
        painter->setPen(QPen(theme.accent, 2));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(rect.adjusted(2, 3, -3, -2));
        painter->restore();
    }
}

void ShardscopeStyle::drawButtonLabel(const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
    if (!button)
        return;
    const Theme& theme = Theme::current();
    const bool enabled = button->state & State_Enabled;
    const bool primary = isMarked(widget, "primary") && enabled;
    QColor color = primary
        ? theme.onAccent
        : button->palette.color(enabled ? QPalette::Active : QPalette::Disabled, QPalette::ButtonText);
    if (isMarked(widget, "link") && enabled)
        color = theme.accent;
    const int gap = button->icon.isNull() || button->text.isEmpty() ? 0 : 6;
    const int iconWidth = button->icon.isNull() ? 0 : button->iconSize.width();
    const int textWidth =
        button->text.isEmpty() ? 0 : button->fontMetrics.size(Qt::TextShowMnemonic, button->text).width();
    const bool leftAligned = isMarked(widget, "link");
    int x = leftAligned ? button->rect.left() + 2 : button->rect.center().x() - (iconWidth + gap + textWidth) / 2 + 1;
    if (iconWidth > 0) {
        const QRect place(
            x, button->rect.center().y() - button->iconSize.height() / 2 + 1, iconWidth, button->iconSize.height());
        button->icon.paint(painter, place, Qt::AlignCenter, enabled ? QIcon::Normal : QIcon::Disabled);
        x += iconWidth + gap;
    }
    painter->setPen(color);
    painter->drawText(QRect(x, button->rect.top(), textWidth + 2, button->rect.height()),
        Qt::AlignLeft | Qt::AlignVCenter | Qt::TextHideMnemonic, button->text);
}

void ShardscopeStyle::drawComplexControl(
    ComplexControl control, const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const
{
    switch (control) {
    case CC_ComboBox:
        drawComboBox(option, painter, widget);
        return;
    case CC_SpinBox:
        drawSpinBox(option, painter, widget);
        return;
    case CC_Slider:
        drawSlider(option, painter, widget);
        return;
    case CC_ScrollBar:
        drawScrollBar(option, painter, widget);
        return;
    case CC_ToolButton:
        if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option)) {
            drawPrimitive(PE_PanelButtonTool, option, painter, widget);
            QStyleOptionToolButton label(*button);
            if (button->features & QStyleOptionToolButton::HasMenu)
                label.rect.adjust(0, 0, button->toolButtonStyle == Qt::ToolButtonIconOnly ? 0 : -10, 0);
            drawControl(CE_ToolButtonLabel, &label, painter, widget);
            if ((button->features & QStyleOptionToolButton::HasMenu)
                && button->toolButtonStyle != Qt::ToolButtonIconOnly)
                drawIcon(painter, QStringLiteral("down"),
                    QRect(button->rect.right() - 16, button->rect.top(), 12, button->rect.height()),
                    Theme::current().text, 10);
            return;
        }
        break;
    default:
        break;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

void ShardscopeStyle::drawComboBox(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const
{
    const Theme& theme = Theme::current();
    const bool enabled = option->state & State_Enabled;
    const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option);
    if (!box || box->frame)
        panel(painter, option->rect, box && box->editable ? theme.base : theme.button,
            enabled && (option->state & State_MouseOver) ? theme.strongLine : theme.border, focusShown(option));
    drawIcon(painter, QStringLiteral("down"), subControlRect(CC_ComboBox, option, SC_ComboBoxArrow, widget),
        enabled ? theme.text : theme.hint, Metrics::scaled(10));
}

void ShardscopeStyle::drawSpinBox(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const
{
    const Theme& theme = Theme::current();
    const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
    if (!spin)
        return;
    if (spin->frame)
        panel(painter, option->rect, option->state & State_Enabled ? theme.base : theme.window,
            option->state & State_MouseOver ? theme.strongLine : theme.border, focusShown(option));
    if (spin->buttonSymbols == QAbstractSpinBox::NoButtons)
        return;
    const QRect up = subControlRect(CC_SpinBox, option, SC_SpinBoxUp, widget);
    const QRect down = subControlRect(CC_SpinBox, option, SC_SpinBoxDown, widget);
    painter->fillRect(QRect(up.left() - 1, up.top() + 2, 1, up.height() + down.height() - 4), theme.border);
    const auto part = [&](const QRect& rect, const QString& name, QStyle::SubControl which,
                          QAbstractSpinBox::StepEnabledFlag step) {
        const bool able = (spin->stepEnabled & step) && (option->state & State_Enabled);
        const bool hot = able && (option->activeSubControls & which);
        drawIcon(painter, name, rect, hot ? theme.accent : able ? theme.text : theme.border, Metrics::scaled(9));
    };
    part(up.adjusted(0, 1, 0, 1), QStringLiteral("up"), SC_SpinBoxUp, QAbstractSpinBox::StepUpEnabled);
    part(down.adjusted(0, -1, 0, -1), QStringLiteral("down"), SC_SpinBoxDown, QAbstractSpinBox::StepDownEnabled);
}

void ShardscopeStyle::drawSlider(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const
{
    const Theme& theme = Theme::current();
    const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (!slider || slider->orientation != Qt::Horizontal) {
        QProxyStyle::drawComplexControl(CC_Slider, option, painter, widget);
        return;
    }
    const bool enabled = option->state & State_Enabled;
    const QRect handle = subControlRect(CC_Slider, option, SC_SliderHandle, widget);
    const QRect all = option->rect;
    const int y = handle.center().y();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(theme.border);
    painter->drawRoundedRect(QRectF(all.left() + 2, y - 1, all.width() - 4, 3), 1.5, 1.5);
    painter->setBrush(enabled ? theme.accent : theme.strongLine);
    painter->drawRoundedRect(QRectF(all.left() + 2, y - 1, handle.center().x() - all.left() - 2, 3), 1.5, 1.5);
    painter->setPen(QPen(enabled ? theme.accent : theme.strongLine, 2));
    painter->setBrush(theme.base);
    painter->drawEllipse(QPointF(handle.center().x() + 0.5, y + 0.5), 5, 5);
    if (focusShown(option)) {
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(theme.accent, 2));
        painter->drawEllipse(QPointF(handle.center().x() + 0.5, y + 0.5), 7.5, 7.5);
    }
    painter->restore();
}

void ShardscopeStyle::drawScrollBar(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const
{
    const Theme& theme = Theme::current();
    const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (!bar)
        return;
    painter->fillRect(option->rect, theme.base);
    if (bar->maximum <= bar->minimum)
        return;
    const QRect slider = subControlRect(CC_ScrollBar, option, SC_ScrollBarSlider, widget);
    const bool hot = option->state & (State_MouseOver | State_Sunken);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(hot ? theme.hint : theme.strongLine);
    const qreal inset = 2.5;
    const QRectF shape = QRectF(slider).adjusted(inset, inset, -inset, -inset);
    const qreal round = std::min(shape.width(), shape.height()) / 2;
    painter->drawRoundedRect(shape, round, round);
    painter->restore();
}

} // namespace shardscope
