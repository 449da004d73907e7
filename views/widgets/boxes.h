// SPDX-License-Identifier: GPL-3.0-or-later
// Rows and columns of widgets, each made in one expression.
//
//     auto* head = hbox({ 8, 6, 8, 6 }, 4, { { m_filter, 1 }, m_kinds, boxStretch() });
//     vbox(this, {}, 0, { head, { m_table, 1 } });
#pragma once

#include <QBoxLayout>
#include <initializer_list>

namespace shardscope {

/// What stands in a row or column: a widget, a layout, or room.
struct BoxItem {
    BoxItem(QWidget* item, int stretchFactor = 0, Qt::Alignment place = {})
        : widget(item)
        , stretch(stretchFactor)
        , alignment(place)
    {
    }
    BoxItem(QLayout* item, int stretchFactor = 0)
        : layout(item)
        , stretch(stretchFactor)
    {
    }
    BoxItem() = default;

    QWidget* widget = nullptr;
    QLayout* layout = nullptr;
    int space = -1; ///< pixels of a gap; -1: room that grows by `stretch`
    int stretch = 0;
    Qt::Alignment alignment = {};
};
[[nodiscard]] BoxItem boxStretch(int factor = 0);
[[nodiscard]] BoxItem boxSpace(int pixels);

/// The margins and the spacing that the style gives.
inline constexpr QMargins styleMargins{ -1, -1, -1, -1 };
inline constexpr int styleSpacing = -1;

QHBoxLayout* hbox(QWidget* of, const QMargins& margins, int spacing, std::initializer_list<BoxItem> items);
QHBoxLayout* hbox(const QMargins& margins, int spacing, std::initializer_list<BoxItem> items);
QVBoxLayout* vbox(QWidget* of, const QMargins& margins, int spacing, std::initializer_list<BoxItem> items);
QVBoxLayout* vbox(const QMargins& margins, int spacing, std::initializer_list<BoxItem> items);

/// Tab goes from each to the next one.
void tabOrder(std::initializer_list<QWidget*> widgets);

} // namespace shardscope
