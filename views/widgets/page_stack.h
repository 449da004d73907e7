// SPDX-License-Identifier: GPL-3.0-or-later
// Pages of one view, one of them shown, chosen by a bar on top. The others are hidden and take no room: the view is as
// small as the page that is shown lets it be.
#pragma once

#include <QList>
#include <QWidget>

#include "views/widgets/segmented_bar.h"

namespace shardscope {

class PageStack : public QWidget {
    Q_OBJECT
public:
    struct Page {
        QString name;
        QWidget* widget;
    };
    /// `name` is what the bar is called for those who cannot see it.
    PageStack(const QString& name, const QList<Page>& pages, QWidget* parent = nullptr);

    [[nodiscard]] SegmentedBar* bar() const { return m_bar; }
    [[nodiscard]] QWidget* current() const { return m_pages[m_bar->current()]; }
    /// One of the pages.
    void setCurrent(const QWidget* page);

Q_SIGNALS:
    void currentChanged();

private:
    void follow();
    SegmentedBar* m_bar;
    QList<QWidget*> m_pages;
};

} // namespace shardscope
