// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/boxes.h"

#include <QWidget>

namespace shardscope {

namespace {

template <typename Box>
Box* filled(Box* box, const QMargins& margins, int spacing, std::initializer_list<BoxItem> items)
{
    box->setContentsMargins(margins);
    box->setSpacing(spacing);
    for (const BoxItem& item : items) {
        if (item.widget)
            box->addWidget(item.widget, item.stretch, item.alignment);
        else if (item.layout)
            box->addLayout(item.layout, item.stretch);
        else if (item.space >= 0)
            box->addSpacing(item.space);
        else
            box->addStretch(item.stretch);
    }
    return box;
}

} // namespace

BoxItem boxStretch(int factor)
{
    BoxItem item;
    item.stretch = factor;
    return item;
}

BoxItem boxSpace(int pixels)
{
    BoxItem item;
    item.space = pixels;
    return item;
}

QHBoxLayout* hbox(QWidget* of, const QMargins& margins, int spacing, std::initializer_list<BoxItem> items)
{
    return filled(new QHBoxLayout(of), margins, spacing, items);
}

QHBoxLayout* hbox(const QMargins& margins, int spacing, std::initializer_list<BoxItem> items)
{
    return hbox(nullptr, margins, spacing, items);
}

QVBoxLayout* vbox(QWidget* of, const QMargins& margins, int spacing, std::initializer_list<BoxItem> items)
{
    return filled(new QVBoxLayout(of), margins, spacing, items);
}

QVBoxLayout* vbox(const QMargins& margins, int spacing, std::initializer_list<BoxItem> items)
{
    return vbox(nullptr, margins, spacing, items);
}

void tabOrder(std::initializer_list<QWidget*> widgets)
{
    for (const auto* each = widgets.begin(); each + 1 < widgets.end(); ++each)
        QWidget::setTabOrder(each[0], each[1]);
}

} // namespace shardscope
