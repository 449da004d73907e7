// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes of the style: metrics, hints, and where the parts of controls lie.
// A part of Metrics, which is declared in theme.h.
#include <QAbstractSpinBox>
#include <QStyleOption>
#include <QToolBar>
#include <algorithm>

#include "views/theme/style.h"
#include "views/theme/theme.h"

namespace shardscope {

namespace {

constexpr int checkBoxMargin = 4; ///< room for the focus ring beside box and label
} // namespace

int ShardscopeStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const
{
    switch (metric) {
    case PM_DockWidgetSeparatorExtent:
    case PM_SplitterWidth:
    case PM_DockWidgetTitleMargin:
    case PM_MenuVMargin:
    case PM_LayoutHorizontalSpacing:
    case PM_LayoutVerticalSpacing:
    case PM_FocusFrameHMargin:
    case PM_CheckBoxLabelSpacing:
        return 4;
    case PM_DockWidgetFrameWidth:
    case PM_DefaultFrameWidth:
    case PM_MenuPanelWidth:
        return 1;
    case PM_ScrollBarExtent:
        return Metrics::scaled(10);
    case PM_ScrollBarSliderMin:
        return Metrics::scaled(24);
    case PM_ButtonMargin:
    case PM_HeaderMargin:
        return 6;
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
    case PM_ToolBarFrameWidth:
    case PM_TabBarTabShiftVertical:
    case PM_TabBarTabShiftHorizontal:
    case PM_TabBarBaseOverlap:
        return 0;
    case PM_ToolBarItemSpacing:
    case PM_ToolBarItemMargin:
        return 2;
    case PM_ToolBarIconSize:
    case PM_ButtonIconSize:
    case PM_SliderThickness:
    case PM_SliderControlThickness:
    case PM_SmallIconSize:
        return Metrics::scaled(16);
    case PM_TabBarTabHSpace:
        return 20;
    case PM_TabBarTabVSpace:
    case PM_LayoutLeftMargin:
    case PM_LayoutTopMargin:
    case PM_LayoutRightMargin:
    case PM_LayoutBottomMargin:
        return 8;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_SliderLength:
    case PM_TreeViewIndentation:
        return Metrics::scaled(14);
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int ShardscopeStyle::styleHint(
    StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const
{
    switch (hint) {
    case SH_ToolTip_WakeUpDelay:
        return 400;
    case SH_ItemView_ShowDecorationSelected:
        return 1;
    case SH_EtchDisabledText:
    case SH_ComboBox_Popup:
    case SH_UnderlineShortcut:
    case SH_DialogButtonBox_ButtonsHaveIcons:
        return 0;
    case SH_Table_GridLineColor:
        return static_cast<int>(Theme::current().plotGrid.rgb());
    case SH_TabBar_Alignment:
        return Qt::AlignLeft;
    case SH_TabBar_ElideMode:
        return Qt::ElideNone;
    case SH_Slider_AbsoluteSetButtons:
        return Qt::LeftButton;
    default:
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

QSize ShardscopeStyle::sizeFromContents(
    ContentsType type, const QStyleOption* option, const QSize& size, const QWidget* widget) const
{
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    const int control = Metrics::scaled(24);
    switch (type) {
    case CT_PushButton: {
        const bool small = isMarked(widget, "small");
        int width = size.width() + 2 * Metrics::scaled(small ? 8 : 10);
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option); button && !button->icon.isNull())
            width = option->fontMetrics.horizontalAdvance(button->text) + button->iconSize.width()
                + 2 * Metrics::scaled(10) + (button->text.isEmpty() ? 0 : 6);
        return { width, small ? Metrics::scaled(20) : control };
    }
    case CT_LineEdit:
    case CT_SpinBox:
        result.setHeight(control);
        return result;
    case CT_ComboBox:
        result.setHeight(control);
        result.setWidth(size.width() + Metrics::scaled(34));
        return result;
    case CT_ToolButton:
        if (widget && qobject_cast<const QToolBar*>(widget->parentWidget())) {
            const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
            const bool iconOnly = !button || button->toolButtonStyle == Qt::ToolButtonIconOnly;
            const int side = Metrics::scaled(28);
            return iconOnly ? QSize(side, side) : QSize(size.width() + Metrics::scaled(12), control);
        }
        return { std::max(size.width() + 6, Metrics::scaled(20)), std::max(size.height() + 4, Metrics::scaled(20)) };
    case CT_HeaderSection:
        result.setHeight(Metrics::scaled(22));
        return result;
    case CT_ItemViewItem:
        result.setHeight(std::max(result.height(), Metrics::scaled(22)));
        return result;
    case CT_TabBarTab:
        result.setHeight(Metrics::scaled(26));
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) // the selected one is bold
            result.rwidth() += QFontMetrics(Metrics::semibold()).horizontalAdvance(tab->text)
                - option->fontMetrics.horizontalAdvance(tab->text) + 4;
        return result;
    case CT_CheckBox:
        result.rwidth() += 2 * checkBoxMargin;
        return result;
    case CT_MenuBarItem:
        result.setHeight(control);
        result.setWidth(size.width() + Metrics::scaled(16));
        return result;
    case CT_MenuItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
            !item || item->menuItemType != QStyleOptionMenuItem::Separator)
            result.setHeight(control);
        return result;
    default:
        return result;
    }
}

QRect ShardscopeStyle::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const
{
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
    switch (element) {
    case SE_CheckBoxFocusRect: // around box and label
        return option->rect;
    case SE_CheckBoxIndicator:
    case SE_CheckBoxContents:
        if (button) {
            QStyleOptionButton inner(*button);
            inner.rect.adjust(checkBoxMargin, 0, -checkBoxMargin, 0);
            return QProxyStyle::subElementRect(element, &inner, widget);
        }
        break;
    default:
        break;
    }
    return QProxyStyle::subElementRect(element, option, widget);
}

QRect ShardscopeStyle::subControlRect(
    ComplexControl control, const QStyleOptionComplex* option, SubControl part, const QWidget* widget) const
{
    const QRect all = option->rect;
    if (control == CC_ComboBox) {
        const int arrow = Metrics::scaled(20);
        if (part == SC_ComboBoxArrow)
            return visualRect(option->direction, all, { all.right() + 1 - arrow, all.top(), arrow, all.height() });
        if (part == SC_ComboBoxEditField)
            // Within the frame, which is two pixels wide where the keyboard is.
            return visualRect(option->direction, all, all.adjusted(Metrics::scaled(6), 2, -arrow, -2));
        if (part == SC_ComboBoxFrame)
            return all;
    }
    if (control == CC_SpinBox) {
        const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
        const bool buttons = !spin || spin->buttonSymbols != QAbstractSpinBox::NoButtons;
        const int width = buttons ? Metrics::scaled(15) : 0;
        const QRect column(all.right() - width, all.top() + 1, width, all.height() - 2);
        const int half = column.height() / 2;
        switch (part) {
        case SC_SpinBoxUp:
            return visualRect(option->direction, all, { column.left(), column.top(), width, half });
        case SC_SpinBoxDown:
            return visualRect(
                option->direction, all, { column.left(), column.top() + half, width, column.height() - half });
        case SC_SpinBoxEditField:
            return visualRect(option->direction, all, all.adjusted(4, 1, -width - 2, -1));
        case SC_SpinBoxFrame:
            return all;
        default:
            break;
        }
    }
    if (control == CC_ScrollBar) {
        const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
        if (bar) {
            // No arrow buttons: the groove is the whole bar.
            const bool horizontal = bar->orientation == Qt::Horizontal;
            const int length = horizontal ? all.width() : all.height();
            const qint64 range = qint64{ bar->maximum } - bar->minimum;
            int slider = length;
            if (range > 0) {
                slider = static_cast<int>(qint64{ bar->pageStep } * length / (range + bar->pageStep));
                slider =
                    std::clamp(slider, std::min(length, pixelMetric(PM_ScrollBarSliderMin, option, widget)), length);
            }
            const int start = sliderPositionFromValue(
                bar->minimum, bar->maximum, bar->sliderPosition, length - slider, bar->upsideDown);
            const auto along = [&](int from, int size) {
                return horizontal ? QRect(all.x() + from, all.y(), size, all.height())
                                  : QRect(all.x(), all.y() + from, all.width(), size);
            };
            switch (part) {
            case SC_ScrollBarSlider:
                return along(start, slider);
            case SC_ScrollBarGroove:
                return all;
            case SC_ScrollBarSubPage:
                return along(0, start);
            case SC_ScrollBarAddPage:
                return along(start + slider, length - start - slider);
            case SC_ScrollBarAddLine:
            case SC_ScrollBarSubLine:
                return {};
            default:
                break;
            }
        }
    }
    return QProxyStyle::subControlRect(control, option, part, widget);
}

} // namespace shardscope
