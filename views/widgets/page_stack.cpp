// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/page_stack.h"

#include "views/widgets/boxes.h"

namespace shardscope {

namespace {

QStringList pageNames(const QList<PageStack::Page>& pages)
{
    QStringList names;
    for (const PageStack::Page& page : pages)
        names << page.name;
    return names;
}

} // namespace

PageStack::PageStack(const QString& name, const QList<Page>& pages, QWidget* parent)
    : QWidget(parent)
    , m_bar(new SegmentedBar(pageNames(pages)))
{
    m_bar->setAccessibleName(name);
    auto* column = vbox(this, {}, 0, { hbox({ 8, 4, 8, 4 }, 0, { m_bar, boxStretch() }) });
    for (const Page& page : pages) {
        column->addWidget(page.widget, 1);
        m_pages << page.widget;
    }
    setAutoFillBackground(true);
    connect(m_bar, &SegmentedBar::currentChanged, this, [this] {
        follow();
        Q_EMIT currentChanged();
    });
    follow();
}

void PageStack::setCurrent(const QWidget* page)
{
    for (qsizetype i = 0; i < m_pages.size(); ++i)
        if (m_pages[i] == page)
            m_bar->setCurrent(static_cast<int>(i));
}

void PageStack::follow()
{
    for (QWidget* page : m_pages)
        if (page != current())
            page->hide();
    current()->show();
}

} // namespace shardscope
